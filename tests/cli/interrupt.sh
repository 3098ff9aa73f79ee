# SPDX-License-Identifier: Apache-2.0
# Ctrl-C in the middle of a run: exit 130, no output file and no temporary; a second one ends it at once.
. "$SRC/tests/support/cli.sh"

set -m # else the shell lets its background jobs ignore the signal
endless=$SRC/tests/data/endless.pto
mkdir out && echo old >out/old.npy
running() { # waits until the process $! has its output open, at most 10 s
    local i
    for ((i = 0; i < 200; i++)); do
        [ "$(ls -A out | wc -l)" -gt 1 ] && return
        sleep 0.05
    done
    DEPTH=1 fail "the run does not start"
}
for signal in INT TERM HUP; do
    for threads in 1 2; do
        "$PTO" run "$endless" o:=out/old.npy -b 2 -j $threads 2>.err &
        running
        kill -$signal $!
        wait $!
        is $? 130 && says interrupted
        is "$(ls -A out)" old.npy && is "$(cat out/old.npy)" old
    done
done
"$PTO" run "$endless" o:=out/new.npy >.out 2>.err &
running
kill -INT $!
wait $!
is $? 130 && is "$(ls -A out)" old.npy
# Two at once: it may die of the second one; either way nothing is left.
for i in 1 2 3; do
    "$PTO" run "$endless" o:=out/new.npy >.out 2>.err &
    running
    kill -INT $! && kill -INT $! 2>/dev/null
    wait $!
    is $? 130 && is "$(ls -A out)" old.npy
done
# Nothing of the progress display reaches a file.
is "$(grep -c blocks .err)" 0
