// SPDX-License-Identifier: GPL-3.0-or-later
// The page Check on a real model: its model, what clicks and keys ask for, what a divergence shows on it and on the graph.
// Needs: lathe-runner samples
// Timeout: 900
#include "app/main_window.h"
#include "driver/tensor_files.h"
#include "gui/window.h"
#include "support/host_tensor.h"
#include "support/program_of_tests.h"
#include "views/check/check_page.h"
#include "views/graph/model_page.h"
#include "views/models/check/error_overlay.h"
#include "views/problems/problems_panel.h"
#include "views/tensor/tensor_panel.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

namespace lathe::testing::test_check_page {

using namespace lathe::views::models;
using diagnose::CheckRow;
using diagnose::CheckState;
using views::check::CheckPage;

class TestCheckPage : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    static QLabel* labelWith(const QWidget& page, const QString& words) {
        for (QLabel* label : page.findChildren<QLabel*>())
            if (label->text().contains(words) && label->isVisibleTo(&page))
                return label;
        return nullptr;
    }

    static CheckRow row(const char* value, int node, CheckState state, double error, double ofLimit) {
        CheckRow row;
        row.value = value;
        row.node = node;
        row.nodes = {node};
        row.state = state;
        row.dtype = types::Float32;
        row.shape = {2, 3};
        row.comparison.largest = error;
        row.comparison.ofLimit = ofLimit;
        row.comparison.beyond = state == CheckState::Diverges ? 2 : 0;
        row.comparison.worst = error > 0 ? 4 : -1;
        row.comparison.got = 1.5;
        row.comparison.expected = 1.5 - error;
        return row;
    }

    /// A right value, one that is fused away, one that diverges first and one that follows.
    static CheckPtr sampleCheck() {
        auto graph = std::make_shared<model::ModelGraph>();
        graph->nodeCount = 4;
        auto trace = std::make_shared<driver::Trace>();
        trace->graph = graph;
        auto check = std::make_shared<diagnose::Check>();
        check->trace = trace;
        check->rows = {row("a", 0, CheckState::Within, 1e-6, 1e-3), row("b", 1, CheckState::NotCompared, 0, 0),
                       row("c", 2, CheckState::Diverges, 0.5, 20), row("d", 3, CheckState::Diverges, 1, 40)};
        check->rows[1].why = "fused into 'fused_b_c'";
        check->rows[2].nodes = {1, 2};
        check->rows[2].first = true;
        check->rows[2].why = "2 of 6 elements differ";
        check->nested = 3;
        return check;
    }

    static bool checkAndWait(app::MainWindow& window) {
        Settled settled(window);
        window.actions()["check.values"]->trigger();
        return settled.wait();
    }

private slots:
    void initTestCase() { isolate(folder_, "test_check_page"); }

