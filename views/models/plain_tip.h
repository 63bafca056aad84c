// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tooltips that show names and texts of a model: Qt takes a text that looks like HTML for HTML, and a model may be called
// anything.
#pragma once

#include <QString>
#include <QTextDocument>

namespace lathe::views::models {

/// For a tooltip that shows the text as it is.
inline QString plainTip(const QString& text) {
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal) : text;
}

} // namespace lathe::views::models
