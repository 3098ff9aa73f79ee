# SPDX-License-Identifier: Apache-2.0
# Diagnostics of the command: places, all of a file in one run, JSON, no colour but on a terminal.
. "$SRC/tests/support/cli.sh"

cp "$SRC/tests/data/six_mistakes.pto" six.pto
expect 1 "$PTO" check -t a5 six.pto && silent .out
places() { sed -nE 's/^([^ ]+:[0-9]+:[0-9]+): error: .*\[([A-Z0-9-]+)\]$/\1 \2/p' "$1"; }
is "$(places .err)" "six.pto:14:5 PTO-E0314
six.pto:15:5 PTO-E0315
six.pto:16:22 PTO-E0303
six.pto:17:35 PTO-E0302
six.pto:18:22 PTO-E0210
six.pto:19:5 PTO-E0220"
is "$(grep -c error: .err)" 6
# The source line and a caret under the operand; what was found and what is allowed.
grep -A 4 ':16:22:' .err >one
is "$(sed -n 2,3p one)" '   16 |     pto.tadd ins(%a, %h : !f32, !f16) outs(%b : !f32)
      |                      ^~'
says '^ +found: f16$' one && says '^ +allowed: f32' one
grep -q "$(printf '\033')" .err && fail "colour in a file"
cp .err plain
expect 1 "$PTO" check -t a5 - <six.pto && says '^<stdin>:14:5: error'
expect 1 "$PTO" run -t a5 six.pto && is "$(places .err)" "$(places plain)"
expect 1 "$PTO" fmt six.pto && silent .out
# Several files: all are checked, the worst status counts.
expect 1 "$PTO" check -t a5 "$SRC/tests/data/add_scalar.pto" six.pto six.pto && is "$(grep -c error: .err)" 12
expect 2 "$PTO" check -t a5 six.pto nowhere.pto && says '^nowhere.pto: error: .*PTO-E0100'

# On a terminal there is colour, unless NO_COLOR asks for none.
if command -v script >/dev/null; then
    terminal() { script -qec "$*" /dev/null </dev/null >.out 2>&1; }
    terminal "'$PTO' check -t a5 six.pto"
    grep -q "$(printf '\033')" .out || fail "no colour on a terminal"
    NO_COLOR=1 terminal "'$PTO' check -t a5 six.pto"
    grep -q "$(printf '\033')" .out && fail "colour in spite of NO_COLOR"
    says 'six.pto:14:5: error' .out
    NO_COLOR='' terminal "'$PTO' check -t a5 six.pto"
    grep -q "$(printf '\033')" .out || fail "an empty NO_COLOR takes the colour away"
fi

# A text full of control characters does not reach the terminal as such.
printf 'module {\n \033[31mred\033]0;title\007 \302\233 \177 \377\n}\n' >escape.pto
expect 1 "$PTO" check escape.pto
LC_ALL=C grep -q "$(printf '[\033\007\177\377]')" .err && fail "control characters in the message"

# A broken alias is one mistake, and the lines behind it are read.
sed 's/vec, 4x8xi32/vec, -4x8xi32/' "$SRC/tests/data/add_scalar.pto" >alias.pto
expect 1 "$PTO" check alias.pto && is "$(places .err)" "alias.pto:3:28 PTO-E0201"

# JSON: one array per file, on standard output.
expect 1 "$PTO" check -t a5 --json six.pto && silent
if command -v python3 >/dev/null; then
    python3 -c '
import json, sys
for d in json.load(sys.stdin):
    print("%s:%d:%d %s" % (d["file"], d["line"], d["column"], d["rule"]))
    assert d["severity"] == "error" and d["message"] and d["endColumn"] > d["column"]' <.out >found 2>.err || fail "no JSON: $(cat .err)"
    is "$(cat found)" "$(places plain)"
    expect 1 "$PTO" check --json escape.pto
    python3 -c 'import json, sys; assert json.load(sys.stdin)' <.out 2>.err || fail "no JSON: $(cat .err)"
fi
expect 0 "$PTO" check --json "$SRC/tests/data/add_scalar.pto" && is "$(tr -d '\n ' <.out)" '[]'
