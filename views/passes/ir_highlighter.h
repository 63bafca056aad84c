// SPDX-License-Identifier: GPL-3.0-or-later
//
// Colours the text of all IRs by one simple scan of a line: comments, strings, numbers, keywords and types, %variables and
// @functions. Only lines that were asked for, as they come in sight: all of a large module would make the window wait.
#pragma once

#include <QSyntaxHighlighter>
#include <vector>

namespace lathe::views::passes {

class IrHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

public:
    explicit IrHighlighter(QTextDocument* document);
    void colour(int first, int count);
    /// Lines are coloured again when they are asked for.
    void forget() { coloured_.clear(); }

protected:
    void highlightBlock(const QString& text) override;

private:
    std::vector<bool> coloured_; // by line
    bool colouring_ = false;
};

} // namespace lathe::views::passes
