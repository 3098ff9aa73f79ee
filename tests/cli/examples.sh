# SPDX-License-Identifier: Apache-2.0
# The examples on their data: accuracy, the same predictions on both targets, both softmaxes within 8 ulp.
. "$SRC/tests/support/cli.sh"

bin=$BUILD/examples digits=$SRC/examples/digits softmax=$SRC/examples/softmax
[ -x "$bin/digits-show" ] && [ -x "$bin/softmax-softmax" ] || exit 77

digits() { # digits OUT OPTION...; the program is $program
    local out=$1
    shift
    expect 0 "$PTO" run "$program" "$@" x="$digits/data/digits_test_x.npy" w1="$digits/weights/w1.npy" \
        b1="$digits/weights/b1.npy" deq="$(cat "$digits/weights/deq_scale.txt")" w2="$digits/weights/w2.npy" \
        b2="$digits/weights/b2.npy" acc:= hidden:= scores:= classes:="$out"
}
program=$digits/digits.pto
digits a2a3.npy -t a2a3 && digits a5.npy -t a5 && same a2a3.npy a5.npy
for options in '-b 1' '-b 2' '-b 3 -j 1' '-b 3 -j 3' '-b 5' '--simd base' '--simd avx2'; do
    # shellcheck disable=SC2086
    digits again.npy -t a2a3 $options && same again.npy a2a3.npy
done
for form in level2 generic; do
    expect 0 "$PTO" fmt --to $form -o form.pto "$digits/digits.pto"
    program=form.pto digits again.npy -t a5 && same again.npy a5.npy
    expect 0 "$PTO" fmt --to $form -o softmax_$form.pto "$softmax/softmax.pto"
done
# digits-show exits with 1 below 95 % or when the predictions differ
expect 0 "$bin/digits-show" "$digits/data/digits_test_x.npy" "$digits/data/digits_test_y.npy" a2a3.npy a5.npy
says 'of 360 digits right' .out
is "$(words d4 a2a3.npy | wc -w)" 360
hits=$(paste -d' ' <(words d4 a2a3.npy | tr ' ' '\n') <(words d4 "$digits/data/digits_test_y.npy" | tr ' ' '\n') | awk '$1 == $2' | wc -l)
[ "$hits" -ge 342 ] || fail "$hits of 360 digits are right"

expect 0 "$bin/softmax-compare" x.npy
for target in a2a3 a5; do
    expect 0 "$PTO" run "$softmax/softmax.pto" -t $target -b 16 x=x.npy y:=$target.npy && silent
    expect 0 "$bin/softmax-compare" x.npy $target.npy
    expect 0 "$bin/softmax-softmax" x.npy c.npy 16 $target && same c.npy $target.npy
done
for form in level2 generic; do
    expect 0 "$PTO" run softmax_$form.pto -t a5 -b 3 x=x.npy y:=again.npy && same again.npy a5.npy
done
for options in '-b 1 -j 1' '-b 7 -j 2' '--simd base -b 2'; do
    # shellcheck disable=SC2086
    expect 0 "$PTO" run "$softmax/softmax.pto" -t a5 $options x=x.npy y:=again.npy && same again.npy a5.npy
done

# the convolution: the same bytes in every form, on every target and with any number of blocks; conv-compare exits with 1
# when the result is farther from double than roundings can take it
conv=$SRC/examples/conv/conv.pto
expect 0 "$bin/conv-compare" conv_x.npy conv_w.npy
for target in cpu a2a3 a5; do
    expect 0 "$PTO" run "$conv" -t $target -b 7 x=conv_x.npy w=conv_w.npy y:=conv_$target.npy && silent
    expect 0 "$bin/conv-compare" conv_x.npy conv_w.npy conv_$target.npy && says 'largest error' .out
done
same conv_cpu.npy conv_a2a3.npy && same conv_cpu.npy conv_a5.npy
for form in level1 level2 generic; do
    expect 0 "$PTO" fmt --to $form -o conv_$form.pto "$conv"
    expect 0 "$PTO" run conv_$form.pto -t a5 -b 2 x=conv_x.npy w=conv_w.npy y:=again.npy && same again.npy conv_a5.npy
done
