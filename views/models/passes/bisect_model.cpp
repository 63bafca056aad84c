// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/passes/bisect_model.h"

#include <QFont>

namespace lathe::views::models {

QString sentenceOf(const diagnose::Bisection& found, const diagnose::Fault& fault) {
    const bool steady =
        std::holds_alternative<diagnose::WrongValues>(fault) || std::holds_alternative<diagnose::Crashes>(fault);
    switch (found.answer) {
    case diagnose::BisectAnswer::GoodWithAll:
        return found.steps.empty() || found.steps.back().caveat.empty()
                   ? BisectModel::tr("It is good with all passes: there is nothing to look for.")
                   : BisectModel::tr(
                         "It is good with all passes, but nothing is known of what is no finite number: %1.")
                         .arg(QString::fromStdString(found.steps.back().caveat));
    case diagnose::BisectAnswer::Endless:
        return BisectModel::tr("Without any optional pass it does not end within the limit either: the model itself "
                               "works that long, and no pass is to blame.");
    case diagnose::BisectAnswer::Unsteady:
        return BisectModel::tr("Equal compilations were judged differently: the fault comes and goes.");
    case diagnose::BisectAnswer::BadWithout:
        return steady
                   ? BisectModel::tr("It is bad without any optional pass: the fault is in a required pass or in the "
                                     "import.")
                   : BisectModel::tr("It is bad without any optional pass and with all of them, and no pass alone "
                                     "makes the difference.");
    case diagnose::BisectAnswer::Found:
        break;
    }
    QString text = BisectModel::tr("Guilty: \"%1\". ").arg(QString::fromStdString(found.pass));
    text += found.mends ? BisectModel::tr("Without it alone all is good.")
                        : BisectModel::tr("It is the first that makes it bad; without it alone it is bad as well.");
    if (found.kernel)
        text +=
            (found.kernel->alone ? BisectModel::tr(" In the kernel %1.")
                                 : BisectModel::tr(" In the kernel %1, and others."))
                .arg(QString::fromStdString(found.kernel->kernel)) +
            (found.kernel->ofConstants ? BisectModel::tr(" It computes constants of the model while it is compiled.")
                                       : QString());
    return text;
}

void BisectModel::clear() {
    beginResetModel();
    steps_.clear();
    endResetModel();
}

void BisectModel::add(diagnose::BisectStep step) {
    beginInsertRows({}, rowCount(), rowCount());
    steps_.push_back(std::move(step));
    endInsertRows();
}

int BisectModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(steps_.size());
}

int BisectModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant BisectModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= steps_.size())
        return {};
    const diagnose::BisectStep& step = steps_[size_t(index.row())];
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) {
        switch (index.column()) {
        case Passes:
            return QString::fromStdString(step.passes);
        case Verdict:
            return step.bad ? tr("bad") : tr("good");
        case Reason:
            return QString::fromStdString(step.reason);
        case Seconds:
            return QString::number(step.seconds, 'f', 2);
        }
    }
    if (role == Qt::FontRole) {
        QFont font;
        font.setBold(step.bad && index.column() == Verdict);
        return font;
    }
    if (role == Qt::TextAlignmentRole && index.column() == Seconds)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant BisectModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole && section == Seconds)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= columns)
        return {};
    const QString names[] = {tr("Optional passes that ran"), tr("Verdict"), tr("What was seen"), tr("s")};
    return names[section];
}

} // namespace lathe::views::models
