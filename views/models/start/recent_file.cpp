// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/start/recent_file.h"

#include "views/models/text/counted.h"
#include "views/models/text/translate.h"

#include <QLocale>
#include <QStringList>

namespace lathe::views::models {

QString factsOf(const RecentFile& file, const QDateTime& now) {
    QStringList facts;
    if (file.nodes > 0)
        facts << counted(file.nodes, "node", "nodes");
    if (file.medianMs > 0)
        facts << tr("%1 ms a run").arg(msText(file.medianMs));
    if (file.opened.isValid()) {
        const QString time = file.opened.toString(QStringLiteral("HH:mm"));
        const qint64 days = file.opened.date().daysTo(now.date());
        facts << (days == 0   ? tr("today, %1").arg(time)
                  : days == 1 ? tr("yesterday, %1").arg(time)
                              : QLocale(QLocale::English).toString(file.opened.date(), QStringLiteral("d MMMM yyyy")));
    }
    return facts.join(QStringLiteral(" · "));
}

} // namespace lathe::views::models
