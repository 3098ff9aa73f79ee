#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make demo: runs the examples on real input and says what it did. Needs SRC, BUILD and PTO in the environment. Ends with
# an error when a result is wrong. DEMO=small takes small inputs, for tests.
set -euo pipefail
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
bin=$BUILD/examples
title() { printf '\n== %s ==\n' "$*"; }
show() { printf '\n$ %s\n' "$*" | sed "s|$PTO|pto|; s|$SRC/||g; s|$bin/||g; s|$out/||g; s|$out|.|g"; "$@"; }
full_or_small() { if [ "${DEMO:-}" = small ]; then echo "$2"; else echo "$1"; fi; }
# watched PROGRAM OPTION...: small inputs under all checkers, in one block and in many.
watched() {
    [ "${DEMO:-}" = small ] || return 0
    "$PTO" run "$@" --check all
    "$PTO" run "$@" --check all --blocks 3
}
# on_npus PROGRAM ARGUMENT...: runs examples/PROGRAM on both NPU targets; the function check looks at the results.
on_npus() {
    local program=$SRC/examples/$1 target
    shift
    for target in a2a3 a5; do
        watched "$program" --target $target "$@"
        show "$PTO" run "$program" --target $target --blocks 16 --time "$@"
        check $target
    done
}

digits="$SRC/examples/digits"
title "Handwritten digits: a two-layer int8 network as a PTO program"
for target in a2a3 a5; do
    show "$PTO" check --target $target "$digits/digits.pto"
    arguments=(x="$digits/data/digits_test_x.npy" w1="$digits/weights/w1.npy" b1="$digits/weights/b1.npy"
        deq="$(cat "$digits/weights/deq_scale.txt")" w2="$digits/weights/w2.npy" b2="$digits/weights/b2.npy"
        acc:= hidden:= scores:= classes:="$out/$target.npy")
    watched "$digits/digits.pto" --target $target "${arguments[@]}"
    show "$PTO" run "$digits/digits.pto" --target $target --blocks 3 "${arguments[@]}"
done
show "$bin/digits-show" "$digits/data/digits_test_x.npy" "$digits/data/digits_test_y.npy" \
    "$out/a2a3.npy" "$out/a5.npy"

title "Softmax of 4096 x 1024: level 2 text, and C through <pto/pto-inst.h>"
show "$bin/softmax-compare" "$out/x.npy"
check() {
    show "$bin/softmax-compare" "$out/x.npy" "$out/y.npy"
    show "$bin/softmax-softmax" "$out/x.npy" "$out/y_c.npy" 16 "$1"
    cmp "$out/y.npy" "$out/y_c.npy"
    echo "both softmaxes give the same bytes"
}
on_npus softmax/softmax.pto x="$out/x.npy" y:="$out/y.npy"

title "Softmax built in C, with <pto/builder.h>"
show "$bin/builder-softmax"

n=$(full_or_small 1024 256)
title "Flash attention: one head, $n x 128, f16 with f32 sums"
show "$bin/attention-check" make "$out" "$n"
check() { show "$bin/attention-check" compare "$out"; }
on_npus attention/attention.pto n="$n" q="$out/q.npy" k="$out/k.npy" v="$out/v.npy" \
    s:= p:= pv:= o:="$out/o.npy"

n=$(full_or_small 4096 40)
title "Layer norm of $n x 1024 in f16"
show "$bin/layernorm-check" make "$out" "$n"
check() { show "$bin/layernorm-check" compare "$out"; }
on_npus layernorm/layernorm.pto n="$n" x="$out/x.npy" gamma="$out/gamma.npy" beta="$out/beta.npy" y:="$out/y.npy"

n=$(full_or_small 2048 12)
title "RMS norm of $n x 4096 in f16"
show "$bin/rmsnorm-check" make "$out" "$n"
check() { show "$bin/rmsnorm-check" compare "$out"; }
on_npus rmsnorm/rmsnorm.pto n="$n" x="$out/x.npy" gamma="$out/gamma.npy" y:="$out/y.npy"

m=$(full_or_small 1024 256) n=$(full_or_small 1024 256) k=$(full_or_small 1024 512)
title "Tiled matrix product $m x $k x $n in f16 and in s8"
show "$bin/gemm-check" make "$out" "$m" "$n" "$k"
check() { show "$bin/gemm-check" compare "$out" $type; }
for type in f16 s8; do
    on_npus gemm/gemm_$type.pto m="$m" n="$n" k="$k" a="$out/a_$type.npy" b="$out/b_$type.npy" c:="$out/c_$type.npy"
done

