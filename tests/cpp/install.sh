# SPDX-License-Identifier: Apache-2.0
# C++ kernels outside of the tree, on an installed libpto: by pkg-config with each compiler and standard, by
# find_package, units of two targets in one program; what a unit costs to compile.
. "$SRC/tests/support/cli.sh"

# A sanitized library needs the sanitizer in its user, which is not what this is about.
grep -q '^PTO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && exit 77
expect 0 cmake --install "$BUILD" --prefix "$T/prefix" || exit 1
libdir=$(dirname "$(find prefix -name pto.pc)")
export PKG_CONFIG_PATH=$T/$libdir LD_LIBRARY_PATH=$T/$libdir/..

cp "$SRC"/examples/cpp/{vector_add,gemm}.cpp "$SRC/examples/cpp/host.hpp" .
cat >one.cpp <<'END'
#include <pto/pto-inst.hpp>
using namespace pto;
int other();
/* the same names in both units, of another target each */
template <typename TileT> float twice(TileT &tile) {
    TADD(tile, tile, tile);
    return tile.GetValue(0);
}
int main() {
    Tile<TileType::Vec, float, 16, 16> x;
    x.SetValue(0, 21.0f);
    static_assert(caps::GetCurrentArch() == ChipArch::A2A3, "");
    return twice(x) == 42.0f && other() == 42 ? 0 : 1;
}
END
cat >two.cpp <<'END'
#include <pto/pto-inst.hpp>
using namespace pto;
template <typename TileT> float twice(TileT &tile) {
    TADDS(tile, tile, 1.0f);
    return tile.GetValue(0);
}
int other() {
    static_assert(caps::GetCurrentArch() == ChipArch::A5, "");
    Tile<TileType::Vec, float, 16, 16> x;
    x.SetValue(0, 41.0f);
    return static_cast<int>(twice(x));
}
END

flags="-Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror"
# shellcheck disable=SC2086,SC2046
for cxx in g++ clang++; do
    command -v $cxx >/dev/null || continue
    for standard in 17 20; do
        expect 0 $cxx -std=c++$standard $flags vector_add.cpp -o user $(pkg-config --cflags --libs pto)
        expect 0 ./user
    done
    expect 0 $cxx -std=c++17 $flags -D__NPU_ARCH__=2201 -c one.cpp $(pkg-config --cflags pto)
    expect 0 $cxx -std=c++17 $flags -D__NPU_ARCH__=3510 -c two.cpp $(pkg-config --cflags pto)
    expect 0 $cxx one.o two.o -o both $(pkg-config --libs pto) && expect 0 ./both
    TIMEFORMAT=%U
    seconds=$({ time $cxx -std=c++17 -O0 -c gemm.cpp $(pkg-config --cflags pto); } 2>&1)
    echo "$cxx: gemm.cpp at -O0 in $seconds s"
    # 1.5 s on an idle machine; processor time grows where threads share a core
    [ "${seconds%.*}" -lt 3 ] || fail "$cxx needs $seconds s for a unit"
done

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(pto 0.1 REQUIRED)
add_executable(user vector_add.cpp)
target_compile_features(user PRIVATE cxx_std_17)
target_compile_definitions(user PRIVATE __NPU_ARCH__=2201)
target_link_libraries(user PRIVATE pto::pto)
END
expect 0 cmake -S . -B made -DCMAKE_PREFIX_PATH="$T/prefix" && expect 0 cmake --build made
expect 0 made/user
