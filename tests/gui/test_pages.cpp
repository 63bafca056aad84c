// SPDX-License-Identifier: GPL-3.0-or-later
// The pages under the offscreen platform: mouse and keyboard lead to selections, a nested graph opens and closes.
#include "gui/sample_graph.h"
#include "support/program_of_tests.h"
#include "views/canvas/graph_canvas.h"
#include "views/graph/model_page.h"
#include "views/problems/problems_panel.h"
#include "views/profile/profile_page.h"

#include <QLineEdit>
#include <QListView>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

namespace lathe::testing::test_pages {

using views::canvas::GraphCanvas;
using views::graph::ModelPage;
namespace models = views::models;

class TestPages : public QObject {
    Q_OBJECT

private slots:
    void keysWalkAlongTheGraph() {
        models::Selection selection;
        ModelPage page(&selection);
        page.resize(1000, 700);
        page.show();
        page.setModel(testing::residualBlock());
        GraphCanvas* canvas = page.canvas();
        canvas->setFocus();
        QTest::keyClick(canvas, Qt::Key_Home); // the input
        QVERIFY(selection.nodes().empty());
        QTest::keyClick(canvas, Qt::Key_Down);
        QCOMPARE(selection.nodes(), std::vector<int>{0}); // Conv
        QTest::keyClick(canvas, Qt::Key_Down);
        QTest::keyClick(canvas, Qt::Key_Up);
        QCOMPARE(selection.nodes(), std::vector<int>{0});
    }

    void mouseZoomsPansAndPicks() {
        models::Selection selection;
        ModelPage page(&selection);
        page.resize(1000, 700);
        page.show();
        QSignalSpy layouts(&page, &ModelPage::layoutWanted);
        page.setModel(testing::residualBlock());
        const models::GraphLayout layout = layeredLayout(page.picture());
        page.setLayout(layouts.last().at(0).toInt(), layout);
        GraphCanvas* canvas = page.canvas();
        canvas->fit();
        // Where a scene point lies after fit(): the graph's middle is the canvas's.
        const auto place = [&](QPointF scene) {
            return ((scene - layout.bounds.center()) * canvas->scale() + QPointF(canvas->width(), canvas->height()) / 2)
                .toPoint();
        };
        const auto centreOf = [&](int node) {
            return place(layout.centers.at(size_t(page.picture().boxOfNode.at(node))));
        };
        const QPoint conv = centreOf(0), relu = centreOf(1), nowhere(3, 3);
        QTest::mouseClick(canvas, Qt::LeftButton, {}, conv);
        QCOMPARE(selection.nodes(), std::vector<int>{0});
        QTest::mouseClick(canvas, Qt::LeftButton, {}, relu);
        QCOMPARE(selection.nodes(), std::vector<int>{1});
        QTest::mouseClick(canvas, Qt::LeftButton, {}, nowhere);
        QVERIFY(selection.nodes().empty());

        // A drag moves the picture with the mouse and picks nothing, even where it begins on a box.
        const QPoint drag(-200, 40); // away from the overview
        QVERIFY(!canvas->touched());
        QTest::mousePress(canvas, Qt::LeftButton, {}, conv);
        QTest::mouseMove(canvas, conv + drag / 2);
        QTest::mouseMove(canvas, conv + drag);
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, conv + drag);
        QVERIFY(canvas->touched());
        QVERIFY(selection.nodes().empty());
        QTest::mouseClick(canvas, Qt::LeftButton, {}, conv + drag);
        QCOMPARE(selection.nodes(), std::vector<int>{0});
        QTest::mouseClick(canvas, Qt::LeftButton, {}, conv);
        QVERIFY(selection.nodes().empty());

        // Zooming keeps the point under the mouse: the box there is the same one.
        const double before = canvas->scale();
        canvas->zoom(2, QPointF(relu + drag));
        QCOMPARE(canvas->scale(), 2 * before);
        QTest::mouseClick(canvas, Qt::LeftButton, {}, relu + drag);
        QCOMPARE(selection.nodes(), std::vector<int>{1});
    }

