# SPDX-License-Identifier: Apache-2.0
# Tests: each tests/FOLDER/test_NAME.cpp is a class of Qt Test in a namespace called like the file, and one test of CTest,
# test_FOLDER_NAME with label FOLDER. The files of a folder are one program, test_FOLDER, which runs the class that its first
# argument names (tests/support/program_of_tests.h); those that run in release alone are another, test_FOLDER_release, so that
# neither build compiles what only the other runs. A program links what its files include: `#include "tir/stmt.h"` links
# lathe_tir, `#include "views/models/x.h"` the views, so tests of one layer do not wait for the layers above. Other .cpp files
# of the folder are shared by its tests.
# Comments in a test file say more, each on a line of its own:
#   // Runs: release sanitized    where ./dev test runs it: in release, under ASan and UBSan (the default; for tests of the
#                                 window and of whole models it is release), or both; threads: under ThreadSanitizer too
#   // Timeout: 900               seconds, instead of 300
#   // Alone: yes                 no other test at the same time: it measures
#   // Needs: lathe lathe-runner  programs that are built before
#   // Links: onnx                further libraries
#   // Instead: app/lane.cpp       under ThreadSanitizer: files of large folders that are compiled in place of the folders
# What is no Qt Test class stands in the folder's tests.cmake.
# Eight frames of where memory was taken tell enough, and tests take a quarter less time than with thirty.
set(LATHE_SANITIZER_ENVIRONMENT
    "ASAN_OPTIONS=detect_stack_use_after_return=0:strict_string_checks=1:use_sigaltstack=0:malloc_context_size=8"
    "LSAN_OPTIONS=suppressions='${CMAKE_SOURCE_DIR}/tests/sanitizers/leaks.supp':print_suppressions=0"
    "TSAN_OPTIONS=suppressions='${CMAKE_SOURCE_DIR}/tests/sanitizers/threads.supp':halt_on_error=1"
    "UBSAN_OPTIONS=print_stacktrace=1")
set(LATHE_TEST_LIBRARIES abi base model arith relay frontend tir te schedule moves topi lower tune codegen runtime artifact data
    graph device driver inspect diagnose advise tuning project records report deploy)
set(LATHE_RELEASE_FOLDERS end_to_end gui)

# The libraries that the includes of FILES (absolute paths) ask for, and those of the tests' headers among them.
function(lathe_libraries_of_includes OUT)
    set(links "")
    set(left ${ARGN})
    set(seen "")
    while(left)
        list(POP_FRONT left file)
        if(file IN_LIST seen)
            continue()
        endif()
        list(APPEND seen ${file})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        file(STRINGS ${file} lines REGEX "^ *#include \"[a-z_]+/")
        foreach(line ${lines})
            string(REGEX REPLACE "^ *#include \"([^\"]*)\".*" "\\1" header "${line}")
            string(REGEX REPLACE "/.*" "" folder "${header}")
            if(EXISTS ${CMAKE_SOURCE_DIR}/tests/${header})
                list(APPEND left ${CMAKE_SOURCE_DIR}/tests/${header})
            elseif(folder STREQUAL "runtime")
                list(APPEND links lathe_rt)
            elseif(folder IN_LIST LATHE_TEST_LIBRARIES)
                list(APPEND links lathe_${folder})
            elseif(folder STREQUAL "views")
                list(APPEND links lathe_views)
            elseif(folder STREQUAL "app" AND TARGET lathe_app)
                list(APPEND links lathe_app)
            endif()
        endforeach()
    endwhile()
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

