# SPDX-License-Identifier: Apache-2.0
# Every call that the baseline names has a C++ function, unless the table has not its row yet; ops of the text and of
# blocks have none. Every header of the facade stands alone.
. "$SRC/tests/support/cli.sh"

headers=$(find "$SRC/include/pto" "$BUILD/generated/include/pto" -name '*.hpp')
grep -v '^#' "$SRC/tests/data/instructions.tsv" | tail -n +2 | while IFS=$'\t' read -r mnemonic form family _; do
    case $family in ir | block | alias) continue ;; esac
    case $mnemonic in
    *_dyn | barrier_sync | sync.set | sync.wait | set_ffts | make_group) continue ;; # spellings of the text
    set_cross_core | wait_intra_core) continue ;;                         # names of a manual page, in no header (60, 7)
    esac
    # shellcheck disable=SC2086
    grep -qwE "(RecordEvent|> |void|class|struct|PTO_NOT_YET\(|inline [a-z]+|constexpr [a-z0-9_:]+) ?\*?$mnemonic" $headers ||
        grep -qE "^absent \| $mnemonic \|" "$SRC/tests/data/instructions.differences" ||
        echo "no C++ call: $mnemonic ($form)"
done >missing
is "$(cat missing)" ""

compiler=$(command -v g++ || command -v clang++) || exit 77
for header in $headers; do
    name=${header##*/include/}
    echo "#include <$name>" >alone.cpp
    expect 0 "$compiler" -std=c++17 -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror -fsyntax-only \
        -I"$SRC/include" -I"$BUILD/generated/include" alone.cpp
done

# Without exceptions a refusal is printed and aborts; memories have the size that the build or the environment says.
cat >sizes.cpp <<'END'
#include <pto/pto-inst.hpp>
using namespace pto;
int main(int argc, char **) {
    Tile<TileType::Vec, float, 16, 16> t;
    if (argc == 1)
        TASSIGN(t, 512 * 1024 - 1024);
    TASSIGN(t, 512 * 1024 - 512 + (argc > 2));
    return 0;
}
END
# shellcheck disable=SC2086
build() {
    expect 0 "$compiler" -std=c++17 -Wall -Wextra -Werror -fno-exceptions -I"$SRC/include" -I"$BUILD/generated/include" \
        "$@" sizes.cpp -o sizes $library -lm -lpthread
}
library=$(find "$BUILD" -maxdepth 1 -name 'libpto.a' -o -maxdepth 1 -name 'libpto.so' | head -n 1)
if [ -n "$library" ] && ! grep -q '^PTO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt"; then
    build
    expect 134 ./sizes
    says 'SA-0353'
    PTO_CPU_SIM_UB_BYTES=$((512 * 1024)) expect 134 ./sizes more
    says 'SA-0353'
    PTO_CPU_SIM_UB_BYTES=$((1024 * 1024)) expect 0 ./sizes more
    PTO_CPU_SIM_UB_BYTES=$((1024 * 1024)) expect 134 ./sizes more more
    says 'SA-0354'
    build -DPTO_UBUF_SIZE_BYTES=1048576 -D__NPU_ARCH__=3510
    expect 0 ./sizes more
fi
