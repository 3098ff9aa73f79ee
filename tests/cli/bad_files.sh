# SPDX-License-Identifier: Apache-2.0
# Files that are no programs: each gives an error in no time, never a crash.
. "$SRC/tests/support/cli.sh"

add=$SRC/tests/data/add_scalar.pto
# refuses FILE [STATUS]: check and fmt refuse it within seconds and say why, in not too many words.
refuses() {
    local command
    for command in check fmt; do
        timeout 20 "$PTO" $command "$1" >.out 2>.err
        local got=$?
        [ "$got" -eq "${2:-1}" ] || { DEPTH=1 fail "$command $1 exits with $got" && head -c 1000 .err >&2; }
        grep -qE '(^|: )error: .*\[PTO-E[0-9]+\]$' .err || DEPTH=1 fail "$command $1 says nothing"
        [ "$(wc -c <.err)" -lt 300000 ] || DEPTH=1 fail "$command $1 says $(wc -c <.err) bytes"
    done
}

: >empty.pto && refuses empty.pto
printf ' \n\t\r\n' >blank.pto && refuses blank.pto
printf '// nothing\n' >comment.pto && expect 0 "$PTO" check comment.pto && refused 1 PTO-E0429 "$PTO" run comment.pto
refuses nowhere.pto 2
mkdir folder.pto && refuses folder.pto 2
head -c 65536 /dev/zero >zero.pto && refuses zero.pto
head -c 65536 "$PTO" >binary.pto && refuses binary.pto
head -c 65536 /dev/urandom >random.pto && refuses random.pto
printf '\377\376m\0o\0d\0u\0l\0e\0' >utf16.pto && refuses utf16.pto
for form in "$add" <("$PTO" fmt --to generic "$add") "$SRC/tests/data/founding.pto"; do
    cat "$form" >whole.pto
    size=$(wc -c <whole.pto)
    # cut in the middle of the text: behind the first operation, before the last brace
    for part in 3 4 5 6 7 8 9; do
        head -c $((size * part / 10)) whole.pto >truncated.pto
        timeout 20 "$PTO" check truncated.pto >.out 2>.err
        status=$?
        # a PTO-AS text is a list of statements: what ends behind one of them is a whole text
        [ $status -eq 1 ] || { [ $status -eq 0 ] && [ "$form" = "$SRC/tests/data/founding.pto" ]; } ||
            fail "the first $part tenths of $form exit with $status"
    done
done

# 100 MB: one line, many lines, valid lines; from a file and from a pipe.
start=$SECONDS
head -c 100000000 /dev/zero | tr '\0' '(' >huge.pto && refuses huge.pto 2 && says PTO-E0103
yes '%a = arith.constant 0 : index' | head -c 100000000 >huge.pto && refuses huge.pto 2
rm huge.pto
yes 'module {' | head -c 100000000 | timeout 20 "$PTO" check - >.out 2>.err
is "${PIPESTATUS[2]}" 2
# 8 MB of mistakes are within the limit
yes '%a = pto.frobnicate %b' | head -c 8000000 >wrong.pto && refuses wrong.pto
yes '(' | head -c 8000000 >wrong.pto && refuses wrong.pto
[ $((SECONDS - start)) -lt 60 ] || fail "huge files take $((SECONDS - start)) s"

# 10,000 levels of each bracket and region, where a bracket may stand, closed and unclosed.
n=10000
times() { printf "%${n}s" '' | sed "s/ /$1/g"; }
nest() { # nest BEFORE OPEN MIDDLE CLOSE AFTER
    { printf '%s' "$1" && times "$2" && printf '%s' "$3" && times "$4" && printf '%s\n' "$5"; } >nested.pto
    refuses nested.pto
    { printf '%s' "$1" && times "$2"; } >nested.pto
    refuses nested.pto
}
for open in '(' '[' '{' '<' '"' '{(' '[{' '(<' '%a:'; do
    nest '' "$open" '' '' ''
done
head='module { func.func @f(%c: i1) { '
nest '' 'module { ' '' '} ' ''
nest '' 'module { func.func @f() { ' '' '} } ' ''
nest "$head" 'scf.if %c { ' '' '} ' 'return } }'
nest "$head" 'scf.if %c { } else { ' '' '} ' 'return } }'
nest "$head%a = arith.constant 1 : index " 'scf.for %i = %a to %a step %a { ' '' '} ' 'return } }'
nest "$head" 'scf.while : () -> () { scf.condition(%c) } do { ' '' 'scf.yield } ' 'return } }'
nest "$head" 'pto.section.vector { ' '' '} ' 'return } }'
nest "$head" '"x.y"() ({ ' '' '}) : () -> () ' 'return } }'
nest '' '"builtin.module"() ({ ' '' '}) : () -> () ' ''
nest "$head"'"x.y"() {a = ' '[' '' ']' '} : () -> () return } }'
nest "$head"'"x.y"() {a = ' '{a = ' '1' '}' '} : () -> () return } }'
nest "$head"'"x.y"() : () -> ' '(' 'i1' ')' ' return } }'
# types and attributes of other dialects are kept as text, whatever is in them
kept() {
    { printf '%s' "$1" && times "$2" && printf '%s' "$3" && times "$4" && printf '%s\n' "$5"; } >nested.pto
    expect 1 "$PTO" check nested.pto && says PTO-E0401
    expect 0 "$PTO" fmt -o once.pto nested.pto && expect 0 "$PTO" fmt -o twice.pto once.pto && same once.pto twice.pto
    { printf '%s' "$1" && times "$2"; } >nested.pto
    refuses nested.pto
}
kept "$head"'"x.y"() {a = ' '#pto.x<' '1' '>' '} : () -> () return } }'
kept "$head"'"x.y"() : () -> ' 'tuple<' 'i1' '>' ' return } }'
nest 'module { func.func @f(%c: ' '!pto.ptr<' 'i8' '>' ') { return } }'
nest 'module { func.func @f(%c: ' 'vector<4x' 'i8' '>' ') { return } }'
nest 'module { func.func @f(%c: ' 'memref<4x' 'i8' '>' ') { return } }'
nest 'module { func.func @f(%c: ' '() -> (' 'i8' ')' ') { return } }'
nest '!a = ' '!pto.ptr<' 'i8' '>' ''
nest '!a = ' '(' 'i8' ')' ''
nest '%a = trelu %b {a = ' '[' '1' ']' '} : (!pto.tile<16x16xf32>) -> !pto.tile<16x16xf32>;'
nest '.arg %a : ' '!pto.tile<' '' '>' ';'
nest '%a = tload %b' '[' '0' ']' ' : x'
# a chain of aliases, each of the one before
{ echo '!a0 = i8' && for i in $(seq $n); do echo "!a$i = !pto.ptr<!a$((i - 1))>"; done; } >chain.pto
timeout 20 "$PTO" check chain.pto >.out 2>.err
status=$?
[ $status -le 1 ] || fail "a chain of aliases: exit $status"
# a name, a number and a string of a megabyte
for word in '%' '@' '!' '#' 'pto.' '"' '1' '0x' '1.' '//'; do
    { printf '%s' "$head$word" && head -c 1000000 /dev/zero | tr '\0' 1 && echo; } >long.pto
    refuses long.pto
done
