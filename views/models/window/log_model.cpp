// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/window/log_model.h"

namespace lathe::views::models {

QString nameOf(LogLevel level) {
    switch (level) {
    case LogLevel::Error:
        return LogModel::tr("error");
    case LogLevel::Warning:
        return LogModel::tr("warning");
    case LogLevel::Note:
        return LogModel::tr("note");
    default:
        return LogModel::tr("detail");
    }
}

QString textOf(const LogLine& line) {
    return QStringLiteral("%1  %2  %3")
        .arg(line.at.toString("HH:mm:ss"), nameOf(line.level).leftJustified(7), line.text);
}

void LogModel::add(const QDateTime& at, LogLevel level, const QString& text) {
    for (const QString& line : text.split('\n', Qt::SkipEmptyParts))
        addLine({at, level, line});
}

void LogModel::addLine(LogLine line) {
    if (lines_.size() == mostLines) {
        beginRemoveRows({}, 0, 0);
        lines_.pop_front();
        endRemoveRows();
    }
    const int row = int(lines_.size());
    beginInsertRows({}, row, row);
    lines_.push_back(std::move(line));
    endInsertRows();
}

void LogModel::clear() {
    beginResetModel();
    lines_.clear();
    endResetModel();
}

int LogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(lines_.size());
}

int LogModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columns;
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= lines_.size())
        return {};
    const LogLine& line = lines_[size_t(index.row())];
    if (role == levelRole)
        return int(line.level);
    if (role == Qt::ToolTipRole)
        return line.at.toString(Qt::ISODateWithMs) + '\n' + line.text;
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Time:
        return line.at.toString("HH:mm:ss");
    case Level:
        return nameOf(line.level);
    default:
        return line.text;
    }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Time ? tr("Time") : section == Level ? tr("Level") : tr("What happened");
}

void LogFilter::setLevel(LogLevel level) {
    level_ = level;
    invalidateRowsFilter();
}

void LogFilter::setWords(const QString& words) {
    words_ = SoughtWords(words);
    invalidateRowsFilter();
}

bool LogFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QModelIndex line = sourceModel()->index(row, LogModel::Text, parent);
    if (line.data(LogModel::levelRole).toInt() > int(level_))
        return false;
    return words_.allIn(line.data().toString());
}

} // namespace lathe::views::models