m=$(full_or_small 1024 128) n=$(full_or_small 1024 256) k=$(full_or_small 1024 512)
title "MXFP8 product $m x $k x $n: TQUANT with a scale for every 32 elements, then TMATMUL_MX (a5; a2a3 has neither)"
show "$bin/mxfp8-check" make "$out" "$m" "$n" "$k"
mxfp8() {
    watched "$SRC/examples/mxfp8/mxfp8.pto" --target a5 --entry "$@"
    show "$PTO" run "$SRC/examples/mxfp8/mxfp8.pto" --target a5 --blocks 16 --time --entry "$@"
}
mxfp8 quantise_a m="$m" k="$k" a="$out/a.npy" qa:="$out/qa.npy" ea:="$out/ea.npy@${m}x$((k / 32))"
mxfp8 quantise_b k="$k" n="$n" b="$out/b.npy" qb:="$out/qb.npy" eb:="$out/eb.npy@$((k / 64))x$((2 * n))"
mxfp8 product m="$m" n="$n" k="$k" qa="$out/qa.npy" ea="$out/ea.npy" qb="$out/qb.npy" eb="$out/eb.npy" c:="$out/c.npy"
show "$bin/mxfp8-check" compare "$out"

n=$(full_or_small 32 5) width=$(full_or_small 32768 6144)
title "The 64 largest of $n x $width scores with their columns: TSORT32 and TMRGSORT"
show "$bin/topk-check" make "$out" "$n" "$width"
check() { show "$bin/topk-check" compare "$out"; }
on_npus topk/topk.pto n="$n" width="$width" s="$out/scores.npy" v:="$out/values.npy" i:="$out/columns.npy"

title "Kernels of language models: placed and synchronised by pto (level 2) and by hand (level 3)"
show "$bin/kernels-check" make "$out" 50
# kernel DIRECTORY NAME BLOCKS ARGUMENT...: both levels on both targets, under all checkers, the same bytes
kernel() {
    local directory=$SRC/examples/$1 name=$2 blocks=$3 level target
    shift 3
    for target in a2a3 a5; do
        for level in "" _level3; do
            show "$PTO" run "$directory/$name$level.pto" --target $target --blocks "$blocks" --check all "$@"
            cp "$result" "$out/$target$level.npy"
        done
        cmp "$out/$target.npy" "$out/${target}_level3.npy"
        echo "both levels give the same bytes"
    done
}
for name in softmax rmsnorm rope swiglu quantised_linear gqa; do
    blocks=3 result=$out/$name.npy
    case $name in
        softmax) arguments=(n=48 x="$out/x.npy") ;;
        rmsnorm) arguments=(n=48 x="$out/x.npy" gamma="$out/gamma.npy") ;;
        rope) arguments=(n=48 x="$out/x128.npy" cos="$out/cos.npy" sin="$out/sin.npy") ;;
        swiglu) arguments=(n=48 a="$out/a.npy" b="$out/b.npy") ;;
        quantised_linear)
            blocks=1
            arguments=(x="$out/qx.npy" w="$out/qw.npy" scale="$out/scale.npy" bias="$out/bias.npy" acc:=)
            ;;
        gqa) blocks=1 arguments=(n=50 q="$out/q.npy" k="$out/k.npy" v="$out/v.npy" s:= p:=) ;;
    esac
    y=y
    [ $name = gqa ] && y=o
    kernel kernels $name $blocks "${arguments[@]}" "$y:=$result"
    show "$bin/kernels-check" compare "$out" $name
done
result=$out/parts.npy
kernel kernels splitk 4 --entry partial a="$out/sa.npy" b="$out/sb.npy" parts:="$result"
result=$out/splitk.npy
kernel kernels splitk 2 --entry reduce parts="$out/parts.npy" c:="$result"
show "$bin/kernels-check" compare "$out" splitk

title "A decode step of a small transformer, in functions, at position 50"
show "$bin/decode-check" make "$out" 50
arguments=(token=17 n=50)
for name in embedding g wqkv wo wgu wd wv cos sin; do arguments+=("$name=$out/$name.npy"); done
for name in x:=@1x64 h:=@1x64 qkv:=@1x192 o:=@1x64 gu:=@1x256 f:=@1x128 d:=@1x64; do arguments+=("$name"); done
for name in kcache vcache; do arguments+=("$name=$out/$name.npy" "$name:=$out/${name}_after.npy"); done
result=$out/scores.npy
kernel decode decode 1 "${arguments[@]}" scores:="$result@1x128"
show "$bin/decode-check" compare "$out"

conv="$SRC/examples/conv"
echo
echo "== A convolution of 28 x 28 x 32 with 64 filters of 3 x 3, by TIMG2COL =="
show "$BUILD/examples/conv-compare" "$out/conv_x.npy" "$out/conv_w.npy"
for target in a2a3 a5; do
    watched "$conv/conv.pto" --target $target x="$out/conv_x.npy" w="$out/conv_w.npy" y:="$out/conv_y.npy"
    show "$PTO" run "$conv/conv.pto" --target $target --blocks 7 --time x="$out/conv_x.npy" w="$out/conv_w.npy" y:="$out/conv_y.npy"
    show "$BUILD/examples/conv-compare" "$out/conv_x.npy" "$out/conv_w.npy" "$out/conv_y.npy"
done
