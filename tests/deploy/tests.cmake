# SPDX-License-Identifier: Apache-2.0
add_test(NAME test_deploy_guide COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run_guide.py
         ${CMAKE_SOURCE_DIR}/docs/deployment.md ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${CMAKE_BINARY_DIR}/samples/small_cnn.onnx)
set_tests_properties(test_deploy_guide PROPERTIES LABELS "deploy;release" TIMEOUT 300)
add_dependencies(release_tests lathe runtimes samples)
