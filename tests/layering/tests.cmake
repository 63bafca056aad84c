# SPDX-License-Identifier: Apache-2.0
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(here ${CMAKE_SOURCE_DIR}/tests/layering)
add_test(NAME test_layering_includes COMMAND ${Python3_EXECUTABLE} ${here}/check_includes.py)
add_test(NAME test_layering_table COMMAND ${Python3_EXECUTABLE} ${here}/test_check_includes.py)
add_test(NAME test_layering_lengths COMMAND ${Python3_EXECUTABLE} ${here}/check_lengths.py)
add_test(NAME test_layering_functions COMMAND ${Python3_EXECUTABLE} ${here}/test_check_lengths.py)
add_test(NAME test_layering_headers COMMAND ${Python3_EXECUTABLE} ${here}/check_headers.py ${CMAKE_BINARY_DIR})
set_tests_properties(test_layering_includes test_layering_table test_layering_lengths test_layering_functions
                     test_layering_headers PROPERTIES LABELS "layering;release"
                     TIMEOUT 900)
