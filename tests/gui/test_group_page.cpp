// SPDX-License-Identifier: GPL-3.0-or-later
// The page Model with groups: clicks and keys open and close them in place, what was searched or selected elsewhere is found
// in a closed group, the overview is taken hold of, figures add up, pictures are saved.
#include "gui/sample_graph.h"
#include "support/program_of_tests.h"
#include "support/transformer_graph.h"
#include "views/canvas/graph_canvas.h"
#include "views/graph/model_page.h"

#include <QAction>
#include <QFileInfo>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

namespace lathe::testing::test_group_page {

using views::canvas::GraphCanvas;
using views::graph::ModelPage;
namespace models = views::models;

namespace {

constexpr int layers = 188;

/// A page with a large graph, arranged.
struct Shown {
    models::Selection selection;
    ModelPage page{&selection};
    GraphCanvas* canvas = page.canvas();

    explicit Shown(const std::shared_ptr<model::ModelGraph>& model) {
        page.resize(1400, 900);
        page.show();
        page.setModel(model);
        settle();
    }
    void settle() {
        QVERIFY(QTest::qWaitFor([&] { return !page.isArranging() && !page.picture().boxes.empty(); }, 60'000));
    }
    const models::GroupTree& tree() const { return page.grouped()->tree; }
    QAction* action(const char* id) const {
        const auto all = page.pageActions();
        return std::ranges::find(all, QString(id), &views::PageAction::id)->action;
    }
    int boxOfGroup(int group) const {
        const auto& boxes = page.picture().boxes;
        return int(std::ranges::find(boxes, group, &models::GraphBox::group) - boxes.begin());
    }
    bool isOpen(int group) const {
        const int box = boxOfGroup(group);
        return box < int(page.picture().boxes.size()) && page.picture().boxes[size_t(box)].open;
    }
    /// A closed group of the overview.
    int someGroup(int at) const {
        for (const models::GraphBox& box : page.picture().boxes)
            if (box.group >= 0 && !box.open && at-- == 0)
                return box.group;
        qFatal("so many groups are not shown");
    }
    QRectF onScreen(int group) const { return canvas->boxOnScreen(boxOfGroup(group)); }
    bool isInSight(int box) const { return QRectF(canvas->rect()).intersects(canvas->boxOnScreen(box)); }
};

bool near(QPointF a, QPointF b) {
    return std::hypot(a.x() - b.x(), a.y() - b.y()) < 2;
}

} // namespace

class TestGroupPage : public QObject {
    Q_OBJECT

private slots:
    void mouseOpensAndClosesInPlace() {
        Shown shown(TransformerGraph::make(layers, true));
        const int group = shown.someGroup(30);
        QVERIFY(group > 0);
        shown.canvas->reveal(shown.boxOfGroup(group));
        const QRectF closed = shown.onScreen(group);
        QTest::mouseClick(shown.canvas, Qt::LeftButton, {}, closed.center().toPoint());
        QCOMPARE(shown.selection.nodes().size(), size_t(layerOperators));
        QVERIFY(!shown.isOpen(group));
        QVERIFY(shown.canvas->accessibleDescription().contains("Closed group"));
        // What it consists of, and where it is.
        const auto* attributes = shown.page.findChild<models::AttributeModel*>();
        QVERIFY(std::ranges::any_of(attributes->rows(), [](const models::AttributeRow& row) {
            return row.name == "MatMul" && row.value == "8";
        }));
        const auto labels = shown.page.findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
            return label->text().contains(QStringLiteral("encoder  ›  layer.29   53 nodes"));
        }));
        QTest::mouseDClick(shown.canvas, Qt::LeftButton, {}, closed.center().toPoint());
        shown.settle();
        QVERIFY(shown.isOpen(group));
        QVERIFY(near(shown.onScreen(group).topLeft(), closed.topLeft()));
        QVERIFY(shown.onScreen(group).height() > closed.height());
        // The title's handle, then the title itself.
        const QPoint handle = (closed.topLeft() + QPointF(15, 13) * shown.canvas->scale()).toPoint();
        QTest::mouseClick(shown.canvas, Qt::LeftButton, {}, handle);
        shown.settle();
        QVERIFY(!shown.isOpen(group));
        QCOMPARE(shown.onScreen(group).size(), closed.size());
        QVERIFY(near(shown.onScreen(group).topLeft(), closed.topLeft()));
        QTest::mouseClick(shown.canvas, Qt::LeftButton, {}, handle);
        shown.settle();
        QVERIFY(shown.isOpen(group));
        const QPoint title = (closed.topLeft() + QPointF(60, 13) * shown.canvas->scale()).toPoint();
        QTest::mouseDClick(shown.canvas, Qt::LeftButton, {}, title);
        shown.settle();
        QVERIFY(!shown.isOpen(group));
        QVERIFY(near(shown.onScreen(group).topLeft(), closed.topLeft()));
    }

