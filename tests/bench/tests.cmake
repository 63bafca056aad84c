# SPDX-License-Identifier: Apache-2.0
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME test_bench_figures COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/bench/test_figures.py)
set_tests_properties(test_bench_figures PROPERTIES LABELS "bench;release_only" TIMEOUT 60)
