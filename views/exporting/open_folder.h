// SPDX-License-Identifier: GPL-3.0-or-later
//
// Shows where a bundle lies, in the desktop's own program for folders.
#pragma once

#include <QDesktopServices>
#include <QFileInfo>
#include <QString>
#include <QUrl>

namespace lathe::views::exporting {

/// The bundle's folder; of an archive the folder that it lies in: a file is never opened, it may be any. False: there is none.
inline bool openFolder(const QString& out) {
    const QFileInfo place(out);
    const QString folder = place.isDir() ? place.absoluteFilePath() : place.absolutePath();
    return QFileInfo(folder).isDir() && QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
}

} // namespace lathe::views::exporting