    void aRowForEachValue() {
        CheckModel model;
        QAbstractItemModelTester tester(&model);
        model.show(sampleCheck());
        const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(text(0, CheckModel::State), QString("within"));
        QCOMPARE(text(0, CheckModel::Error), QString("1e-06"));
        QCOMPARE(text(1, CheckModel::State), QString("not compared"));
        QCOMPARE(text(1, CheckModel::Error), QString());
        QCOMPARE(text(1, CheckModel::Where), QString("fused into 'fused_b_c'"));
        QCOMPARE(text(2, CheckModel::State), QString("diverges first"));
        QCOMPARE(text(2, CheckModel::Where), QString("[1,1]: 1.5, expected 1"));
        QCOMPARE(text(2, CheckModel::Type), QString("float32[2,3]"));
        QCOMPARE(text(3, CheckModel::State), QString("diverges"));
        QCOMPARE(model.first(), std::vector<int>{2});
        auto odd = std::make_shared<diagnose::Check>(*sampleCheck());
        odd->rows[0].comparison.elements = 6;
        odd->rows[0].comparison.nan = 3;
        odd->rows[0].comparison.worst = -1;
        model.show(odd);
        QCOMPARE(text(0, CheckModel::Where), QString("3 of 6 values are not a number on both sides"));
        model.show(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void errorsColourTheGraph() {
        const Overlay overlay = errorOverlay(*sampleCheck());
        QCOMPARE(overlay.nodes.size(), size_t(4));
        QCOMPARE(overlay.nodes[2].share, 1.0);
        QCOMPARE(overlay.nodes[2].text, QString("0.5"));
        QVERIFY(overlay.nodes[2].hint.contains("diverges first"));
        // Computed with c, since it has no value of its own.
        QCOMPARE(overlay.nodes[1].share, 1.0);
        QVERIFY(overlay.nodes[1].hint.startsWith("computed with c"));
        QVERIFY(overlay.nodes[0].share > 0 && overlay.nodes[0].share < 0.6);
        QCOMPARE(overlay.largest, QString("40 of the tolerance"));
    }

    /// A closed group shows that something in it diverges.
    void aGroupIsAsItsWorstNode() {
        auto graph = std::make_shared<model::Graph>();
        graph->nodes.resize(4);
        for (int i = 0; i < 4; ++i) {
            graph->nodes[size_t(i)].id = i;
            graph->nodes[size_t(i)].op = "Relu";
            graph->nodes[size_t(i)].name = i < 2 ? "/first/a" + std::to_string(i) : "/second/b" + std::to_string(i);
        }
        auto model = std::make_shared<model::ModelGraph>();
        model->nodeCount = 4;
        model->graph = graph;
        const auto grouped = groupedGraph(model, graph);
        const Overlay overlay = errorOverlay(*sampleCheck(), grouped.get());
        QCOMPARE(overlay.groups.size(), grouped->tree.groups.size());
        for (size_t i = 0; i < overlay.groups.size(); ++i) {
            double worst = 0;
            for (const int place : grouped->tree.nodesOf(int(i)))
                worst = std::max(worst, overlay.nodes[size_t(place)].value.value_or(0));
            QCOMPARE(overlay.groups[i].value.value_or(0), worst);
        }
        QCOMPARE(overlay.groups.front().value, std::optional(40.0)); // all of it
        QCOMPARE(overlay.groups.front().share, 1.0);
    }

    void aClickSelectsTheNodes() {
        Selection selection;
        CheckPage page(&selection);
        page.resize(1000, 600);
        page.show();
        auto* table = page.findChild<QTableView*>();
        QVERIFY(labelWith(page, "Check values (F8)"));
        QVERIFY(!table->isVisibleTo(&page));
        page.setCheck(sampleCheck());
        // What diverges first is named on top, and selected with what is fused into it.
        const QLabel* first = labelWith(page, "Diverges first");
        QVERIFY(first && first->text().contains(">c</a> (2 of 6 elements differ)"));
        QCOMPARE(selection.nodes(), (std::vector<int>{1, 2}));
        QVERIFY(labelWith(page, "2 diverge, 1 within the tolerance"));
        QVERIFY(labelWith(page, "3 are in branches and loops left out"));
        QCOMPARE(table->model()->rowCount(), 3);
        auto* all = page.findChild<QCheckBox*>();
        QTest::mouseClick(all, Qt::LeftButton, {}, QPoint(8, all->height() / 2));
        QCOMPARE(table->model()->rowCount(), 4);
        const auto click = [&](int row) {
            QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                              table->visualRect(table->model()->index(row, CheckModel::Value)).center());
        };
        click(0);
        QCOMPARE(selection.nodes(), std::vector<int>{0});
        click(3);
        QCOMPARE(selection.nodes(), std::vector<int>{3});
        // Sorted by the share of the tolerance, the worst on top; elsewhere selected nodes mark their rows.
        table->sortByColumn(CheckModel::OfLimit, Qt::DescendingOrder);
        QCOMPARE(table->model()->index(0, CheckModel::Value).data().toString(), QString("d"));
        QCOMPARE(table->model()->index(3, CheckModel::Value).data().toString(), QString("b"));
        selection.set({{2}});
        QCOMPARE(table->selectionModel()->selectedRows().size(), 1);
        QCOMPARE(table->selectionModel()->selectedRows(CheckModel::Value).front().data().toString(), QString("c"));
        emit labelWith(page, "Diverges first")->linkActivated("3");
        QCOMPARE(selection.nodes(), std::vector<int>{3});
        page.setCheck(nullptr);
        QVERIFY(labelWith(page, "Check values (F8)"));
    }

    void whatIsComparedWithIsChosen() {
        Selection selection;
        CheckPage page(&selection);
        auto* combo = page.findChild<QComboBox*>();
        QVERIFY(std::holds_alternative<diagnose::AgainstUnoptimized>(page.against()));
        combo->setFocus();
        QTest::keyClick(combo, Qt::Key_End); // no key in the list opens a dialog
        QVERIFY(std::holds_alternative<diagnose::AgainstNumerics>(page.against()));
        page.setFiles({"/data/a.npy", "/data/b.npy"});
        const diagnose::CheckAgainst files = page.against();
        QCOMPARE(std::get<diagnose::AgainstFiles>(files).files.size(), size_t(2));
        QCOMPARE(combo->currentText(), QString("2 files"));
        page.setFiles({folder_.path()});
        QCOMPARE(combo->currentText(), QFileInfo(folder_.path()).fileName());
        QCOMPARE(combo->count(), 3);
        QTest::keyClick(combo, Qt::Key_Home);
        QVERIFY(std::holds_alternative<diagnose::AgainstUnoptimized>(page.against()));
    }

    void filesAreAskedFor() {
        Selection selection;
        CheckPage page(&selection);
        page.show();
        QDir(folder_.path()).mkpath("values");
        int asked = 0;
        const auto answer = [&](const QString& file) {
            QTimer::singleShot(0, &page, [&, file] {
                auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
                QVERIFY(dialog);
                ++asked;
                if (file.isEmpty())
                    return dialog->reject();
                dialog->selectFile(file);
                QMetaObject::invokeMethod(dialog, "accept");
            });
        };
        const auto actionWith = [&](const QString& id) {
            const auto actions = page.pageActions();
            return std::ranges::find(actions, id, &views::PageAction::id)->action;
        };
        answer({});
        actionWith("folder")->trigger();
        QVERIFY(std::holds_alternative<diagnose::AgainstUnoptimized>(page.against()));
        answer(folder_.path() + "/values");
        actionWith("folder")->trigger();
        QCOMPARE(asked, 2);
        QCOMPARE(page.findChild<QComboBox*>()->currentText(), QString("values"));
    }

    void aModelIsChecked() {
        app::MainWindow window;
        window.resize(1200, 800);
        window.show();
        QVERIFY(!window.actions()["check.values"]->isEnabled());
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        CheckPage* page = window.checkPage();
        window.showPage("check");
        {
            Settled settled(window);
            QTest::keyClick(&window, Qt::Key_F8);
            QVERIFY(settled.wait());
        }
        QVERIFY(page->model()->rowCount() > 5);
        QVERIFY(page->model()->check()->count(CheckState::Within) > 2);
        QCOMPARE(page->model()->check()->count(CheckState::Diverges), size_t(0));
        QVERIFY(labelWith(*page, "all within the tolerance"));
        // The graph can be coloured by it now.
        window.showPage("model");
        auto* colours = window.modelPage()->findChild<QComboBox*>();
        const int item = colours->findData(int(OverlayKind::Error));
        QVERIFY(colours->model()->flags(colours->model()->index(item, 0)).testFlag(Qt::ItemIsEnabled));
        colours->setCurrentIndex(item);
        // Against a file in which an output has another value.
        const CheckPtr before = page->model()->check();
        const CheckRow& last = before->rows.back();
        QVERIFY(last.state == CheckState::Within);
        int64_t count = 1;
        for (const int64_t dim : last.shape)
            count *= dim;
        const auto file =
            std::filesystem::path(folder_.path().toStdString()) / (driver::fileNameOf(last.value) + ".npy");
        QVERIFY(driver::writeNpy(file,
                                 tensorOf<float>(types::Float32, last.shape, std::vector<float>(size_t(count), 7.0F))));
        window.showPage("check");
        page->setFiles({QString::fromStdString(file.string())});
        auto* button = page->findChild<QToolButton*>("check");
        {
            Settled settled(window);
            QTest::mouseClick(button, Qt::LeftButton);
            QVERIFY(settled.wait());
        }
        QCOMPARE(page->model()->check()->count(CheckState::Diverges), size_t(1));
        QVERIFY(labelWith(*page, "Diverges first"));
        // What was compared with stays said when another choice is made.
        const QString of = "compared with " + QString::fromStdString(file.filename().string());
        QTest::keyClick(page->findChild<QComboBox*>(), Qt::Key_Home);
        QVERIFY(labelWith(*page, of));
        QVERIFY(window.selection().contains(last.node));
        // A file that fits no value: a problem, and what was there stays.
        const auto odd = std::filesystem::path(folder_.path().toStdString()) / "nothing.npy";
        QVERIFY(driver::writeNpy(odd, tensorOf<float>(types::Float32, {1}, {1})));
        page->setFiles({QString::fromStdString(odd.string())});
        QVERIFY(checkAndWait(window));
        QCOMPARE(window.problems()->model()->errors(), 1);
        QCOMPARE(page->model()->check()->count(CheckState::Diverges), size_t(1));
        // Another compilation: what was checked is no longer what is there.
        QVERIFY(compileAndWait(window));
        QVERIFY(!page->model()->check());
        QVERIFY(!colours->model()->flags(colours->model()->index(item, 0)).testFlag(Qt::ItemIsEnabled));
    }

    /// The elements of a value that diverges: computed again, as it is, as expected, and the difference; from the page by its
    /// menu's action and keys, from the page Model by a double click on what a node computes.
    void elementsOfAValue() {
        app::MainWindow window;
        window.resize(1200, 800);
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        const QAction* action = window.actions()["check.elements"];
        QVERIFY(!action->isEnabled());
        CheckPage* page = window.checkPage();
        window.showPage("check");
        QVERIFY(checkAndWait(window));
        const auto& rows = page->model()->check()->rows;
        const auto whole = std::ranges::find(rows, CheckState::Within, &CheckRow::state);
        const auto fused = std::ranges::find_if(rows, [](const CheckRow& row) { return row.why.starts_with("fused"); });
        QVERIFY(whole != rows.end() && fused != rows.end());
        auto* panel = window.tensorPanel();
        auto* which = panel->findChild<QComboBox*>();
        QVERIFY(!panel->isVisible());

        window.selection().set({{whole->node}});
        auto* table = page->findChild<QTableView*>();
        table->setFocus();
        for (int row = 0; row < table->model()->rowCount(); ++row)
            if (table->model()->index(row, CheckModel::Value).data().toString().toStdString() == whole->value)
                table->setCurrentIndex(table->model()->index(row, CheckModel::Value));
        QVERIFY(action->isEnabled() && table->actions().contains(action));
        {
            Settled settled(window);
            QTest::keyClick(&window, Qt::Key_V, Qt::ControlModifier | Qt::AltModifier);
            QCOMPARE(panel->awaited().toStdString(), whole->value);
            QVERIFY(settled.wait());
        }
        QVERIFY(panel->isVisible() && which->isVisible() && panel->awaited().isEmpty());
        QCOMPARE(which->count(), 3);
        QCOMPARE(panel->values()->tensor()->shape, whole->shape);
        QVERIFY(QTest::qWaitFor([&] { return panel->statistics().has_value(); }, patience));
        which->setFocus();
        QTest::keyClick(which, Qt::Key_End);
        QVERIFY(QTest::qWaitFor([&] { return panel->statistics().has_value(); }, patience));
        // The largest of the difference is what the check said.
        QCOMPARE(std::max(panel->statistics()->maximum, -panel->statistics()->minimum), whole->comparison.largest);

        // What is fused away is known by the unoptimized computation alone.
        window.showPage("model");
        window.modelPage()->revealNode(fused->node);
        auto* attributes = window.modelPage()->findChild<AttributeModel*>();
        const auto computed = std::ranges::find_if(
            attributes->rows(), [&](const AttributeRow& row) { return row.computed.toStdString() == fused->value; });
        QVERIFY(computed != attributes->rows().end());
        auto* list = window.modelPage()->findChild<QTableView*>();
        const QModelIndex index = attributes->index(int(computed - attributes->rows().begin()), 1);
        list->scrollTo(index);
        {
            Settled settled(window);
            const QPoint place = list->visualRect(index).center();
            QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, place);
            QTest::mouseDClick(list->viewport(), Qt::LeftButton, {}, place);
            QVERIFY(settled.wait());
        }
        QCOMPARE(which->count(), 1);
        QCOMPARE(which->currentText(), QString("Expected"));
        QVERIFY(panel->values()->tensor());

        // A newer wish takes the place of an older one; ending it says so.
        Settled settled(window);
        emit page->valueWanted(QString::fromStdString(fused->value));
        emit page->valueWanted(QString::fromStdString(whole->value));
        QVERIFY(settled.wait());
        QCOMPARE(panel->values()->tensor()->shape, whole->shape);
        QCOMPARE(which->count(), 3);
        Settled ended(window);
        emit page->valueWanted(QString::fromStdString(whole->value));
        window.cancel();
        QVERIFY(ended.wait());
        QVERIFY(panel->awaited().isEmpty() && !panel->values()->tensor());
        QVERIFY(labelWith(*panel, "cancelled"));
        // What is no value of a node is a problem.
        Settled refused(window);
        emit page->valueWanted("no such value");
        QVERIFY(refused.wait());
        QCOMPARE(window.problems()->model()->errors(), 1);
    }

    void aCheckCanBeCancelled() {
        app::MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        Settled settled(window);
        window.check(diagnose::AgainstUnoptimized{});
        window.cancel();
        QVERIFY(settled.wait());
        QVERIFY(!window.checkPage()->model()->check());
        QVERIFY(checkAndWait(window));
        QVERIFY(window.checkPage()->model()->check());
    }
};

Test test() {
    return {makes<TestCheckPage>, Application::Window};
}

} // namespace lathe::testing::test_check_page

#include "test_check_page.moc"
