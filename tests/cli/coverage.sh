# SPDX-License-Identifier: Apache-2.0
# pto isa --coverage: no call form lacks a target, a line at level 2, a kernel, a reference test or a benchmark; what it
# names exists, and the benchmark of the whole table has a row for each form.
. "$SRC/tests/support/cli.sh"

expect 0 "$PTO" isa --coverage && says '^TRELU +tile +yes +yes +yes +yes ' .out && says ', 0 holes$' .out
sed -n '2,/^$/p' .out | sed '/^$/d' >rows
is "$(grep -c HOLE rows)" 0
"$PTO" isa --json | grep -c '"mnemonic"' >count
is "$(wc -l <rows)" "$(cat count)"
sed 's/.* yes  *\(kernel[^;]*\);.*/\1/' rows | tr ' ' '\n' | sort -u | while read -r test; do
    [ -f "$SRC/tests/kernel/test_${test#kernel.}.c" ] || echo "$test"
done >unknown
is "$(cat unknown)" ""
if [ -x "$BUILD/bench/bench_table" ]; then
    "$BUILD/bench/bench_table" --list >benchmarks
    is "$(wc -l <benchmarks)" "$(wc -l <rows)"
fi
expect 2 "$PTO" isa --coverage TADD && silent .out
expect 2 "$PTO" isa --coverage --json && silent .out
