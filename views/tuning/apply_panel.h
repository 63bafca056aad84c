// SPDX-License-Identifier: GPL-3.0-or-later
//
// Takes what a study found into the Decisions: which schedules, what they gain, how they did in the whole model, and what would
// change; then the A/B of the model before and after.
#pragma once

#include "views/models/tuning/apply_model.h"

#include <QWidget>

class QAction;
class QLabel;
class QPushButton;
class QTableView;

namespace lathe::views::tuning {

class ApplyPanel : public QWidget {
    Q_OBJECT

public:
    explicit ApplyPanel(const models::StudyLog& log);

    /// What came of the study so far; without anything found there is nothing to apply.
    void setEnd(const models::StudyEnd& end, bool runs);
    void setWorkloads(std::set<std::string> workloads) { model_->setWorkloads(std::move(workloads)); }
    void setDecisions(const driver::Decisions& decisions) { model_->setDecisions(decisions); }
    /// Whether there is something to compare with, and nothing else goes on.
    void setComparable(bool comparable);
    models::ApplyModel* model() const { return model_; }
    QAction* applyAction() const { return apply_; }

signals:
    void whatIfWanted(lathe::views::models::WhatIf wish);
    void compareWanted();

private:
    void describe();

    const models::StudyLog& log_;
    models::ApplyModel* model_;
    QTableView* table_;
    QLabel *summary_, *changes_;
    QAction* apply_;
    QPushButton* compare_;
    models::StudyEnd end_;
    bool runs_ = false;
};

/// "The model takes 1.234 ms instead of 1.500 ms, 1.22 times as fast."; empty: it was not measured.
QString inPlaceText(const models::StudyEnd& end);

} // namespace lathe::views::tuning
