# SPDX-License-Identifier: Apache-2.0
add_test(NAME test_selfcheck_bundles COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/selfcheck/test_bundles.py
         $<TARGET_FILE:lathe> ${CMAKE_BINARY_DIR}/samples/small_cnn.onnx
         ${CMAKE_BINARY_DIR}/share/lathe/runtimes/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu/bin/lathe-check)
# What is shipped is the same in all presets.
set_tests_properties(test_selfcheck_bundles PROPERTIES LABELS "selfcheck;release" TIMEOUT 300)
add_dependencies(release_tests lathe samples runtimes)
