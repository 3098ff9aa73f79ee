# SPDX-License-Identifier: Apache-2.0
# pto fmt: every form prints, parses and prints again to the same text; a converted program gives the same results.
. "$SRC/tests/support/cli.sh"

# The lines of the founding documents, their operands declared in front: checked, printed, and stable.
founding() { # founding NAME < text
    cat >"$1.pto"
    expect 0 "$PTO" check "$1.pto" && silent
    expect 0 "$PTO" fmt -o "$1.once" "$1.pto" && silent
    expect 0 "$PTO" fmt -o "$1.twice" "$1.once" && same "$1.once" "$1.twice"
}
founding trelu_as <<'END'
.arg %src : !pto.tile<16x16xf32>;
%dst = trelu %src : !pto.tile<...>
END
founding trelu_level1 <<'END'
.arg %src : !pto.tile<16x16xf32>;
%dst = pto.trelu %src : !pto.tile<...> -> !pto.tile<...>
END
founding trelu_level2 <<'END'
.arg %src : !pto.tile_buf<vec, 16x16xf32>
%dst = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
pto.trelu ins(%src : !pto.tile_buf<...>) outs(%dst : !pto.tile_buf<...>)
END
founding tmuladddst_as <<'END'
.arg %src0 : !pto.tile<16x16xf32>
.arg %src1 : !pto.tile<16x16xf32>
.arg %dst : !pto.tile<16x16xf32>
%dst = tmuladddst %src0, %src1 : !pto.tile<...>
END
founding tmuladddst_level1 <<'END'
.arg %src0 : !pto.tile<16x16xf32>
.arg %src1 : !pto.tile<16x16xf32>
.arg %dst : !pto.tile<16x16xf32>
# Auto mode: compiler/runtime-managed placement and scheduling.
%dst = pto.tmuladddst %src0, %src1 : (!pto.tile<...>, !pto.tile<...>) -> !pto.tile<...>
END
founding tadddeqrelu_level2 <<'END'
.arg %src0 : !pto.tile_buf<vec, 16x16xi32>
.arg %src1 : !pto.tile_buf<vec, 16x16xi32>
.arg %deqScale : f32
.arg %tmp : !pto.tile_buf<vec, 16x16xi32>
%dst = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf16>
pto.tadddeqrelu ins(%src0, %src1, %deqScale, %tmp : !pto.tile_buf<...>, !pto.tile_buf<...>, f32, !pto.tile_buf<...>) outs(%dst : !pto.tile_buf<...>)
END
founding trowexpandexpdif_as <<'END'
.arg %src0 : !pto.tile<16x16xf32>
.arg %src1 : !pto.tile<16x8xf32>
%dst = trowexpandexpdif %src0, %src1 : !pto.tile<...>, !pto.tile<...> -> !pto.tile<...>
END
# An operand whose type nothing gives: the error names it.
printf '.arg %%src : !pto.tile<...>\n%%dst = trelu %%src : !pto.tile<...>\n' >open.pto
refused 1 PTO-E0403 "$PTO" check open.pto
says '%src|src'

# stable FORM FILE: FILE in this form prints to itself again, in a file and through a pipe.
stable() {
    expect 0 "$PTO" fmt --to "$1" -o again "$2" && same again "$2"
    expect 0 "$PTO" fmt - <"$2" && same .out "$2"
}
add=$SRC/tests/data/add_scalar.pto
# shellcheck disable=SC2046
s32 $(seq 1 128) | npy a.npy '<i4' '16, 8'
"$PTO" run "$add" a.npy 7 :=want.npy || fail "the program does not run"
formed=0
for form in pto-as level1 level2 generic; do
    if "$PTO" fmt --to $form -o "$form.pto" "$add" 2>.err; then
        formed=$((formed + 1))
        stable $form "$form.pto"
        expect 0 "$PTO" check "$form.pto" && silent
        expect 0 "$PTO" run "$form.pto" a.npy 7 :=got.npy -b 3 && same got.npy want.npy
        expect 0 "$PTO" fmt --to level2 -o back.pto "$form.pto" &&
            expect 0 "$PTO" run back.pto a.npy 7 :=got.npy && same got.npy want.npy
    else
        # a form that cannot hold the program says so, by a rule
        grep -qE '\[PTO-E[0-9]+\]' .err || fail "fmt --to $form says no reason"
        absent "$form.pto"
    fi
done
[ $formed -ge 2 ] || fail "only $formed forms hold the program"
for example in softmax/softmax digits/digits; do
    for form in level2 generic; do
        expect 0 "$PTO" fmt --to $form -o example.pto "$SRC/examples/$example.pto" && stable $form example.pto
        expect 0 "$PTO" check -t a5 example.pto
    done
done
expect 0 "$PTO" fmt --to level2 -o level2.pto "$SRC/tests/data/founding.pto" && stable level2 level2.pto
expect 0 "$PTO" fmt --to level1 -o level1.pto "$SRC/tests/data/founding.pto" && stable level1 level1.pto

# In place: only when all is well; the mode stays.
cp "$add" mine.pto && chmod 640 mine.pto
expect 0 "$PTO" fmt --in-place mine.pto && silent .out && is "$(stat -c %a mine.pto)" 640
"$PTO" fmt "$add" | cmp -s - mine.pto || fail "--in-place is not what fmt prints"
cp "$SRC/tests/data/six_mistakes.pto" six.pto
expect 1 "$PTO" fmt --in-place six.pto && same six.pto "$SRC/tests/data/six_mistakes.pto"
