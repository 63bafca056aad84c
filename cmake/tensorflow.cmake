# SPDX-License-Identifier: Apache-2.0
# Messages of TensorFlow's files.
find_package(Protobuf REQUIRED)
set(TENSORFLOW_GEN ${CMAKE_BINARY_DIR}/tensorflow-generated)
set(TENSORFLOW_PROTOS ${CMAKE_SOURCE_DIR}/compiler/frontend/tensorflow/protos)
file(GLOB_RECURSE protos CONFIGURE_DEPENDS RELATIVE ${TENSORFLOW_PROTOS} ${TENSORFLOW_PROTOS}/*.proto)
set(TENSORFLOW_PB)
foreach(proto ${protos})
    string(REGEX REPLACE "\\.proto$" "" stem ${proto})
    add_custom_command(
        OUTPUT ${TENSORFLOW_GEN}/${stem}.pb.cc ${TENSORFLOW_GEN}/${stem}.pb.h
        COMMAND ${CMAKE_COMMAND} -E make_directory ${TENSORFLOW_GEN}
        COMMAND protobuf::protoc -I ${TENSORFLOW_PROTOS} --cpp_out ${TENSORFLOW_GEN} ${TENSORFLOW_PROTOS}/${proto}
        DEPENDS ${TENSORFLOW_PROTOS}/${proto})
    list(APPEND TENSORFLOW_PB ${TENSORFLOW_GEN}/${stem}.pb.cc)
endforeach()
add_library(tensorflow_proto STATIC ${TENSORFLOW_PB})
target_include_directories(tensorflow_proto SYSTEM PUBLIC ${TENSORFLOW_GEN})
target_compile_options(tensorflow_proto PRIVATE -w -O1)
# Headers are most of each file. Each has two tables of its own by the same names: they get names of their files.
set_target_properties(tensorflow_proto PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12 UNITY_BUILD_UNIQUE_ID PROTO_FILE
    UNITY_BUILD_CODE_BEFORE_INCLUDE "#define PROTO_NAME_OF(name, file) name##_##file
#define PROTO_NAME(name, file) PROTO_NAME_OF(name, file)
#define schemas PROTO_NAME(schemas, PROTO_FILE)
#define file_default_instances PROTO_NAME(file_default_instances, PROTO_FILE)")
target_link_libraries(tensorflow_proto PUBLIC protobuf::libprotobuf)
