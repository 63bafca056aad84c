// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/window/problem_model.h"

#include <QColor>
#include <algorithm>

namespace lathe::views::models {

namespace {

QString severityName(Severity severity) {
    switch (severity) {
    case Severity::Note:
        return ProblemModel::tr("note");
    case Severity::Warning:
        return ProblemModel::tr("warning");
    case Severity::Error:
        return ProblemModel::tr("error");
    }
    return {};
}

} // namespace

void ProblemModel::show(std::vector<Diagnostic> diagnostics) {
    std::stable_sort(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.severity > b.severity; });
    beginResetModel();
    diagnostics_.clear();
    for (Diagnostic& diagnostic : diagnostics)
        if (std::find(diagnostics_.begin(), diagnostics_.end(), diagnostic) == diagnostics_.end())
            diagnostics_.push_back(std::move(diagnostic));
    endResetModel();
}

int ProblemModel::errors() const {
    return int(std::count_if(diagnostics_.begin(), diagnostics_.end(),
                             [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::Error; }));
}

int ProblemModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(diagnostics_.size());
}

int ProblemModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : 5;
}

QVariant ProblemModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= diagnostics_.size())
        return {};
    const Diagnostic& diagnostic = diagnostics_[index.row()];
    if (role == Qt::ToolTipRole)
        return QString::fromStdString(toString(diagnostic));
    if (role == Qt::ForegroundRole && index.column() == 0 && diagnostic.severity == Severity::Error)
        return QColor(0xd0, 0x40, 0x40);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case 0:
        return severityName(diagnostic.severity);
    case 1:
        return QString::fromStdString(diagnostic.node);
    case 2:
        return QString::fromStdString(diagnostic.op);
    case 3:
        return QString::fromStdString(diagnostic.what);
    default:
        return QString::fromStdString(diagnostic.hint);
    }
}

QVariant ProblemModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    const QString names[] = {tr("Severity"), tr("Node"), tr("Operator"), tr("What"), tr("What to do")};
    return section < 5 ? names[section] : QVariant();
}

} // namespace lathe::views::models
