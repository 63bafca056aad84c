// SPDX-License-Identifier: GPL-3.0-or-later
// The graph IR as a graph to draw, before and after a pass: bindings as nodes, fused functions as boxes, differences by the
// names of bindings; then the page Passes with pictures, by clicks and keys.
// Needs: lathe-runner samples
// Timeout: 900
#include "app/main_window.h"
#include "gui/window.h"
#include "relay/text.h"
#include "support/program_of_tests.h"
#include "views/canvas/graph_canvas.h"
#include "views/canvas/graph_pane.h"
#include "views/models/graph/relay_graph.h"
#include "views/models/passes/pass_picture.h"
#include "views/passes/passes_page.h"
#include "views/passes/picture_view.h"
#include "views/text/comparison_view.h"

#include <QAction>
#include <QLabel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <algorithm>

namespace lathe::testing::test_pass_picture {

using namespace lathe::views::models;
using app::MainWindow;
using views::canvas::GraphPane;
using views::passes::PassesPage;

namespace {

// What "fuse" could make of x -> add -> relu -> exp, and of a copy of it: the second call is of the same function.
constexpr const char* unfused = "module next %20\n"
                                "fn main(%1 \"x\": float32[2]) -> float32[2] outputs [\"y\"] {\n"
                                "  %2 = const float32[] [0.5] @{0}\n"
                                "  %3 = const float32[20] #00000000000000000000000000000001 @{0}\n"
                                "  %4 = add(%1, %2) : float32[2] @{1}\n"
                                "  %5 = relu(%4) : float32[2] @{2}\n"
                                "  %6 = add(%5, %2) : float32[2] @{3}\n"
                                "  %7 = relu(%6) : float32[2] @{4}\n"
                                "  %8 = exp(%7) : float32[2] @{5,6}\n"
                                "  -> %8\n"
                                "}\n";
constexpr const char* fused = "module next %20\n"
                              "fn fused_add_relu_0(%9: float32[2], %10: float32[]) -> float32[2] primitive {\n"
                              "  %4 = add(%9, %10) : float32[2] @{1}\n"
                              "  %11 = relu(%4) : float32[2] @{2}\n"
                              "  -> %11\n"
                              "}\n"
                              "fn main(%1 \"x\": float32[2]) -> float32[2] outputs [\"y\"] {\n"
                              "  %2 = const float32[] [0.5] @{0}\n"
                              "  %5 = call fused_add_relu_0(%1, %2) : float32[2] @{1,2}\n"
                              "  %7 = call fused_add_relu_0(%5, %2) : float32[2] @{3,4}\n"
                              "  %8 = log(%7) : float32[2] @{5,6}\n"
                              "  -> %8\n"
                              "}\n";

driver::ModulePtr moduleOf(const char* text) {
    relay::ConstantPool pool;
    const relay::ConstantPtr zeros = relay::makeSplat(types::Float32, {20}, 0);
    pool[Hash128{1, 0}] = zeros;
    pool[Hash128{0, 1}] = zeros;
    auto parsed = relay::parse(text, pool);
    if (!parsed)
        qFatal("%s", toString(parsed.error()).c_str());
    return std::make_shared<relay::Module>(*std::move(parsed));
}

const model::Node* nodeOf(const RelayGraph& graph, const std::string& name) {
    for (const model::Node* node : graph.graph->nodes)
        if (node->name == name)
            return node;
    return nullptr;
}

driver::Trace traceOf(driver::ModulePtr before, driver::ModulePtr after) {
    driver::Trace trace;
    trace.passes.resize(2);
    trace.passes[0].name = "fuse";
    trace.passes[0].before = std::move(before);
    trace.passes[0].after = std::move(after);
    trace.passes[1].name = "tile";
    trace.passes[1].stage = driver::Stage::Tir;
    return trace;
}

QPoint middleOf(GraphPane* pane, int node) {
    const int box = pane->canvas()->picture().boxOfNode.at(node);
    pane->canvas()->reveal(box);
    return pane->canvas()->boxOnScreen(box).center().toPoint();
}

QString said(const PassesPage& page) {
    for (const QLabel* label : page.picture()->findChildren<QLabel*>())
        if (label->text().contains("difference"))
            return label->text();
    return {};
}

} // namespace

class TestPassPicture : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private slots:
    void initTestCase() { isolate(folder_, "test_pass_picture"); }

