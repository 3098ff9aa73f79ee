# SPDX-License-Identifier: Apache-2.0
# Bytecode from the command: written, read by every subcommand, the same run; broken files refused.
. "$SRC/tests/support/cli.sh"

softmax=$SRC/examples/softmax/softmax.pto
expect 0 "$PTO" fmt --to bytecode -o softmax.ptobc "$softmax" && is "$(head -c 5 softmax.ptobc)" PTOBC
expect 0 "$PTO" check softmax.ptobc
expect 0 "$PTO" fmt --to level2 -o back.pto softmax.ptobc && expect 0 "$PTO" check back.pto
expect 0 "$PTO" fmt --to bytecode -o again.ptobc back.pto && same softmax.ptobc again.ptobc
add=$SRC/tests/data/add_scalar.pto
expect 0 "$PTO" fmt --to bytecode -o add.ptobc "$add"
head -c 512 /dev/urandom | npy x.npy '<i4' '16, 8'
expect 0 "$PTO" run "$add" --blocks 3 a=x.npy s=7 o:=text.npy
expect 0 "$PTO" run add.ptobc --blocks 3 0=x.npy 1=7 2:=bytes.npy && same text.npy bytes.npy
head -c 100 softmax.ptobc >short.ptobc
for command in check fmt run; do refused 1 PTO-E0261 "$PTO" $command short.ptobc; done
printf 'func.func @f(%%a: f32) {\n %%x = arith.addf %%a, %%a : f32\n return\n}\n' >float.pto
expect 0 "$PTO" fmt --to bytecode -o float.ptobc float.pto
refused 1 PTO-E0260 "$PTO" fmt --to bytecode --strict -o strict.ptobc float.pto && absent strict.ptobc

# the memory map
expect 0 "$PTO" run --show=memory -t a2a3 "$softmax" && says '^vec: peak [0-9]+ of 196608 bytes, [0-9]+ at' .out && says '#.*%t, ' .out
expect 0 "$PTO" run --show=memory.svg "$softmax" && says '^<svg ' .out && says '</svg>' .out
expect 2 "$PTO" run --show=time "$softmax"
