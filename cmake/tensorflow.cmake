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
target_link_libraries(tensorflow_proto PUBLIC protobuf::libprotobuf)
