# SPDX-License-Identifier: Apache-2.0
# Lathe::runtime, Lathe::runtime_static and Lathe::@NAME@ (runtime and headers of this model). Relative to this file, so the
# bundle may lie anywhere. LATHE_BUNDLE is its folder, LATHE_TRIPLE the machine that is built for.
get_filename_component(LATHE_BUNDLE "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT LATHE_TRIPLE)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(AMD64|amd64|x86_64)$")
        set(LATHE_TRIPLE x86_64-linux-gnu)
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(arm64|aarch64)$")
        set(LATHE_TRIPLE aarch64-linux-gnu)
    else()
        set(LATHE_TRIPLE ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
    endif()
endif()
set(_lathe_lib "${LATHE_BUNDLE}/lib/${LATHE_TRIPLE}")
if(NOT EXISTS "${_lathe_lib}")
    set(Lathe_FOUND FALSE)
    set(Lathe_NOT_FOUND_MESSAGE "this bundle has no runtime for ${LATHE_TRIPLE}")
    return()
endif()
if(NOT TARGET Lathe::runtime)
    add_library(Lathe::runtime SHARED IMPORTED)
    set_target_properties(Lathe::runtime PROPERTIES
        IMPORTED_LOCATION "${_lathe_lib}/liblathe_rt.so.1"
        IMPORTED_SONAME liblathe_rt.so.1
        INTERFACE_INCLUDE_DIRECTORIES "${LATHE_BUNDLE}/include")
endif()
if(NOT TARGET Lathe::runtime_static AND EXISTS "${_lathe_lib}/liblathe_rt.a")
    find_package(Threads REQUIRED)
    add_library(Lathe::runtime_static STATIC IMPORTED)
    set_target_properties(Lathe::runtime_static PROPERTIES
        IMPORTED_LOCATION "${_lathe_lib}/liblathe_rt.a"
        IMPORTED_LINK_INTERFACE_LANGUAGES CXX
        INTERFACE_INCLUDE_DIRECTORIES "${LATHE_BUNDLE}/include"
        INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
endif()
if(NOT TARGET Lathe::@NAME@)
    add_library(Lathe::@NAME@ INTERFACE IMPORTED)
    set_target_properties(Lathe::@NAME@ PROPERTIES INTERFACE_LINK_LIBRARIES Lathe::runtime)
endif()
set(Lathe_FOUND TRUE)
unset(_lathe_lib)
