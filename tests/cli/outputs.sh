# SPDX-License-Identifier: Apache-2.0
# Outputs that cannot be written: told by name, exit 2, the old file stays, nothing is left behind.
. "$SRC/tests/support/cli.sh"

add=$SRC/tests/data/add_scalar.pto
# shellcheck disable=SC2046
s32 $(seq 128) | npy a.npy '<i4' '16, 8'
ls -A >files_before
nothing_left() { ls -A >.now && diff <(grep -v '^\.\(out\|err\|now\)$' files_before) <(grep -v '^\.\(out\|err\|now\)$' .now) >&2 || DEPTH=1 fail "files were left behind"; }
touch files_before && ls -A >files_before

refused 2 PTO-E0105 "$PTO" run "$add" a.npy 1 :=missing/o.npy && says '^missing/o.npy: error'
refused 2 PTO-E0101 "$PTO" run "$add" a.npy 1 :=.
expect 2 "$PTO" run "$add" a.npy 1 :=a.npy/o.npy
nothing_left
# told before the run: this one would take years
timeout 20 "$PTO" run "$SRC/tests/data/endless.pto" o:=missing/o.npy >.out 2>.err
is $? 2 && says 'missing/o.npy: error'
nothing_left
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && touch locked/old && chmod 500 locked && chmod 400 locked/old
    expect 2 "$PTO" run "$add" a.npy 1 :=locked/o.npy && says 'locked/o.npy: error'
    expect 2 "$PTO" run "$add" a.npy 1 :=locked/old
    chmod 700 locked && rm -rf locked
fi
if [ -w /dev/full ]; then
    refused 2 PTO-E0106 "$PTO" run "$add" a.npy 1 :=/dev/full && says '^/dev/full: error'
    refused 2 PTO-E0106 "$PTO" fmt -o /dev/full "$add"
    for command in 'isa' 'isa TADD' 'explain' '--help' 'run --help' '--version' "fmt $add" 'isa --json'; do
        # shellcheck disable=SC2086
        "$PTO" $command >/dev/full 2>.err
        is $? 2 && says 'No space left'
    done
    "$PTO" run "$add" a.npy 1 :=- >/dev/full 2>.err
    is $? 2 && says 'No space left'
    "$PTO" check --json "$SRC/tests/data/six_mistakes.pto" >/dev/full 2>.err
    is $? 2
fi
# Two outputs, one of them bad: neither appears. Nor may both have one name.
sed 's/%o: !pto.ptr<i32>)/%o: !pto.ptr<i32>, %q: !pto.ptr<i32>)/
    s/^\( *\)%vo\( = .*\)%o,\(.*\)/&\n\1%vq\2%q,\3/
    s/^\( *\)%po\( = .*\)%vo,\(.*\)/&\n\1%pq\2%vq,\3/
    s/^\( *pto.tstore .*\)%po\(.*\)/&\n\1%pq\2/' "$add" >two.pto
expect 0 "$PTO" run two.pto a.npy 1 o:=o.npy q:=q.npy && same o.npy q.npy
rm o.npy && cp q.npy old.npy
expect 2 "$PTO" run two.pto a.npy 2 o:=o.npy q:=missing/q.npy && absent o.npy
if [ -w /dev/full ]; then
    expect 2 "$PTO" run two.pto a.npy 2 o:=q.npy q:=/dev/full && same q.npy old.npy
fi
refused 2 PTO-E0956 "$PTO" run two.pto a.npy 1 o:=o.npy q:=o.npy && absent o.npy
rm q.npy old.npy two.pto
# A file that is there keeps its mode; a link is followed.
touch mode.npy && chmod 604 mode.npy && ln -s mode.npy link.npy
expect 0 "$PTO" run "$add" a.npy 1 :=link.npy && is "$(stat -c %a mode.npy)" 604
[ -L link.npy ] || fail "the link was replaced"
is "$(words d4 mode.npy | cut -d' ' -f1-3)" "2 3 4"
rm mode.npy link.npy
# A reader that goes away: exit 2 without a word, no signal.
for command in 'isa --json' 'explain' '--help' "fmt $add"; do
    rm -f .gone
    # shellcheck disable=SC2086
    {
        until [ -e .gone ]; do sleep 0.02; done
        "$PTO" $command 2>.err
        echo $? >.status
    } | {
        exec <&-
        : >.gone
    }
    is "$(cat .status)" 2 && silent
done
rm -f .status .gone
mkfifo pipe && { cat pipe >from_pipe.npy & } && expect 0 "$PTO" run "$add" a.npy 1 :=pipe && wait
is "$(words d4 from_pipe.npy | cut -d' ' -f1-3)" "2 3 4"
rm pipe from_pipe.npy
nothing_left

# Inputs that are no arrays.
bad() {
    rm -f o.npy
    timeout 20 "$PTO" run "$add" "$1" 1 :=o.npy >.out 2>.err
    local got=$?
    [ $got -eq 2 ] || DEPTH=1 fail "$1 exits with $got"
    grep -qE 'error: .*\[PTO-E[0-9]+\]' .err || DEPTH=1 fail "$1: nothing said"
    absent o.npy
}
bad nowhere.npy
bad .
: >empty.npy && bad empty.npy
size=$(wc -c <a.npy)
for n in 1 6 8 9 10 60 127 128 129 $((size - 1)); do head -c "$n" a.npy >cut.npy && bad cut.npy; done
cat a.npy <(printf x) >long.npy && bad long.npy
head -c 4096 /dev/urandom >random.npy && bad random.npy
tail -c +2 a.npy >shifted.npy && bad shifted.npy
for shape in '-16, 8' '16, 8, ' '99999999999, 99999999999' '18446744073709551615, 8' '4611686018427387904, 4' '16 8' "'16', 8" '1000000, 1000000'; do
    payload a.npy | npy shape.npy '<i4' "$shape"
    [ "$shape" = '16, 8, ' ] || bad shape.npy
done
for descr in '<i3' '|O' '<c8' '<U4' 'i' '' '<i99999999999'; do payload a.npy | npy descr.npy "$descr" '16, 8' && bad descr.npy; done
