# SPDX-License-Identifier: Apache-2.0
# What is installed: the command, headers and library for pkg-config and find_package users, man page, completion.
. "$SRC/tests/support/cli.sh"

# A sanitized library needs the sanitizer in its user, which is not what this is about.
grep -q '^PTO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && exit 77
expect 0 cmake --install "$BUILD" --prefix "$T/first" || exit 1
mv first prefix # nothing may name the place that it was installed to
grep -rlI "$T/first\|$SRC\|$BUILD" prefix >named
is "$(cat named)" ""
expect 0 prefix/bin/pto --version
version=$(sed 's/^pto //' .out)
expect 0 prefix/bin/pto check "$SRC/tests/data/add_scalar.pto"

cat >user.c <<'END'
#include <pto/pto-inst.h>
#include <pto/pto.h>
#include <stdio.h>
#include <string.h>
int main(void) {
    static const char text[] = ".arg %x : !pto.tile<16x16xf32>\n%y = trelu %x : !pto.tile<...>\n";
    pto_program *program = pto_program_parse("t", text, sizeof text - 1, NULL, NULL);
    pto_status status = pto_program_verify(program, NULL, NULL);
    pto_program_destroy(program);
    puts(pto_version());
    return status == PTO_OK ? 0 : 1;
}
END
cp user.c user.cpp
libdir=$(dirname "$(find prefix -name pto.pc)")
export PKG_CONFIG_PATH=$T/$libdir LD_LIBRARY_PATH=$T/$libdir/..
is "$(pkg-config --modversion pto)" "$version"
# shellcheck disable=SC2046
expect 0 cc -std=c17 -Wall -Wextra -Werror user.c -o user $(pkg-config --cflags --libs pto)
expect 0 ./user && is "$(cat .out)" "$version"
if command -v c++ >/dev/null; then
    sed -i '/pto-inst.h/d' user.cpp # the macros are C
    # shellcheck disable=SC2046
    expect 0 c++ -std=c++17 -Wall -Wextra -Werror user.cpp -o user_cpp $(pkg-config --cflags --libs pto)
    expect 0 ./user_cpp
fi
# every header stands alone
for header in prefix/include/pto/*.h; do
    printf "#include <pto/%s>\nextern int user;\n" "${header##*/}" >alone.c
    # shellcheck disable=SC2046
    expect 0 cc -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only alone.c $(pkg-config --cflags pto)
done

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(pto 0.1 REQUIRED)
add_executable(user user.c)
target_link_libraries(user PRIVATE pto::pto)
END
expect 0 cmake -S . -B made -DCMAKE_PREFIX_PATH="$T/prefix" && expect 0 cmake --build made
expect 0 made/user && is "$(cat .out)" "$version"

# The man page names every subcommand and every option of each.
page=prefix/share/man/man1/pto.1
if command -v mandoc >/dev/null; then
    expect 0 mandoc -T lint -W error "$page"
    mandoc -T utf8 -O width=200 "$page" | sed 's/.\x08//g' >page
elif command -v groff >/dev/null; then
    groff -mdoc -T utf8 "$page" | sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' >page
fi
for command in run explore check fmt emit isa explain; do
    "$PTO" "$command" --help >help
    if [ -f page ]; then
        says "pto $command" page
        for option in $(grep -oE -- '^ +(-[a-z], +)?--[a-z-]+' help | grep -oE -- '--[a-z-]+'); do
            letter=$(grep -oE -- "-[a-z], +$option" help | cut -c1-2)
            says "(^|[^a-z])(${letter:-$option}|$option)([^a-z-]|$)" page
        done
    fi
done

# Completion, as bash would ask for it.
export PATH=$T/prefix/bin:$PATH
# shellcheck source=/dev/null
. prefix/share/bash-completion/completions/pto
complete_line() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _pto 2>/dev/null
    echo "${COMPREPLY[*]-}"
}
is "$(complete_line pto ru)" run
is "$(complete_line pto check --target a)" "a2a3 a5"
is "$(complete_line pto fmt --to lev)" "level1 level2"
is "$(complete_line pto isa trel)" TRELU
is "$(complete_line pto explain pto-e031)" "$("$PTO" explain | grep -o '^PTO-E031[0-9]' | tr '\n' ' ' | sed 's/ $//')"
is "$(complete_line pto run --thr)" --threads
is "$(complete_line pto run user.c x=CMakeL)" CMakeLists.txt
is "$(complete_line pto check --tar)" --target
