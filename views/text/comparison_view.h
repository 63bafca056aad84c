// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two texts side by side with their differences coloured, scrolled and folded together. A line that one side lacks is an empty
// one there, so rows stand side by side. What is searched for is found in both.
#pragma once

#include "views/models/comparison.h"
#include "views/text/code_view.h"

#include <QWidget>

class QLabel;
class QLineEdit;

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
    bool hasDifferences() const { return !differences_.empty(); }
    void focusSearch();
    CodeView* before() const { return before_; }
    CodeView* after() const { return after_; }

signals:
    void nodesPicked(std::vector<int> nodes);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Found {
        CodeView* view = nullptr;
        CodeView::Place place;
    };
    QWidget* makeBar();
    void follow(CodeView* one, CodeView* other);
    void pick(bool before, int row);
    void goTo(int row);
    void search();
    void stepFound(bool forward);
    void paintLater();
    void showCount();
    void showFoundCount();

    models::Comparison comparison_;
    std::vector<int> differences_; // of the comparison, where it is shown beside something
    std::vector<int> marked_;
    std::vector<Found> found_; // by row
    int foundAt_ = -1, difference_ = -1;
    QWidget* beforeColumn_ = nullptr;
    CodeView *before_, *after_;
    QLabel *count_, *foundCount_;
    QLineEdit* search_;
    QString message_;
    bool following_ = false;
};

} // namespace lathe::views::text
