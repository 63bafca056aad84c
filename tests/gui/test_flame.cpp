// SPDX-License-Identifier: GPL-3.0-or-later
// The flame view: times that add up on each level, where a function of several scopes stands, and the picture under mouse and
// keys.
// Needs: lathe-runner samples
// Timeout: 600
#include "app/main_window.h"
#include "gui/sample_graph.h"
#include "gui/window.h"
#include "inspect/flame.h"
#include "support/program_of_tests.h"
#include "views/profile/flame_panel.h"
#include "views/profile/profile_page.h"

#include <QLabel>
#include <QSettings>
#include <QTabWidget>
#include <QTest>
#include <cmath>

namespace lathe::testing::test_flame {

using namespace lathe::inspect;

namespace {

/// Two encoders of two layers with five nodes each, by their names.
std::shared_ptr<model::ModelGraph> scopedModel() {
    auto graph = std::make_shared<model::Graph>();
    graph->inputs = {{"x", {}}};
    std::string last = "x";
    for (const char* part : {"left", "right"})
        for (const char* layer : {"layer.0", "layer.1"})
            for (int i = 0; i < 5; ++i) {
                const std::string name = std::string("/") + part + "/" + layer + "/op" + std::to_string(i);
                graph->nodes.push_back(node("Relu", name, {last}, {name + "_out"}));
                last = name + "_out";
            }
    graph->outputs = {{last, {}}};
    return modelOf(std::move(graph));
}

inspect::ProfileRow function(int call, double ms, std::vector<int32_t> nodes, int32_t home) {
    inspect::ProfileRow row;
    row.call = call;
    row.function = "fused_" + std::to_string(call);
    row.ms = ms;
    row.nodes = std::move(nodes);
    row.home = home;
    return row;
}

const FlameBox& boxOfCall(const Flame& flame, int call) {
    return *std::ranges::find(flame.boxes, call, &FlameBox::call);
}

QStringList wayTo(const Flame& flame, const FlameBox& box) {
    QStringList way;
    for (int around = box.parent; around > 0; around = flame.boxes[size_t(around)].parent)
        way.prepend(QString::fromStdString(flame.boxes[size_t(around)].name));
    return way;
}

void checkSums(const Flame& flame, const inspect::Profile& profile) {
    double sum = 0;
    for (const inspect::ProfileRow& row : profile.rows)
        sum += row.ms;
    QVERIFY(std::abs(flame.boxes.front().ms - sum) <= 1e-9 * sum);
    size_t leaves = 0;
    for (size_t i = 0; i < flame.boxes.size(); ++i) {
        const FlameBox& box = flame.boxes[i];
        leaves += box.call >= 0;
        QVERIFY(box.call < 0 || box.children.empty());
        double end = box.start, times = 0;
        for (const int child : box.children) {
            const FlameBox& inner = flame.boxes[size_t(child)];
            QCOMPARE(inner.parent, int(i));
            QCOMPARE(inner.depth, box.depth + 1);
            QVERIFY(std::abs(inner.start - end) <= 1e-9 * sum);
            end = inner.start + inner.ms;
            times += inner.ms;
        }
        QVERIFY(box.call >= 0 || std::abs(times - box.ms) <= 1e-9 * sum);
    }
    QCOMPARE(leaves, profile.rows.size());
}

} // namespace

class TestFlame : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::unique_ptr<app::MainWindow> window_;

    views::profile::FlameView* view() { return window_->profilePage()->flame()->view(); }
    void click(int box) { QTest::mouseClick(view(), Qt::LeftButton, {}, view()->rectOf(box).center().toPoint()); }

private slots:
    void initTestCase() {
        isolate(folder_, "test_flame");
        QSettings().clear();
    }
    void cleanupTestCase() { window_.reset(); }

    void functionsStandInTheirScopes() {
        const auto model = scopedModel();
        inspect::Profile profile;
        profile.rows = {function(2, 4, {4, 5}, 4), function(0, 1, {0, 1}, 0), function(1, 2, {2, 3}, 2),
                        function(3, 3, {9, 10}, 10), function(4, 0.5, {}, -1)};
        const Flame flame = flameOf(profile, *graph::groupedGraph(model, model->graph));
        checkSums(flame, profile);
        QCOMPARE(wayTo(flame, boxOfCall(flame, 0)), QStringList({"left", "layer.0"}));
        QCOMPARE(wayTo(flame, boxOfCall(flame, 2)), QStringList({"left", "layer.0"})); // it begins there
        QCOMPARE(wayTo(flame, boxOfCall(flame, 3)),
                 QStringList({"right", "layer.0"}));                // likewise, whatever its numbers
        QCOMPARE(wayTo(flame, boxOfCall(flame, 4)), QStringList()); // of no node
        const FlameBox& layer = flame.boxes[size_t(boxOfCall(flame, 0).parent)];
        QCOMPARE(layer.ms, 7.0);
        QCOMPARE(layer.calls, 3);
        QCOMPARE(layer.nodes, std::vector<int>({0, 1, 2, 3, 4}));
        QCOMPARE(flame.boxes.front().nodes.size(), size_t(20));
        QCOMPARE(std::ranges::count(flame.boxes, "layer.1", &FlameBox::name), 0); // what takes no time has no box
    }

