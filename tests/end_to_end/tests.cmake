# SPDX-License-Identifier: Apache-2.0
# Scripts that drive the programs as a user does. Those whose fixture comes from the shared folder skip themselves (77)
# where there is no such folder; a fixture that could be there and is not is a failure.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# lathe_script(NAME TIMEOUT "LABELS" SCRIPT ARGUMENTS...)
function(lathe_script NAME TIMEOUT LABELS SCRIPT)
    add_test(NAME test_end_to_end_${NAME} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/end_to_end/${SCRIPT} ${ARGN})
    set_tests_properties(test_end_to_end_${NAME} PROPERTIES LABELS "end_to_end;release;${LABELS}" TIMEOUT ${TIMEOUT} SKIP_RETURN_CODE 77)
endfunction()

set(bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
set(fixtures ${CMAKE_SOURCE_DIR}/build/fixtures)
set(nodes ${fixtures}/onnx-nodes)
lathe_script(perturbed 300 "" perturb.py ${bin}/lathe ${nodes} --count 30)
lathe_script(optional_limit 300 "" optional_limit.py ${bin}/lathe ${fixtures}/models/mnist-8/model.onnx)
lathe_script(c_program 300 "" run_c_program.py ${bin} ${CMAKE_SOURCE_DIR} ${fixtures}/models/mnist-8/model.onnx)
lathe_script(peak_memory 600 "" peak_memory.py ${bin}/lathe ${fixtures}/perf/bert-base-dynamic/model.onnx --sizes 1,16 --sizes 2,128)
add_test(NAME test_end_to_end_python_network COMMAND ${CMAKE_SOURCE_DIR}/build/venv-onnx/bin/python
         ${CMAKE_SOURCE_DIR}/tests/end_to_end/python_network.py ${CMAKE_BINARY_DIR} ${fixtures}/perf/resnet50)
set_tests_properties(test_end_to_end_python_network PROPERTIES LABELS "end_to_end;release" TIMEOUT 300 SKIP_RETURN_CODE 77)
lathe_script(cortex_m 300 "" cortex_m.py ${bin}/lathe ${fixtures}/models/mnist-8/model.onnx)
