// SPDX-License-Identifier: GPL-3.0-or-later
// The page Compare: two models side by side, differences stepped through by keys, shown and picked on both sides.
// Needs: lathe-runner samples
#include "app/main_window.h"
#include "gui/sample_graph.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/canvas/graph_canvas.h"
#include "views/canvas/graph_pane.h"
#include "views/graph/compare_page.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QLabel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_compare_page {

using app::MainWindow;
using views::canvas::GraphPane;
using views::graph::ComparePage;
using views::models::DifferenceModel;
using views::models::NodeDifference;

namespace {

/// Whether the node is the one that a pane has been led to.
bool isShown(GraphPane* pane, int node) {
    const auto& boxes = pane->canvas()->picture().boxOfNode;
    const auto box = boxes.find(node);
    if (box == boxes.end() || pane->canvas()->current() != box->second)
        return false;
    return QRectF(pane->canvas()->rect()).intersects(pane->canvas()->boxOnScreen(box->second));
}

} // namespace

class TestComparePage : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private slots:
    void initTestCase() { isolate(folder_, "test_compare_page"); }

    /// As `lathe diff` says it.
    void anotherNameIsNoOtherPlace() {
        const auto before = testing::residualBlock();
        auto graph = std::make_shared<model::Graph>(*before->graph);
        graph->nodes[1].name = "another";
        const auto compared = views::models::compareModels("other", before, modelOf(graph));
        QCOMPARE(compared->rows.size(), size_t(1));
        DifferenceModel model;
        QAbstractItemModelTester tester(&model);
        model.show(compared);
        QCOMPARE(model.index(0, DifferenceModel::Kind).data().toString(), QString("renamed"));
        QCOMPARE(compared->rows.front().kind, NodeDifference::Moved); // the colour is that of both
    }

    void differencesAreColoursAndRows() {
        const auto before = testing::residualBlock(); // 0: Conv, 1: Relu, 2: Add
        // The same with another operator in the place of Relu, and one behind it.
        auto graph = std::make_shared<model::Graph>(*before->graph);
        graph->nodes[1].op = "Elu";
        graph->nodes.push_back(node("Neg", "more", graph->nodes[2].outputs, {"more_out"}));
        const auto after = modelOf(graph);
        const auto compared = views::models::compareModels("other", before, after);
        const auto kindOf = [&](bool left, int node) {
            const int row = compared->rowOf(left, node);
            return row < 0 ? NodeDifference::None : compared->rows[size_t(row)].kind;
        };
        QCOMPARE(kindOf(true, 0), NodeDifference::None);
        QCOMPARE(kindOf(true, 1), NodeDifference::Changed);
        QCOMPARE(kindOf(false, 1), NodeDifference::Changed);
        QCOMPARE(kindOf(false, 3), NodeDifference::Added);
        QCOMPARE(compared->rows[size_t(compared->rowOf(false, 1))].changes, QStringList{"operator: Relu-13 → Elu-13"});
        QCOMPARE(compared->rows[size_t(compared->rowOf(false, 1))].difference, QString("changed"));
        QCOMPARE(compared->afterOf.at(2), std::vector<int>{2});
        const auto overlay = differenceOverlay(*compared, false, nullptr);
        QCOMPARE(overlay.nodes[1].difference, NodeDifference::Changed);
        QCOMPARE(overlay.nodes[0].difference, NodeDifference::None);
        const auto colors = views::models::colorsFor({});
        QCOMPARE(colorOf(overlay, overlay.nodes[3], colors), colors.added);
        DifferenceModel model;
        QAbstractItemModelTester tester(&model);
        model.show(compared);
        QCOMPARE(model.rowCount(), int(compared->rows.size()));
        QCOMPARE(model.index(compared->rowOf(false, 3), DifferenceModel::What).data().toString(),
                 QString("more (Neg)"));
        model.show(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void keysAndClicksLeadToBothSides() {
        MainWindow window;
        window.resize(1300, 850);
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        ComparePage& page = *window.comparePage();
        {
            Settled settled(window);
            window.compareWith(sample("small_cnn.onnx"));
            QVERIFY(settled.wait());
        }
        QVERIFY(page.isVisible());
        QCOMPARE(page.model()->rowCount(), 0);
        const auto said = [&](const QString& start) {
            const auto labels = page.findChildren<QLabel*>();
            return std::ranges::any_of(labels, [&](const QLabel* each) { return each->text().startsWith(start); });
        };
        QVERIFY(said("The models are equal"));
        // A node picked on one side shows its pair on the other.
        const auto click = [](GraphPane* pane, int node) {
            const int box = pane->canvas()->picture().boxOfNode.at(node);
            pane->canvas()->reveal(box);
            QTest::mouseClick(pane->canvas(), Qt::LeftButton, {}, pane->canvas()->boxOnScreen(box).center().toPoint());
        };
        click(page.before(), 3);
        QVERIFY(isShown(page.after(), 3));
        QCOMPARE(window.selection().nodes(), std::vector<int>{3});
        window.selection().set({{5}}); // by another page
        QVERIFY(isShown(page.after(), 5) && isShown(page.before(), 5));

        {
            Settled settled(window);
            window.compareWith(sample("there_is_none.onnx"));
            QVERIFY(settled.wait());
        }
        QVERIFY(!window.isBusy());
        {
            Settled settled(window);
            window.compareWith(sample("small_transformer.onnx"));
            QVERIFY(settled.wait());
        }
        const int rows = page.model()->rowCount();
        QVERIFY(rows > 1);
        auto* table = page.findChild<QTableView*>();
        QCOMPARE(table->currentIndex().row(), 0);
        QTest::keyClick(&page, Qt::Key_F7);
        QCOMPARE(table->currentIndex().row(), 1);
        QTest::keyClick(&page, Qt::Key_F7, Qt::ShiftModifier);
        QCOMPARE(table->currentIndex().row(), 0);
        QTest::keyClick(&page, Qt::Key_F7, Qt::ShiftModifier); // there is none before it
        QCOMPARE(table->currentIndex().row(), 0);
        // Each row shows the node on the sides that have it.
        for (int row = 0; row < rows; ++row) {
            table->selectRow(row);
            const auto& difference = page.model()->at(row);
            if (difference.before >= 0)
                QVERIFY(isShown(page.before(), difference.before));
            if (difference.after >= 0)
                QVERIFY(isShown(page.after(), difference.after));
        }
        // Its keys are not those of another page that is seen.
        window.showPage("passes");
        QVERIFY(!window.actions()["compare.next"]->isEnabled());
        QVERIFY(window.actions()["passes.next"]->isEnabled());
        // The sample that was made to differ: its pool, and the two that read the activation, which is other nodes; a block of nine
        // nodes has another name; the activation, the softmax and the output are others or gone.
        QVERIFY(openAndWait(window, sample("small_cnn_2.onnx")));
        {
            Settled settled(window);
            window.compareWith(sample("small_cnn.onnx"));
            QVERIFY(settled.wait());
        }
        QVERIFY(said("3 added, 3 removed, 3 changed, 9 renamed or moved, 25 nodes the same"));
        // Another model: what was compared is gone.
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QCOMPARE(page.model()->rowCount(), 0);
    }
};

Test test() {
    return {makes<TestComparePage>, Application::Window};
}

} // namespace lathe::testing::test_compare_page

#include "test_compare_page.moc"
