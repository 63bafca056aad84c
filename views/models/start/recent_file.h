// SPDX-License-Identifier: GPL-3.0-or-later
//
// A model or project that was open, and what was seen of it then, as the page that the program begins with lists it.
#pragma once

#include <QDateTime>
#include <QString>

namespace lathe::views::models {

struct RecentFile {
    QString path;
    QDateTime opened = {}; // the last time; invalid: that is not known
    int nodes = 0;         // of the model; 0: that is not known
    double medianMs = 0;   // of its last run; 0: it did not run

    bool isProject() const { return path.endsWith(QStringLiteral(".lathe")); }
};

/// "39 nodes · 0.115 ms a run · today, 14:03": what is known.
QString factsOf(const RecentFile& file, const QDateTime& now);

} // namespace lathe::views::models
