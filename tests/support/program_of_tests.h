// SPDX-License-Identifier: Apache-2.0
//
// One program a folder of tests: each test file is a class of Qt Test in a namespace of its own, and says by a function
// test() what the program makes of it. CMake writes the main function, a table of the folder's files.
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <span>

namespace lathe::testing {

/// What stands while a test runs: an application without a screen, or one with windows (offscreen).
enum class Application { Core, Window };

/// What one test file gives to the program of its folder.
struct Test {
    std::unique_ptr<QObject> (*make)();
    Application application = Application::Core;
    /// What the program does instead where the test starts it as a child of its own (`childOfTest`); its exit code.
    int (*child)(const QString& argument) = nullptr;
};

template <typename Class>
std::unique_ptr<QObject> makes() {
    return std::make_unique<Class>();
}

struct NamedTest {
    const char* name;
    Test test;
};

/// The arguments by which a test starts its own program, for Test::child to be called with `argument`.
QStringList childOfTest(const QString& argument);

/// The main function: `PROGRAM NAME [ARGUMENT…]` runs the test NAME with the arguments of Qt Test. Without a name it lists
/// the tests. Gives the exit code: the number of functions that failed.
int runTest(std::span<const NamedTest> tests, int argc, char** argv);

} // namespace lathe::testing
