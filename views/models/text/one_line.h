// SPDX-License-Identifier: GPL-3.0-or-later
//
// Names as they are shown. A model may call its nodes and values anything: with line breaks, with signs that turn the direction
// of what is around them, with ten thousand letters. Where a name is shown it is one line that has an end; where it is looked up,
// compared or written to a file it stays as the model has it.
#pragma once

#include <QString>

namespace lathe::views::models {

/// In one line of at most so many letters (base/printable.h); the middle of what is longer is left out.
QString oneLine(const QString& text, qsizetype most = 300);
/// For a name in a sentence, a cell or a menu.
inline constexpr qsizetype longestNameInText = 60;
inline QString oneLine(const std::string& text, qsizetype most = 300) {
    return oneLine(QString::fromStdString(text), most);
}

} // namespace lathe::views::models
