# SPDX-License-Identifier: Apache-2.0
# The language, warning and arithmetic flags that every target shares, and the sanitizers when asked for.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# A static libpto may end in somebody's shared object.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_compile_definitions(_POSIX_C_SOURCE=200809L)
add_compile_options(
    -Wall
    -Wextra
    -Wconversion
    -Wshadow
    "$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes>"
    "$<$<BOOL:${PTO_WERROR}>:-Werror>"
)

# Results are the same bits everywhere: a product and a sum are fused only where the code says fma. The two other
# flags drop errno and floating-point traps, which nobody reads, and change no value.
add_compile_options(-ffp-contract=off -fno-math-errno -fno-trapping-math -fno-semantic-interposition)

if(PTO_SANITIZE)
    # float-cast-overflow is undefined in C, yet `undefined` leaves it out.
    set(sanitizers -fsanitize=address,undefined,float-cast-overflow)
    add_compile_options(${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(${sanitizers})
endif()

if(PTO_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "PTO_FUZZ needs clang (use the preset `fuzz`); this is ${CMAKE_C_COMPILER_ID}")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
