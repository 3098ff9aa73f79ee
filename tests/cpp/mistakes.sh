# SPDX-License-Identifier: Apache-2.0
# Mistakes that the compiler finds: the first line with an error names the rule, the instruction and the operand, with
# g++ and with clang++, in C++17 and C++20. A line below is RULE | TARGET | statements of a function.
. "$SRC/tests/support/cli.sh"

cat >mistakes <<'END'
PTO-E0302 | cpu  | Tile<TileType::Vec, bool, 32, 32> t;
PTO-E0310 | cpu  | Tile<TileType::Vec, float, 0, 16> t;
PTO-E0310 | cpu  | Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 17, 16> t;
PTO-E0310 | cpu  | Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 16, -2> t;
PTO-E0311 | cpu  | Tile<TileType::Acc, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 256> t;
PTO-E0312 | cpu  | Tile<TileType::Mat, half, 16, 24, BLayout::ColMajor, 16, 24, SLayout::RowMajor> t;
PTO-E0313 | cpu  | Tile<TileType::Mat, half, 24, 16, BLayout::ColMajor, 24, 16, SLayout::RowMajor> t;
PTO-E0314 | cpu  | Tile<TileType::Vec, half, 4, 8> t;
PTO-E0314 | a5   | Tile<TileType::Vec, float, 4, 16, BLayout::ColMajor> t;
SA-0351   | a2a3 | TileLeftScale<float8_e8m0_t, 16, 4> t;
SA-0352   | a2a3 | Tile<TileType::Vec, float, 256, 256> t; TASSIGN<0>(t);
SA-0353   | a2a3 | Tile<TileType::Vec, float, 16, 16> t; TASSIGN<196608 - 512>(t);
SA-0354   | cpu  | Tile<TileType::Vec, float, 16, 16> t; TASSIGN<16>(t);
PTO-E0304 | cpu  | Tile<TileType::Vec, float, 16, 16> t; TASSIGN(t, 1.5);
PTO-E0303 | cpu  | GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<8, 8, 8, 8, 1>> g; TASSIGN(g, static_cast<int *>(nullptr));
PTO-E0304 | cpu  | Shape<1, 1, 1, -1, -1> s(1, 2, 3);
PTO-E0320 | cpu  | F x; Tile<TileType::Mat, float, 16, 16> out; TRELU(out, x);
PTO-E0302 | a2a3 | Tile<TileType::Vec, int8_t, 32, 32> x, out; TADD(out, x, x);
PTO-E0302 | a5   | Tile<TileType::Vec, bfloat16_t, 16, 16> x, out; TRELU(out, x);
PTO-E0302 | cpu  | Tile<TileType::Vec, float, 16, 16> x, out; TAND(out, x, x);
PTO-E0303 | cpu  | F x, out; Tile<TileType::Vec, int32_t, 16, 16> y; TADD(out, x, y);
PTO-E0321 | a2a3 | Tile<TileType::Vec, float, 16, 16, BLayout::ColMajor> x, out; TEXP(out, x);
PTO-E0322 | cpu  | F out; Tile<TileType::Vec, float, 16, 16, BLayout::ColMajor> x; TEXP(out, x);
PTO-E0323 | cpu  | F x; Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 8, 16> out; TMUL(out, x, x);
PTO-E0324 | a5   | Tile<TileType::Vec, half, 16, 16, BLayout::RowMajor, 0, 16> o; Tile<TileType::Vec, int32_t, 16, 16, BLayout::RowMajor, 0, 16> x; TADDDEQRELU(o, x, x, 1.0f, x);
PTO-E0329 | a2a3 | Tile<TileType::Vec, int32_t, 16, 16> x, out; TXOR(out, x, x);
PTO-E0301 | a2a3 | F x; Tile<TileType::Vec, half, 16, 16> out; TPACK(out, x);
PTO-E0304 | cpu  | F out; GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>> g; TRELU(out, g);
PTO-E0902 | cpu  | F x, out; TLOAD(out, x);
PTO-E0902 | cpu  | F x, out; TROWMAX(out, 2.0f);
PTO-E0304 | cpu  | F x, out; RecordEvent e; TRELU(out, x, e);
PTO-E0801 | cpu  | TileLeft<half, 16, 16> a; TileAcc<float, 16, 16> c; TMATMUL(c, a, a);
PTO-E0802 | a5   | Tile<TileType::Left, half, 16, 16, BLayout::RowMajor, 16, 16, SLayout::RowMajor> a; TileRight<half, 16, 16> b; TileAcc<float, 16, 16> c; TMATMUL(c, a, b);
PTO-E0803 | cpu  | TileLeft<half, 16, 32> a; TileRight<half, 16, 16> b; TileAcc<float, 16, 16> c; TMATMUL(c, a, b);
PTO-E0701 | cpu  | TileLeft<float, 16, 16> a; GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>> g; TLOAD(a, g);
PTO-E0416 | a5   | TSYNC<Op::TADD>();
PTO-E0417 | a5   | Event<Op::TMOV_A2V, Op::TADD> e;
PTO-E0417 | a2a3 | Event<Op::TMOV_V2M, Op::TMOV_M2L, false> e; e.Wait();
PTO-E0320 | cpu  | TileAcc<float, 16, 16> t; t.SetValue(0, 1.0f);
PTO-E0880 | cpu  | Tile<TileType::Vec, int32_t, 2, 16> t; TCI<decltype(t), int32_t, false>(t, 0);
PTO-E0301 | cpu  | F t; int pipe = 0; TPUSH(t, pipe);
PTO-E0301 | cpu  | F t; int pipe = 0; TPUSH<int, F, TileSplitAxis::TILE_NO_SPLIT>(pipe, t);
END

