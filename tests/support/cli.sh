# SPDX-License-Identifier: Apache-2.0
# What the tests of the command share; sourced by tests/cli/*.sh. Leaves the shell in a fresh directory, $T, which is
# removed at the end; $T/.out and $T/.err hold what the last command of `expect` said.
set -uo pipefail
: "${PTO:?the command under test}" "${SRC:?the source tree}" "${BUILD:?the build tree}"
T=$(mktemp -d)
cd "$T" || exit 1
failures=0
finish() {
    local status=$?
    cd / && rm -rf "$T"
    [ "$status" -eq 0 ] && [ "$failures" -gt 0 ] && exit 1
    exit "$status"
}
trap finish EXIT

fail() {
    failures=$((failures + 1))
    echo "line ${BASH_LINENO[${DEPTH:-1}]}: $*" >&2
}

# expect STATUS COMMAND...: runs it and compares the exit status.
expect() {
    local want=$1 got
    shift
    "$@" >.out 2>.err
    got=$?
    [ "$got" -eq "$want" ] && return 0
    DEPTH=1 fail "$* exits with $got, not $want"
    head -n 20 .out .err >&2
    return 1
}

# says PATTERN [FILE]: the last command printed a line that matches (extended regular expression).
says() { grep -qE -- "$1" "${2:-.err}" || { DEPTH=1 fail "no line matches '$1' in:" && head -n 20 "${2:-.err}" >&2; }; }
# silent [FILE]: it printed nothing.
silent() { [ ! -s "${1:-.err}" ] || { DEPTH=1 fail "unexpected text:" && head -n 20 "${1:-.err}" >&2; }; }
# refused STATUS RULE COMMAND...: this exit status, and one of the diagnostics is of this rule.
refused() {
    local rule=$2 want=$1
    shift 2
    "$@" >.out 2>.err
    local got=$?
    [ "$got" -eq "$want" ] || { DEPTH=1 fail "$* exits with $got, not $want" && head -n 20 .err >&2; }
    grep -qF "[$rule]" .err || { DEPTH=1 fail "$* does not tell $rule but" && head -n 20 .err >&2; }
}
is() { [ "$1" = "$2" ] || DEPTH=1 fail "'$1', expected '$2'"; }
same() { cmp -s "$1" "$2" || DEPTH=1 fail "$1 and $2 differ"; }
absent() {
    local file
    for file in "$@"; do
        [ ! -e "$file" ] || DEPTH=1 fail "$file is there"
    done
}

# npy FILE DESCR SHAPE: an array of the raw elements on standard input; SHAPE as Python writes it: "4, 8" or "32,".
npy() {
    local dict="{'descr': '$2', 'fortran_order': False, 'shape': ($3), }" len
    len=$(((10 + ${#dict} + 1 + 63) / 64 * 64 - 10))
    {
        # shellcheck disable=SC2059
        printf "\\x93NUMPY\\x01\\x00\\x$(printf %02x $((len % 256)))\\x$(printf %02x $((len / 256)))"
        printf '%-*s\n' $((len - 1)) "$dict"
        cat
    } >"$1"
}
# The elements of an array without its header.
payload() { tail -c +$((11 + $(od -An -tu2 -j8 -N2 "$1"))) "$1"; }
# The header's dictionary.
header() { head -c $((10 + $(od -An -tu2 -j8 -N2 "$1"))) "$1" | tail -c +11 | sed 's/ *$//'; }
# s32 NUMBER...: 32-bit little-endian integers, raw.
s32() {
    local value
    for value; do
        # shellcheck disable=SC2059
        printf "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $((value & 255)) $((value >> 8 & 255)) $((value >> 16 & 255)) $((value >> 24 & 255)))"
    done
}
# words TYPE FILE: the elements in one line, by od's name of the type: f4, d4, d1, ...
words() { payload "$2" | od -An -v -t"$1" | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'; }
