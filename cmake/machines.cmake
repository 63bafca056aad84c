# SPDX-License-Identifier: Apache-2.0
# Machines that runtime packages and wheels are made for: LATHE_RUNTIMES, without those for which nothing can be linked here.
set(LATHE_RUNTIMES "x86_64;aarch64;riscv64" CACHE STRING "machines that runtime packages are made for")
# Grows when a program that links the shared library could no longer run with the next one.
set(LATHE_RUNTIME_SOVERSION 1)

# Whether programs for MACHINE can be linked here.
function(lathe_has_sysroot MACHINE OUT)
    set(${OUT} FALSE PARENT_SCOPE)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} --target=${MACHINE}-linux-gnu -print-file-name=libstdc++.a
                    OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed AND IS_ABSOLUTE "${library}" AND EXISTS "${library}")
        set(${OUT} TRUE PARENT_SCOPE)
    endif()
endfunction()

set(linked "")
foreach(machine ${LATHE_RUNTIMES})
    lathe_has_sysroot(${machine} there)
    if(there)
        list(APPEND linked ${machine})
    else()
        string(REPLACE aarch64 arm64 architecture ${machine})
        message(STATUS "No runtime package for ${machine}: install libstdc++-12-dev-${architecture}-cross")
    endif()
endforeach()
set(LATHE_RUNTIMES ${linked}) # hides the cache's
