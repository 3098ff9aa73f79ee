# SPDX-License-Identifier: Apache-2.0
# Help, unknown words, options and their values: what is told, where, and with which exit status.
. "$SRC/tests/support/cli.sh"

expect 2 "$PTO" && says '^usage: pto' && silent .out
for word in help --help -h; do
    expect 0 "$PTO" $word && says '^usage: pto' .out && silent
done
expect 0 "$PTO" --version && says '^pto [0-9]+\.[0-9]+\.[0-9]+$' .out
expect 2 "$PTO" frobnicate && says 'unknown command frobnicate' && says "pto --help"

for command in run check fmt isa explain as dis; do
    expect 0 "$PTO" $command --help && says "^usage: pto $command" .out && silent
    cp .out by_option
    expect 0 "$PTO" $command -h && same .out by_option
    expect 0 "$PTO" help $command && same .out by_option
    expect 2 "$PTO" $command --frobnicate && says 'unknown option --frobnicate' && says "pto $command --help" && silent .out
    expect 2 "$PTO" $command -q && says 'unknown option -q'
    says "^  $command " <("$PTO" --help)
done
for command in run check fmt; do
    expect 2 "$PTO" $command && says 'no file given'
    expect 2 "$PTO" $command x.pto --target && says '--target needs a value'
    expect 2 "$PTO" $command x.pto --target a7 && says 'unknown target a7'
    expect 2 "$PTO" $command x.pto --json=yes && says '--json takes no value'
done

program=$SRC/tests/data/add_scalar.pto
for value in 0 -1 x 1x '' 99999999999 ' 4' +4; do
    expect 2 "$PTO" run "$program" --blocks "$value" && says '--blocks takes a number'
    expect 2 "$PTO" run "$program" --threads="$value" && says '--threads takes a number'
done
expect 2 "$PTO" run "$program" --simd mmx && says 'unknown SIMD level mmx'
expect 2 "$PTO" run "$program" --numeric fast && says 'unknown numeric option fast'
expect 2 "$PTO" run "$program" --numeric unfused, && says 'unknown numeric option ;'
expect 0 "$PTO" run --numeric list && says '^flush_subnormals  *[a-z]' .out && silent
expect 2 "$PTO" fmt --to level9 "$program" && says 'unknown form level9'
expect 2 "$PTO" fmt "$program" "$program" && says 'one file'
expect 2 "$PTO" isa TADD TSUB && says 'one instruction'

# Options stand anywhere; a word behind -- is none.
expect 0 "$PTO" check "$program" -t a5 && silent
expect 0 "$PTO" check --target=a2a3 "$program" && silent
expect 2 "$PTO" check -- --target && says '^--target: error: .*PTO-E0100'
expect 0 "$PTO" check - <"$program"
