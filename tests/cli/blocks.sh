# SPDX-License-Identifier: Apache-2.0
# TileOp blocks: as, dis, check, run, isa.
. "$SRC/tests/support/cli.sh"

cat >relu.s <<'END'
    .org 0x1000
    C.BSTART.STD FALL
    hl.lis 0x100000, ->a0
    hl.lis 0x200000, ->a1
    TLOAD <16, 4, FP32>, [a0], ->T<256B>
    TRELU <16, 4, FP32>, T#1, ->U<256B>
    TSTORE <16, 4, FP32>, U#1, [a1]
    C.BSTART.STD FALL
    ebreak 0
END
expect 0 "$PTO" as relu.s -o relu.bin --listing && says '^ *1000: 0800 +C.BSTART.STD FALL' .out
expect 0 "$PTO" as relu.s -o small.bin --compress
[ "$(wc -c <small.bin)" -lt "$(wc -c <relu.bin)" ] || fail "--compress does not compress"
for file in relu small; do
    for fold in "" --template; do
        # shellcheck disable=SC2086
        expect 0 "$PTO" dis $file.bin --address 0x1000 $fold
        cp .out again.s
        option=
        [ $file = small ] && option=--compress
        # shellcheck disable=SC2086
        expect 0 "$PTO" as again.s -o again.bin $option
        cmp -s again.bin $file.bin || fail "$file.bin $fold does not come back"
    done
done
expect 0 "$PTO" check relu.s
expect 0 "$PTO" run relu.s --mem 0x100000=256 --dump 0x200000:f32:4x16=y.npy --trace && says '^1020: TRELU|TRELU FP32 16x4|TRELU FP32 4x16' .out
[ -s y.npy ] || fail "no output"
expect 0 "$PTO" run relu.bin --address 0x1000 --mem 0x100000=256 --dump 0x200000:f32:64=y.npy
expect 1 "$PTO" run relu.s && says 'PTO-E1672' .err && says 'TLOAD' .err
expect 1 "$PTO" run relu.s --mem 0x100000=128 --mem 0x200000=256 && says 'PTO-E1672' .err
expect 2 "$PTO" run relu.s --mem nowhere=256
expect 2 "$PTO" run relu.s --what

printf 'TRELU <16, FP32>, U#1, ->T<128B>\nTRELU <FP32>, T#1, ->T<128B>\nC.BSTOP\n' >bad.s
expect 1 "$PTO" check bad.s && says 'PTO-E1644' .err && says 'PTO-E1642' .err && says 'PTO-W1680' .err
printf 'TCI <16, 1, 16, S32>, [a0], ->T<128B>\nTRELU <16, 1, 16, S32>, T#1, ->U<128B>\nTSTORE <16, S32>, U#1, [a0]\nC.BSTOP\n' >good.s
expect 0 "$PTO" check good.s && silent .err
sed 's/^TRELU <16, 1, 16, S32/&, RNE/' good.s >bad.s
expect 1 "$PTO" check bad.s && says 'PTO-E1641' .err
sed 's/^TRELU <16, 1, 16/TRELU <17, 1, 16/' good.s >bad.s
expect 1 "$PTO" check bad.s && says 'PTO-E1642' .err
sed 's/^TRELU <.*>, T/TROWEXPANDEXPDIF <16, 1, FP16, S8>, T#1, T/' good.s >bad.s
expect 1 "$PTO" check bad.s && says 'PTO-E1643' .err
sed 's/^TRELU <.*>, T/TROWEXPANDEXPDIF <16, 1, FP16, FP32>, T#1, T/' good.s >bad.s
expect 0 "$PTO" check bad.s

printf 'TRELU <16, FP32>, U#1, ->T<a1>\n' >bad.s
expect 1 "$PTO" as bad.s -o bad.bin && says 'PTO-E1605' .err
[ -e bad.bin ] && fail "an output of a refused file"
expect 0 "$PTO" isa TRELU && says '09719181  BSTART.TEPL TRELU, FP32' .out
expect 0 "$PTO" isa MGATHER && says 'TMA selector 0x04' .out
expect 0 "$PTO" isa ACCCVT && says 'CUBE selector 0x08' .out

