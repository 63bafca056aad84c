# SPDX-License-Identifier: Apache-2.0
# Tests: each tests/FOLDER/test_NAME.cpp is one Qt Test program test_FOLDER_NAME and one CTest test with label FOLDER.
# It links what it includes: `#include "tir/stmt.h"` links lathe_tir, `#include "views/models/x.h"` the views, so a test
# of one layer does not wait for the layers above. Other .cpp files of the folder are shared by its tests.
# Comments in a test file say more, each on a line of its own:
#   // Labels: release_only      further CTest labels
#   // Timeout: 900              seconds, instead of 300
#   // Alone: yes                no other test at the same time: it measures
#   // Needs: lathe lathe-runner  programs that are built before
#   // Links: lathe_driver       further libraries
# What is no Qt Test program stands in the folder's tests.cmake.
# Eight frames of where memory was taken tell enough, and tests take a quarter less time than with thirty.
set(LATHE_SANITIZER_ENVIRONMENT
    "ASAN_OPTIONS=detect_stack_use_after_return=0:strict_string_checks=1:use_sigaltstack=0:malloc_context_size=8"
    "LSAN_OPTIONS=suppressions='${CMAKE_SOURCE_DIR}/tests/sanitizers/leaks.supp':print_suppressions=0"
    "TSAN_OPTIONS=suppressions='${CMAKE_SOURCE_DIR}/tests/sanitizers/threads.supp':halt_on_error=1"
    "UBSAN_OPTIONS=print_stacktrace=1")
set(LATHE_TEST_LIBRARIES base model arith relay frontend tir te schedule topi lower tune codegen runtime bundle driver project
    records report deploy)

# The libraries that the includes of FILES (absolute paths) ask for.
function(lathe_libraries_of_includes OUT)
    set(links "")
    foreach(file ${ARGN})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        file(STRINGS ${file} lines REGEX "^ *#include \"[a-z_]+/")
        foreach(line ${lines})
            string(REGEX REPLACE "^ *#include \"([a-z_]+)/.*" "\\1" folder "${line}")
            if(folder STREQUAL "runtime")
                list(APPEND links lathe_rt)
            elseif(folder IN_LIST LATHE_TEST_LIBRARIES)
                list(APPEND links lathe_${folder})
            elseif(folder STREQUAL "views")
                list(APPEND links lathe_views)
            elseif(folder STREQUAL "app" AND TARGET lathe_app)
                list(APPEND links lathe_app)
            endif()
        endforeach()
    endforeach()
    list(REMOVE_DUPLICATES links)
    set(${OUT} ${links} PARENT_SCOPE)
endfunction()

# The words after "// KEY:" in FILE.
function(lathe_test_note FILE KEY OUT)
    file(STRINGS ${FILE} line REGEX "^// ${KEY}: " LIMIT_COUNT 1)
    string(REGEX REPLACE "^// ${KEY}: *" "" words "${line}")
    separate_arguments(words UNIX_COMMAND "${words}")
    set(${OUT} ${words} PARENT_SCOPE)
endfunction()

# What tests and what they share have in common: includes, definitions, and the libraries LINKS.
function(lathe_test_code TARGET LINKS)
    target_include_directories(${TARGET} PRIVATE ${CMAKE_SOURCE_DIR}/compiler ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tests)
    target_compile_definitions(${TARGET} PRIVATE LATHE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                               LATHE_BINARY_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
    target_link_libraries(${TARGET} PUBLIC ${LINKS} lathe_base Qt6::Test PRIVATE lathe_warnings)
    if("lathe_views" IN_LIST LINKS OR "lathe_app" IN_LIST LINKS)
        lathe_precompile(${TARGET} window_test)
    else()
        lathe_precompile(${TARGET} code_test)
    endif()
endfunction()

# SHARED: the library of what the folder's tests share, or "".
function(lathe_test FOLDER FILE SHARED)
    get_filename_component(file ${FILE} NAME_WE)
    string(REGEX REPLACE "^test_" "" name ${file})
    set(target test_${FOLDER}_${name})
    lathe_libraries_of_includes(links ${FILE})
    foreach(key Labels Timeout Alone Needs Links)
        lathe_test_note(${FILE} ${key} ${key})
    endforeach()
    if(NOT Timeout)
        set(Timeout 300)
    endif()

    # One call of moc. AUTOMOC would scan each test in a process of its own, and compile a file for each that has nothing in it.
    set(moc ${CMAKE_BINARY_DIR}/moc/${FOLDER}/${file}.moc)
    add_custom_command(OUTPUT ${moc} COMMAND Qt6::moc -o ${moc} ${FILE} DEPENDS ${FILE} VERBATIM)
    add_executable(${target} ${FILE} ${moc})
    target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/moc/${FOLDER})
    lathe_test_code(${target} "${SHARED};${links};${Links}")
    if(FOLDER STREQUAL "end_to_end" OR "release_only" IN_LIST Labels)
        add_dependencies(release_tests ${target})
    else()
        add_dependencies(sanitizer_tests ${target})
    endif()
    if(Needs)
        add_dependencies(${target} ${Needs}) # also those of folders that come later
    endif()
    add_test(NAME ${target} COMMAND ${target})
    math(EXPR milliseconds "${Timeout} * 1000") # one limit: Qt Test has one of its own for each function, of 300 s
    if(Alone)
        set_tests_properties(${target} PROPERTIES RUN_SERIAL TRUE)
    endif()
    set_tests_properties(${target} PROPERTIES LABELS "${FOLDER};${Labels}" TIMEOUT ${Timeout}
                         ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QTEST_FUNCTION_TIMEOUT=${milliseconds};XDG_RUNTIME_DIR=${CMAKE_BINARY_DIR};${LATHE_SANITIZER_ENVIRONMENT}")
endfunction()

function(lathe_tests)
    # Each test runs once, in one of two builds: ./dev test.
    add_custom_target(release_tests)
    add_custom_target(sanitizer_tests)
    file(GLOB folders RELATIVE ${CMAKE_SOURCE_DIR}/tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*)
    foreach(folder ${folders})
        file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${folder}/*.cpp)
        set(tests ${files})
        list(FILTER tests INCLUDE REGEX "/test_[^/]*$")
        list(FILTER files EXCLUDE REGEX "/test_[^/]*$")
        set(shared "")
        if(tests AND files)
            set(shared lathe_tests_${folder})
            add_library(${shared} STATIC ${files})
            lathe_libraries_of_includes(links ${files})
            lathe_test_code(${shared} "${links}")
        endif()
        foreach(file ${tests})
            lathe_test(${folder} ${file} "${shared}")
        endforeach()
        if(EXISTS ${CMAKE_SOURCE_DIR}/tests/${folder}/tests.cmake)
            include(${CMAKE_SOURCE_DIR}/tests/${folder}/tests.cmake)
        endif()
    endforeach()
endfunction()
