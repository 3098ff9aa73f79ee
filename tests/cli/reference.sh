# SPDX-License-Identifier: Apache-2.0
# The reference pages: each instruction and each rule that the lists name has its page and its JSON.
. "$SRC/tests/support/cli.sh"

expect 0 "$PTO" isa
sed -n 's/^  \([A-Z][A-Z0-9_]*\) .*/\1/p' .out | sort -u >names
[ "$(wc -l <names)" -ge 50 ] || fail "only $(wc -l <names) instructions in the list"
while read -r name; do
    expect 0 "$PTO" isa "$name" && says "^$name( |$)" .out && says '^ +operands' .out && says '^ +element types' .out
done <names
expect 0 "$PTO" isa trelu && says '^TRELU' .out
expect 2 "$PTO" isa TRELUU && says 'did you mean TRELU' && silent .out
expect 2 "$PTO" isa '' && silent .out
expect 2 "$PTO" isa "$(printf '%5000s' | tr ' ' T)"

expect 0 "$PTO" explain
awk '{print $1}' .out >rules
[ "$(wc -l <rules)" -ge 100 ] || fail "only $(wc -l <rules) rules in the list"
is "$(sort rules | uniq -d)" ""
# shellcheck disable=SC2046
expect 0 "$PTO" explain $(cat rules)
is "$(grep -cE '^[A-Z]+-[A-Z]?[0-9]+  [a-z]' .out)" "$(wc -l <rules)"
is "$(grep -c '^  rule  *[^ ]' .out)" "$(wc -l <rules)"
# every rule that the sources name has its page
grep -rhoE '"(PTO-[EW][0-9]{4}|SA-[0-9]{4})"' "$SRC/src" "$SRC/tools/pto" | tr -d '"' | sort -u | comm -23 - <(sort rules) >unexplained
is "$(cat unexplained)" ""
expect 0 "$PTO" explain PTO-E0314 && says '^PTO-E0314  ' .out && says '^  fix +[^ ]' .out
expect 2 "$PTO" explain PTO-E9999 && says 'unknown rule PTO-E9999'

if command -v python3 >/dev/null; then
    valid() { python3 -c 'import json, sys; assert len(json.load(sys.stdin)) == int(sys.argv[1])' "$1" <.out 2>.err; }
    expect 0 "$PTO" explain --json && { valid "$(wc -l <rules)" || fail "explain --json"; }
    expect 0 "$PTO" isa TRELU --json && { valid 1 || fail "isa TRELU --json"; }
    expect 0 "$PTO" isa --json
    python3 -c 'import json, sys; json.load(sys.stdin)' <.out 2>.err || fail "isa --json"
fi
