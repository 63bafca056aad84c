// SPDX-License-Identifier: GPL-3.0-or-later
// The page Passes in the window: strip and table choose one pass, with figures of a real compilation.
// Needs: lathe-runner
#include "app/main_window.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/models/passes/comparison.h"
#include "views/models/passes/pass_picture.h"
#include "views/passes/pass_strip.h"
#include "views/passes/passes_page.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QCheckBox>
#include <QComboBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <set>

namespace lathe::testing::test_passes_page {

using app::MainWindow;
using views::models::PassModel;
using views::passes::PassStrip;

namespace {

int rowOf(const QAbstractItemModel& passes, const QString& name) {
    for (int row = 0; row < passes.rowCount(); ++row)
        if (passes.index(row, PassModel::Name).data().toString() == name)
            return row;
    return -1;
}

driver::PassRecord record(const char* name, driver::Stage stage, double ms, bool changed) {
    driver::PassRecord made;
    made.name = name;
    made.stage = stage;
    made.ms = ms;
    made.ran = true;
    made.changed = changed;
    return made;
}

} // namespace

class TestPassesPage : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private slots:
    void initTestCase() { isolate(folder_, "test_passes_page"); }

    void barsStandOnOneLine() {
        driver::Trace trace;
        trace.passes = {record("import", driver::Stage::Import, 4, true), record("fuse", driver::Stage::Relay, 1, true),
                        record("again", driver::Stage::Relay, 0.01, false)};
        PassModel passes;
        QAbstractItemModelTester tester(&passes);
        PassStrip strip(&passes);
        strip.resize(400, 120);
        passes.show(views::models::passRows(trace));
        // Square roots: four times the time, twice the height; and even the least is seen.
        const QRect import = strip.barOf(0), fuse = strip.barOf(1), again = strip.barOf(2);
        QVERIFY(std::abs(import.height() - 2 * fuse.height()) <= 1);
        QCOMPARE(import.bottom(), fuse.bottom());
        QVERIFY(again.height() >= 2 && again.height() < fuse.height());
        QVERIFY(import.right() < fuse.left() && fuse.right() < again.left());
        // What was added stands above the line, what was taken away below it; what is not known has no bar.
        std::vector<inspect::PassFigures> figures(3);
        figures[0].delta.bytes = 100;
        figures[1].delta.bytes = -400;
        passes.setFigures(figures);
        strip.setMeasure(PassStrip::Bytes);
        QCOMPARE(strip.barOf(0).bottom() + 1, strip.barOf(1).top());
        QVERIFY(std::abs(2 * strip.barOf(0).height() - strip.barOf(1).height()) <= 1);
        QVERIFY(strip.barOf(2).isEmpty());
        strip.setMeasure(PassStrip::Memory);
        QVERIFY(strip.barOf(0).isEmpty());
        QCOMPARE(strip.textOf(1), QString("fuse: changed, 1.00 ms, -400 bytes moved"));
        passes.setOnlyChanged(true);
        QCOMPARE(strip.textOf(2), QString());
    }

    /// The text pairs bindings as the picture does: nearly each of the picture's differences is one of its own.
    void theTextDiffersWhereThePictureDoes() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(window));
        const driver::Trace& trace = window.provenance()->trace();
        int looked = 0;
        for (size_t pass = 0; pass < trace.passes.size(); ++pass) {
            const driver::PassRecord& record = trace.passes[pass];
            if (!record.before || !record.after || !record.changed)
                continue;
            const auto text = views::models::comparePass(trace, int(pass), {});
            const auto picture = views::models::picturePass(trace, int(pass), {});
            QVERIFY(!text.before.isEmpty() && !text.before.front().startsWith("module next"));
            qInfo("%s: %zu in the text, %zu in the picture", record.name.c_str(), text.differences.size(),
                  picture.comparison->rows.size());
            std::set<int> seen;
            for (const DiffRow& row : text.rows)
                QVERIFY(row.before < 0 || seen.insert(row.before).second);
            QCOMPARE(seen.size(), size_t(text.before.size()));
            QVERIFY(text.differences.size() >= picture.comparison->rows.size() / 2);
            ++looked;
        }
        QVERIFY(looked > 2);
    }

    void stripAndTableChooseOnePass() {
        MainWindow window;
        window.resize(1300, 850);
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(window));
        auto& page = *window.passesPage();
        QVERIFY(page.isVisible());
        auto* strip = page.findChild<PassStrip*>();
        auto* table = page.findChild<QTableView*>();
        QAbstractItemModel& passes = *table->model();
        QTRY_VERIFY(strip->textOf(rowOf(passes, "fuse")).contains("bytes moved"));
        const int fuse = rowOf(passes, "fuse");
        QTest::mouseClick(strip, Qt::LeftButton, {}, strip->barOf(fuse).center());
        QCOMPARE(table->currentIndex().row(), fuse);
        QTest::keyClick(strip, Qt::Key_Right);
        QCOMPARE(table->currentIndex().row(), fuse + 1);
        QTest::keyClick(strip, Qt::Key_Left);
        QTest::keyClick(strip, Qt::Key_End);
        QCOMPARE(table->currentIndex().row(), passes.rowCount() - 1);
        QTest::keyClick(strip, Qt::Key_Right); // there is none behind it
        QCOMPARE(table->currentIndex().row(), passes.rowCount() - 1);
        QTest::keyClick(strip, Qt::Key_Home);
        QCOMPARE(table->currentIndex().row(), 0);
        table->selectRow(fuse);
        QCOMPARE(strip->current(), fuse);

        // Of the figures, those of fusing: bytes fall, and what is measured is chosen.
        auto* measure = page.findChildren<QComboBox*>().front();
        QTest::keyClick(measure, Qt::Key_End);
        QTest::keyClick(measure, Qt::Key_Up);
        QCOMPARE(strip->measure(), PassStrip::Bytes);
        QVERIFY(!strip->barOf(fuse).isEmpty());
        QVERIFY(strip->textOf(fuse).contains(" -"));

        QAccessibleInterface* access = QAccessible::queryAccessibleInterface(strip);
        QVERIFY(access);
        QCOMPARE(access->text(QAccessible::Name), QString("Strip of passes"));
        QCOMPARE(access->text(QAccessible::Value), strip->textOf(fuse));

        // Passes that changed nothing go from both; the one that is chosen stays so.
        QTest::mouseClick(page.findChild<QCheckBox*>(), Qt::LeftButton, {}, QPoint(8, 8));
        QVERIFY(passes.rowCount() < int(window.compilation()->trace().passes.size()));
        QCOMPARE(strip->current(), rowOf(passes, "fuse"));
        QCOMPARE(table->currentIndex().row(), strip->current());
        QVERIFY(strip->textOf(passes.rowCount()).isEmpty());
    }
};

Test test() {
    return {makes<TestPassesPage>, Application::Window};
}

} // namespace lathe::testing::test_passes_page

#include "test_passes_page.moc"
