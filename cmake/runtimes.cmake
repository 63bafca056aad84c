# SPDX-License-Identifier: Apache-2.0
# Runtime packages: what a compiled model needs on the machine where it runs, one folder a kind of machine, made by one
# recipe from the sources of compiler/runtime and compiler/abi alone. They lie in share/lathe/runtimes/TRIPLE beside the programs' bin:
#   lib/liblathe_rt.so.1  lib/liblathe_rt.a  lib/liblathe_rt_nothreads.a   the last has one thread and no pthreads
#   include/lathe/        the interface
#   bin/lathe-check       the self-check of bundles, and bin/lathe-runner: static programs, for a device that has nothing
#                         but a kernel
#   lib/static/           what static programs of models are linked of: start-up files, and of all libraries what they need
#   licenses/             of libc, libstdc++, fmt, JSON for Modern C++ and xxHash, parts of which are in these
#   runtime.json          versions, what of glibc and libstdc++ the shared library needs, hashes of the files
# clang is a compiler for all machines, so another machine differs by --target and by the sysroot that Debian's packages bring.
file(STRINGS ${CMAKE_SOURCE_DIR}/compiler/abi/abi.h abi REGEX "^#define LATHE_ABI_VERSION ")
string(REGEX REPLACE ".* " "" LATHE_ABI_VERSION "${abi}")

