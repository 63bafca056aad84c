// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dock Problems: what went wrong, where, and what to do. Choosing a row leads to its node.
#pragma once

#include "views/models/window/problem_model.h"

#include <QWidget>

class QLabel;
class QTableView;

namespace lathe::views::problems {

class ProblemsPanel : public QWidget {
    Q_OBJECT

public:
    explicit ProblemsPanel(QWidget* parent = nullptr);

    void setProblems(std::vector<Diagnostic> diagnostics);
    const models::ProblemModel* model() const { return problems_; }

signals:
    void nodeWanted(int node);

private:
    models::ProblemModel* problems_;
    QTableView* table_;
    QLabel* none_;
};

} // namespace lathe::views::problems
