# SPDX-License-Identifier: Apache-2.0
# Optimization, sanitizers and unity of the project's own code.
set(LATHE_OPTIMIZE "-O2" CACHE STRING "list of options for optimization and debug information")
set(LATHE_SANITIZE "" CACHE STRING "comma-separated list for -fsanitize; empty for none")
set(LATHE_OPTIMIZE_OUTER "" CACHE STRING "further options for what computes little: driver, what stands on it, command line, window")
# What tests and the compiler both instantiate is linked from the tests, which come first: tests that are optimized less than
# the compiler slow it down.
set(LATHE_OPTIMIZE_TESTS "" CACHE STRING "further options for tests")
set(LATHE_DO_NOT_SANITIZE "" CACHE STRING "list of checks of LATHE_SANITIZE that are left out")
add_compile_options(${LATHE_OPTIMIZE})
# The kernel cache tells code generators apart by the note that this leaves in programs.
add_link_options(-Wl,--build-id=sha1)
if(LATHE_SANITIZE)
    # Never `function`: it reads the bytes before a called function, and compiled models have no signature there.
    list(JOIN LATHE_DO_NOT_SANITIZE "," left_out)
    string(REGEX REPLACE ",$" "" left_out "function,${left_out}")
    add_compile_options(-fsanitize=${LATHE_SANITIZE} -fno-sanitize=${left_out} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${LATHE_SANITIZE})
endif()

# Several files are compiled as one: parsing what they include is most of the time of a small file, and what templates make
# is optimized once for all of them.
option(LATHE_UNITY "compile several files at once; without it each alone" ON)
set(LATHE_UNITY_BATCH 12 CACHE STRING "how many")
set(CMAKE_UNITY_BUILD ${LATHE_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE ${LATHE_UNITY_BATCH})
