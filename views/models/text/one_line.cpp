// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/text/one_line.h"

#include "base/printable.h"

namespace lathe::views::models {

namespace {

/// Without its middle, where it is longer.
QString cut(const QString& text, qsizetype most) {
    if (text.size() <= most)
        return text;
    // Both letters of a pair, or none.
    qsizetype start = most / 2, end = text.size() - (most - most / 2 - 1);
    if (text[start - 1].isHighSurrogate())
        --start;
    if (text[end].isLowSurrogate())
        ++end;
    return text.left(start) + QChar(0x2026) + text.mid(end);
}

} // namespace

QString oneLine(const QString& text, qsizetype most) {
    return cut(QString::fromStdString(printable(cut(text, most).toStdString())), most);
}

} // namespace lathe::views::models
