// SPDX-License-Identifier: GPL-3.0-or-later
//
// Diagnostics as a table: severity, where, what, what to do.
#pragma once

#include "base/result.h"

#include <QAbstractTableModel>
#include <vector>

namespace lathe::views::models {

class ProblemModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    /// Equal diagnostics are shown once, errors first.
    void show(std::vector<Diagnostic> diagnostics);
    const Diagnostic& at(int row) const { return diagnostics_[row]; }
    int errors() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<Diagnostic> diagnostics_;
};

} // namespace lathe::views::models
