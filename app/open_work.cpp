// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/open_work.h"

#include <QFileInfo>

namespace lathe::app {

bool OpenWork::hasChanged() const {
    const QFileInfo file(path);
    return file.exists() && file.lastModified() != changedAt;
}

QString OpenWork::besideModel(const QString& suffix) const {
    const QFileInfo model(path);
    return QStringLiteral("%1/%2%3").arg(model.absolutePath(), model.completeBaseName(), suffix);
}

} // namespace lathe::app
