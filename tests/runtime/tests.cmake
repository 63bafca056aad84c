# SPDX-License-Identifier: Apache-2.0
add_test(NAME test_runtime_packages COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/runtime/test_packages.py
         ${CMAKE_BINARY_DIR}/share/lathe/runtimes ${CMAKE_READELF} ${CMAKE_CXX_COMPILER} ${LATHE_RUNTIMES})
# What is shipped is the same in all presets.
set_tests_properties(test_runtime_packages PROPERTIES LABELS "runtime;release" TIMEOUT 300)
add_dependencies(release_tests runtimes)
