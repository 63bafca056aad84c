# SPDX-License-Identifier: Apache-2.0
# The Python packages, by the Python that users have: runtime and wheel have no sanitizers in any preset.
function(lathe_python_test NAME LABELS)
    add_test(NAME test_python_${NAME} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/python/test_${NAME}.py
             ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/build/venv-onnx ${ARGN})
    set_tests_properties(test_python_${NAME} PROPERTIES LABELS "${LABELS}" TIMEOUT 300)
endfunction()
lathe_python_test(wheel "python;release")
lathe_python_test(lathe "python;release")
lathe_python_test(guide "python;release")
add_dependencies(release_tests lathe lathe-runner python samples)
