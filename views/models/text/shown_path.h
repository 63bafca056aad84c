// SPDX-License-Identifier: GPL-3.0-or-later
//
// Paths in the window's text: short where they are shown, whole where a file is meant by them.
#pragma once

#include <QCoreApplication>
#include <QDir>

namespace lathe::views::models {

/// "~/models/a.onnx" for what lies below the user's folder.
inline QString shownPath(const QString& path) {
    const QString home = QDir::homePath();
    return path.startsWith(home + '/') ? '~' + path.mid(home.size()) : path;
}

/// Of a file in the folder of now, also where Qt would take its name for that of a resource (":a.onnx").
inline QString absolutePath(const QString& path) {
    return QDir::cleanPath(path.startsWith('/') ? path : QDir::currentPath() + '/' + path);
}

/// Why no file can be meant by this name; empty: one can. Qt's text has one sign, U+FFFD, for all bytes that are no UTF-8, so
/// what has it may stand for any of several files.
inline QString problemOfName(const QString& path) {
    return path.contains(QChar::ReplacementCharacter)
               ? QCoreApplication::translate("Paths",
                                             "The name %1 has bytes that are no UTF-8 text, which the window cannot "
                                             "tell from others. Rename the file or folder, or open it by a link "
                                             "(ln -s) with another name.")
                     .arg(shownPath(path))
               : QString();
}

} // namespace lathe::views::models
