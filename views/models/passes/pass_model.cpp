// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/passes/pass_model.h"

#include "views/models/text/counted.h"

#include <QColor>
#include <QFont>
#include <QStringList>
#include <algorithm>

namespace lathe::views::models {

std::vector<PassRow> passRows(const driver::Trace& trace) {
    std::vector<PassRow> rows;
    qlonglong before = 0;
    for (const driver::PassRecord& pass : trace.passes) {
        PassRow row;
        row.index = int(rows.size());
        row.name = QString::fromStdString(pass.name);
        const std::string_view stage = toString(pass.stage);
        row.stage = QString::fromUtf8(stage.data(), qsizetype(stage.size()));
        row.required = pass.required;
        row.enabled = pass.enabled;
        row.ran = pass.ran;
        row.changed = pass.changed;
        row.failed = std::any_of(pass.diagnostics.begin(), pass.diagnostics.end(),
                                 [](const Diagnostic& d) { return d.severity == Severity::Error; });
        row.ms = pass.ms;
        row.bindings = pass.bindings.value_or(0);
        row.delta = before && row.bindings ? row.bindings - before : 0;
        if (row.bindings)
            before = row.bindings;
        rows.push_back(row);
    }
    return rows;
}

QString outcomeOf(const PassRow& row) {
    if (row.failed)
        return PassModel::tr("failed");
    if (!row.enabled)
        return PassModel::tr("off");
    return !row.ran ? PassModel::tr("not run") : row.changed ? PassModel::tr("changed") : QStringLiteral("–");
}

QString sentenceOf(const PassRow& row) {
    QStringList parts{row.ran && !row.changed && !row.failed ? PassModel::tr("no change") : outcomeOf(row)};
    if (row.ran)
        parts << PassModel::tr("%1 ms").arg(row.ms, 0, 'f', row.ms < 10 ? 2 : 0);
    const auto add = [&](const std::optional<double>& delta, const QString& of) {
        if (delta)
            parts << QString::fromStdString(inspect::deltaText(delta)) + ' ' + of;
    };
    const inspect::Figures& delta = row.figures.delta;
    add(delta.bindings, PassModel::tr("bindings"));
    add(delta.statements, PassModel::tr("statements"));
    add(delta.flops, PassModel::tr("FLOPs"));
    add(delta.bytes, PassModel::tr("bytes moved"));
    add(delta.peakBytes, PassModel::tr("bytes of peak memory"));
    return row.name + ": " + parts.join(", ");
}

void PassModel::setFigures(const std::vector<inspect::PassFigures>& figures) {
    for (PassRow& row : rows_)
        if (size_t(row.index) < figures.size())
            row.figures = figures[size_t(row.index)];
    if (!shown_.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columns - 1));
}

void PassModel::show(std::vector<PassRow> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    choose();
    endResetModel();
}

void PassModel::setOnlyChanged(bool only) {
    beginResetModel();
    onlyChanged_ = only;
    choose();
    endResetModel();
}

void PassModel::choose() {
    shown_.clear();
    for (size_t i = 0; i < rows_.size(); ++i)
        if (!onlyChanged_ || rows_[i].changed || rows_[i].failed)
            shown_.push_back(i);
}

QString PassModel::lastOptional(int row) const {
    for (size_t i = shown_[size_t(row)] + 1; i-- > 0;)
        if (!rows_[i].required)
            return rows_[i].name;
    return {};
}

int PassModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(shown_.size());
}

int PassModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant PassModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= shown_.size())
        return {};
    const PassRow& row = at(index.row());
    if (role == Qt::DisplayRole) {
        switch (index.column()) {
        case Name:
            return row.name;
        case Stage:
            return row.stage;
        case Changed:
            return outcomeOf(row);
        case Amount: {
            const qlonglong count = row.bindings ? row.bindings : qlonglong(row.figures.after.statements.value_or(0));
            const qlonglong delta = row.bindings ? row.delta : qlonglong(row.figures.delta.statements.value_or(0));
            if (!count)
                return {};
            const QString text =
                row.bindings ? counted(count, "binding", "bindings") : counted(count, "statement", "statements");
            return delta ? QStringLiteral("%1  (%2%3)").arg(text, delta > 0 ? "+" : "").arg(delta) : text;
        }
        case Time:
            return QString::number(row.ms, 'f', row.ms < 10 ? 2 : 0);
        }
    }
    if (role == Qt::TextAlignmentRole && index.column() >= Amount)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::FontRole) {
        QFont font;
        font.setBold(row.changed && index.column() == Name);
        font.setStrikeOut(!row.enabled && index.column() == Name);
        return font;
    }
    if (role == Qt::ForegroundRole && row.failed)
        return QColor(0xd0, 0x40, 0x40);
    if (role == Qt::ToolTipRole)
        return sentenceOf(row) + '\n' + (row.required ? tr("required pass") : tr("optional pass"));
    return {};
}

QVariant PassModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole && section >= Amount)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (orientation == Qt::Horizontal && role == Qt::ToolTipRole && section == Amount)
        return tr("Bindings of the module, or statements of all kernels; what it added or took away");
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= columns)
        return {};
    const QString names[] = {tr("Pass"), tr("Stage"), tr("Effect"), tr("After it"), tr("ms")};
    return names[section];
}

} // namespace lathe::views::models
