// SPDX-License-Identifier: GPL-3.0-or-later
//
// Words that somebody looks for, as every search of lines and rows in the window reads them: apart by spaces, all of them
// wanted, in any order.
#pragma once

#include <QStringList>

namespace lathe::views::models {

class SoughtWords {
public:
    SoughtWords() = default;
    explicit SoughtWords(const QString& text, Qt::CaseSensitivity letters = Qt::CaseInsensitive)
        : words_(text.split(' ', Qt::SkipEmptyParts)), letters_(letters) {}

    bool isEmpty() const { return words_.isEmpty(); }
    /// Without words: in each text.
    bool allIn(const QString& text) const;
    /// Without words: in none.
    bool anyIn(const QString& text) const;

private:
    QStringList words_;
    Qt::CaseSensitivity letters_ = Qt::CaseInsensitive;
};

} // namespace lathe::views::models