    void refusedNodeIsRevealedInItsBranch() {
        models::Selection selection;
        ModelPage page(&selection);
        page.resize(1000, 700);
        page.show();
        const auto model = testing::refusedInBranch();
        QSignalSpy layouts(&page, &ModelPage::layoutWanted);
        page.setModel(model);
        page.revealNode(3);
        QCOMPARE(layouts.count(), 2); // of the outer graph, then of the branch
        QCOMPARE(selection.nodes(), std::vector<int>{3});
        const auto& picture = page.picture();
        QVERIFY(picture.boxes[picture.boxOfNode.at(3)].refused);
        QTest::keyClick(page.canvas(), Qt::Key_Backspace);
        QCOMPARE(selection.nodes(), std::vector<int>{1}); // the If
        QVERIFY(page.picture().boxOfNode.contains(0));
    }

    void searchListsAndSteps() {
        models::Selection selection;
        ModelPage page(&selection);
        page.resize(1000, 700);
        page.show();
        page.setModel(testing::residualBlock()); // 0: Conv, 1: Relu, 2: Add
        auto* field = page.findChild<QLineEdit*>();
        auto* results = page.findChild<QListView*>("found");
        page.focusFind();
        // Letters list what there is and move nothing.
        QTest::keyClicks(field, "re");
        QTest::keyClicks(field, "lu");
        QCOMPARE(page.nodesFound(), std::vector<int>{1});
        QVERIFY(selection.nodes().empty());
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(selection.nodes(), std::vector<int>{1});
        field->clear();
        QTest::keyClicks(field, "zzzz");
        QVERIFY(page.nodesFound().empty());
        QVERIFY(!results->isVisible());
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(selection.nodes(), std::vector<int>{1}); // stays
        // By type of an operand, in any order of the words.
        field->clear();
        QTest::keyClicks(field, "float32[ conv");
        QCOMPARE(page.nodesFound(), std::vector<int>{0});
        // As a regular expression: not until it is one.
        for (QToolButton* button : page.findChildren<QToolButton*>())
            if (button->text() == ".*")
                button->click();
        field->clear();
        QTest::keyClicks(field, "^(relu");
        QVERIFY(page.nodesFound().empty());
        QTest::keyClicks(field, "|add)$");
        QCOMPARE(page.nodesFound(), (std::vector<int>{1, 2}));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(selection.nodes(), std::vector<int>{1});
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(selection.nodes(), std::vector<int>{2});
        QTest::keyClick(field, Qt::Key_Return); // around
        QCOMPARE(selection.nodes(), std::vector<int>{1});
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(selection.nodes(), std::vector<int>{2});
        QTest::mouseClick(results->viewport(), Qt::LeftButton, {},
                          results->visualRect(results->model()->index(0, 0)).center());
        QCOMPARE(selection.nodes(), std::vector<int>{1});
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(field->text().isEmpty());
        QVERIFY(!results->isVisible());
        QCOMPARE(page.focusWidget(), page.canvas());
    }

    void lateLayoutDoesNotReplaceATouchedOne() {
        models::Selection selection;
        ModelPage page(&selection);
        page.resize(800, 600);
        page.show();
        QSignalSpy layouts(&page, &ModelPage::layoutWanted);
        page.setModel(testing::residualBlock());
        const int picture = layouts.last().at(0).toInt();
        page.canvas()->zoom(1.5, QPointF(10, 10));
        const double scale = page.canvas()->scale();
        page.setLayout(picture, layeredLayout(page.picture()));
        page.setLayout(picture + 1, {});
        QCOMPARE(page.canvas()->scale(), scale);
    }

    void problemLeadsToItsNode() {
        views::problems::ProblemsPanel panel;
        panel.resize(600, 200);
        panel.show();
        Diagnostic problem = error("bad");
        problem.nodeId = 5;
        panel.setProblems({problem});
        QSignalSpy wanted(&panel, &views::problems::ProblemsPanel::nodeWanted);
        auto table = panel.findChild<QTableView*>();
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(0, 3)).center());
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.at(0).at(0).toInt(), 5);
    }

    void profileRowSelectsItsNodes() {
        models::Selection selection;
        views::profile::ProfilePage page(&selection);
        page.resize(800, 300);
        page.show();
        inspect::Profile profile;
        profile.rows.resize(1);
        profile.rows[0].function = "fused";
        profile.rows[0].ms = 1;
        profile.rows[0].nodes = {4, 2};
        page.setProfile(profile);
        auto table = page.findChild<QTableView*>("functions");
        table->selectRow(0);
        QCOMPARE(selection.nodes(), (std::vector<int>{2, 4}));
    }
};

Test test() {
    return {makes<TestPages>, Application::Window};
}

} // namespace lathe::testing::test_pages

#include "test_pages.moc"
