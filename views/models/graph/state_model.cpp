// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/state_model.h"

#include "views/models/text/one_line.h"
#include "views/models/text/shown_path.h"

#include <QColor>
#include <QFileInfo>
#include <algorithm>

namespace lathe::views::models {

namespace {

/// Why a run cannot begin so; what is in a file the run says.
QString problemOfBeginning(const QString& text) {
    if (text.isEmpty() || inspect::numberIn(text.toStdString()))
        return {};
    if (const QString problem = problemOfName(text); !problem.isEmpty())
        return problem;
    return QFileInfo(absolutePath(text)).isFile()
               ? QString()
               : StateModel::tr("%1 is no number, and there is no such file.").arg(text);
}

} // namespace

QString firstElements(const model::TensorPtr& tensor) {
    constexpr int64_t most = 6;
    constexpr int digits = 6;
    if (!tensor || tensor->dtype == types::String)
        return {};
    QStringList texts;
    const int64_t count = tensor->elements();
    for (int64_t place = 0; place < std::min(count, most); ++place)
        texts << elementText(*tensor, place, digits);
    return texts.join(' ') + (count > most ? QStringLiteral(" …") : QString());
}

void StateModel::show(std::vector<model::State> states, const inspect::StateBeginnings& beginnings) {
    beginResetModel();
    rows_.clear();
    for (model::State& state : states) {
        const auto begins = beginnings.find(state.value.name);
        rows_.push_back({std::move(state),
                         begins == beginnings.end() ? QString() : QString::fromStdString(begins->second), nullptr});
    }
    endResetModel();
}

bool StateModel::isOf(const std::vector<model::State>& states) const {
    const auto same = [](const Row& row, const model::State& state) {
        return row.state.value.name == state.value.name &&
               toString(row.state.value.type) == toString(state.value.type) && row.state.initial == state.initial;
    };
    return std::ranges::equal(rows_, states, same);
}

void StateModel::setAfter(Values after) {
    for (Row& row : rows_)
        row.after = after[row.state.value.name];
    if (!rows_.empty())
        emit dataChanged(index(0, After), index(rowCount() - 1, After));
}

void StateModel::setBeginning(int row, const QString& text) {
    if (QString& begins = rows_[size_t(row)].begins; begins != text) {
        begins = text;
        emit dataChanged(index(row, Begins), index(row, Begins));
    }
}

inspect::StateBeginnings StateModel::beginnings() const {
    inspect::StateBeginnings beginnings;
    for (const Row& row : rows_)
        if (!row.begins.isEmpty())
            beginnings[row.state.value.name] = inspect::numberIn(row.begins.toStdString())
                                                   ? row.begins.toStdString()
                                                   : absolutePath(row.begins).toStdString();
    return beginnings;
}

NamedTensor StateModel::tensorAt(const QModelIndex& index) const {
    if (!index.isValid() || size_t(index.row()) >= rows_.size())
        return {};
    const Row& row = rows_[size_t(index.row())];
    const QString name = QString::fromStdString(row.state.value.name);
    return index.column() == After && row.after ? NamedTensor{tr("%1 after the run").arg(name), row.after}
           : row.state.initial                  ? NamedTensor{tr("%1 as the model begins").arg(name), row.state.initial}
                                                : NamedTensor();
}

int StateModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

int StateModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columns;
}

QVariant StateModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= rows_.size())
        return {};
    const Row& row = rows_[size_t(index.row())];
    const bool ofBeginning = index.column() == Begins;
    if (role == Qt::EditRole && ofBeginning)
        return row.begins;
    if (role == Qt::ToolTipRole && ofBeginning) {
        const QString problem = problemOfBeginning(row.begins);
        return problem.isEmpty() ? tr("A number, or a file (.npy, .npz, .pb)") : problem;
    }
    if (role == Qt::ForegroundRole && ofBeginning && !problemOfBeginning(row.begins).isEmpty())
        return QColor(0xd0, 0x40, 0x40);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Name:
        return oneLine(row.state.value.name, longestNameInText);
    case Type:
        return QString::fromStdString(toString(row.state.value.type));
    case Model:
        return firstElements(row.state.initial);
    case Begins:
        return row.begins.isEmpty() ? tr("as the model says") : row.begins;
    default:
        return firstElements(row.after);
    }
}

bool StateModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || index.column() != Begins)
        return false;
    setBeginning(index.row(), value.toString().trimmed());
    return true;
}

Qt::ItemFlags StateModel::flags(const QModelIndex& index) const {
    return QAbstractTableModel::flags(index) | (index.column() == Begins ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

QVariant StateModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= columns)
        return {};
    const QString names[] = {tr("State"), tr("Type"), tr("The model begins with"), tr("Runs begin with"),
                             tr("After the last run")};
    return names[section];
}

} // namespace lathe::views::models
