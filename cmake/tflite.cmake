# SPDX-License-Identifier: Apache-2.0
# The schema of TFLite files: C++ that reads and writes them, and the schema itself in binary form, which the options of
# operators are read by.
find_program(FLATC flatc REQUIRED)
set(TFLITE_GEN ${CMAKE_BINARY_DIR}/tflite-generated)
set(folder ${TFLITE_GEN}/frontend/tflite)
set(schema ${CMAKE_SOURCE_DIR}/compiler/frontend/tflite/schema.fbs)
set(headers ${folder}/schema_generated.h ${folder}/schema_bfbs_generated.h)
add_custom_command(
    OUTPUT ${headers}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${FLATC} --cpp --gen-object-api --bfbs-gen-embed -o ${folder} ${schema}
    DEPENDS ${schema})
add_custom_target(tflite_schema_headers DEPENDS ${headers})
add_library(tflite_schema INTERFACE)
target_include_directories(tflite_schema SYSTEM INTERFACE ${TFLITE_GEN})
add_dependencies(tflite_schema tflite_schema_headers)
