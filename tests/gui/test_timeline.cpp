// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline of a real run: every call and every region stands in it, under mouse, wheel and keys.
// Needs: lathe-runner samples
// Timeout: 600
#include "app/main_window.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/profile/profile_page.h"
#include "views/profile/timeline_panel.h"

#include <QLabel>
#include <QSettings>
#include <QTabWidget>
#include <QTest>
#include <QWheelEvent>

namespace lathe::testing::test_timeline {

class TestTimelineView : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::unique_ptr<app::MainWindow> window_;

    views::profile::TimelinePanel* panel() { return window_->profilePage()->timeline(); }
    views::profile::TimelineView* view() { return panel()->view(); }
    const std::vector<inspect::TimelineBox>& calls() { return view()->timeline().calls; }
    const inspect::TimelineBox& longest() { return *std::ranges::max_element(calls(), {}, &inspect::TimelineBox::ms); }
    void wheel(QPointF at, int angle) {
        QWheelEvent event(at, view()->mapToGlobal(at), {}, {0, angle}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                          false);
        QCoreApplication::sendEvent(view(), &event);
    }

private slots:
    void initTestCase() {
        isolate(folder_, "test_timeline");
        QSettings().clear();
        window_ = std::make_unique<app::MainWindow>();
        window_->resize(1200, 800);
        window_->show();
        QVERIFY(openAndWait(*window_, sample("small_cnn.onnx")));
        QVERIFY(panel()->findChild<QLabel*>()->text().contains("F6"));
        QVERIFY(compileAndWait(*window_));
        Settled settled(*window_);
        window_->run();
        QVERIFY(settled.wait());
        window_->showPage("profile");
        window_->profilePage()->findChild<QTabWidget*>()->setCurrentWidget(panel());
        QTest::qWait(50);
    }
    void cleanupTestCase() { window_.reset(); }

    void allCallsAreThere() {
        const auto& rows = window_->profilePage()->model()->profile().rows;
        QCOMPARE(calls().size(), rows.size());
        for (const inspect::ProfileRow& row : rows)
            QVERIFY(std::ranges::find(calls(), row.call, &inspect::TimelineBox::call) != calls().end());
        const double median = window_->profilePage()->model()->profile().medianMs;
        QVERIFY(panel()->findChild<QLabel*>()->text().contains(
            QStringLiteral("(the median of all is %1)").arg(median, 0, 'f', 3)));
    }

    void aClickSelectsTheCall() {
        QTest::mouseClick(view(), Qt::LeftButton, {}, view()->rectOf(0, longest()).center().toPoint());
        QCOMPARE(window_->selection().place().call, longest().call);
        QVERIFY(!window_->selection().nodes().empty());
        window_->selection().clear();
        for (size_t thread = 0; thread < view()->timeline().threads.size(); ++thread)
            for (const inspect::TimelineBox& box : view()->timeline().threads[thread])
                if (const QRectF area = view()->rectOf(int(thread) + 1, box); area.width() > 4) {
                    QTest::mouseClick(view(), Qt::LeftButton, {}, area.center().toPoint());
                    QCOMPARE(window_->selection().place().call, box.call);
                }
        QVERIFY(!window_->selection().nodes().empty());
    }

    void zoomAndMove() {
        const double whole = view()->timeline().ms;
        QCOMPARE(view()->to() - view()->from(), whole);
        const QPointF middle = view()->rectOf(0, longest()).center();
        wheel(middle, 480);
        QVERIFY(view()->to() - view()->from() < 0.6 * whole);
        QVERIFY(std::abs(view()->rectOf(0, longest()).center().x() - middle.x()) < 1); // what is at the pointer stays
        const double from = view()->from(), length = view()->to() - from;
        QTest::mousePress(view(), Qt::LeftButton, {}, middle.toPoint());
        QTest::mouseMove(view(), middle.toPoint() + QPoint(10, 0));
        QMouseEvent move(QEvent::MouseMove, middle + QPointF(40, 0), view()->mapToGlobal(middle + QPointF(40, 0)),
                         Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(view(), &move);
        QTest::mouseRelease(view(), Qt::LeftButton, {}, middle.toPoint() + QPoint(40, 0));
        QVERIFY(from == 0 || view()->from() < from);
        QVERIFY(std::abs(view()->to() - view()->from() - length) < 1e-9);
        QTest::keyClick(view(), Qt::Key_Minus);
        QVERIFY(view()->to() - view()->from() > length);
        QTest::keyClick(view(), Qt::Key_0);
        QCOMPARE(view()->from(), 0.0);
        QCOMPARE(view()->to(), whole);
        for (int i = 0; i < 200; ++i)
            QTest::keyClick(view(), Qt::Key_Plus);
        QVERIFY(view()->to() > view()->from());
        view()->grab();
        QTest::keyClick(view(), Qt::Key_0);
    }

    void keysGoFromCallToCall() {
        window_->selection().clear();
        for (const inspect::TimelineBox& box : calls()) {
            QTest::keyClick(view(), Qt::Key_Right);
            QCOMPARE(window_->selection().place().call, box.call);
        }
        QTest::keyClick(view(), Qt::Key_Right); // the last one
        QCOMPARE(window_->selection().place().call, calls().back().call);
        QTest::keyClick(view(), Qt::Key_Left);
        QCOMPARE(window_->selection().place().call, calls()[calls().size() - 2].call);
    }

    void anotherCompilation() {
        QVERIFY(compileAndWait(*window_));
        QVERIFY(calls().empty());
        QVERIFY(!view()->isVisible());
    }
};

Test test() {
    return {makes<TestTimelineView>, Application::Window};
}

} // namespace lathe::testing::test_timeline

#include "test_timeline.moc"
