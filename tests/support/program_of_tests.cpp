// SPDX-License-Identifier: Apache-2.0
#include "support/program_of_tests.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStringList>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdio>
#ifdef QT_WIDGETS_LIB
#include <QApplication>
#endif

namespace lathe::testing {
namespace {

constexpr const char *asChild = "--child", *nameOfTest = "lathe_test";

std::unique_ptr<QCoreApplication> make([[maybe_unused]] Application application, int& argc, char** argv) {
#ifdef QT_WIDGETS_LIB
    if (application == Application::Window) {
        QCoreApplication::setAttribute(Qt::AA_Use96Dpi);
        return std::make_unique<QApplication>(argc, argv);
    }
#endif
    return std::make_unique<QCoreApplication>(argc, argv);
}

} // namespace

QStringList childOfTest(const QString& argument) {
    return {QCoreApplication::instance()->property(nameOfTest).toString(), asChild, argument};
}

int runTest(std::span<const NamedTest> tests, int argc, char** argv) {
    const auto named = std::ranges::find_if(
        tests, [&](const NamedTest& test) { return argc > 1 && std::string_view(test.name) == argv[1]; });
    if (named == tests.end()) {
        std::fprintf(stderr, "%s NAME [ARGUMENT…], where NAME is one of\n", argv[0]);
        for (const NamedTest& test : tests)
            std::fprintf(stderr, "  %s\n", test.name);
        return 2;
    }
    std::rotate(argv + 1, argv + 2, argv + argc);
    argv[--argc] = nullptr;

    const bool isChild = named->test.child && argc == 3 && std::string_view(argv[1]) == asChild;
    // Before anything asks for a setting: what the user or an earlier run has kept decides no test, and no test changes it.
    const QTemporaryDir settings;
    if (!isChild)
        qputenv("XDG_CONFIG_HOME", settings.path().toUtf8());
    const std::unique_ptr<QCoreApplication> application = make(named->test.application, argc, argv);
    application->setProperty(nameOfTest, named->name);
    // Settings and caches of one test are not those of another that runs at the same time.
    QCoreApplication::setApplicationName(QFileInfo(argv[0]).fileName() + '_' + named->name);
    if (isChild)
        return named->test.child(QString::fromLocal8Bit(argv[2]));
    const std::unique_ptr<QObject> test = named->test.make();
    return QTest::qExec(test.get(), argc, argv);
}

} // namespace lathe::testing
