// SPDX-License-Identifier: GPL-3.0-or-later
// The graph without eyes and without a mouse: what a screen reader finds in a GraphCanvas, and that its focus goes where the
// keys go. And the types of values on arrows: who says them, and from which scale on they are painted.
#include "gui/sample_graph.h"
#include "support/program_of_tests.h"
#include "support/transformer_graph.h"
#include "views/canvas/graph_canvas.h"
#include "views/graph/model_page.h"

#include <QAccessible>
#include <QApplication>
#include <QBuffer>
#include <QHelpEvent>
#include <QPainter>
#include <QSvgGenerator>
#include <QTest>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace lathe::testing::test_graph_accessible {

using views::canvas::GraphCanvas;
using views::graph::ModelPage;
namespace models = views::models;

namespace {

/// x -> Conv -> Relu -> Add -> y, and from the Conv to the Add; the model declares the types of all but Relu's value.
std::shared_ptr<model::ModelGraph> typedBlock() {
    auto model = residualBlock();
    auto graph = std::make_shared<model::Graph>(*model->graph);
    graph->values = {graph->inputs[0]};
    graph->values[0].name = "c";
    graph->values[0].type.shape[1].value = 77;
    return modelOf(graph);
}

struct Shown {
    models::Selection selection;
    ModelPage page{&selection};
    GraphCanvas* canvas = page.canvas();
    QAccessibleInterface* graph = nullptr;

