# SPDX-License-Identifier: Apache-2.0
# Checkers from the command line: exit status, JSON, suppressions, the environment; TileOp blocks with planted faults;
# programs in C and C++ under PTO_CHECK.
. "$SRC/tests/support/cli.sh"
unset PTO_CHECK PTO_SUPPRESSIONS

# a program without flags that places its tiles itself: the flags are its own business
cat >late.pto <<'END'
func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = arith.constant 0 : i64
  %b = arith.constant 4096 : i64
  %gx = pto.make_tensor_view %x, shape = [%c16, %c64], strides = [%c64, %c1] : !pto.tensor_view<16x64xf32>
  %gy = pto.make_tensor_view %y, shape = [%c16, %c64], strides = [%c64, %c1] : !pto.tensor_view<16x64xf32>
  %px = pto.partition_view %gx, offsets = [%c0, %c0], sizes = [%c16, %c64] : !pto.tensor_view<16x64xf32> -> !pto.partition_tensor_view<16x64xf32>
  %py = pto.partition_view %gy, offsets = [%c0, %c0], sizes = [%c16, %c64] : !pto.tensor_view<16x64xf32> -> !pto.partition_tensor_view<16x64xf32>
  %t = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 16x64xf32>
  %u = pto.alloc_tile addr = %b : !pto.tile_buf<vec, 16x64xf32>
  pto.tload ins(%px : !pto.partition_tensor_view<16x64xf32>) outs(%t : !pto.tile_buf<vec, 16x64xf32>)
  pto.trelu ins(%t : !pto.tile_buf<vec, 16x64xf32>) outs(%u : !pto.tile_buf<vec, 16x64xf32>)
  pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
  pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
  pto.tstore ins(%u : !pto.tile_buf<vec, 16x64xf32>) outs(%py : !pto.partition_tensor_view<16x64xf32>)
  return
}
END
head -c 4096 /dev/zero | npy x.npy '<f4' '16, 64'
for target in a2a3 a5; do
    refused 3 PTO-E1101 "$PTO" run late.pto -t $target --check=race x=x.npy y:=y.npy
    says '^late.pto:15:17: error' && says 'late.pto:14:67: note'
    [ -s y.npy ] || fail "the output is missing"
done
expect 0 "$PTO" run late.pto -t cpu --check=all x=x.npy y:=y.npy && silent
expect 0 "$PTO" run late.pto -t a5 --check=init,sync,memory x=x.npy y:=y.npy && silent
expect 0 "$PTO" run late.pto -t a5 --check=none x=x.npy y:=y.npy && silent
expect 2 "$PTO" run late.pto -t a5 --check=speed x=x.npy y:=y.npy && says 'unknown check speed'
# JSON
expect 3 "$PTO" run late.pto -t a5 --check=race --json x=x.npy y:=y.npy
says '"rule": "PTO-E1101".*"line": 15' .out && says '"notes": \[\{.*"line": 14' .out
# suppressions
echo 'race:TRELU  # known' >known
expect 0 "$PTO" run late.pto -t a5 --check=race --suppress known x=x.npy y:=y.npy && silent
echo 'race:TMUL*' >other
expect 3 "$PTO" run late.pto -t a5 --check=race --suppress other x=x.npy y:=y.npy
echo 'race' >bad
refused 2 PTO-E0157 "$PTO" run late.pto -t a5 --check=race --suppress bad x=x.npy y:=y.npy
refused 2 PTO-E0100 "$PTO" run late.pto -t a5 --check=race --suppress nowhere x=x.npy y:=y.npy
# the environment
expect 3 env PTO_CHECK=race "$PTO" run late.pto -t a5 x=x.npy y:=y.npy
expect 0 env PTO_CHECK=race PTO_SUPPRESSIONS=known "$PTO" run late.pto -t a5 x=x.npy y:=y.npy && silent
expect 0 env PTO_CHECK=race "$PTO" run late.pto -t a5 --check=none x=x.npy y:=y.npy && silent

# an output that is covered in part
sed 's/%y: !pto.ptr<f32>)/%y: !pto.ptr<f32>, %n: index)/; s/%gy = pto.make_tensor_view %y, shape = \[%c16/%gy = pto.make_tensor_view %y, shape = [%n/' \
    late.pto | sed '/%gy =/s/tensor_view<16x64/tensor_view<?x64/; /%py =/s/: !pto.tensor_view<16x64/: !pto.tensor_view<?x64/' >part.pto
refused 3 PTO-E1121 "$PTO" run part.pto -t a5 --check=init n=20 x=x.npy y:=y.npy@20x64
says '^part.pto:1:' && says 'bytes 4096 to 5119 of argument'
expect 0 "$PTO" run part.pto -t a5 --check=init n=16 x=x.npy y:=y.npy@16x64 && silent
expect 0 "$PTO" run part.pto -t a5 --check=init n=20 x=x.npy y:=@20x64 && silent # scratch, nobody reads it

