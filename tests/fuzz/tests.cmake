# SPDX-License-Identifier: Apache-2.0
# ONNX's schema as protobuf's own description, for mutations of fields.
add_custom_command(
    OUTPUT ${CMAKE_BINARY_DIR}/onnx.schema
    COMMAND protobuf::protoc -I ${ONNX_SRC}/onnx --descriptor_set_out=${CMAKE_BINARY_DIR}/onnx.schema onnx-ml.proto
    DEPENDS ${ONNX_SRC}/onnx/onnx-ml.proto)
add_custom_target(onnx_schema DEPENDS ${CMAKE_BINARY_DIR}/onnx.schema)
if(TARGET test_fuzz)
    add_dependencies(test_fuzz onnx_schema)
endif()

# The targets of libFuzzer need what tests of schedules compare functions by, and the runner's own side of its protocol.
if(TARGET lathe_tests_fuzz)
    target_link_libraries(lathe_tests_fuzz PUBLIC lathe_tests_schedule lathe_runner_server lathe_images onnx)
endif()
# ./dev fuzz TARGET
if(LATHE_SANITIZE MATCHES "fuzzer-no-link")
    add_executable(lathe-fuzz ${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz/libfuzzer/main.cpp)
    lathe_test_code(lathe-fuzz "lathe_tests_fuzz")
    target_link_options(lathe-fuzz PRIVATE -fsanitize=fuzzer)
    add_dependencies(lathe-fuzz onnx_schema)
endif()
