// SPDX-License-Identifier: Apache-2.0
//
// What programs print with --json: an object a line.
#pragma once

#include <QJsonDocument>
#include <QJsonObject>
#include <QList>
#include <string>

namespace lathe::testing {

/// An empty object, and a warning, for a line that is none.
inline QList<QJsonObject> jsonLines(const std::string& text) {
    QList<QJsonObject> objects;
    for (const QByteArray& line : QByteArray::fromStdString(text).trimmed().split('\n')) {
        const QJsonDocument document = QJsonDocument::fromJson(line);
        if (!document.isObject())
            qWarning("no JSON object: %s", line.constData());
        objects.push_back(document.object());
    }
    return objects;
}

} // namespace lathe::testing
