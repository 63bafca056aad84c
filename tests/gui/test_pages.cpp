// SPDX-License-Identifier: GPL-3.0-or-later
// The pages under the offscreen platform: mouse and keyboard lead to selections, a nested graph opens and closes, differences
// are stepped through.
#include "gui/sample_graph.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/model_page.h"
#include "views/passes/comparison_view.h"
#include "views/problems/problems_panel.h"
#include "views/profile/profile_page.h"

#include <QSignalSpy>
#include <QTableView>
#include <QTest>

using namespace lathe;
using views::graph::GraphCanvas;
using views::graph::ModelPage;

class TestPages : public QObject {
    Q_OBJECT

private slots:
    void keysWalkAlongTheGraph() {
        views::models::Selection selection;
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
        views::models::Selection selection;
        ModelPage page(&selection);
        page.resize(1000, 700);
        page.show();
        page.setModel(testing::residualBlock());
        GraphCanvas* canvas = page.canvas();
        const double before = canvas->scale();
        canvas->zoom(2, QPointF(100, 100));
        QVERIFY(canvas->scale() > before);
        QVERIFY(canvas->touched());
        canvas->fit();
        canvas->reveal(1);
        canvas->zoom(1, QPointF());
        QTest::mousePress(canvas, Qt::LeftButton, {}, {10, 10});
        QTest::mouseMove(canvas, {200, 200});
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, {200, 200});
        QVERIFY(selection.nodes().empty());
    }

    void refusedNodeIsRevealedInItsBranch() {
        views::models::Selection selection;
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

    void lateLayoutDoesNotReplaceATouchedOne() {
        views::models::Selection selection;
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

    void comparisonStandsSideBySide() {
        views::passes::ComparisonView view;
        view.resize(900, 500);
        view.show();
        views::models::Comparison comparison;
        comparison.before = QStringList{"a", "b", "c"};
        comparison.after = QStringList{"a", "c", "d"};
        comparison.rows = views::models::compareLines(comparison.before, comparison.after);
        comparison.nodesAfter = {{7}, {}, {}};
        comparison.nodesBefore.resize(3);
        QSignalSpy picked(&view, &views::passes::ComparisonView::nodesPicked);
        view.setComparison(comparison);
        QCOMPARE(view.beforeText().split('\n').size(), view.afterText().split('\n').size());
        view.markNodes({7});
        view.step(true);
        view.step(false);
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
        views::models::Selection selection;
        views::profile::ProfilePage page(&selection);
        page.resize(800, 300);
        page.show();
        views::models::Profile profile;
        profile.rows.resize(1);
        profile.rows[0].function = "fused";
        profile.rows[0].ms = 1;
        profile.rows[0].spans = {4, 2};
        page.setProfile(profile);
        auto table = page.findChild<QTableView*>();
        table->selectRow(0);
        QCOMPARE(selection.nodes(), (std::vector<int>{2, 4}));
    }
};

QTEST_MAIN(TestPages)
#include "test_pages.moc"
