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
printf 'TRELU <16, FP32>, U#1, ->T<a1>\n' >bad.s
expect 1 "$PTO" as bad.s -o bad.bin && says 'PTO-E1605' .err
[ -e bad.bin ] && fail "an output of a refused file"
expect 0 "$PTO" isa TRELU && says '09719181  BSTART.TEPL TRELU, FP32' .out
expect 0 "$PTO" isa MGATHER && says 'TMA selector 0x04' .out
expect 0 "$PTO" isa ACCCVT && says 'CUBE selector 0x08' .out
