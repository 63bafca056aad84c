// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/page/table_export.h"

#include "views/page/file_dialog.h"

#include <QAction>
#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QMessageBox>
#include <QSaveFile>
#include <QTableView>
#include <algorithm>
#include <functional>

namespace lathe::views {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Table", text);
}

/// By their places on the screen: columns may have been moved.
QList<int> columnsOf(const QTableView& table) {
    QList<int> columns;
    const QHeaderView& header = *table.horizontalHeader();
    for (int place = 0; place < header.count(); ++place)
        if (const int column = header.logicalIndex(place); !table.isColumnHidden(column))
            columns << column;
    return columns;
}

QString textOf(const QTableView& table, const QList<int>& rows, const QString& between, const QString& end,
               const std::function<QString(QString)>& cell) {
    const QAbstractItemModel& model = *table.model();
    const QList<int> columns = columnsOf(table);
    QString text;
    const auto add = [&](const auto& valueOf) {
        QStringList cells;
        for (const int column : columns)
            cells << cell(valueOf(column).toString());
        text += cells.join(between) + end;
    };
    add([&](int column) { return model.headerData(column, Qt::Horizontal); });
    for (const int row : rows)
        add([&](int column) { return model.index(row, column).data(); });
    return text;
}

QList<int> allRows(const QTableView& table) {
    QList<int> rows;
    for (int row = 0; row < table.model()->rowCount(); ++row)
        rows << row;
    return rows;
}

void save(QTableView& table) {
    const QString path = askForNewFile(&table, tr("Save the table"), QStringLiteral("table.csv"),
                                       tr("Comma-separated values (*.csv)"), QStringLiteral("csv"));
    if (path.isEmpty())
        return;
    QSaveFile file(path); // whole or not at all
    const QByteArray text = csvText(table).toUtf8();
    if (!file.open(QFile::WriteOnly) || file.write(text) != text.size() || !file.commit())
        QMessageBox::warning(&table, tr("Save the table"), tr("%1 was not written: %2.").arg(path, file.errorString()));
}

} // namespace

QString tabbedText(const QTableView& table) {
    QList<int> rows;
    for (const QModelIndex& index : table.selectionModel()->selectedRows())
        rows << index.row();
    std::ranges::sort(rows);
    return textOf(table, rows.isEmpty() ? allRows(table) : rows, QStringLiteral("\t"), QStringLiteral("\n"),
                  [](const QString& cell) { return cell.simplified(); });
}

QString csvText(const QTableView& table) {
    return textOf(table, allRows(table), QStringLiteral(","), QStringLiteral("\r\n"), [](QString cell) {
        const bool special = std::ranges::any_of(
            cell, [](QChar letter) { return letter == ',' || letter == '"' || letter == '\n' || letter == '\r'; });
        return special ? '"' + cell.replace('"', QStringLiteral("\"\"")) + '"' : cell;
    });
}

void addExporting(QTableView& table) {
    auto copy = new QAction(tr("&Copy rows"), &table);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    QObject::connect(copy, &QAction::triggered, &table,
                     [&table] { QGuiApplication::clipboard()->setText(tabbedText(table)); });
    auto keep = new QAction(tr("Save as CS&V…"), &table);
    QObject::connect(keep, &QAction::triggered, &table, [&table] { save(table); });
    table.addActions({copy, keep});
    table.setContextMenuPolicy(Qt::ActionsContextMenu);
}

} // namespace lathe::views
