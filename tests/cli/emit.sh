# SPDX-License-Identifier: Apache-2.0
# pto emit: languages, targets, outputs, refusals.
. "$SRC/tests/support/cli.sh"

softmax=$SRC/examples/softmax/softmax.pto
expect 0 "$PTO" emit "$softmax" && says '^__global__ AICORE void softmax\(__gm__ float \*v1, __gm__ float \*v2\) \{$' .out
says 'TROWSUM\(v[0-9]+, v[0-9]+, v[0-9]+\);' .out && says 'TASSIGN\(v[0-9]+, 0x8000\);' .out
expect 0 "$PTO" emit --lang=c++ -t a5 -o a5.cpp "$softmax" && says '__NPU_ARCH__=3510' a5.cpp && silent .out
expect 0 "$PTO" emit -t a5 - <"$softmax" && same .out a5.cpp
expect 0 "$PTO" fmt --to bytecode -o softmax.ptobc "$softmax" && expect 0 "$PTO" emit -t a5 softmax.ptobc && same .out a5.cpp
expect 2 "$PTO" emit --lang=fortran "$softmax"
expect 2 "$PTO" emit
printf 'func.func @f(%%x: i7) attributes {pto.entry} {\n return\n}\n' >odd.pto
refused 1 PTO-E0262 "$PTO" emit -o odd.cpp odd.pto && absent odd.cpp
printf 'func.func @f(%%x: f32) attributes {pto.entry} {\n %%y = arith.addi %%x, %%x : f32\n return\n}\n' >wrong.pto
expect 1 "$PTO" emit -o wrong.cpp wrong.pto && absent wrong.cpp
# what the target refuses is refused before anything is written
printf '.arg %%x : !pto.memref<64x128xi16>\n%%t = tload %%x[0, 0] : (!pto.memref<64x128xi16>, index, index) -> !pto.tile<vec, i16, 64, 128>\n%%r = trelu %%t : !pto.tile<vec, i16, 64, 128>\n' >relu.pto
refused 1 PTO-E0302 "$PTO" emit -t a2a3 relu.pto
