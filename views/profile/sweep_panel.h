// SPDX-License-Identifier: GPL-3.0-or-later
//
// How long a run takes over one of the sizes that the model leaves open: which and from where to where, the chart, the table.
#pragma once

#include "views/models/inputs/open_sizes.h"
#include "views/models/profile/sweep_model.h"
#include "views/page/chart_panel.h"

class QComboBox;
class QCPGraph;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lathe::views::profile {

class SweepPanel : public ChartPanel {
    Q_OBJECT

public:
    explicit SweepPanel(models::Selection* selection);

    /// Of the compilation, which may have fixed sizes that the model leaves open; null: there is none.
    void setModel(const driver::Trace* trace);
    /// Work goes on: nothing can be asked for.
    void setBusy(bool busy);
    /// Without points: nothing was measured.
    void setSweep(const inspect::Sweep& sweep);
    /// The field with the sizes gets the focus.
    void ask();
    const models::SweepModel* model() const { return model_; }

signals:
    void sweepWanted(lathe::inspect::SweepQuestion question);

protected:
    void colour() override;

private:
    Result<inspect::SweepQuestion> question() const;
    void check();

    bool compiled_ = false, busy_ = false;
    bool fixed_ = false; // the model leaves sizes open, the compilation none
    models::SweepModel* model_;
    QComboBox* names_;
    QLineEdit* sizes_;
    QPushButton* start_;
    QLabel* problem_;
    QCPGraph *low_, *high_, *median_, *least_;
};

} // namespace lathe::views::profile
