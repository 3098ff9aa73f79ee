# SPDX-License-Identifier: Apache-2.0
# Arguments of a run: by name, by position, shapes, in-out, scalars, scratch; the results bit by bit.
. "$SRC/tests/support/cli.sh"

add=$SRC/tests/data/add_scalar.pto window=$SRC/tests/data/window.pto
# shellcheck disable=SC2046
s32 $(seq -64 63) | npy a.npy '<i4' '16, 8'
# shellcheck disable=SC2046
s32 $(seq 936 1063) >sum.raw
want() { payload "$1" | cmp -s - sum.raw || DEPTH=1 fail "$1 does not hold the sums: $(words d4 "$1" | head -c 200)"; }

expect 0 "$PTO" run "$add" a=a.npy s=1000 o:=named.npy && silent && silent .out && want named.npy
is "$(header named.npy)" "{'descr': '<i4', 'fortran_order': False, 'shape': (16, 8), }"
expect 0 "$PTO" run "$add" o:=order.npy s=1000 a=a.npy && want order.npy
expect 0 "$PTO" run "$add" a.npy 1000 :=position.npy && want position.npy
expect 0 "$PTO" run "$add" s=1000 a.npy o:=mixed.npy && want mixed.npy
expect 0 "$PTO" run "$add" a.npy 0x3e8 :=hex.npy && want hex.npy
expect 0 "$PTO" run - a.npy 1000 :=stdin.npy <"$add" && want stdin.npy
expect 0 "$PTO" run "$add" --entry add a.npy 1000 :=entry.npy && want entry.npy
expect 0 "$PTO" run "$add" a=a.npy s=1000 o:=shape.npy@16x8 && want shape.npy && same shape.npy named.npy
expect 0 "$PTO" run "$add" a=a.npy s=1000 o:=flat.npy@128 && want flat.npy
is "$(header flat.npy)" "{'descr': '<i4', 'fortran_order': False, 'shape': (128,), }"
for options in '-b 1' '-b 2' '-b 3' '-b 4 -j 1' '-b 4 -j 2' '-b 7 -j 3' '-b 100' '--simd base' '--simd avx2' '-t a2a3' '-t a5'; do
    # shellcheck disable=SC2086
    expect 0 "$PTO" run "$add" $options a.npy 1000 :=options.npy && want options.npy
    rm -f options.npy
done
# Variants of the arithmetic: division by zero gives 0, or is refused.
sed 's/pto.tadds/pto.tdivs/' "$add" >divide.pto
expect 0 "$PTO" run divide.pto a.npy 0 :=zero.npy && is "$(words d4 zero.npy | cut -d' ' -f1-3)" "0 0 0"
expect 0 "$PTO" run divide.pto --numeric unfused,flush_subnormals a.npy 0 :=variants.npy && same variants.npy zero.npy
refused 1 PTO-E0503 "$PTO" run divide.pto --numeric unfused,trap_zero_divisor a.npy 0 :=trapped.npy
absent trapped.npy
# A negative scalar without a name is no option; scratch is not saved.
expect 0 "$PTO" run "$add" a.npy -1 :=minus.npy && is "$(words d4 minus.npy | cut -d' ' -f1-3)" "-65 -64 -63"
expect 0 "$PTO" run "$add" a.npy s=4294967295 :=wrap.npy && same wrap.npy minus.npy
expect 0 "$PTO" run "$add" a.npy 1 o:= && silent
# an extent that is a parameter gives the shape of an output
expect 0 "$PTO" run "$window" rows=6 row=1 x:=window.npy && silent
is "$(header window.npy)" "{'descr': '<i4', 'fortran_order': False, 'shape': (6, 8), }"
expect 0 "$PTO" run "$add" a.npy 1 o:=@128 && silent
expect 0 "$PTO" run "$add" a.npy 1 o=a.npy && says 'warning: .*PTO-W0957'
# Other layouts of the same array: raw unsigned integers, big endian, Fortran order.
payload a.npy | npy unsigned.npy '<u4' '16, 8'
expect 0 "$PTO" run "$add" unsigned.npy 1000 :=o.npy && want o.npy
payload a.npy | od -An -v -tx4 -w4 | sed 's/ \(..\)\(..\)\(..\)\(..\)/\\x\1\\x\2\\x\3\\x\4/' | tr -d '\n' >escapes
# shellcheck disable=SC2059
printf "$(cat escapes)" | npy big.npy '>i4' '16, 8'
expect 0 "$PTO" run "$add" big.npy 1000 :=o.npy && want o.npy
# shellcheck disable=SC2046
s32 $(for c in $(seq 0 7); do seq $((c - 64)) 8 63; done) | npy c.npy '<i4' '16, 8'
sed 's/False/True /' c.npy >fortran.npy
expect 0 "$PTO" run "$add" fortran.npy 1000 :=o.npy && want o.npy

