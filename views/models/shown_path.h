// SPDX-License-Identifier: GPL-3.0-or-later
//
// A path as the window shows it: short, where it lies in the user's own folder.
#pragma once

#include <QDir>

namespace lathe::views::models {

/// "~/models/a.onnx" for what lies below the user's folder.
inline QString shownPath(const QString& path) {
    const QString home = QDir::homePath();
    return path.startsWith(home + '/') ? '~' + path.mid(home.size()) : path;
}

} // namespace lathe::views::models
