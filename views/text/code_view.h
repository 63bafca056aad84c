// SPDX-License-Identifier: GPL-3.0-or-later
//
// Text of one level of a kernel: line numbers, folds, colours of its tokens, and behind each line the colour of its origin.
// The lines of the origins that are selected stand out.
#pragma once

#include "views/models/kernel_texts.h"

#include <Qsci/qsciscintilla.h>

namespace lathe::views::text {

class IrLexer;

class CodeView : public QsciScintilla {
    Q_OBJECT

public:
    explicit CodeView(const QString& accessibleName, QWidget* parent = nullptr);

    void setOriginText(const models::OriginText& text);
    /// In the place of a text: why there is none.
    void showMessage(const QString& message);
    /// Marks their lines; the first is brought into view, unless one is in view.
    void markOrigins(const std::vector<int>& origins);
    /// Of the lines that are marked, from 0.
    std::vector<int> markedLines() const;

signals:
    /// The user went to a line of this origin.
    void originPicked(int origin);

protected:
    void changeEvent(QEvent* event) override;

private:
    void colour();

    IrLexer* lexer_;
    std::vector<int> origins_;
    std::vector<int> marked_;
    bool busy_ = false; // the cursor moves, but not by the user's hand
};

} // namespace lathe::views::text
