// SPDX-License-Identifier: GPL-3.0-or-later
// What the graph of the page Model is coloured by: figures of functions come to their nodes, nodes without code say why, and
// choosing with keys changes what is painted.
// Needs: lathe-runner samples
// Timeout: 900
#include "app/main_window.h"
#include "arith/expr.h"
#include "gui/sample_graph.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/canvas/graph_canvas.h"
#include "views/graph/model_page.h"
#include "views/models/graph/layout_overlay.h"
#include "views/models/graph/overlay.h"
#include "views/models/graph/table_overlay.h"
#include "views/models/graph/type_overlay.h"
#include "views/profile/profile_page.h"

#include <QComboBox>
#include <QFile>
#include <QPainter>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

namespace lathe::testing::test_overlay {

using namespace lathe::views::models;
using views::graph::ModelPage;

namespace {

driver::CallRecord call(const model::ModelGraph& graph, const char* function, std::vector<int32_t> nodes) {
    driver::CallRecord record;
    record.function = record.kernel = function;
    record.span = graph.spans->intern(nodes);
    record.origins = {record.span};
    record.flops = record.bytes = arith::symbol("n", 0, 9); // known after a run
    return record;
}

inspect::ProfileRow row(int call, double ms, double flops, double bytes) {
    inspect::ProfileRow row;
    row.call = call;
    row.ms = ms;
    row.flops = flops;
    row.bytes = bytes;
    return row;
}

/// Of Conv, Relu and Add the first two are one function.
struct Compiled {
    std::shared_ptr<const inspect::Provenance> provenance;
    inspect::Profile profile;
};

Compiled compiledBlock(const std::shared_ptr<model::ModelGraph>& graph) {
    auto trace = std::make_shared<driver::Trace>();
    trace->graph = graph;
    trace->calls = {call(*graph, "fused_add", {2}), call(*graph, "fused_conv_relu", {0, 1})};
    Compiled result;
    result.provenance = std::make_shared<inspect::Provenance>(trace);
    result.profile.rows = {row(1, 0.75, 3.6e6, 2e3), row(0, 0.25, 512, 4e3)};
    return result;
}

bool equal(const NodeOverlay& node, double value, double share, const char* text) {
    return node.value == value && node.share == share && node.text == QString::fromUtf8(text);
}

} // namespace

class TestOverlay : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    static QComboBox* chooserOf(const ModelPage& page) { return page.findChild<QComboBox*>(); }
    static bool isEnabled(const ModelPage& page, OverlayKind kind) {
        const QComboBox* chooser = chooserOf(page);
        const auto* items = chooser->model();
        return items->flags(items->index(chooser->findData(int(kind)), 0)).testFlag(Qt::ItemIsEnabled);
    }
    /// A pixel of the node's card that no text is on, as it is painted at full size.
    static QColor cardOf(const ModelPage& page, int node) {
        const GraphPicture& picture = page.picture();
        const GraphLayout layout = layeredLayout(picture);
        const int box = picture.boxOfNode.at(node);
        QImage image(layout.bounds.size().toSize(), QImage::Format_RGB32);
        QPainter painter(&image);
        painter.translate(-layout.bounds.topLeft());
        page.canvas()->paintPicture(painter, layout.bounds, 1);
        const QSizeF size = picture.boxes[size_t(box)].size;
        const QPointF place = layout.centers[size_t(box)] - layout.bounds.topLeft() + QPointF(3 - size.width() / 2, 0);
        return image.pixelColor(place.toPoint());
    }

private slots:
    void initTestCase() { isolate(folder_, "test_overlay"); }

