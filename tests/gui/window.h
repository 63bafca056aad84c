// SPDX-License-Identifier: GPL-3.0-or-later
//
// A window under test: its own settings and cache, the sample models, and waiting for what was asked of it.
#pragma once

#include "app/main_window.h"

#include <QCoreApplication>
#include <QSignalSpy>
#include <QTemporaryDir>

namespace lathe::testing {

constexpr int patience = 280'000; // ms: under sanitizers on a busy machine

/// The runner of the build, and cache and settings in a folder of the test's own, under its name.
inline void isolate(const QTemporaryDir& folder, const char* name) {
    qputenv("LATHE_RUNNER", LATHE_BINARY_DIR "/lathe-runner");
    qputenv("LATHE_CACHE", folder.filePath("cache").toUtf8());
    qputenv("XDG_DATA_HOME", folder.filePath("data").toUtf8());
    qputenv("XDG_CONFIG_HOME", folder.filePath("settings").toUtf8());
    QCoreApplication::setOrganizationName("LatheTest");
    QCoreApplication::setApplicationName(name);
}

inline QString sample(const char* name) {
    return QStringLiteral(LATHE_BINARY_DIR "/../samples/") + name;
}

class Settled {
public:
    explicit Settled(app::MainWindow& window) : spy_(&window, &app::MainWindow::settled), window_(window) {}
    /// Waits until the window has settled after what was asked of it.
    bool wait() {
        do
            if (!spy_.wait(patience))
                return false;
        while (window_.isBusy());
        return true;
    }

private:
    QSignalSpy spy_;
    app::MainWindow& window_;
};

inline bool openAndWait(app::MainWindow& window, const QString& path) {
    Settled settled(window);
    window.open(path);
    return settled.wait();
}

inline bool compileAndWait(app::MainWindow& window) {
    Settled settled(window);
    window.compile();
    return settled.wait();
}

} // namespace lathe::testing
