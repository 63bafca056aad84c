# SPDX-License-Identifier: Apache-2.0
# The libraries of the system (Debian 12 package names are in ./dev).
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(LLVM 19.1 REQUIRED CONFIG)
find_package(LLD REQUIRED CONFIG HINTS "${LLVM_LIBRARY_DIR}/cmake/lld")
find_package(Protobuf REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Qt6 6.4 REQUIRED COMPONENTS Core DBus Gui PrintSupport Widgets Svg Test)

# QScintilla has no CMake package.
find_path(QSCINTILLA_INCLUDE_DIR Qsci/qsciscintilla.h PATH_SUFFIXES qt6 REQUIRED)
find_library(QSCINTILLA_LIBRARY qscintilla2_qt6 REQUIRED)
add_library(lathe_qscintilla INTERFACE)
target_include_directories(lathe_qscintilla SYSTEM INTERFACE ${QSCINTILLA_INCLUDE_DIR})
target_link_libraries(lathe_qscintilla INTERFACE ${QSCINTILLA_LIBRARY} Qt6::PrintSupport Qt6::Widgets)

# The targets of Debian's QCustomPlot package name no include folder.
find_path(QCUSTOMPLOT_INCLUDE_DIR qcustomplot.h REQUIRED)
find_library(QCUSTOMPLOT_LIBRARY QCustomPlotQt6 REQUIRED)
add_library(lathe_qcustomplot INTERFACE)
target_include_directories(lathe_qcustomplot SYSTEM INTERFACE ${QCUSTOMPLOT_INCLUDE_DIR})
target_link_libraries(lathe_qcustomplot INTERFACE ${QCUSTOMPLOT_LIBRARY} Qt6::PrintSupport Qt6::Widgets)

# xxHash has no CMake package.
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
add_library(lathe_xxhash INTERFACE)
target_include_directories(lathe_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})
target_link_libraries(lathe_xxhash INTERFACE ${XXHASH_LIBRARY})

# The CMake package of XGBoost in Debian asks for a program that is not in it.
pkg_check_modules(XGBOOST REQUIRED IMPORTED_TARGET xgboost)
pkg_check_modules(LIBARCHIVE REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(IMAGES REQUIRED IMPORTED_TARGET libjpeg libpng libtiff-4 libwebp libopenjp2)

# LLVM as its one shared library; never together with its component archives (two LLVMs in one program).
add_library(lathe_llvm INTERFACE)
target_include_directories(lathe_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(lathe_llvm INTERFACE lldELF lldCommon LLVM)
