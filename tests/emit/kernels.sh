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

# What pto run refuses (PTO-E0912) cannot be emitted, and of what it runs these: !pto.event, !pto.async_event and such as
# parameters; tiles of an entry whose rows would be half bytes (cpu alone takes those), or that have no rows; signals
# between cores whose pipe is a number that only the run knows. The list is exact: it fails when it is stale.
cat >table <<'END'
tests/programs/as_synchronisation.pto 0 cpu,a2a3,a5 type
tests/programs/level1_synchronisation.pto 0 cpu,a2a3,a5 type
tests/programs/newer_synchronisation.generic.pto 0 cpu,a2a3,a5 signal
tests/programs/newer_synchronisation.pto 0 cpu,a2a3,a5 signal
tests/programs/tsync_operands.generic.pto 0 cpu,a2a3,a5 type
tests/programs/tsync_operands.pto 0 cpu,a2a3,a5 type
tests/data/cases/verdicts.pto 10 cpu tile
tests/data/cases/verdicts.pto 135 cpu tile
tests/data/cases/verdicts.pto 213 cpu tile
tests/data/cases/verdicts.pto 265 cpu,a2a3,a5 type
tests/data/cases/verdicts.pto 367 cpu tile
tests/data/cases/verdicts.pto 371 cpu tile
tests/data/cases/verdicts.pto 474 cpu tile
tests/data/cases/verdicts.pto 493 cpu tile
tests/data/cases/verdicts.pto 511 cpu tile
tests/data/cases/verdicts.pto 614 cpu,a2a3,a5 type
tests/data/cases/verdicts.pto 678 cpu,a2a3,a5 type
tests/data/cases/verdicts.pto 719 cpu tile
tests/data/cases/verdicts.pto 895 cpu tile
tests/data/cases/verdicts.pto 1007 cpu tile
END
sed -E "s|^$SRC/||" refused | grep -v ' PTO-E0912 ' | sed -E '
    s/ PTO-E0262 %[^ ]*: a tile of 4-bit elements or for convolution as an entry.s parameter$/ tile/
    s/ PTO-E0262 a value whose type C\+\+ does not have$/ type/
    s/ PTO-E0262 pto\.(set_cross_core|wait_flag_dev|set_intra_block|wait_intra_core)$/ signal/' |
    awk '{ k = $1 " " $2; if (k in t) t[k] = t[k] "," $3; else t[k] = $3; $1 = $2 = $3 = ""; sub(/^ +/, ""); r[k] = $0 }
        END { for (k in t) print k, t[k], r[k] }' | sort >found
# of the cases only those that were taken
awk -v every="$EMIT_EVERY" '!/^tests\/data\/cases\// || $2 % every == 0' table | sort >wanted
diff wanted found >.err || { fail "what cannot be emitted is not what the table says:" && cat .err >&2; }

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
