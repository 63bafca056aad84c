# SPDX-License-Identifier: Apache-2.0
# What links lathe_broken_passes has some passes that are broken on purpose (broken_passes.cpp): a test by
# "// Links: lathe_broken_passes", and the program lathe-broken, which is the command line with them.
set(lathe_broken_names
    _ZN5lathe5relay9transform18simplifyArithmeticERKNS0_6ModuleEb
    _ZN5lathe3tir15hoistConditionsERKSt10shared_ptrIKNS0_8PrimFuncEE
    _ZN5lathe5lower14scheduleKernelERKSt10shared_ptrIKNS_3tir8PrimFuncEERKNS_6TargetERKNS0_17ScheduleDecisionsE)
add_library(lathe_broken_passes OBJECT ${CMAKE_SOURCE_DIR}/tests/support/broken_passes.cpp)
target_link_libraries(lathe_broken_passes PUBLIC lathe_driver PRIVATE lathe_warnings)
foreach(name ${lathe_broken_names})
    target_link_options(lathe_broken_passes INTERFACE "LINKER:--wrap=${name}")
endforeach()

add_executable(lathe-broken $<TARGET_OBJECTS:lathe>)
set_target_properties(lathe-broken PROPERTIES LINKER_LANGUAGE CXX)
target_link_libraries(lathe-broken PRIVATE lathe_broken_passes $<TARGET_PROPERTY:lathe,LINK_LIBRARIES>)
add_dependencies(lathe-broken lathe-runner)
