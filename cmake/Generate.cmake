# SPDX-License-Identifier: Apache-2.0
# Derives headers and sources from the instruction table: builds `pto-gen` from tools/gen/*.c and runs
#     pto-gen src/isa/instructions.def <build>/generated <source>
# The generator writes the files listed here, at these paths below <build>/generated. Their directories exist
# before it runs. Nothing happens as long as tools/gen or the table is missing.

# ---- EDIT HERE: what pto-gen writes ---------------------------------------------------------------------------
# Public headers, installed beside include/pto/: #include <pto/NAME>.
set(PTO_GENERATED_PUBLIC_HEADERS
    include/pto/ops.h
    include/pto/functions.h
    include/pto/inst_macros.h
    include/pto/common/instr_forms.hpp
)
# Private headers, seen like headers of src/: #include "isa/NAME".
set(PTO_GENERATED_PRIVATE_HEADERS
    src/kernels.inc
    src/cpp_overloads.inc
)
# What the command knows of the tests and benchmarks, read off their sources: tools/pto/coverage.c.
set(PTO_GENERATED_TOOL_HEADERS tools/coverage.inc)
# C sources that become part of the library.
set(PTO_GENERATED_SOURCES
    src/isa/table.c
    src/isa/examples.c
    src/core/functions.c
    src/emit/calls.c
)
# ---------------------------------------------------------------------------------------------------------------

set(PTO_GENERATED_DIR "${PROJECT_BINARY_DIR}/generated")
set(PTO_TABLE "${PROJECT_SOURCE_DIR}/src/isa/instructions.def")
file(MAKE_DIRECTORY "${PTO_GENERATED_DIR}/include/pto/common" "${PTO_GENERATED_DIR}/src")
file(GLOB proofs CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/kernel/test_*.c" "${PROJECT_SOURCE_DIR}/bench/bench_*.c"
     "${PROJECT_SOURCE_DIR}/src/isa/rules_*.c" "${PROJECT_SOURCE_DIR}/src/isa/reference/*.def"
     "${PROJECT_SOURCE_DIR}/src/isa/examples/*.def")

file(GLOB gen_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/gen/*.c")
set(gen_outputs ${PTO_GENERATED_PUBLIC_HEADERS} ${PTO_GENERATED_PRIVATE_HEADERS} ${PTO_GENERATED_TOOL_HEADERS}
    ${PTO_GENERATED_SOURCES})
list(TRANSFORM gen_outputs PREPEND "${PTO_GENERATED_DIR}/")

if(gen_sources)
    add_executable(pto-gen ${gen_sources})
    target_include_directories(pto-gen PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
endif()

if(gen_sources AND gen_outputs AND EXISTS "${PTO_TABLE}")
    foreach(output IN LISTS gen_outputs)
        cmake_path(GET output PARENT_PATH directory)
        file(MAKE_DIRECTORY "${directory}")
    endforeach()
    add_custom_command(
        OUTPUT ${gen_outputs}
        COMMAND pto-gen "${PTO_TABLE}" "${PTO_GENERATED_DIR}" "${PROJECT_SOURCE_DIR}"
        DEPENDS pto-gen "${PTO_TABLE}" ${proofs}
        COMMENT "Deriving code from the instruction table"
        VERBATIM
    )
    add_custom_target(pto_generated DEPENDS ${gen_outputs})
elseif(gen_sources)
    message(STATUS "pto-gen is built but not run: no table, or no outputs listed in cmake/Generate.cmake")
endif()

# Lets `target` include the generated headers, and builds them before it. The library itself also compiles the
# generated sources and hands the public headers on to whoever links it.
function(pto_use_generated target)
    if(TARGET pto_generated)
        add_dependencies(${target} pto_generated)
    endif()
    if(target STREQUAL "pto")
        target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${PTO_GENERATED_DIR}/include>")
        if(TARGET pto_generated)
            set(sources ${PTO_GENERATED_SOURCES})
            list(TRANSFORM sources PREPEND "${PTO_GENERATED_DIR}/")
            target_sources(${target} PRIVATE ${sources})
        endif()
    endif()
    target_include_directories(${target} PRIVATE "${PTO_GENERATED_DIR}/include" "${PTO_GENERATED_DIR}/src")
endfunction()