# test_PROGRAM of FILES (absolute paths): one class of Qt Test each. SHARED: a library of what they share. INSTEAD: files that
# are compiled in place of the libraries they are of.
function(lathe_test_program TARGET SHARED)
    cmake_parse_arguments(ARG "" "" "INSTEAD" ${ARGN})
    set(tests ${ARG_UNPARSED_ARGUMENTS})
    lathe_libraries_of_includes(links ${tests})
    foreach(file ${ARG_INSTEAD})
        string(REGEX REPLACE "^(compiler/)?([a-z]+)/.*" "lathe_\\2" library ${file})
        list(REMOVE_ITEM links ${library})
    endforeach()
    list(TRANSFORM ARG_INSTEAD PREPEND ${CMAKE_SOURCE_DIR}/)
    set(folders "")
    set(declarations "")
    set(rows "")
    set(mocs "")
    set(needs "")
    foreach(file ${tests})
        get_filename_component(stem ${file} NAME_WE)
        get_filename_component(folder ${file} DIRECTORY)
        get_filename_component(folder ${folder} NAME)
        string(REGEX REPLACE "^test_" "" name ${stem})
        string(APPEND declarations "namespace ${stem} {\nTest test();\n}\n")
        string(APPEND rows "        {\"${name}\", ${stem}::test()},\n")
        # One call of moc. AUTOMOC would scan each test in a process of its own, and compile a file for each that has nothing in it.
        set(moc ${CMAKE_BINARY_DIR}/moc/${folder}/${stem}.moc)
        if(NOT TARGET moc_${folder}_${stem})
            add_custom_command(OUTPUT ${moc} COMMAND Qt6::moc -o ${moc} ${file} DEPENDS ${file} VERBATIM)
            add_custom_target(moc_${folder}_${stem} DEPENDS ${moc})
        endif()
        list(APPEND mocs ${moc})
        list(APPEND folders ${CMAKE_BINARY_DIR}/moc/${folder})
        foreach(key Needs Links)
            lathe_test_note(${file} ${key} ${key})
        endforeach()
        list(APPEND needs ${Needs})
        list(APPEND links ${Links})
    endforeach()
    set(main ${CMAKE_BINARY_DIR}/test_programs/${TARGET}.cpp)
    file(CONFIGURE OUTPUT ${main} CONTENT "#include \"support/program_of_tests.h\"

namespace lathe::testing {
${declarations}}

int main(int argc, char** argv) {
    using namespace lathe::testing;
    const NamedTest tests[] = {
${rows}    };
    return runTest(tests, argc, argv);
}
" @ONLY)
    add_executable(${TARGET} ${main} ${tests} ${mocs} ${ARG_INSTEAD} ${CMAKE_SOURCE_DIR}/tests/support/program_of_tests.cpp)
    list(REMOVE_DUPLICATES folders)
    target_include_directories(${TARGET} PRIVATE ${folders})
    list(REMOVE_DUPLICATES links)
    lathe_test_code(${TARGET} "${SHARED};${links}")
    if(needs)
        list(REMOVE_DUPLICATES needs)
        add_dependencies(${TARGET} ${needs}) # also those of folders that come later
    endif()
endfunction()

# The line of CTest for FILE, a class of PROGRAM.
function(lathe_test PROGRAM FOLDER FILE)
    get_filename_component(file ${FILE} NAME_WE)
    string(REGEX REPLACE "^test_" "" name ${file})
    foreach(key Timeout Alone)
        lathe_test_note(${FILE} ${key} ${key})
    endforeach()
    lathe_test_runs(${FOLDER} ${FILE} runs)
    if(NOT Timeout)
        set(Timeout 300)
    endif()
    foreach(run ${runs})
        if(run STREQUAL "threads")
            set_property(GLOBAL APPEND PROPERTY LATHE_THREAD_TESTS ${FILE})
        else()
            add_dependencies(${run}_tests ${PROGRAM})
        endif()
    endforeach()
    set(test test_${FOLDER}_${name})
    add_test(NAME ${test} COMMAND ${PROGRAM} ${name})
    # A little less than CTest's: Qt Test says which function hangs, and where if there is a debugger.
    math(EXPR milliseconds "${Timeout} * 950")
    if(Alone)
        set_tests_properties(${test} PROPERTIES RUN_SERIAL TRUE)
    endif()
    set_tests_properties(${test} PROPERTIES LABELS "${FOLDER};${runs}" TIMEOUT ${Timeout}
                         ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QTEST_FUNCTION_TIMEOUT=${milliseconds};XDG_RUNTIME_DIR=${CMAKE_BINARY_DIR};${LATHE_SANITIZER_ENVIRONMENT}")
endfunction()

# Where ./dev test runs FILE of FOLDER: labels of CTest.
function(lathe_test_runs FOLDER FILE OUT)
    lathe_test_note(${FILE} Runs runs)
    if(NOT runs)
        set(runs sanitized)
        if(FOLDER IN_LIST LATHE_RELEASE_FOLDERS)
            set(runs release)
        endif()
    endif()
    set(${OUT} ${runs} PARENT_SCOPE)
endfunction()

function(lathe_test_folder FOLDER)
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${FOLDER}/*.cpp)
    set(tests ${files})
    list(FILTER tests INCLUDE REGEX "/test_[^/]*$")
    list(FILTER files EXCLUDE REGEX "/test_[^/]*$")
    if(NOT tests)
        return()
    endif()
    set(shared "")
    if(files)
        set(shared lathe_tests_${FOLDER})
        add_library(${shared} STATIC ${files})
        lathe_libraries_of_includes(links ${files})
        lathe_test_code(${shared} "${links}")
    endif()
    foreach(file ${tests})
        lathe_test_runs(${FOLDER} ${file} runs)
        if("sanitized" IN_LIST runs)
            list(APPEND test_${FOLDER} ${file})
        else()
            list(APPEND test_${FOLDER}_release ${file})
        endif()
    endforeach()
    foreach(program test_${FOLDER} test_${FOLDER}_release)
        if(${program})
            lathe_test_program(${program} "${shared}" ${${program}})
        endif()
        foreach(file ${${program}})
            lathe_test(${program} ${FOLDER} ${file})
        endforeach()
    endforeach()
endfunction()

function(lathe_tests)
    # What the two builds of ./dev test need.
    add_custom_target(release_tests)
    add_custom_target(sanitized_tests)
    file(GLOB folders RELATIVE ${CMAKE_SOURCE_DIR}/tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*)
    foreach(folder ${folders})
        lathe_test_folder(${folder})
        if(EXISTS ${CMAKE_SOURCE_DIR}/tests/${folder}/tests.cmake)
            include(${CMAKE_SOURCE_DIR}/tests/${folder}/tests.cmake)
        endif()
    endforeach()
    # What has threads, in one program that links no large part: neither LLVM nor the window.
    if(LATHE_SANITIZE STREQUAL "thread")
        get_property(files GLOBAL PROPERTY LATHE_THREAD_TESTS)
        set(instead "")
        foreach(file ${files})
            lathe_test_note(${file} Instead sources)
            list(APPEND instead ${sources})
        endforeach()
        lathe_test_program(test_threads "" ${files} INSTEAD ${instead})
        foreach(file ${files})
            get_filename_component(name ${file} NAME_WE)
            string(REGEX REPLACE "^test_" "" name ${name})
            add_test(NAME test_threads_${name} COMMAND test_threads ${name})
            set_tests_properties(test_threads_${name} PROPERTIES TIMEOUT 300 ENVIRONMENT "${LATHE_SANITIZER_ENVIRONMENT}")
        endforeach()
    endif()
endfunction()