    void keysOpenWalkAndClose() {
        Shown shown(TransformerGraph::make(layers, false));
        const int group = shown.someGroup(40);
        QTest::mouseClick(shown.canvas, Qt::LeftButton, {}, [&] {
            shown.canvas->reveal(shown.boxOfGroup(group));
            return shown.onScreen(group).center().toPoint();
        }());
        const double scale = shown.canvas->scale();
        QTest::keyClick(shown.canvas, Qt::Key_Plus);
        shown.settle();
        QVERIFY(shown.isOpen(group));
        QCOMPARE(shown.canvas->scale(), scale);
        QCOMPARE(shown.canvas->current(), shown.boxOfGroup(group));
        // Into it, along the arrows, out at its end and on behind it.
        const int last = shown.page.picture().boxes[size_t(shown.boxOfGroup(group))].lastBox;
        int steps = 0;
        bool inside = false;
        for (; steps < 100; ++steps) {
            QTest::keyClick(shown.canvas, Qt::Key_Down);
            const int now = shown.canvas->current();
            QVERIFY(shown.isInSight(now));
            inside |= now > shown.boxOfGroup(group) && now < last;
            if (now >= last)
                break;
        }
        QVERIFY(inside);
        QVERIFY(steps > 5 && steps < 100);
        QTest::keyClick(shown.canvas, Qt::Key_Up);
        QCOMPARE(shown.canvas->current(), shown.boxOfGroup(group));
        QTest::keyClick(shown.canvas, Qt::Key_Minus);
        shown.settle();
        QVERIFY(!shown.isOpen(group));
        QTest::keyClick(shown.canvas, Qt::Key_Return);
        shown.settle();
        QVERIFY(shown.isOpen(group));
        // From a node in it.
        QTest::keyClick(shown.canvas, Qt::Key_Down);
        QTest::keyClick(shown.canvas, Qt::Key_Down);
        QVERIFY(shown.action("collapse")->isEnabled());
        shown.action("collapse")->trigger();
        shown.settle();
        QVERIFY(!shown.isOpen(group));
        QVERIFY(!shown.action("collapse")->isEnabled());
        QTest::keyClick(shown.canvas, Qt::Key_Plus);
        QTest::keyClick(shown.canvas, Qt::Key_Plus); // an open group: larger
        QVERIFY(shown.canvas->scale() > scale);
    }

    void searchFindsTheWayIntoAClosedGroup_data() {
        QTest::addColumn<bool>("named");
        QTest::addRow("with names") << true;
        QTest::addRow("without names") << false;
    }
    void searchFindsTheWayIntoAClosedGroup() {
        QFETCH(bool, named);
        Shown shown(TransformerGraph::make(layers, named));
        const int node = operatorsBefore + 100 * layerOperators + 17;
        const auto boxOf = [&] { return shown.page.picture().boxOfNode.at(node); };
        QVERIFY(shown.page.picture().boxes[size_t(boxOf())].group > 0);
        shown.page.focusFind();
        auto* field = shown.page.findChild<QLineEdit*>();
        QTest::keyClicks(field, "value_" + QString::number(node));
        QVERIFY(!shown.page.nodesFound().empty());
        QCOMPARE(shown.page.nodesFound().front(), node); // it writes the value; its reader comes behind
        QTest::keyClick(field, Qt::Key_Return);
        shown.settle();
        QCOMPARE(shown.selection.nodes(), std::vector<int>{node});
        QCOMPARE(shown.page.picture().boxes[size_t(boxOf())].modelNode, node);
        QCOMPARE(shown.canvas->current(), boxOf());
        QVERIFY(QRectF(shown.canvas->rect()).contains(shown.canvas->boxOnScreen(boxOf())));
        // What a box at the border stands for is at the other end.
        const auto& boxes = shown.page.picture().boxes;
        const int group = shown.tree().groupOfNode[size_t(node)];
        const int frame = shown.boxOfGroup(group);
        int port = frame + 1;
        while (boxes[size_t(port)].leadsTo < 0)
            ++port;
        QVERIFY(port < boxes[size_t(frame)].lastBox);
        const int other = boxes[size_t(port)].leadsTo;
        QVERIFY(shown.tree().groupOfNode[size_t(other)] != group);
        shown.canvas->reveal(port);
        QTest::mouseDClick(shown.canvas, Qt::LeftButton, {}, shown.canvas->boxOnScreen(port).center().toPoint());
        shown.settle();
        QCOMPARE(shown.selection.nodes(), std::vector<int>{other});
    }

