// SPDX-License-Identifier: GPL-3.0-or-later
// Runs: release
// Needs: lathe-runner
// Timeout: 900
//
// Which nodes a call works for, on networks as they are exported: their layers share constants, which the compiler makes one.
// No call has another layer's nodes for that; groups add up to what is around them, by colour and as flames; and a row of the
// profile leads into its layer. In release alone: it compiles and runs networks.
#include "app/main_window.h"
#include "arith/expr.h"
#include "gui/window.h"
#include "inspect/flame.h"
#include "support/fixtures.h"
#include "support/program_of_tests.h"
#include "views/graph/model_page.h"
#include "views/models/graph/overlay.h"
#include "views/profile/profile_page.h"

#include <QRegularExpression>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace lathe::testing::test_work_of_calls {

using app::MainWindow;
using graph::GroupedGraphPtr;
using inspect::Provenance;
using views::models::OverlayKind;

namespace {

/// By the names of its nodes; -1: outside of all.
int layerOf(const model::ModelGraph& graph, int node) {
    static const QRegularExpression layer("/layer\\.(\\d+)/");
    const auto found = layer.match(QString::fromStdString(graph.nodes[size_t(node)]->name));
    return found.hasMatch() ? found.captured(1).toInt() : -1;
}

/// Of a run that took as many ms as the call does millions of operations: the same on any machine.
inspect::Profile madeUpRun(const driver::Trace& trace) {
    inspect::Profile profile;
    for (size_t call = 0; call < trace.calls.size(); ++call) {
        inspect::ProfileRow& row = profile.rows.emplace_back();
        row.call = int(call);
        row.function = trace.calls[call].function;
        row.ms = double(arith::asInt(trace.calls[call].flops).value_or(1'000'000)) / 1e6;
        const auto& nodes = trace.graph->spans->ids(trace.calls[call].span);
        row.nodes = nodes;
        row.home = driver::homeOf(trace.calls[call], *trace.graph->spans);
    }
    return profile;
}

bool isClose(double a, double b) {
    return std::abs(a - b) <= 0.01 * std::max(a, b);
}

} // namespace

class TestWorkOfCalls : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    MainWindow window_;

    const driver::Trace& trace() const { return window_.provenance()->trace(); }
    bool compiled(const char* path) {
        const auto file = fixture(path);
        return !file.empty() && openAndWait(window_, QString::fromStdString(file.string())) &&
               compileAndWait(window_) && window_.isCompiled();
    }
    static void networks() {
        QTest::addColumn<QByteArray>("path");
        for (const char* path :
             {"perf/bert-base/model.onnx", "perf/mobilenet-v2/model.onnx", "models/gpt2-nopast/GPT2Model.onnx"})
            QTest::newRow(path) << QByteArray(path);
    }

