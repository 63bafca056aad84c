// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which pass is to blame: asks what is bad, shows the compilations that are tried for it as they come, and what was found.
// The work is done elsewhere; closing the dialog ends it.
#pragma once

#include "views/models/passes/bisect_model.h"
#include "views/models/window/what_if.h"

#include <QDialog>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QTableView;

namespace lathe::views::passes {

class BisectDialog : public QDialog {
    Q_OBJECT

public:
    explicit BisectDialog(QWidget* parent);

    /// What the fields ask for.
    diagnose::Fault fault() const;
    void addStep(const diagnose::BisectStep& step);
    void showFound(const diagnose::Bisection& found);
    /// Instead of something found: it failed, or was cancelled.
    void showEnd(const QString& why);
    /// Another model: what was found is not of it.
    void clear();
    /// What it says of the search.
    QString answer() const;

signals:
    void wanted(lathe::diagnose::Fault fault);
    void cancelWanted();
    /// The pass that was found is to be looked at.
    void passWanted(QString pass);
    void whatIfWanted(lathe::views::models::WhatIf wish);

protected:
    void done(int result) override;

private:
    enum Kind { Values, Crash, Slow, Count };
    void start();
    void showFields();
    void setRunning(bool running);

    bool running_ = false;
    diagnose::Fault asked_;
    QString pass_; // that was found
    models::BisectModel* steps_;
    QComboBox* kind_;
    QDoubleSpinBox* times_; // than without optional passes
    QLineEdit* what_;       // an operator
    QSpinBox* limit_;
    QLabel *timesLabel_, *whatLabel_, *limitLabel_;
    QTableView* table_;
    QLabel* answer_;
    QPushButton *start_, *show_, *off_;
};

} // namespace lathe::views::passes
