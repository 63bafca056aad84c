// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Overview: the open model at a glance. Figures on top; below, the longest layers, and beside them what to do next, each
// with its reason and a button that does it.
#pragma once

#include "views/models/overview/layer_model.h"
#include "views/models/window/selection.h"
#include "views/page/page.h"

class QBoxLayout;
class QLabel;
class QTableView;

namespace lathe::views::overview {

class OverviewPage : public Page {
    Q_OBJECT

public:
    explicit OverviewPage(models::Selection* selection);

    /// The window says all that is known at once, with `show`.
    void setProvenance(std::shared_ptr<const inspect::Provenance>) override {}
    void show(const models::Overview& overview);
    const models::LayerModel* layers() const { return layers_; }

signals:
    void adviceTaken(lathe::advise::Advice advice);
    /// To see its code.
    void functionWanted(int call);

private:
    void makeTable();
    void showFigures(const std::vector<models::OverviewFigure>& figures);
    void showDecisions(const std::vector<models::DecisionRow>& decisions);
    void showAdvice(const models::Overview& overview);
    void follow();

    models::Selection* selection_;
    models::LayerModel* layers_;
    QLabel *model_, *summary_, *noLayers_;
    QTableView* table_;
    QBoxLayout *figures_, *decisions_, *advice_;
    QWidget* below_;         // what stands below the figures
    bool following_ = false; // the table and the selection are being made one
};

} // namespace lathe::views::overview
