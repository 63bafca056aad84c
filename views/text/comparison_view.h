// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two texts side by side with their differences coloured, scrolled and folded together. A line that one side lacks is an empty
// one there, so rows stand side by side.
#pragma once

#include "views/models/passes/comparison.h"
#include "views/text/code_view.h"

#include <QWidget>

class QLabel;

namespace lathe::views::text {

class ComparisonView : public QWidget {
    Q_OBJECT

public:
    /// Of a pass.
    ComparisonView();
    /// What the sides are: their titles, and for screen readers.
    ComparisonView(const QString& before, const QString& after, const QString& beforeName, const QString& afterName);

    void setComparison(models::Comparison comparison);
    void showMessage(const QString& text);
    /// Marks the lines that came from these model nodes and scrolls to the first.
    void markNodes(const std::vector<int>& nodes);
    /// To the next difference, or the one before.
    void step(bool forward);
    CodeView* before() const { return before_; }
    CodeView* after() const { return after_; }

signals:
    void nodesPicked(std::vector<int> nodes);

private:
    QWidget* makeBar();
    void follow(CodeView* one, CodeView* other);
    void pick(bool before, int row);
    void goTo(int row);
    void paintLater();
    void showCount();

    models::Comparison comparison_;
    std::vector<int> differences_; // of the comparison, where it is shown beside something
    std::vector<int> marked_;
    int difference_ = -1;
    QWidget* beforeColumn_ = nullptr;
    CodeView *before_, *after_;
    QLabel* count_;
    QString message_;
    bool following_ = false;
};

} // namespace lathe::views::text
