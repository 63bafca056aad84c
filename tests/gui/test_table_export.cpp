// SPDX-License-Identifier: GPL-3.0-or-later
// Tables for other programs: what is copied and saved of one that is sorted, has hidden and moved columns, and cells with
// quotes, tabs and line breaks.
#include "support/program_of_tests.h"
#include "views/page/table.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

namespace lathe::testing::test_table_export {

class TestTableExport : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    struct Shown {
        QStandardItemModel model;
        QSortFilterProxyModel sorted;
        QTableView table;

        Shown() {
            model.setHorizontalHeaderLabels({"name", "ms", "note"});
            const QStringList cells[] = {{"b, \"the\" one", "2", "x"}, {"a\nb\tc", "10", "y"}};
            for (const QStringList& row : cells) {
                QList<QStandardItem*> items;
                for (const QString& cell : row)
                    items << new QStandardItem(cell);
                model.appendRow(items);
            }
            sorted.setSourceModel(&model);
            views::setUpTable(table, sorted);
            sorted.sort(0);
        }
    };

private slots:
    void asItIsShown() {
        Shown shown;
        QCOMPARE(views::csvText(shown.table),
                 QString("name,ms,note\r\n\"a\nb\tc\",10,y\r\n\"b, \"\"the\"\" one\",2,x\r\n"));
        QCOMPARE(views::tabbedText(shown.table), QString("name\tms\tnote\na b c\t10\ty\nb, \"the\" one\t2\tx\n"));
        shown.table.setColumnHidden(2, true);
        shown.table.horizontalHeader()->moveSection(1, 0);
        QCOMPARE(views::tabbedText(shown.table), QString("ms\tname\n10\ta b c\n2\tb, \"the\" one\n"));
    }

    void selectedRows() {
        Shown shown;
        shown.table.selectRow(1);
        shown.table.show();
        QVERIFY(QTest::qWaitForWindowActive(&shown.table));
        QTest::keyClick(&shown.table, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), QString("name\tms\tnote\nb, \"the\" one\t2\tx\n"));
    }

    void aFile() {
        Shown shown;
        const QString path = folder_.filePath("table.csv");
        QTimer::singleShot(0, [&] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            dialog->selectFile(path);
            QMetaObject::invokeMethod(dialog, "accept");
        });
        shown.table.actions().last()->trigger();
        QFile file(path);
        QVERIFY(file.open(QFile::ReadOnly));
        QCOMPARE(QString::fromUtf8(file.readAll()), views::csvText(shown.table));
    }
};

Test test() {
    return {makes<TestTableExport>, Application::Window};
}

} // namespace lathe::testing::test_table_export

#include "test_table_export.moc"
