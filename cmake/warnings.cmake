# SPDX-License-Identifier: Apache-2.0
# Linked by each target of the project.
add_library(lathe_warnings INTERFACE)
# std::stable_sort of libstdc++ 12 calls a function that the library itself deprecates, and clang says so.
target_compile_options(lathe_warnings INTERFACE -Wall -Wextra -Werror -Wno-deprecated-declarations)