# In-out: the file is read, then replaced; and another file leaves the input as it was.
# shellcheck disable=SC2046
s32 $(seq 0 47) | npy x.npy '<i4' '6, 8'
cp x.npy before.npy
expect 0 "$PTO" run "$window" x=x.npy x:=y.npy rows=6 row=2 && same x.npy before.npy
# shellcheck disable=SC2046
is "$(words d4 y.npy)" "$(echo $(seq 17 32) $(seq 17 48))"
expect 0 "$PTO" run "$window" x=x.npy x:=x.npy rows=6 row=2 && same x.npy y.npy
expect 0 "$PTO" run "$window" before.npy x:=- 6 2
cmp -s .out y.npy || fail "an array on standard output differs"

# What does not fit is told before anything runs: all of it, with the parameter; nothing is written.
bad() {
    local rule=$1
    shift
    rm -f o.npy
    expect 2 "$PTO" run "$add" "$@"
    grep -qF "[$rule]" .err || { DEPTH=1 fail "no $rule for $*:" && cat .err >&2; }
    absent o.npy
}
bad PTO-E0950 && is "$(grep -c PTO-E0950 .err)" 3
bad PTO-E0950 a=a.npy o:=o.npy && says "'s'"
bad PTO-E0951 a.npy 1 o:=o.npy extra
bad PTO-E0951 a.npy 1 o:=o.npy b=1 c=2 && is "$(grep -c PTO-E0951 .err)" 2
payload a.npy | npy float.npy '<f4' '16, 8'
bad PTO-E0952 a=float.npy s=1 o:=o.npy
payload a.npy | npy wide.npy '<i8' '8, 8'
bad PTO-E0952 a=wide.npy s=1 o:=o.npy
for shape in '8, 16' '2, 8, 8' '16, 8, 1' '16, 9' '15, 8' '127,' ''; do
    head -c 1000 /dev/zero | cat <(payload a.npy) - | head -c $((4 * $(echo "${shape:-1}" | sed 's/,$//; s/,/*/g; s/^/(/; s/$/)/' | tr -d ' '))) | npy shape.npy '<i4' "$shape"
    bad PTO-E0955 a=shape.npy s=1 o:=o.npy
done
for shape in x 16x 16x-8 -16x8 16,8 1x2x3x4x5x6x7x8x9x10x11x12x13x14x15x16x17x18x19x20x21x22x23x24x25x26x27x28x29x30x31x32x33; do
    bad PTO-E0953 a.npy 1 "o:=o.npy@$shape"
done
for shape in 0 8x16 127 0x0; do
    bad PTO-E0955 a.npy 1 "o:=o.npy@$shape"
done
for number in '' x 1.5 1e3 0x 4294967296 -2147483649 99999999999999999999 'a.npy'; do
    bad PTO-E0954 a=a.npy "s=$number" o:=o.npy
done
bad PTO-E0954 a.npy s:=o.npy
bad PTO-E0956 a=a.npy a=a.npy s=1 s=2 o:=o.npy o:=p.npy && is "$(grep -c PTO-E0956 .err)" 3
refused 1 PTO-E0429 "$PTO" run "$add" --entry nobody a.npy 1 :=o.npy
absent o.npy