    void whatIsSelectedElsewhereIsShown() {
        Shown shown(TransformerGraph::make(layers, true));
        const int node = operatorsBefore + 7 * layerOperators + 3;
        shown.selection.set({{node}});
        shown.settle();
        const int box = shown.page.picture().boxOfNode.at(node);
        QCOMPARE(shown.page.picture().boxes[size_t(box)].modelNode, node);
        // Nodes that a closed group stands for do not open it.
        const int group = shown.someGroup(50);
        std::vector<int> all;
        for (const int position : shown.tree().nodesOf(group))
            all.push_back(shown.page.grouped()->graph->nodes[size_t(position)].id);
        shown.selection.set({all});
        shown.settle();
        QVERIFY(!shown.isOpen(group));
    }

    void allOpenAndAllClose() {
        Shown shown(TransformerGraph::make(layers, false));
        const size_t closed = shown.page.picture().boxes.size();
        QVERIFY(closed <= graph::mostChildren + 3);
        shown.action("expand_all")->trigger();
        shown.settle();
        QVERIFY(shown.page.picture().boxes.size() > size_t(layers * layerOperators));
        QVERIFY(!shown.action("expand_all")->isEnabled());
        shown.action("collapse_all")->trigger();
        shown.settle();
        QCOMPARE(shown.page.picture().boxes.size(), closed);
    }

    void aSmallGraphHasGroupsToClose() {
        Shown shown(TransformerGraph::make(3, false));
        const size_t whole = shown.page.picture().boxes.size();
        QVERIFY(whole >= 3 * layerOperators);
        shown.page.revealNode(operatorsBefore + 20);
        QVERIFY(shown.action("collapse")->isEnabled());
        shown.action("collapse")->trigger();
        QCOMPARE(shown.page.picture().boxes.size(), whole - layerOperators + 1);
        shown.action("expand_all")->trigger();
        QCOMPARE(shown.page.picture().boxes.size(), whole);
    }

    void overviewTakesClicksAndDrags() {
        Shown shown(TransformerGraph::make(layers, true));
        shown.canvas->zoom(2, {10, 10});
        const QRectF frame = shown.canvas->overviewFrame();
        QVERIFY(!frame.isEmpty());
        const QRectF bounds = shown.canvas->scene().layout.bounds;
        const auto middle = [&] { // of the view, in the picture
            const QRectF first = shown.canvas->boxOnScreen(0);
            const QPointF place = shown.canvas->scene().layout.centers[0];
            return place + (QPointF(shown.canvas->width(), shown.canvas->height()) / 2 - first.center()) /
                               shown.canvas->scale();
        };
        const auto expected = [&](double x, double y) {
            return bounds.topLeft() + QPointF(bounds.width() * x, bounds.height() * y);
        };
        const auto at = [&](double x, double y) {
            return (frame.topLeft() + QPointF(frame.width() * x, frame.height() * y)).toPoint();
        };
        const double pixel = bounds.width() / frame.width(); // what one pixel there is here
        const auto arrived = [&](double x, double y) {
            const QPointF away = middle() - expected(x, y);
            return std::hypot(away.x(), away.y()) < 2 * pixel;
        };
        const int current = shown.canvas->current();
        QTest::mousePress(shown.canvas, Qt::LeftButton, {}, at(0.5, 0.5));
        QVERIFY(arrived(0.5, 0.5));
        QTest::mouseMove(shown.canvas, at(0.8, 0.3));
        QVERIFY(arrived(0.8, 0.3));
        QTest::mouseRelease(shown.canvas, Qt::LeftButton, {}, at(0.8, 0.3));
        QTest::mouseMove(shown.canvas, at(0.2, 0.2));
        QVERIFY(arrived(0.8, 0.3));
        QCOMPARE(shown.canvas->current(), current); // nothing was picked
    }

