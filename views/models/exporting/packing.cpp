// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/exporting/packing.h"

namespace lathe::views::models {

QStringList packings() {
    return {QString(), QStringLiteral(".tar.zst"), QStringLiteral(".zip"), QStringLiteral(".tar")};
}

QString packingOf(const QString& out) {
    for (const QString& ending : packings())
        if (!ending.isEmpty() && out.endsWith(ending))
            return ending;
    return {};
}

QString withPacking(const QString& out, const QString& packing) {
    QString base = out.chopped(packingOf(out).size());
    while (base.size() > 1 && base.endsWith('/'))
        base.chop(1);
    return base.isEmpty() ? base : base + packing;
}

} // namespace lathe::views::models