include="-I$SRC/include -I$BUILD/generated/include"
declare -A arch=([cpu]="" [a2a3]=-D__NPU_ARCH__=2201 [a5]=-D__NPU_ARCH__=3510)

# try COMPILER STANDARD: the headers are read once a target, then every mistake is tried; prints what is wrong.
try() {
    local cxx=$1 standard=$2 clang target rule code header suffix=gch
    clang=$("$cxx" --version | grep -c clang)
    [ "$clang" -gt 0 ] && suffix=pch
    for target in cpu a2a3 a5; do
        mkdir -p "$cxx/$target"
        echo '#include <pto/pto-inst.hpp>' >"$cxx/$target/all.hpp"
        # shellcheck disable=SC2086
        "$cxx" "$standard" ${arch[$target]} $include -x c++-header "$cxx/$target/all.hpp" \
            -o "$cxx/$target/all.hpp.$suffix" || echo "$cxx refuses the headers"
    done
    while IFS='|' read -r rule target code; do
        rule=${rule// /} target=${target// /}
        header=(-include "$cxx/$target/all.hpp")
        [ "$clang" -gt 0 ] && header=(-include-pch "$cxx/$target/all.hpp.pch")
        printf 'using namespace pto;\nusing F = Tile<TileType::Vec, float, 16, 16>;\nvoid kernel() {%s}\n' \
            "$code" >"$cxx/mistake.cpp"
        # shellcheck disable=SC2086
        if "$cxx" "$standard" ${arch[$target]} $include "${header[@]}" -w -fsyntax-only "$cxx/mistake.cpp" 2>"$cxx/err"; then
            echo "$cxx accepts:$code"
        elif ! grep -m1 'error' "$cxx/err" | grep -q -- "$rule "; then
            echo "$cxx says of$code [$rule, $target]: $(grep -m1 'error' "$cxx/err")"
        fi
    done <mistakes
}

compilers=0
for choice in "g++ -std=c++17" "clang++ -std=c++20"; do
    read -r cxx standard <<<"$choice"
    command -v "$cxx" >/dev/null || continue
    compilers=$((compilers + 1))
    try "$cxx" "$standard" >"said.$cxx" 2>&1 &
done
[ "$compilers" -gt 0 ] || exit 77
wait
cat said.*
is "$(cat said.*)" ""
