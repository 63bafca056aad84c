// SPDX-License-Identifier: GPL-3.0-or-later
//
// The models and projects that were open last, kept in the settings: their paths in one list, what was seen of them in another.
#pragma once

#include "views/models/start/recent_file.h"

#include <QList>

namespace lathe::app {

/// The newest first; what settings written by hand have beside paths is passed over.
QList<views::models::RecentFile> recentFiles();

/// It is open now: goes first. Nodes that are not known leave what was known.
void rememberRecent(const QString& path, int nodes);
/// Of a file in the list: a run of it took so long, in the median.
void rememberRun(const QString& path, double medianMs);

} // namespace lathe::app
