// SPDX-License-Identifier: GPL-3.0-or-later
//
// Colours and folds for text of any level in a QScintilla view: tokens by models::tokensOf, folds by indentation.
#pragma once

#include <Qsci/qscilexercustom.h>

namespace lathe::views::text {

class IrLexer : public QsciLexerCustom {
    Q_OBJECT

public:
    explicit IrLexer(QObject* parent = nullptr);

    /// The palette's colours from now on.
    void colour(const QPalette& palette, const QFont& font);

    const char* language() const override { return "Lathe"; }
    QString description(int style) const override;
    void styleText(int start, int end) override;
};

} // namespace lathe::views::text
