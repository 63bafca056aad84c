// SPDX-License-Identifier: GPL-3.0-or-later
//
// What whoever exports should know before the model is compiled for it: nothing that prevents it, each on the page of the
// wizard where it can be mended. A function of the choices, so that a page shows it as they change.
#pragma once

#include "views/models/exporting/export_request.h"

#include <QList>

namespace lathe::views::models {

enum class ExportTopic { Name, Targets, Contents, Sizes, Checks };

struct ExportWarning {
    ExportTopic topic = ExportTopic::Name;
    QString text;
    bool planned = false; // a plan says it too, by what was compiled
    bool operator==(const ExportWarning&) const = default;
};

QList<ExportWarning> warningsOf(const ExportRequest& request, const ExportChoices& choices);

/// "about 24.3 MB, of it the compiled model 23.1 MB; a run takes 1.2 MB at the usual sizes, 8.4 MB at the largest". `bytes`:
/// of a plan, which are exact.
QString estimateOf(const ExportRequest& request, const ExportChoices& choices, std::optional<qint64> bytes);

} // namespace lathe::views::models
