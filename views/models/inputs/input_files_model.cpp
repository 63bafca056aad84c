// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/inputs/input_files_model.h"

#include "driver/input_files.h"
#include "views/models/text/shown_path.h"

#include <QFileInfo>
#include <algorithm>

namespace lathe::views::models {

InputFilesModel::InputFilesModel(QObject* parent)
    : InputFilesModel(
          [](const QString& file) { return problemOfName(file).isEmpty() && QFileInfo(absolutePath(file)).isFile(); },
          parent) {}

InputFilesModel::InputFilesModel(Exists exists, QObject* parent)
    : QAbstractTableModel(parent), exists_(std::move(exists)) {}

void InputFilesModel::show(std::vector<QString> names, const std::map<std::string, std::string>& files) {
    beginResetModel();
    rows_.clear();
    for (QString& name : names) {
        const auto file = files.find(name.toStdString());
        rows_.push_back(
            {std::move(name), file == files.end() ? QString() : QString::fromStdString(file->second), false});
        rows_.back().missing = !rows_.back().file.isEmpty() && !exists_(rows_.back().file);
    }
    endResetModel();
}

void InputFilesModel::setFile(int row, const QString& file) {
    Row& changed = rows_[size_t(row)];
    if (changed.file == file)
        return;
    changed.file = file;
    changed.missing = !file.isEmpty() && !exists_(file);
    emit dataChanged(index(row, Name), index(row, File));
}

void InputFilesModel::setFolder(const QString& folder) {
    for (int row = 0; row < rowCount(); ++row)
        setFile(row, QString::fromStdString(driver::dataFile(folder.toStdString(), "input", size_t(row)).string()));
}

std::map<std::string, std::string> InputFilesModel::files() const {
    std::map<std::string, std::string> files;
    for (const Row& row : rows_)
        if (!row.file.isEmpty())
            files[row.name.toStdString()] = absolutePath(row.file).toStdString();
    return files;
}

QString InputFilesModel::problemOf(const Row& row) const {
    const QString odd = problemOfName(row.file);
    return tr("Input %1: %2").arg(row.name, odd.isEmpty() ? tr("there is no file %1.").arg(row.file) : odd);
}

QString InputFilesModel::problem() const {
    const auto bad = std::ranges::find(rows_, true, &Row::missing);
    return bad == rows_.end() ? QString() : problemOf(*bad);
}

int InputFilesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

int InputFilesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columns;
}

QVariant InputFilesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= rows_.size())
        return {};
    const Row& row = rows_[size_t(index.row())];
    const bool ofFile = index.column() == File;
    switch (role) {
    case Qt::DisplayRole:
        return !ofFile ? row.name : row.file.isEmpty() ? tr("random") : row.file;
    case Qt::EditRole:
        return ofFile ? row.file : row.name;
    case Qt::ToolTipRole:
        return row.missing ? problemOf(row) : ofFile ? row.file : row.name;
    case Qt::AccessibleTextRole:
        return ofFile ? tr("File of %1: %2").arg(row.name, row.file.isEmpty() ? tr("random") : row.file) : row.name;
    default:
        return {};
    }
}

bool InputFilesModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || index.column() != File)
        return false;
    setFile(index.row(), value.toString().trimmed());
    return true;
}

Qt::ItemFlags InputFilesModel::flags(const QModelIndex& index) const {
    return QAbstractTableModel::flags(index) | (index.column() == File ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

QVariant InputFilesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Name ? tr("Input") : tr("File (.npy, .pb)");
}

} // namespace lathe::views::models
