// SPDX-License-Identifier: GPL-3.0-or-later
//
// What happened in the window, line by line: when, how grave, what. So many lines are kept; the oldest go. What is shown of
// them is chosen by level and by words.
#pragma once

#include "views/models/text/sought_words.h"

#include <QAbstractTableModel>
#include <QDateTime>
#include <QSortFilterProxyModel>
#include <deque>

namespace lathe::views::models {

/// From grave to slight.
enum class LogLevel { Error, Warning, Note, Detail };

struct LogLine {
    QDateTime at;
    LogLevel level = LogLevel::Note;
    QString text; // one line
};

class LogModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Time, Level, Text, columns };
    static constexpr int mostLines = 5000;
    static constexpr int levelRole = Qt::UserRole + 1; // a LogLevel as int

    using QAbstractTableModel::QAbstractTableModel;

    /// A text of several lines is one line for each.
    void add(const QDateTime& at, LogLevel level, const QString& text);
    void clear();
    const LogLine& at(int row) const { return lines_[size_t(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void addLine(LogLine line);

    std::deque<LogLine> lines_;
};

/// Lines up to a level that have all the words, in any order and case.
class LogFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void setLevel(LogLevel level);
    void setWords(const QString& words);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    LogLevel level_ = LogLevel::Note;
    SoughtWords words_;
};

/// "error", "warning", "note", "detail".
QString nameOf(LogLevel level);
/// "12:34:56  warning  what happened".
QString textOf(const LogLine& line);

} // namespace lathe::views::models
