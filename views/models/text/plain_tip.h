// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tooltips that show names and texts of a model: Qt takes a text that looks like HTML for HTML, breaks no long lines of another,
// and a model may be called anything.
#pragma once

#include <QString>

namespace lathe::views::models {

/// For a tooltip that shows the text as it is, but for what no screen has room for.
QString plainTip(const QString& text);

} // namespace lathe::views::models
