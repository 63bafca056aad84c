// SPDX-License-Identifier: GPL-3.0-or-later
//
// The search for the pass that is to blame, as it goes on: a row a compilation that was tried, and in the end what was found.
#pragma once

#include "diagnose/bisect.h"

#include <QAbstractTableModel>
#include <memory>

namespace lathe::views::models {

/// "Guilty: \"fuse\". Without it alone all is good." — or why nothing was found.
QString sentenceOf(const diagnose::Bisection& found, const diagnose::Fault& fault);

class BisectModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Passes, Verdict, Reason, Seconds, columns };
    using QAbstractTableModel::QAbstractTableModel;

    void clear();
    void add(diagnose::BisectStep step);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<diagnose::BisectStep> steps_;
};

} // namespace lathe::views::models
