// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of the page Profile: what a real run shows, clicks that select, selections that show.
// Needs: lathe-runner samples
// Timeout: 600
#include "app/main_window.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/profile/memory_panel.h"
#include "views/profile/profile_page.h"
#include "views/profile/roofline_panel.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QSettings>
#include <QSortFilterProxyModel>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolTip>
#include <algorithm>
#include <limits>
#include <qcustomplot.h>

namespace lathe::testing::test_charts {

using app::MainWindow;

class TestCharts : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;

    views::profile::RooflinePanel* roofline() { return window_->profilePage()->roofline(); }
    views::profile::MemoryPanel* memory() { return window_->profilePage()->memory(); }
    /// Turns to it and waits until it is drawn.
    void show(QWidget* panel) {
        window_->showPage("profile");
        window_->profilePage()->findChild<QTabWidget*>()->setCurrentWidget(panel);
        QTest::qWait(50);
    }
    static QString textOf(QWidget* panel) { return panel->findChild<QLabel*>()->text(); }

private slots:
    void initTestCase() {
        isolate(folder_, "test_charts");
        QSettings().clear();
        window_ = std::make_unique<MainWindow>();
        window_->resize(1200, 800);
        window_->show();
        QVERIFY(openAndWait(*window_, sample("small_cnn.onnx")));
        QVERIFY(textOf(memory()).contains("F5")); // empty states say what to do
        QVERIFY(textOf(roofline()).contains("F6"));
        QVERIFY(!roofline()->plot()->isVisibleTo(roofline()));
        QVERIFY(compileAndWait(*window_));
        QVERIFY(memory()->chart().peak() > 0); // all its sizes are fixed: that needs no run
        Settled settled(*window_);
        window_->run();
        QVERIFY(settled.wait());
    }
    void cleanupTestCase() { window_.reset(); }

    void aPointSelectsItsCall() {
        show(roofline());
        const inspect::Profile& profile = window_->profilePage()->model()->profile();
        const auto& points = roofline()->roofline().points;
        QCOMPARE(points.size(), profile.rows.size());
        size_t clicked = 0;
        for (const inspect::RooflinePoint& point : points) {
            if (point.intensity <= 0)
                continue;
            const QPointF pixel = roofline()->pixelOf(point);
            QVERIFY(QRectF(roofline()->plot()->axisRect()->rect()).contains(pixel));
            QTest::mouseClick(roofline()->plot(), Qt::LeftButton, {}, pixel.toPoint());
            // Points may lie on one another: then it is one that is as near.
            const int call = window_->selection().place().call;
            const auto row = std::ranges::find(profile.rows, call, &inspect::ProfileRow::call);
            QVERIFY(row != profile.rows.end());
            QCOMPARE(window_->selection().nodes(), std::vector<int>(row->nodes.begin(), row->nodes.end()));
            clicked += row - profile.rows.begin() == ptrdiff_t(point.row);
        }
        QVERIFY(clicked > 3);
    }

    void aBufferSelectsWhatMadeIt() {
        show(memory());
        const driver::Trace& trace = window_->provenance()->trace();
        QVERIFY(memory()->chart().buffers.size() > 3);
        for (const inspect::MemoryChart::Buffer& buffer : memory()->chart().buffers) {
            const lower::PlacedBuffer& record = trace.buffers[buffer.index];
            if (!buffer.offset || buffer.bytes < memory()->chart().peak() / 50) // thinner than a pixel
                continue;
            QTest::mouseClick(memory()->plot(), Qt::LeftButton, {}, memory()->pixelOf(buffer).toPoint());
            QCOMPARE(window_->selection().place().call, record.firstCall);
            const auto& ids = trace.graph->spans->ids(record.use.span);
            QCOMPARE(window_->selection().nodes(), std::vector<int>(ids.begin(), ids.end()));
        }
        QVERIFY(textOf(memory()).contains("alive at the peak"));
    }

    void buffersAsATable() {
        show(memory());
        auto table = memory()->findChild<QTableView*>();
        const views::models::BufferModel& buffers = *memory()->model();
        QCOMPARE(table->model()->rowCount(), int(memory()->chart().buffers.size()));
        int64_t before = std::numeric_limits<int64_t>::max();
        for (int row = 0; row < table->model()->rowCount(); ++row) { // the largest first
            const auto bytes = table->model()
                                   ->index(row, views::models::BufferModel::Bytes)
                                   .data(views::models::BufferModel::sortRole)
                                   .toLongLong();
            QVERIFY(bytes <= before);
            before = bytes;
        }
        window_->selection().clear();
        table->setFocus();
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(1, 0)).center());
        const auto* sorted = qobject_cast<const QSortFilterProxyModel*>(table->model());
        const int row = sorted->mapToSource(sorted->index(1, 0)).row();
        QCOMPARE(window_->selection().nodes(),
                 std::vector<int>(buffers.nodesAt(row).begin(), buffers.nodesAt(row).end()));
        QTest::keyClick(table, Qt::Key_Down);
        const int next = sorted->mapToSource(sorted->index(2, 0)).row();
        QCOMPARE(window_->selection().place().call, buffers.recordAt(next).firstCall);
        // And back: what is selected elsewhere is selected in the table.
        window_->selection().set({{buffers.nodesAt(row).begin(), buffers.nodesAt(row).end()}});
        QVERIFY(table->selectionModel()->isRowSelected(1, {}));
    }

    void theTableIsSound() {
        views::models::BufferModel model;
        QAbstractItemModelTester tester(&model);
        model.show(window_->provenance(), memory()->chart());
        QVERIFY(model.rowCount() > 3);
        model.show(nullptr, {});
        QCOMPARE(model.rowCount(), 0);
    }

    /// As few parts as there can be: what Qt does with them takes a time that grows with their square.
    void neighboursAreSelectedAsOne() {
        show(memory());
        auto* table = memory()->findChild<QTableView*>();
        std::vector<int> all;
        for (int node = 0; node < window_->modelGraph()->nodeCount; ++node)
            all.push_back(node);
        window_->selection().set(all);
        const QItemSelection selected = table->selectionModel()->selection();
        QCOMPARE(table->selectionModel()->selectedRows().size(), table->model()->rowCount());
        QCOMPARE(selected.size(), 1);
        window_->selection().clear();
        QVERIFY(table->selectionModel()->selectedRows().isEmpty());
    }

    void aSelectionFromElsewhereShows() {
        show(roofline());
        window_->selection().clear();
        QTest::qWait(50);
        const QImage before = roofline()->grab().toImage();
        const auto& rows = window_->profilePage()->model()->profile().rows;
        window_->selection().set({rows.front().nodes, rows.front().call});
        QTest::qWait(50);
        QVERIFY(roofline()->grab().toImage() != before);
    }

    /// Another compilation: what ran before is no profile of it, and its buffers are others.
    void anotherCompilation() {
        QVERIFY(compileAndWait(*window_));
        QVERIFY(roofline()->roofline().points.empty());
        QVERIFY(!roofline()->plot()->isVisibleTo(roofline()));
        QVERIFY(memory()->chart().peak() > 0);
    }
};

Test test() {
    return {makes<TestCharts>, Application::Window};
}

} // namespace lathe::testing::test_charts

#include "test_charts.moc"
