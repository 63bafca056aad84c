# SPDX-License-Identifier: Apache-2.0
# Each suite of tests through `lathe test`, against the list of its outcomes.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(conformance ${CMAKE_SOURCE_DIR}/tests/conformance)
foreach(suite package debian newest older models networks tflite pt2 keras tensorflow torchscript same)
    add_test(NAME test_conformance_${suite}
             COMMAND ${Python3_EXECUTABLE} ${conformance}/conformance.py ${suite}
                     --lathe ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/lathe)
    # `lathe test` starts a process a core, so no other test runs beside it.
    set_tests_properties(test_conformance_${suite} PROPERTIES LABELS "conformance;release" TIMEOUT 1200
                         SKIP_RETURN_CODE 77 PROCESSORS 2)
endforeach()
# A sample of one for other kinds of machines, under qemu: what the lists say has to come out there too.
foreach(target aarch64-linux-gnu rv64gc rv64gcv)
    add_test(NAME test_conformance_for_${target}
             COMMAND ${Python3_EXECUTABLE} ${conformance}/conformance.py debian --target ${target} --every 25
                     --lathe ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/lathe)
    set_tests_properties(test_conformance_for_${target} PROPERTIES LABELS "conformance;release" TIMEOUT 300
                         SKIP_RETURN_CODE 77 PROCESSORS 2)
endforeach()
# All of them take a quarter of an hour: ./dev conformance c.
add_test(NAME test_conformance_c_sample
         COMMAND ${Python3_EXECUTABLE} ${conformance}/conformance.py c --every 25
                 --lathe ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/lathe)
set_tests_properties(test_conformance_c_sample PROPERTIES LABELS "conformance;release" TIMEOUT 600
                     SKIP_RETURN_CODE 77 PROCESSORS 2)
add_test(NAME test_conformance_cpus
         COMMAND ${Python3_EXECUTABLE} ${conformance}/cpus.py --lathe ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/lathe)
set_tests_properties(test_conformance_cpus PROPERTIES LABELS "conformance;release" TIMEOUT 300 SKIP_RETURN_CODE 77)
add_test(NAME test_conformance_outcomes COMMAND ${Python3_EXECUTABLE} ${conformance}/test_outcomes.py)
set_tests_properties(test_conformance_outcomes PROPERTIES LABELS "conformance;release")
