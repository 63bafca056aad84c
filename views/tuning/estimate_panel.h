// SPDX-License-Identifier: GPL-3.0-or-later
//
// What tuning brought, over time: the time of the model in its tasks as found so far, the largest of them stacked by name.
#pragma once

#include "views/models/tuning/study_log.h"
#include "views/page/chart_panel.h"

#include <array>

class QCPGraph;

namespace lathe::views::tuning {

class EstimatePanel : public ChartPanel {
    Q_OBJECT

public:
    EstimatePanel(models::Selection* selection, const models::StudyLog& log);

protected:
    void colour() override;
    QString csv() const override;

private:
    /// Its cost is that of what was accepted, however many trials there were.
    void draw();

    static constexpr size_t named = 8;
    const models::StudyLog& log_;
    std::array<QCPGraph*, named + 1>
        parts_; // upper edges, from below: all others, then the named ones, the largest on top
    QCPGraph *ground_, *default_;
    std::vector<QString> names_;
};

} // namespace lathe::views::tuning
