# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: library, headers, pkg-config file and CMake package. All of it may be moved
# afterwards: no file names the prefix.
include(CMakePackageConfigHelpers)

install(
    TARGETS pto
    EXPORT pto-targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
)
foreach(root "${PROJECT_SOURCE_DIR}/include" "${PTO_GENERATED_DIR}/include")
    install(
        DIRECTORY "${root}/pto"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        OPTIONAL
        FILES_MATCHING
        PATTERN "*.h"
        PATTERN "*.hpp"
    )
endforeach()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/pto")
configure_package_config_file(
    "${CMAKE_CURRENT_LIST_DIR}/pto-config.cmake.in" "${PROJECT_BINARY_DIR}/pto-config.cmake"
    INSTALL_DESTINATION "${package_dir}"
)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/pto-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(EXPORT pto-targets NAMESPACE pto:: DESTINATION "${package_dir}")
install(FILES "${PROJECT_BINARY_DIR}/pto-config.cmake" "${PROJECT_BINARY_DIR}/pto-config-version.cmake"
        DESTINATION "${package_dir}"
)

# pkg-config: the way from lib/pkgconfig/ back to the prefix. A static library leaves its own needs to the user.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
           BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig"
           OUTPUT_VARIABLE PTO_PC_UP
)
if(BUILD_SHARED_LIBS)
    set(PTO_PC_LIBS "")
    set(PTO_PC_LIBS_PRIVATE "-lm -pthread")
else()
    set(PTO_PC_LIBS " -lm -pthread")
    set(PTO_PC_LIBS_PRIVATE "")
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/pto.pc.in" "${PROJECT_BINARY_DIR}/pto.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/pto.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
