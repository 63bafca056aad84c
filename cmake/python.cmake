# SPDX-License-Identifier: Apache-2.0
# What Python gets, of resources/python: target `python`.
#   lib/python3/dist-packages/lathe, lathe_rt   beside bin/, as they are installed
#   wheels/lathe_rt-VERSION-py3-none-TAG.whl    lathe_rt with the runtime library, for each machine that has a package
# The wheel of lathe, which holds the program with all its libraries, is made by `./dev package`
# (installer/program_wheel.py).
set(LATHE_PYTHON ${CMAKE_BINARY_DIR}/lib/python3/dist-packages)
set(wheel_script ${CMAKE_SOURCE_DIR}/installer/runtime_wheel.py)
set(python_source ${CMAKE_SOURCE_DIR}/resources/python)
file(GLOB lathe_rt_files CONFIGURE_DEPENDS ${python_source}/lathe_rt/*.py ${python_source}/lathe_rt/py.typed)
file(GLOB lathe_files CONFIGURE_DEPENDS ${python_source}/lathe/*.py ${python_source}/lathe/py.typed)

add_custom_target(python ALL)
foreach(machine ${LATHE_RUNTIMES})
    set(runtime ${LATHE_PARTS}/share/lathe/runtimes/${machine}-linux-gnu)
    set(stamp ${CMAKE_BINARY_DIR}/wheels/${machine}.stamp) # the wheel's name holds what the linker found
    set(package "")
    if(machine STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
        set(package --package ${LATHE_PYTHON})
    endif()
    add_custom_command(OUTPUT ${stamp}
        COMMAND ${Python3_EXECUTABLE} ${wheel_script} ${python_source}/lathe_rt ${runtime} ${CMAKE_BINARY_DIR}/wheels ${package}
        COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
        DEPENDS ${wheel_script} ${CMAKE_SOURCE_DIR}/installer/wheel_file.py ${lathe_rt_files} ${runtime}/runtime.json
        COMMENT "Wheel for ${machine}" VERBATIM)
    add_custom_target(wheel_${machine} DEPENDS ${stamp})
    add_dependencies(wheel_${machine} runtimes)
    add_dependencies(python wheel_${machine})
endforeach()

foreach(file ${lathe_files})
    get_filename_component(name ${file} NAME)
    configure_file(${file} ${LATHE_PYTHON}/lathe/${name} COPYONLY)
endforeach()
file(CONFIGURE OUTPUT ${LATHE_PYTHON}/lathe/_version.py @ONLY
     CONTENT "# SPDX-License-Identifier: Apache-2.0\n__version__ = \"@PROJECT_VERSION@\"\n")
install(DIRECTORY ${LATHE_PYTHON} DESTINATION lib/python3 COMPONENT python PATTERN __pycache__ EXCLUDE)
