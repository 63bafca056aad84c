# SPDX-License-Identifier: Apache-2.0
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME test_docs_pages COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/docs/check_docs.py)
set_tests_properties(test_docs_pages PROPERTIES LABELS "docs;release" TIMEOUT 60)
