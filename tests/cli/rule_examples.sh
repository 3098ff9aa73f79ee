# SPDX-License-Identifier: Apache-2.0
# The command lines that pto explain gives as examples of rules: each ends with a diagnostic of that rule. And one example
# that is a program, as a user would try it.
. "$SRC/tests/support/cli.sh"

"$PTO" explain | awk '{print $1}' >ids
tried=0
pto() { "$PTO" "$@"; }
# Every page in a file of its own, only the command lines of its example.
# shellcheck disable=SC2046
"$PTO" explain $(cat ids) | awk '/^(PTO|SA)-[A-Z]?[0-9]+  /{ id = $1; on = 0 } on { sub(/^      /, ""); print >id ".script" } /^  example$/{ on = 1 }'
for script in *.script; do
    id=${script%.script}
    tried=$((tried + 1))
    rm -rf try && mkdir try
    (cd try && . "../$script") >.out 2>.err
    grep -qF "[$id]" .err || { fail "the example of $id does not tell it but:" && cat "$script" .err >&2; }
done
[ "$tried" -ge 20 ] || fail "only $tried command lines"

for id in PTO-E0302 PTO-E0507 PTO-W0331; do
    "$PTO" explain "$id" >page
    options=$(sed -n 's/^  example: pto \(.*\) example.pto$/\1/p' page)
    sed -n '/^  example: /,$p' page | sed '1d; s/^      //' >example.pto
    # shellcheck disable=SC2086
    "$PTO" $options example.pto 2>.err
    grep -qF "[$id]" .err || { fail "the example of $id does not tell it but:" && cat .err >&2; }
done