# The sources of compiler/runtime; in its folders are programs, and what stands in for a file of it in one library.
file(GLOB LATHE_RUNTIME_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/compiler/runtime/*.cpp)
set(LATHE_POOL ${CMAKE_SOURCE_DIR}/compiler/runtime/thread_pool.cpp)
set(LATHE_ONE_THREAD_POOL ${CMAKE_SOURCE_DIR}/compiler/runtime/one_thread/thread_pool.cpp)
list(REMOVE_ITEM LATHE_RUNTIME_SOURCES ${LATHE_POOL})
file(GLOB LATHE_RUNNER_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/compiler/runtime/runner/*.cpp)
# The self-check of bundles is made of a few files of the compiler, so that it reads and compares as that does.
file(GLOB LATHE_CHECK_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/compiler/selfcheck/*.cpp)
foreach(file base/data_type base/diagnostic base/json base/narrow_float base/printable base/result base/sha256
        data/bundle_facts data/compare data/golden_case data/limits data/listed_files data/npy data/npy_text data/self_check
        data/step_report data/stored_type model/host_tensor)
    list(APPEND LATHE_CHECK_SOURCES ${CMAKE_SOURCE_DIR}/compiler/${file}.cpp)
endforeach()
file(GLOB LATHE_RUNTIME_HEADERS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/compiler/runtime/*.hpp)
list(APPEND LATHE_RUNTIME_HEADERS ${CMAKE_SOURCE_DIR}/compiler/runtime/lathe_rt.h
     ${CMAKE_SOURCE_DIR}/compiler/runtime/linked_model.h
     ${CMAKE_SOURCE_DIR}/compiler/abi/abi.h ${CMAKE_SOURCE_DIR}/compiler/abi/dlpack.h)

# Its main function is apart: programs that hold a model have another.
list(REMOVE_ITEM LATHE_CHECK_SOURCES ${CMAKE_SOURCE_DIR}/compiler/selfcheck/main.cpp)

# What floor.cpp has instead of the newest versions of the C library.
set(LATHE_FLOOR_WRAPS "")
foreach(name expf logf powf exp log pow dlopen dlsym dlclose dlerror dladdr fstat)
    list(APPEND LATHE_FLOOR_WRAPS -Wl,--wrap=${name})
endforeach()

# lathe_runtime_part(TARGET KIND TRIPLE OUTPUT name FOLDER path SOURCES... LINKS...): a target of one machine's package.
function(lathe_runtime_part TARGET KIND TRIPLE)
    cmake_parse_arguments(ARG "" "OUTPUT;FOLDER" "SOURCES;LINKS" ${ARGN})
    if(KIND STREQUAL "PROGRAM")
        add_executable(${TARGET} ${ARG_SOURCES})
        target_link_options(${TARGET} PRIVATE -static)
    else()
        add_library(${TARGET} ${KIND} ${ARG_SOURCES})
    endif()
    set_target_properties(${TARGET} PROPERTIES OUTPUT_NAME "${ARG_OUTPUT}" EXCLUDE_FROM_ALL ON BUILD_RPATH_USE_ORIGIN OFF
        RUNTIME_OUTPUT_DIRECTORY "${ARG_FOLDER}/bin" LIBRARY_OUTPUT_DIRECTORY "${ARG_FOLDER}/lib"
        ARCHIVE_OUTPUT_DIRECTORY "${ARG_FOLDER}/lib" UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    target_include_directories(${TARGET} PRIVATE ${CMAKE_SOURCE_DIR}/compiler ${CMAKE_SOURCE_DIR}/compiler/abi)
    # What is shipped names no folder of the machine that built it.
    target_compile_options(${TARGET} PRIVATE --target=${TRIPLE} -O2 -fvisibility=hidden -fvisibility-inlines-hidden
                           -ffunction-sections -fdata-sections -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
    target_link_options(${TARGET} PRIVATE --target=${TRIPLE} -Wl,--gc-sections -Wl,-s -Wl,-z,max-page-size=65536
                        -Wl,--build-id=sha1)
    target_link_libraries(${TARGET} PRIVATE ${ARG_LINKS} lathe_warnings)
endfunction()

function(lathe_runtime_package MACHINE)
    set(triple ${MACHINE}-linux-gnu)
    set(folder ${CMAKE_BINARY_DIR}/share/lathe/runtimes/${triple})
    # Object files of the shared and of the static libraries are the same, but for the pool of threads.
    lathe_runtime_part(lathe_rt_objects_${MACHINE} OBJECT ${triple} SOURCES ${LATHE_RUNTIME_SOURCES})
    lathe_runtime_part(lathe_pool_objects_${MACHINE} OBJECT ${triple} SOURCES ${LATHE_POOL})
    set(but_threads $<TARGET_OBJECTS:lathe_rt_objects_${MACHINE}>)
    set(objects ${but_threads} $<TARGET_OBJECTS:lathe_pool_objects_${MACHINE}>)

    set(exports ${CMAKE_SOURCE_DIR}/compiler/runtime/exports.map)
    lathe_runtime_part(lathe_rt_shared_${MACHINE} SHARED ${triple} FOLDER ${folder} OUTPUT lathe_rt
                       SOURCES ${objects} ${CMAKE_SOURCE_DIR}/compiler/runtime/floor/floor.cpp)
    set_target_properties(lathe_rt_shared_${MACHINE} PROPERTIES LINKER_LANGUAGE CXX LINK_DEPENDS ${exports}
        SUFFIX .so.${LATHE_RUNTIME_SOVERSION} NO_SONAME ON)
    target_link_options(lathe_rt_shared_${MACHINE} PRIVATE -Wl,--no-undefined -Wl,--version-script=${exports}
        -Wl,-soname,liblathe_rt.so.${LATHE_RUNTIME_SOVERSION} ${LATHE_FLOOR_WRAPS}
        # Since glibc 2.34 both are empty, before that they have what is used here.
        -Wl,--push-state,--no-as-needed -l:libdl.so.2 -l:libpthread.so.0 -Wl,--pop-state)

    lathe_runtime_part(lathe_rt_static_${MACHINE} STATIC ${triple} FOLDER ${folder} OUTPUT lathe_rt SOURCES ${objects})
    set_target_properties(lathe_rt_static_${MACHINE} PROPERTIES LINKER_LANGUAGE CXX)
    lathe_runtime_part(lathe_rt_nothreads_${MACHINE} STATIC ${triple} FOLDER ${folder} OUTPUT lathe_rt_nothreads
                       SOURCES ${but_threads} ${LATHE_ONE_THREAD_POOL})
    lathe_runtime_part(lathe_runner_${MACHINE} PROGRAM ${triple} FOLDER ${folder} OUTPUT lathe-runner
                       SOURCES ${LATHE_RUNNER_SOURCES} LINKS lathe_rt_static_${MACHINE} Threads::Threads)

    # What lathe-check and programs of models share.
    lathe_runtime_part(lathe_check_objects_${MACHINE} OBJECT ${triple} SOURCES ${LATHE_CHECK_SOURCES})
    lathe_runtime_part(lathe_check_${MACHINE} PROGRAM ${triple} FOLDER ${folder} OUTPUT lathe-check
                       SOURCES ${CMAKE_SOURCE_DIR}/compiler/selfcheck/main.cpp
                               $<TARGET_OBJECTS:lathe_check_objects_${MACHINE}>
                       LINKS lathe_rt_static_${MACHINE} Threads::Threads)

    # So that whoever adds a model needs neither a C library nor its start-up files.
    lathe_runtime_part(lathe_program_objects_${MACHINE} OBJECT ${triple}
                       SOURCES ${CMAKE_SOURCE_DIR}/compiler/selfcheck/program/main.cpp)
    set(program ${folder}/lib/static/liblathe_program.a)
    set(pack ${CMAKE_SOURCE_DIR}/cmake/pack_program.py)
    add_custom_command(OUTPUT ${program}
        COMMAND ${Python3_EXECUTABLE} ${pack} ${folder} --ar ${CMAKE_AR} --objcopy ${CMAKE_OBJCOPY} --
                ${CMAKE_CXX_COMPILER} --target=${triple} -static -fuse-ld=lld -Wl,--defsym=lathe_program_model=0
                $<TARGET_OBJECTS:lathe_program_objects_${MACHINE}> $<TARGET_OBJECTS:lathe_check_objects_${MACHINE}>
                $<TARGET_FILE:lathe_rt_static_${MACHINE}>
        DEPENDS ${pack} lathe_rt_static_${MACHINE} $<TARGET_OBJECTS:lathe_program_objects_${MACHINE}>
                $<TARGET_OBJECTS:lathe_check_objects_${MACHINE}>
        COMMENT "What programs of models are made of: ${triple}" COMMAND_EXPAND_LISTS VERBATIM)

    set(headers "")
    foreach(header ${LATHE_RUNTIME_HEADERS})
        get_filename_component(name ${header} NAME)
        set(copy ${folder}/include/lathe/${name})
        add_custom_command(OUTPUT ${copy} COMMAND ${CMAKE_COMMAND} -E copy ${header} ${copy} DEPENDS ${header} VERBATIM)
        list(APPEND headers ${copy})
    endforeach()
    set(parts lathe_rt_shared_${MACHINE} lathe_rt_static_${MACHINE} lathe_rt_nothreads_${MACHINE} lathe_runner_${MACHINE}
        lathe_check_${MACHINE})
    set(script ${CMAKE_SOURCE_DIR}/cmake/describe_runtime.py)
    add_custom_command(OUTPUT ${folder}/runtime.json
        COMMAND ${Python3_EXECUTABLE} ${script} ${folder} --version ${PROJECT_VERSION} --abi ${LATHE_ABI_VERSION}
                --triple ${triple} --readelf ${CMAKE_READELF}
        DEPENDS ${script} ${parts} ${program} ${headers} COMMENT "Runtime package ${triple}" VERBATIM)
    add_custom_target(runtime_${MACHINE} ALL DEPENDS ${folder}/runtime.json)
    add_dependencies(runtimes runtime_${MACHINE})
endfunction()

add_custom_target(runtimes)
foreach(machine ${LATHE_RUNTIMES})
    lathe_runtime_package(${machine})
endforeach()
