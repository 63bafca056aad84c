# SPDX-License-Identifier: Apache-2.0
# Language, warnings, sanitizers and where programs go; for every target of the project.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

set(LATHE_SANITIZE "" CACHE STRING "comma-separated list for -fsanitize; empty for none")
if(LATHE_SANITIZE)
    add_compile_options(-fsanitize=${LATHE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${LATHE_SANITIZE})
endif()

find_package(Threads REQUIRED)

# Linked by each target of the project, not by third-party code.
add_library(lathe_warnings INTERFACE)
target_compile_options(lathe_warnings INTERFACE -Wall -Wextra -Werror)
