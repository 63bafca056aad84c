# SPDX-License-Identifier: Apache-2.0
# What all presets have in common is built once, in build/parts, by the preset of that name: ONNX's libraries (onnx.cmake) and
# the runtime packages (runtimes.cmake). Both have the same flags in all presets and no sanitizers: the one is not ours to
# examine, the other is what is shipped. Here they are imported; a build brings them up to date first.
set(LATHE_PARTS ${CMAKE_SOURCE_DIR}/build/parts CACHE PATH "build folder of the preset parts")
if(NOT EXISTS ${LATHE_PARTS}/build.ninja)
    message(FATAL_ERROR "${LATHE_PARTS} is not there. Run ./dev build, which makes it; or: cmake --preset parts")
endif()

set(libraries ${LATHE_PARTS}/libonnx.a ${LATHE_PARTS}/libonnx_proto.a)
set(descriptions "")
foreach(machine ${LATHE_RUNTIMES})
    list(APPEND descriptions ${LATHE_PARTS}/share/lathe/runtimes/${machine}-linux-gnu/runtime.json)
endforeach()
add_custom_target(onnx_parts COMMAND ${CMAKE_COMMAND} --build ${LATHE_PARTS} --target onnx -- --quiet
                  BYPRODUCTS ${libraries} COMMENT "" VERBATIM)
add_custom_target(runtimes COMMAND ${CMAKE_COMMAND} --build ${LATHE_PARTS} --target runtimes -- --quiet
                  BYPRODUCTS ${descriptions} COMMENT "" VERBATIM)
add_dependencies(runtimes onnx_parts) # one at a time in one folder

add_library(onnx STATIC IMPORTED)
set_target_properties(onnx PROPERTIES IMPORTED_LOCATION ${LATHE_PARTS}/libonnx.a)
file(MAKE_DIRECTORY ${LATHE_PARTS}/onnx-generated) # imported folders have to be there before they are filled
target_include_directories(onnx SYSTEM INTERFACE ${LATHE_PARTS}/onnx-generated ${ONNX_SRC})
target_compile_definitions(onnx INTERFACE ONNX_NAMESPACE=onnx ONNX_ML=1)
target_link_libraries(onnx INTERFACE ${LATHE_PARTS}/libonnx_proto.a protobuf::libprotobuf)
add_dependencies(onnx onnx_parts)

# Programs find runtimes beside themselves, as they are installed.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/lathe)
file(CREATE_LINK ${LATHE_PARTS}/share/lathe/runtimes ${CMAKE_BINARY_DIR}/share/lathe/runtimes SYMBOLIC)
install(DIRECTORY ${LATHE_PARTS}/share/lathe/runtimes DESTINATION share/lathe USE_SOURCE_PERMISSIONS COMPONENT runtimes)
