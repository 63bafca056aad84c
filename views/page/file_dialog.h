// SPDX-License-Identifier: GPL-3.0-or-later
//
// How the window asks for files: as QFileDialog does, but that a name is refused which Qt's text cannot hold. Another file would
// be taken for it.
#pragma once

#include <QStringList>

class QWidget;

namespace lathe::views {

/// Empty: none was chosen, or it was refused and said so. place: a folder, or a file in it that is suggested.
QString askForFile(QWidget* parent, const QString& title, const QString& place, const QString& filter);
QStringList askForFiles(QWidget* parent, const QString& title, const QString& place, const QString& filter);
QString askForFolder(QWidget* parent, const QString& title, const QString& place = {});
/// Whether one that is there may be replaced is asked.
QString askForNewFile(QWidget* parent, const QString& title, const QString& suggested, const QString& filter,
                      const QString& suffix = {});

} // namespace lathe::views
