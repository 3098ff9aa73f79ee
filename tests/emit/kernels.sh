# SPDX-License-Identifier: Apache-2.0
# pto emit: every program that a target accepts becomes C++ that g++ and clang++ compile, and that gives the bits of
# pto run. EMIT_EVERY=1 takes all of the cases of the MLIR assembler too, a thousand small ones.
. "$SRC/tests/support/cli.sh"

command -v g++ >/dev/null || exit 77
grep -q '^PTO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && exit 77 # needs the library's own flags to link
library=$(ls "$BUILD"/libpto.a "$BUILD"/libpto.so 2>/dev/null | head -n 1)
: "${EMIT_EVERY:=16}"
export EMIT_EVERY

# not that one: it runs for years
find "$SRC/examples" "$SRC/tests/programs" "$SRC/tests/data" "$SRC/fuzz/corpus" -name '*.pto' 2>/dev/null |
    grep -v '/endless\.pto$' | sort >list
mapfile -t files <list
expect 0 "$BUILD/tests/emit_generate" . 24 "${files[@]}"

# What may be refused: what pto run refuses too (PTO-E0912); tiles of an entry whose rows would be half bytes, or that
# have no rows; !pto.pipe, !pto.event, !pto.async_event as parameters; signals between cores whose pipe is a number that
# only the run knows.
cat >allowed <<'END'
PTO-E0912
PTO-E0262 %[^ ]*: a tile of 4-bit elements or for convolution as an entry's parameter
PTO-E0262 a value whose type C\+\+ does not have
PTO-E0262 pto\.(set_cross_core|wait_flag_dev|set_intra_block|wait_intra_core)
END
grep -vE "$(sed 's/^/ (/; s/$/)/' allowed | paste -sd'|')" refused >unexpected
[ ! -s unexpected ] || fail "refused: $(cat unexpected)"

cat >compile <<END
unit=\$1 flag=
case \$unit in a2a3*) flag=-D__NPU_ARCH__=2201 ;; a5*) flag=-D__NPU_ARCH__=3510 ;; esac
options="-std=c++17 \$flag -DPTO_NO_WARNINGS -I$SRC/include -I$BUILD/generated/include -I$SRC/tests"
options="\$options -Wall -Werror -Wno-unused-function -Wno-unused-but-set-variable"
g++ \$options -O0 -ffp-contract=off -c "\$unit" -o "\$unit.o" || exit 1
! command -v clang++ >/dev/null || clang++ \$options -fsyntax-only "\$unit" || exit 1
END
expect 0 g++ -std=c++17 -O1 -I"$SRC/include" -I"$BUILD/generated/include" -I"$SRC/tests" -c "$SRC/tests/emit/runner.cpp" \
    -o runner.o
printf '%s\n' *_*.cpp | xargs -P 2 -n 1 bash compile >.err 2>&1 || { fail "does not compile:" && head -n 30 .err >&2; }
expect 0 g++ ./*.o -o run "$library" -Wl,-rpath,"$BUILD" -lpthread -lm
./run report >.out 2>.err || fail "emitted kernels differ"
tail -n 20 report
