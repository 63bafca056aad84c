# SPDX-License-Identifier: Apache-2.0
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME test_bench_figures COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/bench/test_figures.py)
set_tests_properties(test_bench_figures PROPERTIES LABELS "bench;release" TIMEOUT 60)

# Times the page Model with large graphs; docs/benchmarks_window.md is made of what it prints (./dev bench --window --write).
add_executable(window-bench ${CMAKE_SOURCE_DIR}/tests/bench/window_bench.cpp)
target_include_directories(window-bench PRIVATE ${CMAKE_SOURCE_DIR}/compiler ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(window-bench PRIVATE lathe_views lathe_model lathe_base lathe_warnings Qt6::Widgets)

# Likewise the views of trials, with many.
add_executable(trials-bench ${CMAKE_SOURCE_DIR}/tests/bench/trials_bench.cpp)
target_include_directories(trials-bench PRIVATE ${CMAKE_SOURCE_DIR}/compiler ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(trials-bench PRIVATE lathe_views lathe_records lathe_base lathe_warnings Qt6::Widgets)

# Likewise the tuner: its searches, on tables of kernels' times, and its paired tests (./dev bench --tuner).
foreach(name searches acceptance)
  add_executable(${name}-bench ${CMAKE_SOURCE_DIR}/tests/bench/${name}_bench.cpp)
  target_include_directories(${name}-bench PRIVATE ${CMAKE_SOURCE_DIR}/compiler ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${name}-bench PRIVATE lathe_tuning lathe_base lathe_warnings Qt6::Core)
endforeach()
# Nothing runs them in the tests, but they are to compile.
add_dependencies(release_tests window-bench trials-bench searches-bench acceptance-bench)