    void figuresAreThoseOfTheFunction() {
        const Compiled compiled = compiledBlock(residualBlock());
        const Overlay time = overlayOf(OverlayKind::Time, *compiled.provenance, compiled.profile);
        QCOMPARE(time.nodes.size(), size_t(3));
        QVERIFY(equal(time.nodes[0], 0.75, 1, "0.75 ms ∗"));
        QVERIFY(equal(time.nodes[1], 0.75, 1, "0.75 ms ∗"));
        QVERIFY(equal(time.nodes[2], 0.25, 0.25 / 0.75, "0.25 ms"));
        QCOMPARE(time.nodes[0].hint, QString("0.75 ms ∗ with 1 other\n75.0 % of the whole, fused_conv_relu"));
        QCOMPARE(time.nodes[2].hint, QString("0.25 ms\n25.0 % of the whole, fused_add"));
        QCOMPARE(time.largest, QString("0.75 ms"));
        const Overlay flops = overlayOf(OverlayKind::Flops, *compiled.provenance, compiled.profile);
        QVERIFY(equal(flops.nodes[1], 3.6e6, 1, "3.60 MFLOP ∗"));
        QVERIFY(equal(flops.nodes[2], 512, 512 / 3.6e6, "512 FLOP"));
        const Overlay bytes = overlayOf(OverlayKind::Bytes, *compiled.provenance, compiled.profile);
        QVERIFY(equal(bytes.nodes[0], 2e3, 0.5, "2.00 kB ∗"));
        QVERIFY(equal(bytes.nodes[2], 4e3, 1, "4.00 kB"));
        const Overlay function = overlayOf(OverlayKind::Function, *compiled.provenance, {});
        QCOMPARE(function.nodes[0].call, 1);
        QCOMPARE(function.nodes[1].call, 1);
        QCOMPARE(function.nodes[2].call, 0);
        QVERIFY(!function.nodes[0].value);
    }

    void nodesWithoutAFigureSayWhy() {
        const auto graph = residualBlock();
        auto trace = std::make_shared<driver::Trace>();
        trace->graph = graph;
        trace->calls = {call(*graph, "fused_add", {2}), call(*graph, "fused_conv", {0})};
        trace->removed = {{1, "simplify"}};
        const inspect::Provenance provenance(trace);
        inspect::Profile profile;
        profile.rows = {row(0, 0.5, 1, 1)}; // a branch that was not taken has no row
        const Overlay time = overlayOf(OverlayKind::Time, provenance, profile);
        QVERIFY(!time.nodes[0].value && time.nodes[0].hint.contains("did not run"));
        QVERIFY(!time.nodes[1].value && time.nodes[1].hint == "removed by simplify");
        const Overlay function = overlayOf(OverlayKind::Function, provenance, {});
        QCOMPARE(function.nodes[1].hint, QString("removed by simplify"));
        for (const bool dark : {false, true}) {
            const Colors colors = colorsFor(dark ? QPalette(QColor(0x202020)) : QPalette(Qt::white));
            QCOMPARE(colors.dark, dark);
            QCOMPARE(colorOf(function, function.nodes[1], colors), colors.grid);
            QVERIFY(colorOf(function, function.nodes[0], colors) != colorOf(function, function.nodes[2], colors));
            QCOMPARE(colorOf(time, time.nodes[1], colors), colors.grid);
            QVERIFY(colors.ofShare(1).saturation() > colors.ofShare(0.2).saturation());
            QVERIFY(colors.ofShare(0.2).saturation() > colors.ofShare(0).saturation());
        }
    }

    void aNodeWithGraphsHasTheSumOfThem() {
        const auto graph = refusedInBranch();
        auto trace = std::make_shared<driver::Trace>();
        trace->graph = graph;
        const int branching = 1; // the If; nodes of its branches come after those around it
        const int32_t inner = model::graphsOf(*graph->nodes[branching]).front()->nodes.front().id;
        trace->calls = {call(*graph, "outside", {0}), call(*graph, "inside", {inner}), call(*graph, "again", {inner})};
        inspect::Profile profile;
        profile.rows = {row(0, 4, 0, 0), row(1, 1, 0, 0), row(2, 2, 0, 0)};
        const Overlay time = overlayOf(OverlayKind::Time, inspect::Provenance(trace), profile);
        QVERIFY(equal(time.nodes[branching], 3, 0.75, "3.00 ms"));
        QVERIFY(time.nodes[branching].hint.contains("2 functions"));
    }

