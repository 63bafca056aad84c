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