    void bindingsAreNodes() {
        const RelayGraph made = graphOf(*moduleOf(unfused), {});
        const model::Graph& graph = *made.graph->graph;
        QCOMPARE(graph.nodes.size(), size_t(7));
        QCOMPARE(graph.inputs.front().name, std::string("x"));
        QCOMPARE(toString(graph.inputs.front().type), std::string("float32[2]"));
        QCOMPARE(graph.outputs.front().name, std::string("y")); // as the model calls it
        const model::Node* add = nodeOf(made, "%4");
        QVERIFY(add && add->op == "add" && add->scope.empty());
        QCOMPARE(add->inputs, (std::vector<std::string>{"x", "%2"}));
        QCOMPARE(nodeOf(made, "%8")->outputs, std::vector<std::string>{"y"});
        QCOMPARE(made.cameFrom[size_t(nodeOf(made, "%8")->id)], (std::vector<int>{5, 6}));
        // A number is its own text.
        QCOMPARE(toString(nodeOf(made, "%2")->attributes.front().value), std::string("0.5"));
        QVERIFY(roleOf(*made.graph, *nodeOf(made, "%2")).family == model::Family::Constant);
        QVERIFY(graphOf(*moduleOf(unfused), "nowhere").graph->graph->nodes.empty());
    }

    void fusedFunctionsAreScopes() {
        const RelayGraph made = graphOf(*moduleOf(fused), {});
        // Two calls of one function: its operators stand there twice, each once with the readers of its call.
        QCOMPARE(made.graph->graph->nodes.size(), size_t(6)); // const, 2 add, 2 relu, log
        const model::Node *first = nodeOf(made, "%5"), *second = nodeOf(made, "%7");
        QVERIFY(first && second);
        QCOMPARE(first->op, std::string("relu"));
        QCOMPARE(first->scope, std::vector<std::string>{"fused_add_relu_0"});
        QCOMPARE(second->scope, std::vector<std::string>{"fused_add_relu_0'2"});
        QCOMPARE(nodeOf(made, "%4")->inputs, (std::vector<std::string>{"x", "%2"}));
        const model::Node* again = nodeOf(made, "%4'2");
        QVERIFY(again);
        QCOMPARE(again->inputs, (std::vector<std::string>{"%5", "%2"}));
        QCOMPARE(second->inputs, again->outputs);
        QCOMPARE(nodeOf(made, "%8")->inputs, second->outputs);

        // Boxes around them, however few they are, with nothing else in them.
        SceneMaker maker(groupedGraph(made.graph, made.graph->graph, GroupStyle::Scopes));
        const GraphScene scene = maker.make(startingGroups(maker.grouped()));
        const auto& boxes = scene.picture.boxes;
        const auto isFrame = [](const GraphBox& box) { return box.open && box.title.startsWith("fused_add_relu_0"); };
        QCOMPARE(std::ranges::count_if(boxes, isFrame), 2);
        for (size_t i = 0; i < boxes.size(); ++i)
            if (isFrame(boxes[i])) {
                QCOMPARE(boxes[i].lastBox - int(i) - 1, 2);
                const QRectF frame(scene.layout.centers[i] - QPointF(boxes[i].size.width(), boxes[i].size.height()) / 2,
                                   boxes[i].size);
                for (int inner = int(i) + 1; inner < boxes[i].lastBox; ++inner)
                    QVERIFY(frame.contains(scene.layout.centers[size_t(inner)]));
            }
    }

    void branchesAreNestedGraphs() {
        const RelayGraph made = graphOf(*moduleOf("module next %9\n"
                                                  "fn main(%1 \"c\": bool[], %2 \"x\": float32[2]) -> float32[2] {\n"
                                                  "  %3 = if %1 {\n"
                                                  "    %4 = exp(%2) : float32[2] @{1}\n"
                                                  "    -> %4\n"
                                                  "  } else {\n"
                                                  "    -> %2\n"
                                                  "  } : float32[2] @{0}\n"
                                                  "  -> %3\n"
                                                  "}\n"),
                                        {});
        QCOMPARE(made.graph->nodeCount, 2);
        const auto nested = nestedGraphs(*nodeOf(made, "%3"));
        QCOMPARE(nested.size(), size_t(2));
        QCOMPARE(nested[0].first, QString("then"));
        QCOMPARE(nested[0].second->nodes.front().inputs, std::vector<std::string>{"x"});
        QCOMPARE(nested[1].second->outputs.front().name, std::string("x"));
        // What a branch reads of the graph around is read by the node.
        const GraphFlow flow = lathe::graph::flowOf(*made.graph, *made.graph->graph);
        QCOMPARE(flow.reads[0].size(), size_t(2));
    }

    void differencesGoByTheNamesOfBindings() {
        const driver::Trace trace = traceOf(moduleOf(unfused), moduleOf(fused));
        const PassPicture picture = picturePass(trace, 0, {});
        QVERIFY(picture.why.isEmpty() && !picture.alone);
        const ModelComparison& compared = *picture.comparison;
        const auto kindOf = [&](bool before, const char* name) {
            const auto& graph = before ? compared.before : compared.after;
            const auto node =
                std::ranges::find_if(graph->nodes, [&](const model::Node* each) { return each->name == name; });
            const int row = compared.rowOf(before, (*node)->id);
            return row < 0 ? NodeDifference::None : compared.rows[size_t(row)].kind;
        };
        QVERIFY(kindOf(true, "%3") == NodeDifference::Removed);  // nobody read it
        QVERIFY(kindOf(false, "%8") == NodeDifference::Changed); // exp became log under its name
        QVERIFY(kindOf(true, "%5") == NodeDifference::Moved);    // into the function
        QVERIFY(kindOf(true, "%2") == NodeDifference::None);
        // From the model's nodes to bindings, and back.
        const std::vector<int> nodes = picture.after.nodesOf({5});
        QCOMPARE(nodes.size(), size_t(1));
        QCOMPARE(picture.after.modelNodes(nodes), (std::vector<int>{5, 6}));
    }

