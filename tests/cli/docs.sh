# SPDX-License-Identifier: Apache-2.0
# make docs: a man page and a section of the HTML file for each instruction, with its example computed, and the rules.
. "$SRC/tests/support/cli.sh"

export PTO
expect 0 bash "$SRC/scripts/docs.sh" out && silent
"$PTO" isa | sed -n 's/^  \([A-Z][A-Z0-9_]*\) .*/\1/p' | sort -u >names
is "$(ls out/man7 | wc -l)" "$(wc -l <names)"
while read -r name; do
    page=out/man7/$name.7
    grep -q '^\.SH MEANING' "$page" && grep -q '^\.SH EXAMPLE' "$page" || fail "$name: no meaning or no example"
    grep -q "<h2 id=\"$name\">" out/instructions.html || fail "$name: not in the HTML file"
done <names
grep -q 'PTO-E0507  compare-order' out/instructions.html || fail "no rules in the HTML file"
grep -q '65504' out/man7/TADDDEQRELU.7 || fail "the example of TADDDEQRELU does not saturate"
if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww out/man7/*.7 >/dev/null 2>warnings || fail "groff fails"
    is "$(grep -v 'cannot break\|cannot adjust' warnings | head -n 3)" ""
fi