    void nothingToColourByIsNoOverlay() {
        const Compiled compiled = compiledBlock(residualBlock());
        QVERIFY(!hasOverlay(OverlayKind::Function, nullptr, {}));
        QVERIFY(!hasOverlay(OverlayKind::Time, compiled.provenance.get(), {}));
        QVERIFY(overlayOf(OverlayKind::Time, *compiled.provenance, {}).nodes.empty());
        QVERIFY(overlayOf(OverlayKind::Family, *compiled.provenance, compiled.profile).nodes.empty());
    }

    void typesAreCategories() {
        const auto graph = residualBlock();
        const auto typeOf = [](DataType dtype) {
            model::ValueType type;
            type.kind = model::ValueType::Kind::Tensor;
            type.dtype = dtype;
            return type;
        };
        auto declared = std::make_shared<model::Graph>(*graph->graph);
        declared->values = {{graph->nodes[0]->outputs[0], typeOf(types::Float32)},
                            {graph->nodes[1]->outputs[0], typeOf(types::Int64)}};
        const auto typed = modelOf(declared);
        const Overlay overlay = typeOverlay(*typed);
        QCOMPARE(overlay.nodes[0].text, QString("float32"));
        QVERIFY(overlay.nodes[0].hint.contains(": float32"));
        QCOMPARE(overlay.nodes[1].text, QString("int64"));
        const Colors colors = colorsFor(QPalette(Qt::white));
        QVERIFY(colorOf(overlay, overlay.nodes[0], colors) != colorOf(overlay, overlay.nodes[1], colors));
    }

    void layoutsAreCategories() {
        const auto graph = residualBlock(); // Conv, Relu, Add
        const auto binding = [&](uint32_t var, relay::Op op, int node, relay::LayoutPtr layout, const char* value) {
            auto made = std::make_shared<relay::Binding>();
            made->var = {var};
            made->rhs = relay::OpCall{op, {{1}}, nullptr};
            made->type = relay::tensorType(types::Float32, {arith::intImm(1), arith::intImm(16)}, std::move(layout));
            made->span = graph->spans->of(node);
            made->modelValue = value;
            return made;
        };
        const auto blocks = std::make_shared<relay::Layout>();
        blocks->axes = {{0, 0, false}, {1, 8, true}, {1, 8, false}};
        auto body = std::make_shared<relay::Block>();
        const std::string conv = graph->nodes[0]->outputs[0];
        body->bindings = {binding(2, relay::Op::Conv, 0, blocks, conv.c_str()),
                          binding(3, relay::Op::Relayout, 0, nullptr, conv.c_str()), // a copy for somebody else
                          binding(4, relay::Op::Relu, 1, blocks, ""), // two bindings, none of them the node's value
                          binding(5, relay::Op::Relu, 1, nullptr, "")};
        body->result = {5};
        auto function = std::make_shared<relay::Function>();
        function->body = body;
        auto module = std::make_shared<relay::Module>();
        module->functions["main"] = function;
        auto trace = std::make_shared<driver::Trace>();
        trace->graph = graph;
        trace->passes.resize(1);
        trace->passes[0].after = module;
        const Overlay overlay = layoutOverlay(inspect::Provenance(trace));
        QCOMPARE(overlay.nodes[0].text, QString("blocks of 8"));
        QVERIFY(overlay.nodes[0].hint.contains("float32[1, 16; 0, 1/8, 1%8]"));
        QCOMPARE(overlay.nodes[1].text, QString("several"));
        QVERIFY(overlay.nodes[1].hint.contains("as in the model") && overlay.nodes[1].hint.contains("blocks of 8"));
        QCOMPARE(overlay.nodes[2].text, QString()); // it became nothing
        QVERIFY(!overlay.nodes[2].hint.isEmpty());
        const Colors colors = colorsFor(QPalette(Qt::white));
        QVERIFY(colorOf(overlay, overlay.nodes[0], colors) != colorOf(overlay, overlay.nodes[1], colors));
        QCOMPARE(colorOf(overlay, overlay.nodes[2], colors), colors.grid);
    }

