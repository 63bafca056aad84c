# SPDX-License-Identifier: Apache-2.0
# What an installation holds, by component, and the Debian packages made of it: `./dev package`.
#   cli            lathe, lathe-runner, manual pages, completions, shipped records
#   workbench      lathe-workbench and what a desktop wants to know of it
#   runtime        liblathe_rt.so.1 of this machine
#   images         liblathe_images.so, which that one opens for models that decode images
#   runtime-dev    liblathe_rt.so, which leads to it, its headers, what CMake and pkg-config find it by
#   runtimes       what bundles are given, for all kinds of machines (cmake/runtimes.cmake)
#   python         the packages lathe and lathe_rt (cmake/python.cmake)
# Programs find what is theirs relative to themselves, so that the same tree works wherever it is unpacked.
include(GNUInstallDirs)
file(RELATIVE_PATH lathe_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(lathe lathe-runner lathe-workbench PROPERTIES INSTALL_RPATH "$ORIGIN/${lathe_from_bin}")

install(TARGETS lathe lathe-runner RUNTIME COMPONENT cli)
install(TARGETS lathe-workbench RUNTIME COMPONENT workbench)
install(TARGETS lathe_rt LIBRARY COMPONENT runtime NAMELINK_COMPONENT runtime-dev)
install(TARGETS lathe_images LIBRARY COMPONENT images)
install(DIRECTORY resources/records DESTINATION ${CMAKE_INSTALL_DATADIR}/lathe COMPONENT cli)
install(DIRECTORY plugins DESTINATION lib/lathe COMPONENT cli)

# Texts that the program makes of its own table of commands.
set(lathe_texts ${CMAKE_BINARY_DIR}/texts)
install(CODE "
    set(program \"${CMAKE_BINARY_DIR}/bin/lathe\")
    file(MAKE_DIRECTORY \"${lathe_texts}/man\")
    execute_process(COMMAND \${program} --man lathe OUTPUT_VARIABLE page COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE \"${lathe_texts}/man/lathe.1\" \"\${page}\")
    string(REGEX MATCHALL \"lathe-[a-z-]+ \" pages \"\${page}\")
    list(TRANSFORM pages STRIP)
    foreach(name IN LISTS pages)
        string(REPLACE \"lathe-\" \"\" command \"\${name}\")
        execute_process(COMMAND \${program} --man \${command} OUTPUT_FILE \"${lathe_texts}/man/\${name}.1\"
                        COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
    foreach(shell bash zsh fish)
        execute_process(COMMAND \${program} --completion \${shell} OUTPUT_FILE \"${lathe_texts}/lathe.\${shell}\"
                        COMMAND_ERROR_IS_FATAL ANY)
    endforeach()" COMPONENT cli)
install(DIRECTORY ${lathe_texts}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT cli)
install(FILES ${lathe_texts}/lathe.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME lathe
        COMPONENT cli)
install(FILES ${lathe_texts}/lathe.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _lathe
        COMPONENT cli)
install(FILES ${lathe_texts}/lathe.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT cli)

# What the window begins with, and its guide.
install(DIRECTORY ${CMAKE_BINARY_DIR}/samples DESTINATION ${CMAKE_INSTALL_DATADIR}/lathe COMPONENT workbench
        FILES_MATCHING PATTERN "*.onnx")
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/lathe/guide COMPONENT workbench
        FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg" PATTERN "examples" EXCLUDE PATTERN "schemas" EXCLUDE)
set(lathe_desktop ${CMAKE_SOURCE_DIR}/resources/desktop/io.lathe.Workbench)
install(FILES ${lathe_desktop}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT workbench)
install(FILES ${lathe_desktop}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo COMPONENT workbench)
install(FILES ${lathe_desktop}.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages COMPONENT workbench)
install(FILES ${lathe_desktop}.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps COMPONENT workbench)
install(FILES LICENSE LICENSES/Apache-2.0.txt DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/lathe COMPONENT cli)
install(FILES LICENSE LICENSES/GPL-3.0-or-later.txt LICENSES/Apache-2.0.txt
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/lathe-workbench COMPONENT workbench)

# The runtime for programs: #include <lathe/lathe_rt.h>, find_package(Lathe), pkg-config lathe.
install(FILES compiler/runtime/lathe_rt.h compiler/runtime/lathe_rt.hpp compiler/runtime/linked_model.h
              compiler/abi/abi.h compiler/abi/dlpack.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lathe COMPONENT runtime-dev)
file(RELATIVE_PATH lathe_from_config ${CMAKE_INSTALL_FULL_LIBDIR}/cmake/Lathe ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH lathe_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(installer/LatheConfig.cmake.in ${CMAKE_BINARY_DIR}/LatheConfig.cmake.in @ONLY)
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/LatheConfig.cmake INPUT ${CMAKE_BINARY_DIR}/LatheConfig.cmake.in)
configure_file(installer/lathe.pc.in ${CMAKE_BINARY_DIR}/lathe.pc @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/LatheConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/LatheConfig.cmake ${CMAKE_BINARY_DIR}/LatheConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Lathe COMPONENT runtime-dev)
install(FILES ${CMAKE_BINARY_DIR}/lathe.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT runtime-dev)

# Debian packages, one a component.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY TRUE) # ./dev package builds the programs; tests are not installed
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lathe)
set(CPACK_PACKAGE_CONTACT "The developers of Lathe <developers@lathe.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "see, tune and deploy trained models")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_DEB_COMPONENT_INSTALL TRUE)
set(CPACK_COMPONENTS_ALL cli workbench runtime images runtime-dev runtimes python)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS TRUE)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/bin)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
set(lathe_same "(= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_CLI_PACKAGE_NAME lathe)
set(CPACK_DEBIAN_CLI_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_CLI_PACKAGE_DEPENDS "liblathe-rt1 ${lathe_same}, lathe-runtimes ${lathe_same}")
set(CPACK_DEBIAN_CLI_PACKAGE_RECOMMENDS "liblathe-images")
set(CPACK_DEBIAN_CLI_PACKAGE_SUGGESTS "lathe-workbench, qemu-user, openssh-client")
set(CPACK_COMPONENT_CLI_DESCRIPTION "compiler for trained models\nLathe compiles, profiles, tunes and exports models of ONNX, TFLite, TensorFlow, Keras and PyTorch.")
set(CPACK_DEBIAN_WORKBENCH_PACKAGE_NAME lathe-workbench)
set(CPACK_DEBIAN_WORKBENCH_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_WORKBENCH_PACKAGE_DEPENDS "lathe ${lathe_same}, libqt6svg6")
set(CPACK_DEBIAN_WORKBENCH_PACKAGE_RECOMMENDS "graphviz, fonts-dejavu-core")
set(CPACK_COMPONENT_WORKBENCH_DESCRIPTION "workbench for making trained models fast\nLathe shows what a compiler does to a model, down to the instruction and the microsecond.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME liblathe-rt1)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_GENERATE_SHLIBS TRUE)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "runtime of compiled models\nThe library that programs load models with which Lathe has compiled.")
set(CPACK_DEBIAN_IMAGES_PACKAGE_NAME liblathe-images)
set(CPACK_DEBIAN_IMAGES_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_IMAGES_PACKAGE_DEPENDS "liblathe-rt1 ${lathe_same}")
set(CPACK_COMPONENT_IMAGES_DESCRIPTION "image files for compiled models\nThe library by which the runtime decodes images, for models that take them as files.")
set(CPACK_DEBIAN_RUNTIME-DEV_PACKAGE_NAME liblathe-rt-dev)
set(CPACK_DEBIAN_RUNTIME-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_RUNTIME-DEV_PACKAGE_DEPENDS "liblathe-rt1 ${lathe_same}")
set(CPACK_COMPONENT_RUNTIME-DEV_DESCRIPTION "runtime of compiled models, for development\nHeaders, a CMake package and a pkg-config file.")
# Programs of other machines among them, which dpkg-shlibdeps cannot read; all of them stand alone.
set(CPACK_DEBIAN_RUNTIMES_PACKAGE_NAME lathe-runtimes)
set(CPACK_DEBIAN_RUNTIMES_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_RUNTIMES_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_RUNTIMES_PACKAGE_SHLIBDEPS FALSE)
set(CPACK_COMPONENT_RUNTIMES_DESCRIPTION "runtimes for bundles\\nWhat a compiled model needs where it runs, for each kind of machine.")
# What Python compiles beside its files is no file of the package, and goes with it.
file(WRITE ${CMAKE_BINARY_DIR}/python/prerm "#!/bin/sh
set -e
rm -rf /usr/lib/python3/dist-packages/lathe/__pycache__ /usr/lib/python3/dist-packages/lathe_rt/__pycache__
")
file(CHMOD ${CMAKE_BINARY_DIR}/python/prerm PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
     WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-lathe)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "lathe ${lathe_same}, python3")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-numpy)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/python/prerm)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "compiler for trained models, for Python\nThe packages lathe, which compiles, tunes and exports models, and lathe_rt, which runs them.")
include(CPack)
