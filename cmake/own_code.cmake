# SPDX-License-Identifier: Apache-2.0
# Optimization, sanitizers and warnings of the project's own code. Third-party code is built before this is included, with
# the same flags in all presets, so that ccache serves them all.
set(LATHE_OPTIMIZE "-O2" CACHE STRING "list of options for optimization and debug information")
set(LATHE_SANITIZE "" CACHE STRING "comma-separated list for -fsanitize; empty for none")
add_compile_options(${LATHE_OPTIMIZE})
# The kernel cache tells code generators apart by the note that this leaves in programs.
add_link_options(-Wl,--build-id=sha1)
if(LATHE_SANITIZE)
    # Not `function`: it reads the bytes before a called function, and compiled models have no signature there.
    add_compile_options(-fsanitize=${LATHE_SANITIZE} -fno-sanitize=function -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${LATHE_SANITIZE})
endif()

# Linked by each target of the project.
add_library(lathe_warnings INTERFACE)
# std::stable_sort of libstdc++ 12 calls a function that the library itself deprecates, and clang says so.
target_compile_options(lathe_warnings INTERFACE -Wall -Wextra -Werror -Wno-deprecated-declarations)
