// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tables for other programs: the selected rows to the clipboard, all of them to a file.
#pragma once

#include <QString>

class QTableView;

namespace lathe::views {

/// The columns that are seen, with their headings, as the table shows them: a line a row, cells with tabs between them, in which
/// there are neither tabs nor line breaks. The selected rows; all, if none is.
QString tabbedText(const QTableView& table);
/// All rows likewise, as comma-separated values (RFC 4180).
QString csvText(const QTableView& table);

/// Adds what copies (Ctrl+C) and saves to the table's context menu.
void addExporting(QTableView& table);

} // namespace lathe::views