    explicit Shown(const std::shared_ptr<model::ModelGraph>& model) {
        page.resize(1000, 800);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        page.activateWindow();
        page.setModel(model);
        settle();
        canvas->setFocus();
        QVERIFY(QTest::qWaitFor([&] { return canvas->hasFocus(); }, 10'000));
        graph = QAccessible::queryAccessibleInterface(canvas);
    }
    void settle() {
        QVERIFY(QTest::qWaitFor([&] { return !page.isArranging() && !page.picture().boxes.empty(); }, 60'000));
    }
    QAccessibleInterface* named(const QString& name) const {
        for (int i = 0; i < graph->childCount(); ++i)
            if (graph->child(i)->text(QAccessible::Name) == name)
                return graph->child(i);
        return nullptr;
    }
    QString focused() const {
        QAccessibleInterface* child = graph->focusChild();
        return child ? child->text(QAccessible::Name) : QString();
    }
    /// What is painted at this scale, as text.
    QByteArray painted(double scale) const {
        QBuffer buffer;
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        QPainter painter(&svg);
        canvas->paintPicture(painter, canvas->scene().layout.bounds, scale);
        painter.end();
        return buffer.data();
    }
};

} // namespace

class TestGraphAccessible : public QObject {
    Q_OBJECT

private slots:
    void boxesAreChildren() {
        Shown shown(typedBlock());
        QCOMPARE(shown.graph->role(), QAccessible::Tree);
        QCOMPARE(shown.graph->text(QAccessible::Name), QString("Graph of the model"));
        const auto& boxes = shown.page.picture().boxes;
        QCOMPARE(shown.graph->childCount(), int(boxes.size())); // all are in sight
        for (int i = 0; i < shown.graph->childCount(); ++i) {
            QAccessibleInterface* child = shown.graph->child(i);
            QVERIFY(child && child->isValid());
            QCOMPARE(child->parent(), shown.graph);
            QCOMPARE(shown.graph->indexOfChild(child), i);
            QCOMPARE(shown.graph->child(i), child); // the same one again
            QVERIFY(child->text(QAccessible::Name).startsWith(boxes[size_t(i)].title));
            QVERIFY(shown.graph->rect().contains(child->rect()));
            const QPoint middle = child->rect().center();
            QCOMPARE(shown.graph->childAt(middle.x(), middle.y()), child);
            QVERIFY(child->state().focusable && !child->state().offscreen && !child->state().expandable);
        }
        QVERIFY(!shown.graph->child(-1) && !shown.graph->child(shown.graph->childCount()));
        const QString sum = shown.named("Add add1")->text(QAccessible::Description);
        QVERIFY2(sum.contains("reads ") && sum.contains("Relu") && sum.contains("Conv") && sum.contains("read by y"),
                 qPrintable(sum));
        QVERIFY(shown.named("Conv conv1")->text(QAccessible::Description).contains("W float32[8,8,3,3]"));
    }

    void focusFollowsTheKeys() {
        Shown shown(typedBlock());
        QTest::keyClick(shown.canvas, Qt::Key_Home);
        QCOMPARE(shown.focused(), QString("x float32[1,8,4,4]"));
        // To the consumers and back to the producers; at the end nothing moves.
        for (const char* name : {"Conv conv1", "Relu relu1", "Add add1", "y float32[1,8,4,4]", "y float32[1,8,4,4]"}) {
            QTest::keyClick(shown.canvas, Qt::Key_Down);
            QCOMPARE(shown.focused(), QString(name));
            QVERIFY(shown.graph->focusChild()->state().focused);
            QCOMPARE(shown.graph->child(shown.graph->indexOfChild(shown.graph->focusChild())),
                     shown.graph->focusChild());
        }
        for (const char* name : {"Add add1", "Relu relu1", "Conv conv1"}) {
            QTest::keyClick(shown.canvas, Qt::Key_Up);
            QCOMPARE(shown.focused(), QString(name));
        }
        QVERIFY(shown.named("Conv conv1")->state().selected);
        QVERIFY(!shown.named("Add add1")->state().focused);
        // What is selected on another page, too.
        shown.selection.set({{2}});
        QCOMPARE(shown.focused(), QString("Add add1"));
    }

    void actionsOfABox() {
        Shown shown(TransformerGraph::make(188, true));
        const auto isClosed = [](QAccessibleInterface* child) { return child->state().collapsed; };
        QAccessibleInterface* group = nullptr;
        for (int i = 0; i < shown.graph->childCount() && !group; ++i)
            if (isClosed(shown.graph->child(i)))
                group = shown.graph->child(i);
        QVERIFY(group && group->state().expandable && !group->state().expanded);
        const QString name = group->text(QAccessible::Name);
        auto* action = group->actionInterface();
        QVERIFY(action);
        action->doAction(QAccessibleActionInterface::setFocusAction());
        QCOMPARE(shown.focused(), name);
        action->doAction(QAccessibleActionInterface::pressAction());
        shown.settle();
        QVERIFY(QTest::qWaitFor([&] { return shown.named(name) && shown.named(name)->state().expanded; }, 10'000));
        QCOMPARE(shown.focused(), name);
        // Only what is in sight: of the many boxes of this graph a part, and none of them far away.
        QVERIFY(shown.graph->childCount() < int(shown.page.picture().boxes.size()));
        for (int i = 0; i < shown.graph->childCount(); ++i)
            QVERIFY(shown.graph->rect().intersects(shown.graph->child(i)->rect()));
        const int before = shown.graph->childCount();
        shown.canvas->zoom(4, {500, 300});
        QVERIFY(shown.graph->childCount() < before);
    }

    void aBoxOfAnOlderGraphIsGone() {
        Shown shown(typedBlock());
        auto* page = QAccessible::queryAccessibleInterface(shown.canvas)->child(0);
        const QAccessible::Id id = QAccessible::uniqueId(page);
        shown.page.setModel(chainWithMask(5));
        shown.settle();
        QVERIFY(shown.graph->childCount() > 0);
        QVERIFY(shown.graph->child(0)->isValid());
        auto* stale = QAccessible::accessibleInterface(id);
        QVERIFY(!stale || !stale->isValid() || stale->text(QAccessible::Name) != "x float32[1,8,4,4]");
    }

    void typesOfArrows() {
        Shown shown(typedBlock());
        const auto& picture = shown.page.picture();
        const auto typeOf = [&](const QString& value) {
            return std::ranges::find(picture.arrows, value, &models::GraphArrow::value)->type;
        };
        QCOMPARE(typeOf("x"), QString("float32[1,8,4,4]"));
        QCOMPARE(typeOf("c"), QString("float32[1,77,4,4]"));
        QCOMPARE(typeOf("r"), QString()); // the model does not say
        // Nobody is chosen: only where there is room. Then on the arrows of who is.
        const char* type = "float32[1,77,4,4]";
        QVERIFY(!shown.painted(1).contains(type));
        QVERIFY(shown.painted(1.5).contains(type));
        QCOMPARE(shown.painted(1.5).count(type), 1); // two read it
        shown.canvas->choose(picture.boxOfNode.at(1));
        QVERIFY(shown.painted(1).contains(type));
        QVERIFY(!shown.painted(0.4).contains(type)); // too small to be read
        shown.canvas->choose(picture.boxOfNode.at(2));
        QVERIFY(shown.painted(1).contains(type));
        shown.canvas->choose(0); // the input: its arrow goes to the Conv
        QVERIFY(!shown.painted(1).contains(type));
    }

    void anArrowUnderTheMouse() {
        Shown shown(typedBlock());
        const auto& scene = shown.canvas->scene();
        const auto arrow = std::ranges::find(scene.picture.arrows, QString("c"), &models::GraphArrow::value);
        const int index = int(arrow - scene.picture.arrows.begin());
        const QPointF first = shown.canvas->boxOnScreen(0).center() - scene.layout.centers[0] * shown.canvas->scale();
        const QPoint place = (views::canvas::middleOf(scene, index) * shown.canvas->scale() + first).toPoint();
        QCOMPARE(shown.canvas->boxAt(place), -1);
        QCOMPARE(shown.canvas->arrowAt(place), index);
        QCOMPARE(shown.canvas->arrowAt(place + QPoint(60, 0)), -1);
        QHelpEvent help(QEvent::ToolTip, place, shown.canvas->mapToGlobal(place));
        QApplication::sendEvent(shown.canvas, &help);
        QCOMPARE(QToolTip::text(), QString("c\nfloat32[1,77,4,4]"));
    }
};

Test test() {
    return {makes<TestGraphAccessible>, Application::Window};
}

} // namespace lathe::testing::test_graph_accessible

#include "test_graph_accessible.moc"
