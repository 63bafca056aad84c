// SPDX-License-Identifier: GPL-3.0-or-later
//
// An export as a project keeps it: what was chosen, where it went and what came of it, so that it can be found, made again
// and compared. A project may come from anywhere, so what is read is checked, and no command is kept: it is made of the
// choices each time, each word quoted.
#pragma once

#include "views/models/exporting/export_request.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace lathe::views::models {

struct KeptExport {
    ExportRequest request;
    QStringList settings; // what the model was compiled with, as arguments of a command
    ExportEnd end;
    qint64 time = 0; // when it was written: seconds since 1970
    bool operator==(const KeptExport&) const = default;
};

/// More are not kept: the oldest go.
inline constexpr qsizetype mostExports = 200;

/// As JSON, an array with an object each.
QString textOf(const QList<KeptExport>& exports);

/// What can be read of such a text, the newest of too many; `unread` gets a sentence for each that cannot. No text: none.
QList<KeptExport> exportsIn(const QString& text, QStringList& unread);

/// What stands under a name in the choices of one and not of the other, as text: ("parts", "c, golden", "golden"). Where it
/// went is no choice, but how it was packed is.
struct ExportChange {
    QString what, before, after;
    bool operator==(const ExportChange&) const = default;
};
QList<ExportChange> changedChoices(const KeptExport& before, const KeptExport& after);

} // namespace lathe::views::models