private slots:
    void initTestCase() {
        isolate(folder_, "test_work_of_calls");
        if (fixture("perf/bert-base/model.onnx").empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        window_.resize(1400, 900);
        window_.show();
    }

    void constantsAreNoWork_data() { networks(); }
    void constantsAreNoWork() {
        QFETCH(QByteArray, path);
        QVERIFY(compiled(path));
        std::map<int, int> calls; // by node
        for (int call = 0; call < int(trace().calls.size()); ++call) {
            const std::vector<int> nodes = window_.provenance()->nodesOf(call, -1);
            QVERIFY2(!nodes.empty(), trace().calls[size_t(call)].function.c_str());
            std::set<int> layers;
            for (const int node : nodes) {
                QVERIFY2(trace().graph->nodes[size_t(node)]->op != "Constant",
                         trace().graph->nodes[size_t(node)]->name.c_str());
                layers.insert(layerOf(*trace().graph, node));
            }
            QVERIFY2(layers.size() == 1, trace().calls[size_t(call)].function.c_str());
        }
    }

    void groupsAddUp_data() { networks(); }
    void groupsAddUp() {
        QFETCH(QByteArray, path);
        QVERIFY(compiled(path));
        const inspect::Profile profile = madeUpRun(trace());
        const GroupedGraphPtr grouped = graph::groupedGraph(trace().graph, trace().graph->graph);
        const auto time = views::models::overlayOf(OverlayKind::Time, *window_.provenance(), profile, grouped.get());
        const auto& groups = grouped->tree.groups;
        QCOMPARE(time.groups.size(), groups.size());
        QVERIFY(groups.size() > 4);
        double all = 0;
        for (const inspect::ProfileRow& row : profile.rows)
            all += row.ms;
        QVERIFY(isClose(time.groups[0].value.value_or(0), all));
        std::vector<double> inside(groups.size());
        for (size_t group = 1; group < groups.size(); ++group)
            inside[size_t(groups[group].parent)] += time.groups[group].value.value_or(0);
        for (size_t group = 0; group < groups.size(); ++group)
            QVERIFY2(inside[group] <= time.groups[group].value.value_or(0) * (1 + 1e-9), groups[group].name.c_str());
        // The same run as flames: a group has what it has there.
        const inspect::Flame flame = inspect::flameOf(profile, *grouped);
        QVERIFY(isClose(flame.boxes.front().ms, all));
        std::multiset<qint64> colours, flames; // in thousandths
        for (const auto& group : time.groups)
            if (group.value)
                colours.insert(std::llround(*group.value * 1e3));
        for (const inspect::FlameBox& box : flame.boxes)
            if (box.call < 0)
                flames.insert(std::llround(box.ms * 1e3));
        QVERIFY(colours == flames);
    }

    /// Twelve layers of one structure: products of 128 rows with 4 matrices of 768 × 768 and 2 of 768 × 3072, and of 12 heads
    /// with each other, twice. What is left, sums and norms, is below a hundredth.
    void layersOfBertAreAlike() {
        QVERIFY(compiled("perf/bert-base/model.onnx"));
        const double expected = 2.0 * 128 * (4 * 768 * 768 + 2 * 768 * 3072) + 2 * (2.0 * 128 * 128 * 768);
        const GroupedGraphPtr grouped = graph::groupedGraph(trace().graph, trace().graph->graph);
        const auto time =
            views::models::overlayOf(OverlayKind::Time, *window_.provenance(), madeUpRun(trace()), grouped.get());
        double layers = 0, encoder = 0;
        int count = 0;
        for (size_t group = 0; group < grouped->tree.groups.size(); ++group) {
            const std::string& name = grouped->tree.groups[group].name;
            if (name == "encoder")
                encoder = time.groups[group].value.value_or(0);
            if (!name.starts_with("layer."))
                continue;
            const double own = time.groups[group].value.value_or(0);
            QVERIFY2(std::abs(own * 1e6 / expected - 1) < 0.02, name.c_str());
            layers += own;
            ++count;
        }
        QCOMPARE(count, 12);
        QVERIFY(encoder > 0 && std::abs(layers / encoder - 1) < 0.01);
        QVERIFY(std::abs(encoder * 1e6 / (12 * expected) - 1) < 0.02);
    }

    /// Calls of the runs that took neither long nor short, which are no more than such a run; none that ran is left out.
    void callsAddUpToARun() {
        QVERIFY(compiled("perf/bert-base/model.onnx"));
        Settled settled(window_);
        window_.run();
        QVERIFY(settled.wait());
        const inspect::Profile& profile = window_.profilePage()->model()->profile();
        QVERIFY(profile.runs >= 5 && profile.lowMs <= profile.medianMs && profile.medianMs <= profile.highMs);
        QVERIFY2(profile.callsMs() > 0 && profile.callsMs() <= profile.highMs,
                 qPrintable(QString("%1 of %2 ms").arg(profile.callsMs()).arg(profile.highMs)));
        double shares = 0;
        for (const inspect::ProfileRow& row : profile.rows)
            shares += row.share;
        QVERIFY(isClose(shares, 1));
        QVERIFY(profile.timeline && !profile.timeline->calls.empty());
        QCOMPARE(profile.rows.size(), profile.timeline->calls.size());
    }

    /// Layers run one after the other, so calls do, and Enter in a call's row leads into its layer.
    void aRowOfTheProfileLeadsIntoItsLayer() {
        QVERIFY(compiled("perf/bert-base/model.onnx"));
        {
            Settled settled(window_);
            window_.run();
            QVERIFY(settled.wait());
        }
        auto* table = window_.profilePage()->findChild<QTableView*>("functions");
        const auto* model = window_.profilePage()->model();
        std::map<int, int> rows; // by call
        for (int row = 0; row < model->rowCount(); ++row)
            rows[model->at(row).call] = row;
        int last = -1;
        std::map<int, int> calls; // by layer
        for (const auto& [call, row] : rows) {
            const int layer = layerOf(*trace().graph, model->at(row).home);
            if (layer >= 0) {
                QVERIFY(layer >= last);
                last = layer;
                ++calls[layer];
            }
        }
        QCOMPARE(calls.size(), size_t(12));
        for (const auto& [layer, count] : calls)
            QCOMPARE(count, calls.begin()->second);
        for (const auto& [call, row] : rows) {
            if (call % 17 != 0)
                continue;
            window_.showPage("profile");
            for (int shown = 0; shown < table->model()->rowCount(); ++shown)
                if (table->model()->index(shown, 0).data().toString().toStdString() == model->at(row).function)
                    table->setCurrentIndex(table->model()->index(shown, 0));
            const int home = model->at(row).home;
            QTest::keyClick(table, Qt::Key_Return);
            QTRY_COMPARE_WITH_TIMEOUT(window_.selection().nodes(), std::vector<int>{home}, 10'000);
        }
    }
};

Test test() {
    return {makes<TestWorkOfCalls>, Application::Window};
}

} // namespace lathe::testing::test_work_of_calls

#include "test_work_of_calls.moc"
