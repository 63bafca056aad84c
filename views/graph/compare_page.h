// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Compare: another model and the open one side by side, and the list of their differences. A row, or a node that is
// picked, shows both sides of it. The comparison is made elsewhere.
#pragma once

#include "views/models/graph/model_comparison.h"
#include "views/models/window/selection.h"
#include "views/page/page.h"

class QLabel;
class QSplitter;
class QPushButton;
class QTableView;

namespace lathe::views::canvas {
class GraphPane;
}

namespace lathe::views::graph {

class ComparePage : public Page {
    Q_OBJECT

public:
    explicit ComparePage(models::Selection* selection);

    /// Without one the open model is another: the comparison goes.
    void setProvenance(std::shared_ptr<const inspect::Provenance> provenance) override;
    std::vector<PageAction> pageActions() const override;
    /// Null: there is none.
    void setComparison(models::ModelComparisonPtr comparison);
    const models::DifferenceModel* model() const { return differences_; }
    canvas::GraphPane* before() const { return before_; }
    canvas::GraphPane* after() const { return after_; }
    bool isArranging() const;

signals:
    /// A model to compare the open one with is to be chosen.
    void modelWanted();
    /// Both sides have their places.
    void arranged();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void showRow(int row);
    void step(int by);
    void pick(bool before, const std::vector<int>& nodes);
    /// What was selected elsewhere.
    void follow();
    void allowSteps();

    models::Selection* selection_;
    models::ModelComparisonPtr comparison_;
    models::DifferenceModel* differences_;
    QTableView* table_;
    QLabel *summary_, *detail_;
    QSplitter* splitter_;
    canvas::GraphPane *before_, *after_;
    QAction *next_, *previous_; // while the page is seen: their keys are those of other pages too
    bool picking_ = false;      // a node; the row follows
};

} // namespace lathe::views::graph