    void aPassWithoutAGraphSaysSo() {
        const driver::Trace trace = traceOf(nullptr, moduleOf(unfused));
        QVERIFY(picturePass(trace, 0, {}).alone); // the first one
        QVERIFY(picturePass(trace, 1, {}).why.contains("works on loops"));
        QVERIFY(!picturePass(trace, 7, {}).why.isEmpty());
    }

    void keysAndClicksInThePicture() {
        MainWindow window;
        window.resize(1500, 900);
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(window));
        PassesPage& page = *window.passesPage();
        page.choosePass("fuse");
        QToolButton* toggle = nullptr;
        for (auto* button : page.findChildren<QToolButton*>())
            if (button->isCheckable())
                toggle = button;
        QVERIFY(toggle);
        {
            Settled settled(window);
            QTest::mouseClick(toggle, Qt::LeftButton);
            QVERIFY(settled.wait());
        }
        auto* view = page.picture();
        QVERIFY(view->isVisible() && !page.comparison()->isVisible());
        // Both sides are arranged on workers of their own.
        QVERIFY(
            QTest::qWaitFor([&] { return !view->before()->isArranging() && !view->after()->isArranging(); }, patience));
        QVERIFY(view->after()->canvas()->picture().boxes.size() > 10);
        QVERIFY(said(page).startsWith("1 of "));

        // The keys that step through the text step through the picture, and both sides show it.
        const auto& compared = *view->picture().comparison;
        QVERIFY(compared.rows.size() > 3);
        QTest::keyClick(&page, Qt::Key_F7);
        QVERIFY(said(page).startsWith("2 of "));
        const DifferenceRow& second = compared.rows[1];
        if (second.before >= 0)
            QCOMPARE(view->before()->selected(), std::vector<int>{second.before});
        if (second.after >= 0)
            QCOMPARE(view->after()->selected(), std::vector<int>{second.after});
        QTest::keyClick(&page, Qt::Key_F7, Qt::ShiftModifier);
        QTest::keyClick(&page, Qt::Key_F7, Qt::ShiftModifier); // there is none before it
        QVERIFY(said(page).startsWith("1 of "));

        // A click on a binding selects the nodes that it came from, and its pair; stepping goes on from there.
        const auto conv = std::ranges::find_if(compared.after->graph->nodes,
                                               [](const model::Node& node) { return node.op == "conv"; });
        QVERIFY(conv != compared.after->graph->nodes.end());
        QTest::mouseClick(view->after()->canvas(), Qt::LeftButton, {}, middleOf(view->after(), conv->id));
        QCOMPARE(window.selection().nodes(), view->picture().after.cameFrom[size_t(conv->id)]);
        QVERIFY(!window.selection().nodes().empty());
        QCOMPARE(view->before()->selected(), compared.beforeOf.at(conv->id));
        const int row = compared.rowOf(false, conv->id);
        QVERIFY(row >= 0);
        QVERIFY(said(page).startsWith(QString::number(row + 1) + " of "));

        // A selection elsewhere marks its bindings.
        window.selection().set({{3}});
        QCOMPARE(view->after()->selected(), view->picture().after.nodesOf({3}));
        QVERIFY(!view->after()->selected().empty());

        // Passes over loops have none, and say so.
        {
            Settled settled(window);
            page.choosePass(QString::fromStdString(
                std::ranges::find(window.compilation()->trace().passes, driver::Stage::Tir, &driver::PassRecord::stage)
                    ->name));
            QVERIFY(settled.wait());
        }
        const auto labels = view->findChildren<QLabel*>();
        QVERIFY(
            std::ranges::any_of(labels, [](const QLabel* each) { return each->text().contains("works on loops"); }));

        // How passes are shown stays for the next window.
        MainWindow next;
        QVERIFY(next.actions()["passes.picture"]->isChecked());
        window.actions()["passes.picture"]->trigger();
        QVERIFY(page.comparison()->isVisible());
        MainWindow last;
        QVERIFY(!last.actions()["passes.picture"]->isChecked());
    }
};

Test test() {
    return {makes<TestPassPicture>, Application::Window};
}

} // namespace lathe::testing::test_pass_picture

#include "test_pass_picture.moc"
