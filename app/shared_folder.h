// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where the program has what belongs to it and is no code: samples, its guide.
#pragma once

#include <QCoreApplication>
#include <QDir>

namespace lathe::app {

/// Beside the folder that it lies in, as in an installation and in a build.
inline QString sharedFolder() {
    return QDir::cleanPath(QCoreApplication::applicationDirPath() + QStringLiteral("/../share/lathe"));
}

} // namespace lathe::app
