#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make demo: runs the examples on real input and says what it did. Needs SRC, BUILD and PTO in the environment.
set -euo pipefail
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
show() { printf '\n$ %s\n' "$*" | sed "s|$PTO|pto|; s|$SRC/||g; s|$BUILD/examples/||g; s|$out/||g"; "$@"; }

digits="$SRC/examples/digits"
echo "== Handwritten digits: a two-layer int8 network as a PTO program =="
for target in a2a3 a5; do
    show "$PTO" check --target $target "$digits/digits.pto"
    show "$PTO" run "$digits/digits.pto" --target $target --blocks 3 x="$digits/data/digits_test_x.npy" \
        w1="$digits/weights/w1.npy" b1="$digits/weights/b1.npy" deq="$(cat "$digits/weights/deq_scale.txt")" \
        w2="$digits/weights/w2.npy" b2="$digits/weights/b2.npy" acc:= hidden:= scores:= \
        classes:="$out/$target.npy"
done
show "$BUILD/examples/digits-show" "$digits/data/digits_test_x.npy" "$digits/data/digits_test_y.npy" \
    "$out/a2a3.npy" "$out/a5.npy"

softmax="$SRC/examples/softmax"
echo
echo "== Softmax of 4096 x 1024: level 2 text, and C through <pto/pto-inst.h> =="
show "$BUILD/examples/softmax-compare" "$out/x.npy"
for target in a2a3 a5; do
    show "$PTO" run "$softmax/softmax.pto" --target $target --blocks 16 --time x="$out/x.npy" y:="$out/y.npy"
    show "$BUILD/examples/softmax-compare" "$out/x.npy" "$out/y.npy"
    show "$BUILD/examples/softmax-softmax" "$out/x.npy" "$out/y_c.npy" 16 $target
    cmp "$out/y.npy" "$out/y_c.npy" && echo "both softmaxes give the same bytes"
done
