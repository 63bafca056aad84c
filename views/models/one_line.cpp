// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/one_line.h"

#include <algorithm>
#include <utility>

namespace lathe::views::models {

namespace {

bool isShown(QChar letter) {
    constexpr char16_t nonJoiner = 0x200c, joiner = 0x200d; // Persian and emoji need them
    if (letter == QChar(nonJoiner) || letter == QChar(joiner))
        return true;
    switch (letter.category()) {
    case QChar::Other_Control:
    case QChar::Other_Format: // marks and overrides of direction, and what has no width
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph:
        return false;
    default:
        return letter != QChar::ObjectReplacementCharacter;
    }
}

/// Unicode has a picture for each of the first control characters.
QChar signOf(QChar letter) {
    constexpr char16_t pictures = 0x2400;
    return letter.unicode() < 0x20 ? QChar(char16_t(pictures + letter.unicode())) : QChar(QChar::ReplacementCharacter);
}

} // namespace

QString oneLine(const QString& text, qsizetype most) {
    QString shown = text;
    if (text.size() > most) {
        // Both letters of a pair, or none.
        qsizetype start = most / 2, end = text.size() - (most - most / 2 - 1);
        if (text[start - 1].isHighSurrogate())
            --start;
        if (text[end].isLowSurrogate())
            ++end;
        shown = text.left(start) + QChar(0x2026) + text.mid(end);
    }
    if (std::ranges::all_of(std::as_const(shown), isShown))
        return shown; // of nearly all: no copy
    for (QChar& letter : shown)
        if (!isShown(letter))
            letter = signOf(letter);
    return shown;
}

} // namespace lathe::views::models
