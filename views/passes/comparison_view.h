// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two texts side by side with their differences coloured, scrolled together. F7 and Shift+F7 step through the differences.
#pragma once

#include "views/models/comparison.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;

namespace lathe::views::passes {

class ComparisonView : public QWidget {
    Q_OBJECT

public:
    explicit ComparisonView(QWidget* parent = nullptr);

    void setComparison(models::Comparison comparison);
    void showMessage(const QString& text);
    /// Marks the lines that came from these model nodes and scrolls to the first.
    void markNodes(const std::vector<int>& nodes);
    void step(bool forward);
    /// Copies of what the panes show, for tests.
    QString beforeText() const;
    QString afterText() const;

signals:
    void nodesPicked(std::vector<int> nodes);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Colours the lines in sight: texts have tens of thousands.
    void paintSeen();
    void paintLines(QPlainTextEdit* pane, bool before, int first, int count);
    void pick(bool before);

    models::Comparison comparison_;
    std::vector<int> marked_;
    QWidget* beforeColumn_ = nullptr;
    QPlainTextEdit* before_;
    QPlainTextEdit* after_;
    QLabel* count_;
    bool busy_ = false;
};

} // namespace lathe::views::passes
