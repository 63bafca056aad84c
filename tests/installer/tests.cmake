# SPDX-License-Identifier: Apache-2.0
# What installer/ makes packages with; that packages work is shown by ./dev package --check.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME test_installer_metadata COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/installer/check/metadata.py)
add_test(NAME test_installer_appimage COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/installer/test_appimage.py)
set_tests_properties(test_installer_metadata test_installer_appimage PROPERTIES LABELS "installer;release" TIMEOUT 60
                     SKIP_RETURN_CODE 77)
