# SPDX-License-Identifier: Apache-2.0
# Programs of the corpus that say what they give, computed by hand:
#
#     // run: n=3 c=1 gives d4 1 2 3
#
# runs the program with an output y of three elements and compares them (d4, f4: od's names). On every target, and
# in every other form that holds the program.
. "$SRC/tests/support/cli.sh"

programs=0 runs=0 refusals=0
for file in "$SRC"/tests/programs/*.pto; do
    grep -q '^// run: ' "$file" || continue
    rm -f part*.pto
    awk -v RS='// -----\n' '{ printf "%s", $0 > sprintf("part%03d.pto", NR) }' "$file"
    for part in part*.pto; do
        line=$(sed -n 's|^// run: ||p' "$part")
        [ -n "$line" ] || continue
        programs=$((programs + 1))
        read -ra arguments <<<"${line%%gives *}"
        read -r type want <<<"${line##*gives }"
        count=$(wc -w <<<"$want")
        forms=("$part")
        for form in generic level2 level1 pto-as bytecode; do
            "$PTO" fmt --to "$form" -o "$form" "$part" 2>.err && forms+=("$form") && continue
            refusals=$((refusals + 1))
            grep -qE '\[PTO-E02(50|60)\]' .err || fail "$file: $part to $form: $(cat .err)"
        done
        for form in "${forms[@]}"; do
            values=("${arguments[@]}" "y:=y.npy@$count")
            [ "$form" = bytecode ] && values=("${arguments[@]#*=}" ":=y.npy@$count") # which has no names
            for target in cpu a2a3 a5; do
                rm -f y.npy
                expect 0 "$PTO" run -t "$target" "$form" "${values[@]}" || continue
                got=$(words "$type" y.npy)
                [ "$got" = "$want" ] || fail "$file: $part as $form on $target: $got, not $want"
                runs=$((runs + 1))
            done
        done
    done
done
echo "$programs programs, $runs runs, $refusals forms that do not hold a program"
[ "$programs" -ge 40 ] || fail "only $programs programs"
