// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/profile/flame.h"

#include "views/models/text/counted.h"

#include <QCoreApplication>

namespace lathe::views::models {

QString textOf(const inspect::Flame& flame, const inspect::FlameBox& box) {
    const double whole = flame.boxes.front().ms;
    QString text = QCoreApplication::translate("Flame", "%1\n%2 ms, %3 % of the run")
                       .arg(QString::fromStdString(box.name), QString::number(box.ms, 'g', 4),
                            QString::number(whole > 0 ? 100 * box.ms / whole : 0, 'f', 1));
    if (box.call < 0)
        text += QStringLiteral("\n") + counted(box.calls, "kernel call", "kernel calls");
    return text;
}

} // namespace lathe::views::models