    void figuresOfAGroupAreTheSum() {
        const auto graph = TransformerGraph::make(12, true);
        auto trace = std::make_shared<driver::Trace>();
        trace->graph = graph;
        inspect::Profile profile;
        // In layer 4 two functions, of which one reaches into layer 5.
        const auto call = [&](std::vector<int32_t> nodes, double ms) {
            driver::CallRecord record;
            record.function = record.kernel = "fused_" + std::to_string(trace->calls.size());
            record.span = graph->spans->intern(nodes);
            record.origins = {record.span};
            inspect::ProfileRow row;
            row.call = int(trace->calls.size());
            row.ms = ms;
            trace->calls.push_back(record);
            profile.rows.push_back(row);
        };
        const int four = operatorsBefore + 4 * layerOperators, five = four + layerOperators;
        call({four, four + 1, four + 2}, 2);
        call({five - 1, five, five + 1}, 1);
        const auto provenance = std::make_shared<const inspect::Provenance>(trace);
        const auto grouped = models::groupedGraph(graph, graph->graph);
        const auto overlay = models::overlayOf(models::OverlayKind::Time, *provenance, profile, grouped.get());
        QCOMPARE(overlay.groups.size(), grouped->tree.groups.size());
        const auto layer = [&](const char* name) -> const models::NodeOverlay& {
            const auto found = std::ranges::find_if(
                grouped->tree.groups, [&](const models::Group& group) { return group.name.ends_with(name); });
            return overlay.groups[size_t(found - grouped->tree.groups.begin())];
        };
        QCOMPARE(layer("layer.4").value, 3.0);
        QCOMPARE(layer("layer.4").share, 1.0);
        QCOMPARE(layer("layer.4").text, QString("3.00 ms"));
        QVERIFY(!layer("layer.5").value); // its function began in layer 4, and counts there alone
        QVERIFY(!layer("layer.6").value);
        QCOMPARE(overlay.groups[0].value, 3.0);
    }

    void picturesAreSaved() {
        QTemporaryDir folder;
        Shown shown(TransformerGraph::make(layers, true));
        const QString svg = folder.filePath("graph.svg"), png = folder.filePath("graph.png"),
                      pdf = folder.filePath("a.pdf");
        for (const QString& file : {svg, png, pdf})
            QCOMPARE(shown.page.savePicture(file), QString());
        const auto contents = [](const QString& path) {
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        QVERIFY(contents(svg).contains("<svg") && contents(svg).contains("layer.187"));
        QVERIFY(contents(pdf).startsWith("%PDF"));
        const QImage image(png);
        QVERIFY2(!image.isNull(), qPrintable(QString::number(QFileInfo(png).size())));
        const QSizeF size = shown.canvas->scene().layout.bounds.size();
        QVERIFY(std::abs(double(image.width()) / image.height() - size.width() / size.height()) < 0.01);
        // What cannot be says so, and leaves nothing behind.
        QVERIFY(shown.page.savePicture(folder.filePath("nowhere/graph.svg")).contains("cannot be written"));
        QVERIFY(shown.page.savePicture(folder.filePath("graph.xyz")).contains(".svg"));
        QVERIFY(!QFile::exists(folder.filePath("graph.xyz")));
    }

    void anotherModelWhileOneIsArranged() {
        models::Selection selection;
        ModelPage page(&selection);
        page.resize(1000, 700);
        page.show();
        page.setModel(transformerGraph(30'000, false));
        QVERIFY(page.isArranging());
        page.setModel(residualBlock());
        QCOMPARE(page.picture().boxes.size(), size_t(5));
        QVERIFY(QTest::qWaitFor([&] { return !page.isArranging(); }, 60'000));
        QCOMPARE(page.picture().boxes.size(), size_t(5));
        // A node that is asked for before there is a picture.
        const auto model = transformerGraph(30'000, true);
        page.setModel(model);
        page.revealNode(20'000);
        QVERIFY(QTest::qWaitFor([&] { return !page.isArranging() && !selection.nodes().empty(); }, 60'000));
        QCOMPARE(selection.nodes(), std::vector<int>{20'000});
        const int box = page.picture().boxOfNode.at(20'000);
        QCOMPARE(page.picture().boxes[size_t(box)].modelNode, 20'000);
        // Closed while work goes on.
        page.setModel(model);
        QVERIFY(page.isArranging());
    }
};

Test test() {
    return {makes<TestGroupPage>, Application::Window};
}

} // namespace lathe::testing::test_group_page

#include "test_group_page.moc"
