// SPDX-License-Identifier: GPL-3.0-or-later
//
// Text of the compiler: line numbers, folds, colours of its tokens, and behind each line the colour of its origin, or of how it
// differs from another text. Marked lines stand out, and so does what is searched for. A line gets all this when it comes in
// sight, so a text may have a hundred thousand of them.
#pragma once

#include "views/models/loops/kernel_texts.h"
#include "views/models/text/tinted_text.h"

#include <QStringMatcher>
#include <Qsci/qsciscintilla.h>

namespace lathe::views::text {

class IrLexer;

class CodeView : public QsciScintilla {
    Q_OBJECT

public:
    explicit CodeView(const QString& accessibleName, QWidget* parent = nullptr);

    void setOriginText(const models::OriginText& text);
    void setTintedText(models::TintedText text);
    /// In the place of a text: why there is none.
    void showMessage(const QString& message);
    /// Marks their lines, and more strongly those of the statement. The first of these, else of those, is brought into view,
    /// unless one is in view.
    void markOrigins(const std::vector<int>& origins, const inspect::Statement& statement = {});
    /// Marks these lines, ascending, and nothing else.
    void markLines(std::vector<int> lines);
    /// Of the lines that are marked, from 0.
    const std::vector<int>& markedLines() const { return marked_; }
    /// Of those of the statement, likewise.
    const std::vector<int>& statementLines() const { return ofStatement_; }
    /// Into the upper part of the view, unfolded.
    void showLine(int line);

    struct Place {
        int line = 0, column = 0;
    };
    /// From now on all places of it stand out. Empty: none do.
    void markSought(const QString& what, Qt::CaseSensitivity letters);
    /// The columns where it begins in a line, in order.
    std::vector<int> soughtIn(int line) const;
    /// Selects what was found there and shows it.
    void showFound(const Place& place);

    /// Folds as the other view of as many lines does.
    void foldAs(const CodeView& other);
    models::Tint tintOf(int line) const;

signals:
    /// The user went to a line of this origin and statement.
    void originPicked(int origin, const lathe::inspect::Statement& statement);
    void linePicked(int line);
    /// The user folded or unfolded lines.
    void foldsChanged();

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    /// Tells what a line is in full.
    bool viewportEvent(QEvent* event) override;

private:
    void colour();
    void show(const QString& text);
    QStringView lineOf(int line) const;
    /// Of the visible lines: what they lack of their colours, marks and numbers.
    void dress();
    void dress(int line);
    void undress() { dressed_.assign(starts_.size(), false); }
    int rowOf(int line) const; // on the screen, less folded ones
    void mark(std::vector<int> lines, std::vector<int> ofStatement);
    bool anyInView(const std::vector<int>& lines) const;

    IrLexer* lexer_;
    QString text_;
    std::vector<int> starts_; // of its lines
    std::vector<int> levels_; // their folds
    std::vector<int> origins_;
    std::vector<inspect::Statement> statements_;
    models::TintedText tinted_; // without its text
    std::vector<int> marked_, ofStatement_;
    std::vector<bool> dressed_;
    QStringMatcher sought_;
    bool levelled_ = false; // all lines have their levels
    // QScintilla says that the cursor has moved when it paints, if it then stands elsewhere than it said before.
    long told_ = -1;      // that place; -1: none yet
    bool placed_ = false; // a text was set since, which puts the cursor at the beginning by nobody's hand
};

} // namespace lathe::views::text
