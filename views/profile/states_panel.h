// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tab States of the page Profile: what the model keeps from one run to the next, how the next run is to begin, and what the
// last one left. A run of the window measures many runs of the model; what it left is what the first of them did.
#pragma once

#include "views/models/graph/state_model.h"

#include <QWidget>

class QCheckBox;
class QPushButton;
class QTableView;

namespace lathe::views::profile {

class StatesPanel : public QWidget {
    Q_OBJECT

public:
    StatesPanel();

    /// goOn: each run begins with what the last one left, where nothing else is said.
    void setStates(const std::vector<model::State>& states, const inspect::StateBeginnings& beginnings, bool goOn);
    void setAfter(models::StateModel::Values after) { states_->setAfter(std::move(after)); }
    models::StateModel* model() const { return states_; }
    QTableView* table() const { return table_; }
    QCheckBox* goOn() const { return goOn_; }
    QPushButton* resetButton() const { return reset_; }

signals:
    void beginningsChosen(lathe::inspect::StateBeginnings beginnings, bool goOn);
    /// What the last run left is forgotten, and nothing else is wished.
    void resetWanted();
    void valuesWanted(lathe::views::models::NamedTensor tensor);

private:
    void chooseFile();

    models::StateModel* states_;
    QTableView* table_;
    QCheckBox* goOn_;
    QPushButton* file_;
    QPushButton* reset_;
    bool showing_ = false; // what is shown was not chosen here
};

} // namespace lathe::views::profile
