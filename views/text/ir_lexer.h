// SPDX-License-Identifier: GPL-3.0-or-later
//
// Colours of tokens (models::tokensOf) for text of any level in a QScintilla view: a line at a time, as the view asks for it.
// QScintilla itself colours all from the first line to the one in sight, which makes a long text wait.
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
    /// Does nothing: lines up to there count as coloured.
    void styleText(int start, int end) override;
    void colourLine(int line, QStringView text);
};

} // namespace lathe::views::text
