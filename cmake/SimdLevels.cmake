# SPDX-License-Identifier: Apache-2.0
# Compiles src/kernel/*.c once per SIMD level; dispatch*.c and shared_*.c once only.
#
# A kernel source sees PTO_SIMD_LEVEL_NAME (base, avx2 or avx512: the suffix of its external symbols) and
# PTO_LEVEL_BASE, PTO_LEVEL_AVX2 or PTO_LEVEL_AVX512 = 1. Everything else in it, inline functions of headers
# included, must be static: an external inline copy compiled for AVX-512 could be the one that the linker keeps.
# The rest of the library sees PTO_HAVE_<LEVEL> = 1 for each level that is built.

set(PTO_SIMD_FLAGS_base "")
set(PTO_SIMD_FLAGS_avx2 -mavx2 -mfma -mf16c)
set(PTO_SIMD_FLAGS_avx512
    -mavx512f
    -mavx512bw
    -mavx512dq
    -mavx512vl
    -mavx2
    -mfma
    -mf16c
    -mprefer-vector-width=512
)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(pto_simd_possible base avx2 avx512)
else()
    set(pto_simd_possible base)
endif()
set(PTO_SIMD_LEVELS "${pto_simd_possible}" CACHE STRING "SIMD levels to build the kernels for (base is a must)")
if(NOT "base" IN_LIST PTO_SIMD_LEVELS)
    message(FATAL_ERROR "PTO_SIMD_LEVELS must contain base, found: ${PTO_SIMD_LEVELS}")
endif()
foreach(level IN LISTS PTO_SIMD_LEVELS)
    if(NOT level IN_LIST pto_simd_possible)
        message(FATAL_ERROR "SIMD level ${level}: this processor (${CMAKE_SYSTEM_PROCESSOR}) has ${pto_simd_possible}")
    endif()
endforeach()

# The definitions PTO_HAVE_<LEVEL>=1, for any target that asks which levels exist.
set(PTO_SIMD_DEFINITIONS "")
foreach(level IN LISTS PTO_SIMD_LEVELS)
    string(TOUPPER "${level}" upper)
    list(APPEND PTO_SIMD_DEFINITIONS "PTO_HAVE_${upper}=1")
endforeach()

set(PTO_KERNEL_FLAGS -fopenmp-simd)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    # Without optimisation no loop becomes a vector loop; that is no reason to refuse the build.
    list(APPEND PTO_KERNEL_FLAGS -Wno-pass-failed)
endif()

# Adds all kernels to the library `target`.
function(pto_add_kernels target)
    file(GLOB kernels CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/kernel/*.c")
    set(once ${kernels})
    list(FILTER once INCLUDE REGEX "/(dispatch[^/]*|shared_[^/]*)$")
    if(once)
        list(REMOVE_ITEM kernels ${once})
        set_source_files_properties(${once} PROPERTIES COMPILE_OPTIONS "${PTO_KERNEL_FLAGS}")
        target_sources(${target} PRIVATE ${once})
    endif()
    target_compile_definitions(${target} PRIVATE ${PTO_SIMD_DEFINITIONS})
    if(NOT kernels)
        return()
    endif()
    foreach(level IN LISTS PTO_SIMD_LEVELS)
        string(TOUPPER "${level}" upper)
        set(objects "${target}_kernel_${level}")
        add_library(${objects} OBJECT ${kernels})
        target_compile_definitions(
            ${objects} PRIVATE "PTO_SIMD_LEVEL_NAME=${level}" "PTO_LEVEL_${upper}=1" ${PTO_SIMD_DEFINITIONS}
        )
        target_compile_options(${objects} PRIVATE ${PTO_KERNEL_FLAGS} ${PTO_SIMD_FLAGS_${level}})
        target_include_directories(
            ${objects} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src"
        )
        pto_use_generated(${objects})
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
    endforeach()
endfunction()
