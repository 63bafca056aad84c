// SPDX-License-Identifier: GPL-3.0-or-later
// The dock Log: its lines as a model, what is shown of them, what is copied and cleared by clicks and keys, and what the window
// writes there.
// Needs: lathe-runner samples
#include "app/main_window.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/log/log_panel.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <algorithm>

namespace lathe::testing::test_log {

using namespace lathe::views::models;
using views::log::LogPanel;

class TestLog : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    static QDateTime at(int second) { return {QDate(2024, 2, 29), QTime(13, 5, second)}; }
    static QStringList shown(const QTableView& table) {
        QStringList texts;
        for (int row = 0; row < table.model()->rowCount(); ++row)
            texts << table.model()->index(row, LogModel::Text).data().toString();
        return texts;
    }
    static QToolButton* buttonWith(const LogPanel& panel, const QString& text) {
        const auto buttons = panel.findChildren<QToolButton*>();
        return *std::ranges::find(buttons, text, &QToolButton::text);
    }

private slots:
    void initTestCase() { isolate(folder_, "test_log"); }

    void lines() {
        LogModel model;
        QAbstractItemModelTester tester(&model);
        model.add(at(7), LogLevel::Warning, "one\ntwo\n");
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(1, LogModel::Time).data().toString(), QString("13:05:07"));
        QCOMPARE(model.index(1, LogModel::Level).data().toString(), QString("warning"));
        QCOMPARE(model.index(1, LogModel::Text).data().toString(), QString("two"));
        QCOMPARE(textOf(model.at(0)), QString("13:05:07  warning  one"));
        QCOMPARE(textOf({at(8), LogLevel::Note, "x"}), QString("13:05:08  note     x"));
        model.clear();
        QCOMPARE(model.rowCount(), 0);
    }

    void theOldestGo() {
        LogModel model;
        LogFilter filter;
        filter.setSourceModel(&model);
        QAbstractItemModelTester tester(&filter);
        for (int i = 0; i < LogModel::mostLines + 3; ++i)
            model.add(at(0), LogLevel::Note, QString::number(i));
        QCOMPARE(model.rowCount(), LogModel::mostLines);
        QCOMPARE(model.at(0).text, QString("3"));
        QCOMPARE(filter.rowCount(), LogModel::mostLines);
    }

    void levelsAndWords() {
        LogModel model;
        LogFilter filter;
        filter.setSourceModel(&model);
        QAbstractItemModelTester tester(&filter);
        model.add(at(0), LogLevel::Detail, "pass fuse");
        model.add(at(1), LogLevel::Note, "Compiled, fuse was on");
        model.add(at(2), LogLevel::Error, "broken");
        QCOMPARE(filter.rowCount(), 2); // details only where they are asked for
        filter.setLevel(LogLevel::Detail);
        QCOMPARE(filter.rowCount(), 3);
        filter.setWords(" FUSE comp");
        QCOMPARE(filter.rowCount(), 1);
        QCOMPARE(filter.index(0, LogModel::Text).data().toString(), QString("Compiled, fuse was on"));
        filter.setWords("");
        filter.setLevel(LogLevel::Warning);
        QCOMPARE(filter.rowCount(), 1);
        model.add(at(3), LogLevel::Warning, "odd");
        QCOMPARE(filter.rowCount(), 2);
    }

    void byClicksAndKeys() {
        LogPanel panel;
        panel.resize(800, 200);
        panel.show();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        panel.add(LogLevel::Error, "first");
        panel.add(LogLevel::Note, "second");
        panel.add(LogLevel::Detail, "third");
        auto* table = panel.findChild<QTableView*>();
        auto* level = panel.findChild<QComboBox*>();
        auto* words = panel.findChild<QLineEdit*>();
        QCOMPARE(shown(*table), (QStringList{"first", "second"}));
        level->setFocus();
        QTest::keyClick(level, Qt::Key_End);
        QCOMPARE(shown(*table), (QStringList{"first", "second", "third"}));
        QTest::keyClicks(words, "ir");
        QCOMPARE(shown(*table), (QStringList{"first", "third"}));
        QTest::mouseClick(buttonWith(panel, "Copy"), Qt::LeftButton); // nothing is chosen: all that is shown
        const QStringList copied = QApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
        QCOMPARE(copied.size(), 3);
        QCOMPARE(copied[0], QString("Time\tLevel\tWhat happened"));
        QVERIFY(copied[1].endsWith("\terror\tfirst") && copied[2].endsWith("\tdetail\tthird"));
        table->setFocus();
        table->setCurrentIndex(table->model()->index(1, 0));
        QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QApplication::clipboard()->text().endsWith("third\n"));
        QVERIFY(!QApplication::clipboard()->text().contains("first"));
        // It stays at its end, unless it was scrolled away.
        words->clear();
        for (int i = 0; i < 100; ++i)
            panel.add(LogLevel::Note, QString::number(i));
        QScrollBar* bar = table->verticalScrollBar();
        QTRY_VERIFY(bar->maximum() > 0);
        bar->setValue(bar->maximum());
        panel.add(LogLevel::Note, "one more");
        QTRY_COMPARE(bar->value(), bar->maximum());
        bar->setValue(3);
        panel.add(LogLevel::Note, "and another");
        QCoreApplication::processEvents();
        QCOMPARE(bar->value(), 3);
        QTest::mouseClick(buttonWith(panel, "Clear"), Qt::LeftButton);
        QCOMPARE(panel.model()->rowCount(), 0);
    }

    void whatTheWindowWrites() {
        app::MainWindow window;
        window.show();
        QFile broken(folder_.filePath("broken.onnx"));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("no model");
        broken.close();
        QVERIFY(openAndWait(window, broken.fileName()));
        const LogModel& log = *window.logPanel()->model();
        const auto has = [&](LogLevel level, const QString& words) {
            for (int row = 0; row < log.rowCount(); ++row)
                if (log.at(row).level == level && log.at(row).text.contains(words))
                    return true;
            return false;
        };
        QVERIFY(has(LogLevel::Error, "could not be read as a model"));
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(window));
        QVERIFY(has(LogLevel::Note, "Compiled in"));
        QVERIFY(has(LogLevel::Detail, "Compiling: fuse"));
        window.actions()["log.clear"]->trigger();
        QCOMPARE(log.rowCount(), 0);
    }
};

Test test() {
    return {makes<TestLog>, Application::Window};
}

} // namespace lathe::testing::test_log

#include "test_log.moc"
