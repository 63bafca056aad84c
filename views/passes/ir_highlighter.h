// SPDX-License-Identifier: GPL-3.0-or-later
//
// Colours the text of all IRs by one simple scan of a line: comments, strings, numbers, keywords and types, %variables and
// @functions.
#pragma once

#include <QSyntaxHighlighter>

namespace lathe::views::passes {

class IrHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

public:
    explicit IrHighlighter(QTextDocument* document);
    void setEnabled(bool enabled) { enabled_ = enabled; }

protected:
    void highlightBlock(const QString& text) override;

private:
    bool enabled_ = true;
};

} // namespace lathe::views::passes