# ---- TileOp blocks: each fault is planted in a program that is silent without it ----
planted=0
# block RULE LINE STATUS FAULT: FAULT is a sed script on relu.s; options in $memory
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
head -c 256 /dev/zero | npy m.npy '<f4' '4, 16'
block() {
    sed "$4" relu.s >fault.s
    # shellcheck disable=SC2086
    refused "$3" "$1" "$PTO" run fault.s --check=all $memory
    [ "$2" = - ] || says "^fault.s:$2:[0-9]+: error.*$1"
    planted=$((planted + 1))
}
input='--mem 0x100000=m.npy' output='--dump 0x200000:f32:4x16=y.npy'
memory="$input $output"
# shellcheck disable=SC2086
expect 0 "$PTO" run relu.s --check=all $memory && silent
memory="--mem 0x100000=256 $output" block PTO-E1122 5 3 '' # nobody wrote the input
memory="$input --dump 0x200000:f32:5x16=y.npy" block PTO-E1121 - 3 ''
memory="$input --mem 0x100100=64 $output" block PTO-E1122 5 3 's/0x100000/0x100100/; s/TLOAD <16, 4/TLOAD <16, 1/; s/TRELU <16, 4/TRELU <16, 1/; s/TSTORE <16, 4/TSTORE <16, 1/'
memory="$input $output" block PTO-E1121 - 3 's/TSTORE <16, 4/TSTORE <16, 3/; s/TRELU <16, 4/TRELU <16, 3/; s/TLOAD <16, 4/TLOAD <16, 3/'
memory="$input --mem 0x200000=m.npy --dump 0x200000:f32:4x16=y.npy --mem 0x300000=64"
block PTO-E1122 6 3 '5a\    C.BSTART.STD FALL\n    hl.lis 0x300000, ->a2\n    ldi [a2, 0], ->a3'
# what a store wrote is loaded again; a row too many, or before the store
memory="$input --mem 0x200000=512 --dump 0x200000:f32:4x16=y.npy"
again='    C.BSTART.STD FALL\n    hl.lis 0x200000, ->a2\n    TLOAD <16, ROWS, FP32>, [a2], ->T<512B>'
sed "7a\\${again/ROWS/4}" relu.s >again.s
# shellcheck disable=SC2086
expect 0 "$PTO" run again.s --check=all $memory && silent
block PTO-E1122 10 3 "7a\\${again/ROWS/5}"
block PTO-E1122 8 3 "5a\\${again/ROWS/4}"
memory="$input $output"
block PTO-E1672 5 1 's/0x100000/0x100010/'
block PTO-E1672 7 1 's/0x200000/0x200010/'
block PTO-E1671 5 1 's/0x100000/0x100002/'
block PTO-E1644 6 1 's/T#1/M#1/'
block PTO-E1644 6 1 's/T#1/T#2/'
block PTO-E1647 6 1 's/TRELU <16, 4/TRELU <16, 8/; s/->U<256B>/->U<512B>/'
block PTO-E1660 5 1 's/->T<256B>/->T<64B>/'
echo "$planted planted faults in blocks"
[ "$planted" -ge 10 ] || fail "only $planted faults are planted in blocks"
# shellcheck disable=SC2086
expect 0 env PTO_CHECK=init "$PTO" run relu.s $memory && silent
echo 'init:TLOAD' >known
expect 0 "$PTO" run relu.s --check=init --suppress known --mem 0x100000=256 $output && silent
expect 2 "$PTO" run relu.s --check=speed --mem 0x100000=256

# ---- programs in C and C++, as they were built ----
kernel=$BUILD/examples/cpp-vector_add-a2a3 softmax=$BUILD/examples/softmax-softmax
if [ -x "$kernel" ]; then
    for target in a2a3 a5; do
        for name in vector_add row_softmax gemm flash_attention topk quantised_linear; do
            expect 0 env PTO_CHECK=all "$BUILD/examples/cpp-$name-$target" && silent
        done
    done
    expect 0 env PTO_CHECK=speed "$kernel" && says 'the checks are'
fi
if [ -x "$softmax" ]; then
    "$BUILD/examples/softmax-compare" s.npy >/dev/null
    for target in a2a3 a5; do
        expect 0 env PTO_CHECK=all "$softmax" s.npy out.npy 5 $target && silent
    done
fi

# a kernel in C with a missing wait: the exit status is 3, or what PTO_CHECK_EXIT says
cat >late.c <<'END'
#include <pto/pto-inst.h>
static float x[1024], y[1024];
static void kernel(void *unused) {
    (void)unused;
    PTO_TILE(t, Vec, float, 16, 64);
    TASSIGN(t, 0);
    PTO_GLOBAL(in, x, float, 16, 64);
    PTO_GLOBAL(out, y, float, 16, 64);
    TLOAD(t, in);
    TSTORE(out, t);
}
int main(void) { return pto_launch(&(pto_launch_options){.core = {.target = PTO_TARGET_A5}}, kernel, NULL, NULL); }
END
if ${CC:-cc} -std=c17 -I"$SRC/include" -I"$BUILD/generated/include" late.c "$BUILD"/libpto.a -lm -lpthread -o late 2>/dev/null; then
    expect 0 ./late && silent
    refused 3 PTO-E1101 env PTO_CHECK=race ./late
    says '^late.c:10: error' && says '^late.c:9: note' && says 'set_flag\(PIPE_MTE2, PIPE_MTE3, EVENT_ID0\)'
    expect 42 env PTO_CHECK=race PTO_CHECK_EXIT=42 ./late
    expect 3 env PTO_CHECK=race PTO_CHECK_JSON=1 ./late && says '"rule": "PTO-E1101".*"line": 10'
    echo 'race:late.c' >known
    expect 0 env PTO_CHECK=race PTO_SUPPRESSIONS=known ./late && silent
    expect 3 env PTO_CHECK=race PTO_SUPPRESSIONS=bad ./late && says 'PTO-E0157'
    expect 0 env PTO_CHECK=none ./late && silent
fi
