# SPDX-License-Identifier: Apache-2.0
# What a program must not do: extents, capacities and accesses out of range. Nothing is touched, no output appears.
. "$SRC/tests/support/cli.sh"

add=$SRC/tests/data/add_scalar.pto window=$SRC/tests/data/window.pto
# edited PATTERN: add_scalar with a sed command applied, which must change it
edited() { sed "$1" "$add" >edited.pto && ! cmp -s edited.pto "$add" || DEPTH=1 fail "sed '$1' changes nothing"; }
for tile in 0x8 4x0; do
    edited "s/vec, 4x8xi32/vec, ${tile}xi32/" && refused 1 PTO-E0310 "$PTO" check edited.pto
done
for tile in -4x8 4x-8 4x 4x8x8 99999999999999999999x8 4294967296x8 2147483648x8 0x1p3x8; do
    edited "s/vec, 4x8xi32/vec, ${tile}xi32/" && expect 1 "$PTO" check edited.pto && says '^edited.pto:3:[23][0-9]: error'
done
edited 's/vec, 4x8xi32/vec, 4x7xi32/' && refused 1 PTO-E0314 "$PTO" check edited.pto
# one row below and above the capacity of vec: 192 KiB on a2a3, 256 KiB on a5, of which the last 8 take no tiles
for limit in a2a3:768:PTO-E0315 a5:992:PTO-E0906 a5:1023:PTO-E0906 a5:1024:PTO-E0315; do
    IFS=: read -r target rows rule <<<"$limit"
    edited "s/vec, 4x8xi32/vec, ${rows}x64xi32, valid=4x8/"
    [ "$rows" -gt 992 ] || expect 0 "$PTO" check -t "$target" edited.pto
    edited "s/vec, 4x8xi32/vec, $((rows + 1))x64xi32, valid=4x8/" &&
        refused 1 "$rule" "$PTO" check -t "$target" edited.pto
done
edited 's/vec, 4x8xi32/vec, 2147483647x2147483640xi32/' && refused 1 PTO-E0315 "$PTO" check edited.pto
for extent in 0 -16 17 99999999999999999999 9223372036854775807; do
    edited "s/constant 16 :/constant $extent :/" && expect 1 "$PTO" check edited.pto && says '^edited.pto:[0-9]+:[0-9]+: error'
done
edited 's/tadds/tfrob/' && refused 1 PTO-E0220 "$PTO" check edited.pto
edited 's/xi32/xi33/' && expect 1 "$PTO" check edited.pto
edited 's/vec, /wood, /' && expect 1 "$PTO" check edited.pto && says '^edited.pto:3:'
edited 's/%t, %s/%q, %s/' && refused 1 PTO-E0210 "$PTO" check edited.pto && says '^edited.pto:[0-9]+:21: error'
edited 's/%c1 = /%c0 = /' && expect 1 "$PTO" check edited.pto && says '^edited.pto:[0-9]+:5: error'

# Out of range in global memory: the argument, the index and the line; the first store did not happen.
# shellcheck disable=SC2046
s32 $(seq 0 47) | npy x.npy '<i4' '6, 8'
cp x.npy before.npy
line=$(grep -n 'pto.partition_view.*%row' "$window" | cut -d: -f1)
for row in 3 6 -1 1000000 4611686018427387904 9223372036854775807 -9223372036854775808; do
    expect 1 "$PTO" run "$window" x=x.npy x:=x.npy rows=6 row=$row
    says "^.*window.pto:$line:[0-9]+: error: .*\[PTO-E09" && says 'argument x' && says "offset $row"
    same x.npy before.npy
done
# the view is larger than the array: what is inside of both is in order, the first row behind it is not
for rows in 7 1000 1152921504606846976 9223372036854775807; do
    expect 0 "$PTO" run "$window" x=x.npy x:=y.npy rows=$rows row=2 && rm -f y.npy
    expect 1 "$PTO" run "$window" x=x.npy x:=y.npy rows=$rows row=3
    says 'window.pto:[0-9]+:[0-9]+: error: .*argument x' && absent y.npy
done
expect 2 "$PTO" run "$window" x=x.npy x:=y.npy rows=9223372036854775808 row=0 && says PTO-E0954
# an index that is negative
expect 1 "$PTO" run "$window" x=x.npy x:=y.npy rows=-6 row=0 && absent y.npy
expect 1 "$PTO" run "$window" x=x.npy x:=y.npy rows=0 row=0 && absent y.npy
# many blocks, one of which fails: the same words for any number of threads
edited 's/constant 4 : index/constant 4 : index\n    %five = arith.constant 5 : index/; s/to %c4 step/to %five step/'
s32 $(seq 128) | npy a.npy '<i4' '16, 8'
for threads in 1 2 8; do
    expect 1 "$PTO" run edited.pto a.npy 1 :=o.npy -b 5 -j $threads && absent o.npy
    cp .err "words.$threads"
done
same words.1 words.2 && same words.1 words.8