    void tablesAreReadInAllTheirForms_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("commas, a heading, quotes") << QByteArray("node,ms\r\n\"a, \"\"b\"\"\",1.5\r\nc,-2e3\r\n");
        QTest::newRow("semicolons") << QByteArray("\"a, \"\"b\"\"\";1.5\nc;-2e3");
        QTest::newRow("tabs") << QByteArray("\"a, \"\"b\"\"\"\t1.5\nc\t-2e3\n\n");
        QTest::newRow("an object") << QByteArray("{\"a, \\\"b\\\"\": 1.5, \"c\": \"-2e3\"}");
        QTest::newRow("rows") << QByteArray("[{\"name\": \"a, \\\"b\\\"\", \"value\": 1.5},"
                                            " {\"name\": \"c\", \"value\": -2000}, 7]");
    }
    void tablesAreReadInAllTheirForms() {
        QFETCH(QByteArray, text);
        const auto table = readTable(text);
        QVERIFY(table);
        QCOMPARE(table->values.at("a, \"b\"").toDouble(), 1.5);
        QCOMPARE(table->values.at("c").toDouble(), -2000.0);
    }

    void whatIsNoTableIsRefused() {
        for (const QByteArray& text : {QByteArray(), QByteArray("{\"a\": "), QByteArray("[1, 2]"),
                                       QByteArray("one word"), QByteArray(100'000, '['), QByteArray(5000, '\0')})
            QVERIFY(!readTable(text));
    }

    void aTableColoursTheGraph() {
        Selection selection;
        ModelPage page(&selection);
        page.resize(1200, 700);
        page.show();
        const auto graph = residualBlock();
        page.setModel(graph);
        const auto names = [&](int node) { return QString::fromStdString(graph->nodes[size_t(node)]->name); };
        QVERIFY(!names(0).isEmpty() && !names(2).isEmpty());
        const auto write = [&](const QString& text) {
            QFile file(folder_.filePath("mine.csv"));
            file.open(QIODevice::WriteOnly);
            file.write(text.toUtf8());
            return file.fileName();
        };
        QVERIFY(!isEnabled(page, OverlayKind::Table));
        QVERIFY(page.colourByTable(write("nobody,1")).contains("names no node"));
        QVERIFY(page.colourByTable(folder_.path()).contains("cannot be read"));
        QCOMPARE(page.colourByTable(write(QStringLiteral("%1,10\n%2,30\n").arg(names(0), names(2)))), QString());
        QCOMPARE(chooserOf(page)->currentText(), QString("Own table"));
        const Colors colors = colorsFor(page.palette());
        QCOMPARE(cardOf(page, 2), colors.ofShare(1));
        QCOMPARE(cardOf(page, 0), colors.ofShare(0));
        QCOMPARE(cardOf(page, 1), colors.grid); // not in the table
        QVERIFY(page.canvas()->note().contains("30"));
        // Words are categories.
        QCOMPARE(page.colourByTable(write(QStringLiteral("%1,npu\n%2,cpu\n").arg(names(0), names(2)))), QString());
        QVERIFY(cardOf(page, 0) != cardOf(page, 2) && cardOf(page, 0) != colors.grid);
    }

    void keysChooseAndTheChoiceStays() {
        Selection selection;
        ModelPage page(&selection);
        page.resize(1200, 700);
        page.show();
        const auto graph = residualBlock();
        const Compiled compiled = compiledBlock(graph);
        page.setModel(graph);
        QComboBox* chooser = chooserOf(page);
        const QColor family = cardOf(page, 0);
        for (const auto kind : {OverlayKind::Time, OverlayKind::Flops, OverlayKind::Bytes, OverlayKind::Function})
            QVERIFY(!isEnabled(page, kind));
        chooser->setFocus();
        QTest::keyClick(chooser, Qt::Key_Down); // to the only thing that is known
        QCOMPARE(chooser->currentText(), QString("Element type"));
        QTest::keyClick(chooser, Qt::Key_Home);
        QCOMPARE(chooser->currentIndex(), 0);

        page.setProvenance(compiled.provenance);
        QVERIFY(isEnabled(page, OverlayKind::Function) && !isEnabled(page, OverlayKind::Time));
        QTest::keyClick(chooser, Qt::Key_Down);
        QCOMPARE(chooser->currentText(), QString("Fused function"));
        QCOMPARE(cardOf(page, 0), cardOf(page, 1));
        QVERIFY(cardOf(page, 0) != cardOf(page, 2));

        page.setProfile(compiled.profile);
        QTest::keyClick(chooser, Qt::Key_Home);
        QCOMPARE(cardOf(page, 0), family);
        const QImage before = page.canvas()->grab().toImage();
        QTest::keyClick(chooser, Qt::Key_Down);
        QCOMPARE(chooser->currentText(), QString("Time"));
        QVERIFY(page.canvas()->grab().toImage() != before);
        const Colors colors = colorsFor(page.palette());
        QCOMPARE(cardOf(page, 0), colors.ofShare(1));
        QCOMPARE(cardOf(page, 2), colors.ofShare(0.25 / 0.75));
        QVERIFY(page.canvas()->note().contains("0.75 ms"));

        // Another model: by family until it has run, then by time again.
        const auto other = residualBlock();
        const Compiled second = compiledBlock(other);
        page.setModel(other);
        QCOMPARE(chooser->currentText(), QString("Time"));
        QCOMPARE(cardOf(page, 0), family);
        QVERIFY(page.canvas()->note().contains("Compile (F5) and run (F6)"));
        page.setProvenance(second.provenance);
        QVERIFY(page.canvas()->note().contains("Run (F6) to see times"));
        page.setProfile(second.profile);
        QCOMPARE(cardOf(page, 0), colors.ofShare(1));
    }

    void aRunOfTheWindowBringsAllKinds() {
        app::MainWindow window;
        window.resize(1300, 900);
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        const ModelPage& page = *window.modelPage();
        QVERIFY(compileAndWait(window));
        // Its sizes are known, and with them the estimates.
        QVERIFY(isEnabled(page, OverlayKind::Flops) && isEnabled(page, OverlayKind::Bytes));
        QVERIFY(isEnabled(page, OverlayKind::Function) && !isEnabled(page, OverlayKind::Time));
        QComboBox* chooser = chooserOf(page);
        chooser->setFocus();
        QTest::keyClick(chooser, Qt::Key_L); // by its first letter
        QCOMPARE(chooser->currentText(), QString("Layout"));
        const Overlay layouts = layoutOverlay(*window.provenance());
        QVERIFY(
            std::ranges::any_of(layouts.nodes, [](const auto& each) { return each.text.startsWith("blocks of "); }));
        Settled ran(window);
        window.run();
        QVERIFY(ran.wait());
        QVERIFY(isEnabled(page, OverlayKind::Time));
        const auto& profile = window.profilePage()->model()->profile();
        const Overlay time = overlayOf(OverlayKind::Time, *window.provenance(), profile);
        for (const inspect::ProfileRow& each : profile.rows)
            for (const int32_t node : each.nodes)
                QVERIFY(time.nodes[size_t(node)].value >= each.ms);
        // The next compilation's code has not run.
        QVERIFY(compileAndWait(window));
        QVERIFY(!isEnabled(page, OverlayKind::Time));
    }
};

Test test() {
    return {makes<TestOverlay>, Application::Window};
}

} // namespace lathe::testing::test_overlay

#include "test_overlay.moc"
