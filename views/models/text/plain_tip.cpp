// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/text/plain_tip.h"

#include "views/models/text/one_line.h"

#include <QStringList>
#include <QTextDocument>

namespace lathe::views::models {

namespace {

constexpr qsizetype mostLines = 30, mostLetters = 800, longestWord = 160;
constexpr qsizetype broken = 120; // letters of a line that is broken between words

} // namespace

QString plainTip(const QString& text) {
    QStringList lines = text.split('\n');
    if (lines.size() > mostLines)
        lines = lines.mid(0, mostLines) << QString(QChar(0x2026));
    bool isLong = false;
    for (QString& line : lines) {
        QStringList words = oneLine(line, mostLetters).split(' ');
        for (QString& word : words)
            word = oneLine(word, longestWord);
        line = words.join(' ');
        isLong |= line.size() > broken;
    }
    const QString shown = lines.join('\n');
    // Qt breaks the lines of HTML alone.
    return isLong || Qt::mightBeRichText(shown) ? Qt::convertFromPlainText(shown, Qt::WhiteSpaceNormal) : shown;
}

} // namespace lathe::views::models
