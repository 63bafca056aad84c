# SPDX-License-Identifier: Apache-2.0
# The ONNX C++ library (schemas, checker, shape inference) from its source package, which ./dev unpacks.
if(NOT EXISTS ${ONNX_SRC}/onnx/onnx-ml.proto)
    message(FATAL_ERROR "The ONNX sources are not in ${ONNX_SRC}. Run ./dev build, which fetches them.")
endif()

file(GLOB_RECURSE ONNX_CC CONFIGURE_DEPENDS ${ONNX_SRC}/onnx/*.cc)
list(FILTER ONNX_CC EXCLUDE REGEX "cpp2py_export|/test/|/fuzz/|/backend/")
find_package(Protobuf REQUIRED)
set(ONNX_GEN ${CMAKE_BINARY_DIR}/onnx-generated)
foreach(proto onnx-ml onnx-operators-ml onnx-data)
    add_custom_command(
        OUTPUT ${ONNX_GEN}/onnx/${proto}.pb.cc ${ONNX_GEN}/onnx/${proto}.pb.h
        COMMAND ${CMAKE_COMMAND} -E make_directory ${ONNX_GEN}
        COMMAND protobuf::protoc -I ${ONNX_SRC} --cpp_out ${ONNX_GEN} ${ONNX_SRC}/onnx/${proto}.proto
        DEPENDS ${ONNX_SRC}/onnx/${proto}.proto)
    list(APPEND ONNX_PB ${ONNX_GEN}/onnx/${proto}.pb.cc)
endforeach()
add_library(onnx_proto STATIC ${ONNX_PB})
target_include_directories(onnx_proto SYSTEM PUBLIC ${ONNX_GEN} ${ONNX_SRC})
target_compile_definitions(onnx_proto PUBLIC ONNX_NAMESPACE=onnx ONNX_ML=1)
target_compile_options(onnx_proto PRIVATE -w -O1)
target_link_libraries(onnx_proto PUBLIC protobuf::libprotobuf)
add_library(onnx STATIC ${ONNX_CC})
target_link_libraries(onnx PUBLIC onnx_proto)
# The schemas' constructors run once; optimizing them costs more time than it ever saves.
target_compile_options(onnx PRIVATE -w -O0)
set_target_properties(onnx PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
set_source_files_properties(${ONNX_SRC}/onnx/defs/tensor_proto_util.cc ${ONNX_SRC}/onnx/defs/schema.cc
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON) # they use templates that others specialize