    void nothingRan() {
        const auto model = scopedModel();
        QVERIFY(flameOf({}, *graph::groupedGraph(model, model->graph)).boxes.empty());
    }

    void aRunIsShown() {
        window_ = std::make_unique<app::MainWindow>();
        window_->resize(1200, 800);
        window_->show();
        QVERIFY(openAndWait(*window_, sample("small_cnn.onnx")));
        QVERIFY(window_->profilePage()->flame()->findChild<QLabel*>()->text().contains("F6"));
        QVERIFY(compileAndWait(*window_));
        Settled settled(*window_);
        window_->run();
        QVERIFY(settled.wait());
        window_->showPage("profile");
        window_->profilePage()->findChild<QTabWidget*>()->setCurrentWidget(window_->profilePage()->flame());
        QTest::qWait(50);
        checkSums(view()->flame(), window_->profilePage()->model()->profile());
    }

    void aClickSelects() {
        const Flame& flame = view()->flame();
        for (size_t i = 0; i < flame.boxes.size(); ++i) {
            if (view()->rectOf(int(i)).width() < 4)
                continue;
            click(int(i));
            QCOMPARE(view()->current(), int(i));
            QCOMPARE(window_->selection().nodes(), flame.boxes[i].nodes);
            QCOMPARE(window_->selection().place().call, flame.boxes[i].call);
            QVERIFY(view()->accessibleDescription().startsWith(QString::fromStdString(flame.boxes[i].name)));
        }
    }

    void zoomInAndOut() {
        const Flame& flame = view()->flame();
        const auto slowest =
            std::ranges::max_element(flame.boxes, {}, [](const FlameBox& box) { return box.call >= 0 ? box.ms : 0; });
        const int box = int(slowest - flame.boxes.begin());
        const double width = view()->rectOf(box).width();
        QVERIFY(width < view()->width());
        QTest::mouseDClick(view(), Qt::LeftButton, {}, view()->rectOf(box).center().toPoint());
        QCOMPARE(view()->zoomed(), box);
        QCOMPARE(view()->rectOf(box).width(), double(view()->width()));
        QCOMPARE(view()->rectOf(slowest->parent).width(), double(view()->width())); // what is around stays above
        QTest::keyClick(view(), Qt::Key_Backspace);
        QCOMPARE(view()->zoomed(), slowest->parent);
        while (view()->zoomed() > 0)
            QTest::keyClick(view(), Qt::Key_Escape);
        QCOMPARE(view()->rectOf(box).width(), width);
        click(box);
        QTest::keyClick(view(), Qt::Key_Return);
        QCOMPARE(view()->zoomed(), box);
        QTest::keyClick(view(), Qt::Key_Home);
        QTest::keyClick(view(), Qt::Key_Return);
        QCOMPARE(view()->zoomed(), 0);
    }

    void keysWalk() {
        const Flame& flame = view()->flame();
        QTest::keyClick(view(), Qt::Key_Home);
        QCOMPARE(view()->current(), 0);
        QTest::keyClick(view(), Qt::Key_Down);
        const int first = view()->current();
        QCOMPARE(flame.boxes[size_t(first)].parent, 0);
        QTest::keyClick(view(), Qt::Key_Right);
        const int second = view()->current();
        QVERIFY(second != first);
        QVERIFY(flame.boxes[size_t(second)].start > flame.boxes[size_t(first)].start);
        QCOMPARE(window_->selection().nodes(), flame.boxes[size_t(second)].nodes);
        QTest::keyClick(view(), Qt::Key_Left);
        QCOMPARE(view()->current(), first);
        QTest::keyClick(view(), Qt::Key_Up);
        QCOMPARE(view()->current(), 0);
    }

    /// Another compilation: its profile is not there yet.
    void anotherCompilation() {
        QVERIFY(compileAndWait(*window_));
        QVERIFY(view()->flame().boxes.empty());
        QVERIFY(!view()->isVisible());
    }
};

Test test() {
    return {makes<TestFlame>, Application::Window};
}

} // namespace lathe::testing::test_flame

#include "test_flame.moc"