# every operation of the block form has its page: the names are those that the words of a BSTART have
for engine in 00019181:4 00011181:1 00031181:1; do
    awk -v base="0x${engine%:*}" -v selectors="$((32 * ${engine#*:}))" 'BEGIN {
        for (k = 0; k < selectors; k++)
            printf ".word %s + (%d << 20) + (1 << 27)\n", base, k
    }'
done >starts.s
expect 0 "$PTO" as starts.s -o starts.bin
expect 0 "$PTO" dis starts.bin
sed -n 's/^ *BSTART\.\([A-Z]*\) \([A-Z0-9.]*\), FP32$/\1 \2/p' .out >names
[ "$(wc -l <names)" -eq 128 ] || fail "$(wc -l <names) operations, not 128"
while read -r engine name; do
    expect 0 "$PTO" isa "$name"
    says "^block form \(70, 6\), $engine selector 0x" .out
    says "^    [0-9a-f]{8}  BSTART\\.$engine $name, " .out
    says "^  $name[. <]" .out
done <names

# a kernel as blocks gives the same file
cat >gate.pto <<'END'
// y = x * sigmoid(x) * 1.5 on 16 x 64 floats, x in rows of 128
!matrix = !pto.tensor_view<16x128xf32>
!result = !pto.tensor_view<16x64xf32>
!part = !pto.partition_tensor_view<16x64xf32>
!tile = !pto.tile_buf<vec, 16x64xf32>
module {
  func.func @gate(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.entry} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %one = arith.constant 1.0 : f32
    %scale = arith.constant 1.5 : f32
    %xs = pto.make_tensor_view %x, shape = [%c16, %c128], strides = [%c128, %c1] : !matrix
    %ys = pto.make_tensor_view %y, shape = [%c16, %c64], strides = [%c64, %c1] : !result
    %xp = pto.partition_view %xs, offsets = [%c0, %c64], sizes = [%c16, %c64] : !matrix -> !part
    %yp = pto.partition_view %ys, offsets = [%c0, %c0], sizes = [%c16, %c64] : !result -> !part
    %a = pto.alloc_tile : !tile
    %b = pto.alloc_tile : !tile
    pto.tload ins(%xp : !part) outs(%a : !tile)
    pto.tneg ins(%a : !tile) outs(%b : !tile)
    pto.texp ins(%b : !tile) outs(%b : !tile)
    pto.tadds ins(%b, %one : !tile, f32) outs(%b : !tile)
    pto.tdiv ins(%a, %b : !tile, !tile) outs(%b : !tile)
    pto.tmuls ins(%b, %scale : !tile, f32) outs(%b : !tile)
    pto.tstore ins(%b : !tile) outs(%yp : !part)
    return
  }
}
END
{
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 128), }"
    head -c 8192 "$SRC/include/pto/program.h"
} >x.npy
expect 0 "$PTO" fmt --to block gate.pto -o gate.s
expect 0 "$PTO" check gate.s
expect 0 "$PTO" run gate.s --reg a0=0x100000 --mem 0x100000=x.npy --reg a1=0x200000 --dump 0x200000:f32:16x64=blocks.npy
expect 0 "$PTO" run gate.pto x=x.npy y:=kernel.npy@16x64
cmp blocks.npy kernel.npy || fail "blocks and kernel differ"
expect 0 "$PTO" fmt --to level1 gate.pto -o gate1.pto
expect 0 "$PTO" fmt --to block gate1.pto && says 'TDIV <LB0:64' .out
expect 1 "$PTO" fmt --to block "$SRC/examples/softmax/softmax.pto" && says 'PTO-E0264' .err && says 'scf.for' .err
expect 2 "$PTO" fmt --to blocks gate.pto
