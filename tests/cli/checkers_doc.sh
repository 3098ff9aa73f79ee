# SPDX-License-Identifier: Apache-2.0
# docs/checkers.md says what the tools print: every report in it is made again from the numbered lines above it, letter
# for letter, and its corrections are silent.
. "$SRC/tests/support/cli.sh"
unset PTO_CHECK PTO_SUPPRESSIONS
doc=$SRC/docs/checkers.md cc=${CC:-cc}
[ -f "$BUILD/libpto.a" ] || exit 77
grep -q "^PTO_SANITIZE:BOOL=ON" "$BUILD/CMakeCache.txt" && exit 77 # needs the sanitizer in its user
echo 'int main(void) { return 0; }' >probe.c
$cc -std=c17 probe.c "$BUILD"/libpto.a -lm -lpthread -o probe 2>/dev/null || exit 77

# program NAME TARGET BLOCKS: the statements on stdin, "7  TLOAD(t, in);" each, in a kernel whose lines have these numbers
program() {
    {
        printf '#include <pto/pto-inst.h>\nstatic float x[2048], y[2048];\n'
        printf 'static void kernel(void *unused) { (void)unused;\n'
        printf 'PTO_TILE(t, Vec, float, 16, 64); PTO_TILE(u, Vec, float, 16, 64); TASSIGN(t, 0); TASSIGN(u, 4096);\n'
        printf 'PTO_GLOBAL(in, x, float, 16, 64); PTO_GLOBAL(out, y, float, 16, 64); (void)in, (void)out; %s\n' "${EXTRA:-}"
        local at=6 number code
        while read -r number code; do
            for (( ; at < number; at++)); do
                # what a report does not need to show stands in front of it
                [ "$at" = $((number - 1)) ] && [ "$at" -gt 5 ] && printf '%s' "${BEFORE:-}"
                echo
            done
            printf '%s\n' "$code"
            at=$((at + 1))
        done
        printf '}\nint main(void) { return pto_launch(&(pto_launch_options){.core = {.target = PTO_TARGET_%s}, .blocks = %s}, kernel, NULL, NULL); }\n' "$2" "$3"
    } >"$1.c"
    expect 0 "$cc" -std=c17 -w -I"$SRC/include" -I"$BUILD/generated/include" "$1.c" "$BUILD/libpto.a" -lm -lpthread -o "$1"
}
# section HEADING: the code block behind the line that begins with it
section() { awk -v head="$1" 'index($0, head) == 1 { on = 1; next } on && /^```/ { if (open) exit; open = 1; next } on && open' "$doc"; }
# shown RULE TARGET [BLOCKS]: the block of that rule
shown=0
shown() {
    local name=e${1#PTO-E} line
    section "**E${1#PTO-E}," >block
    [ -s block ] || fail "docs/checkers.md has no block of $1"
    grep -E '^ ?[0-9]+  ' block | sed 's/^ *//' >statements
    program "$name" "$2" "${3:-1}" <statements
    expect 3 env PTO_CHECK=all "./$name"
    grep -vE '^ ?[0-9]+  ' block >report
    while IFS= read -r line; do
        grep -qxF -- "$line" .err || fail "docs/checkers.md says of $1: $line; the program:
$(cat .err)"
    done <report
    shown=$((shown + 1))
}
# silent_with NAME TARGET BLOCKS: the statements on stdin are silent
silent_with() {
    program "$1" "$2" "$3"
    expect 0 env PTO_CHECK=all "./$1" && silent
}

shown PTO-E1101 A5
shown PTO-E1102 A5
shown PTO-E1103 A2A3
shown PTO-E1110 A5
BEFORE='TEXPANDS(t, 1.0f); pipe_barrier(PIPE_ALL);' shown PTO-E1104 A5 2
EXTRA='PTO_TILE_VALID(part, Vec, float, 16, 64, 8, 64); TASSIGN(part, 0); PTO_GLOBAL(half, x, float, 8, 64);' shown PTO-E1120 A5

silent_with fixed A5 1 <<'E'
7 TLOAD(t, in); set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); TRELU(u, t);
E
silent_with fixed A5 1 <<'E'
7 TLOAD(t, in);
8 pipe_barrier(PIPE_MTE2);
9 TLOAD(t, in);
E
silent_with fixed A2A3 1 <<'E'
7 TLOAD(t, in);
8 TLOAD(t, in);
E
silent_with fixed A2A3 1 <<'E'
7 TEXPANDS(t, 1.0f);
8 pipe_barrier(PIPE_V);
9 TRELU(t, t);
E
silent_with fixed A5 1 <<'E'
7 TEXPANDS(t, 1.0f);
8 TRELU(t, t);
E

# a line with its rule beside it: the rule is told there
beside=0
beside() { # TARGET LINE RULE, the statements on stdin
    program beside "$1" 1
    refused 3 "PTO-$3" env PTO_CHECK=all ./beside && says "^beside.c:$2: error: .*\[PTO-$3\]"
    beside=$((beside + 1))
}
section '**E0920 to E0925' >block
grep -oE 'E09[0-9]{2}:.*' block | sed 's/; note.*//; s/: /:/' >told
while IFS=: read -r rule title; do
    number=$(grep "$rule:" block | grep -oE '^ *[0-9]+')
    # the paragraph of the rule: two sets, two waits or two gets belong together
    awk -v rule="$rule:" 'BEGIN { RS = ""; } index($0, rule)' block | sed -E 's/ +E09.*//; s/^ +//' >statements
    beside A5 "${number// /}" "$rule" <statements
    says "$title" || fail "$rule is called otherwise"
done <told
[ "$beside" -eq 5 ] || fail "$beside rules of flags"

# what explore, --deep and the blocks print
{ sed -n "/^program() {/,/^END/p" "$SRC/tests/cli/explore.sh" && echo '}'; } >late.sh && . ./late.sh
for i in $(seq 64); do printf '\x00\x00\x80\x3f'; done | npy x.npy '<f4' '8, 8'
program late.pto ''
commands=0
as_shown() { # COMMAND as the document has it, its output
    awk -v command="\$ $1" '$0 == command { on = 1; next } on && (/^```/ || /^\$ /) { exit } on' "$doc" >report
    [ -s report ] || fail "docs/checkers.md does not show: $1"
    (eval "${2:-$1}") >said 2>&1
    while IFS= read -r line; do
        grep -qxF -- "$line" said || fail "docs/checkers.md says of $1: $line; it is
$(cat said)"
    done <report
    commands=$((commands + 1))
}
pto() { "$PTO" "$@"; }
as_shown 'pto explore -t a2a3 late.pto x=x.npy y:='
cp -r "$SRC/examples" examples
as_shown 'pto check --deep -t a5 examples/layernorm/layernorm.pto'
sed -n "/^cat >relu.s/,/^END/p" "$SRC/tests/cli/check.sh" >relu.sh && . ./relu.sh
as_shown 'pto run relu.s --check=init --mem 0x100000=256 --dump 0x200000:f32:4x16=y.npy'
echo "$shown reports, $beside rules and $commands commands of docs/checkers.md made again"
