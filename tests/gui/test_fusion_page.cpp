// SPDX-License-Identifier: GPL-3.0-or-later
// The page Fusion on a real model: its models, what clicks select, and what a selection elsewhere shows.
// Needs: lathe-runner samples
// Timeout: 900
#include "app/main_window.h"
#include "driver/compile.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/canvas/graph_canvas.h"
#include "views/canvas/graph_pane.h"
#include "views/fusion/fusion_page.h"
#include "views/models/text/counted.h"
#include "views/profile/change_panel.h"
#include "views/profile/profile_page.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QLabel>
#include <QMenu>
#include <QStatusBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>

namespace lathe::testing::test_fusion_page {

using namespace lathe::views::models;
using views::fusion::FusionPage;

class TestFusionPage : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    driver::Trace trace_; // of the sample

    QString text(const QAbstractItemModel* model, int row, int column, const QModelIndex& parent = {}) {
        return model->index(row, column, parent).data().toString();
    }
    static bool says(const QWidget& page, const QString& words) {
        const auto labels = page.findChildren<QLabel*>();
        return std::ranges::any_of(labels, [&](const QLabel* label) { return label->text().contains(words); });
    }
    static QModelIndex rowOf(const QTreeView* tree, const QString& name) {
        for (int row = 0; row < tree->model()->rowCount(); ++row)
            if (tree->model()->index(row, 0).data().toString() == name)
                return tree->model()->index(row, 0);
        return {};
    }

private slots:
    void initTestCase() {
        isolate(folder_, "test_fusion_page");
        driver::Options options;
        options.emitCode = false;
        const auto compiled = driver::compileFile(sample("small_cnn.onnx").toStdString(), {}, {}, options, trace_);
        QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
    }

    void functionsAreThoseOfTheModule() {
        FusionModel model;
        QAbstractItemModelTester tester(&model);
        model.show(fusionRows(trace_).functions);
        const auto fuse = std::ranges::find(trace_.passes, "fuse", &driver::PassRecord::name);
        size_t bindings = 0;
        for (const auto& [name, function] : fuse->after->functions)
            if (function->primitive)
                for (const auto& binding : function->body->bindings)
                    bindings += binding->as<relay::OpCall>() != nullptr;
        QCOMPARE(model.functions().size(), fuse->after->functions.size() - 1); // main
        size_t operators = 0;
        for (const FusedRow& row : model.functions()) {
            QVERIFY(fuse->after->functions.contains(row.name.toStdString()));
            QVERIFY(!row.kernel.isEmpty());
            operators += row.members.size();
        }
        QCOMPARE(operators, bindings);
    }

    void aProfileGivesItsFigures() {
        FusionModel model;
        QAbstractItemModelTester tester(&model);
        model.show(fusionRows(trace_).functions);
        inspect::Profile profile;
        profile.rows.resize(2); // two kernels of one function
        for (inspect::ProfileRow& row : profile.rows) {
            row.function = model.functions()[1].name.toStdString();
            row.ms = 1.25;
            row.flops = 6e5;
        }
        QCOMPARE(text(&model, 1, FusionModel::Time), QString());
        model.setProfile(profile);
        QCOMPARE(text(&model, 1, FusionModel::Time), QString("2.500"));
        QCOMPARE(text(&model, 1, FusionModel::Flops), QString("1.20 M"));
        QCOMPARE(text(&model, 0, FusionModel::Time), QString());
        model.setProfile({});
        QCOMPARE(text(&model, 1, FusionModel::Time), QString());
    }

    void pairsAreOfTheFunctionOrTheOperator() {
        const FusionRows rows = fusionRows(trace_);
        QCOMPARE(rows.pairs.size(), trace_.fusion.edges.size());
        FusionPairModel pairs;
        QAbstractItemModelTester tester(&pairs);
        pairs.setPairs(rows.pairs);
        QCOMPARE(pairs.rowCount(), 0);
        const auto largest = std::ranges::max_element(rows.functions, {}, &FusedRow::operators);
        const int function = int(largest - rows.functions.begin());
        QVERIFY(largest->operators > 1);
        pairs.choose(function, -1);
        const int all = pairs.rowCount();
        bool joined = false;
        for (int row = 0; row < all; ++row) {
            const FusionPairRow& pair = pairs.at(row);
            QVERIFY(pair.fromFunction == function || pair.toFunction == function);
            QCOMPARE(pair.joined, pair.fromFunction == pair.toFunction);
            QVERIFY(pair.joined || !joined); // those first that did not
            joined |= pair.joined;
            QVERIFY(!text(&pairs, row, FusionPairModel::Why).isEmpty());
        }
        QVERIFY(joined);
        pairs.choose(function, 0);
        QVERIFY(pairs.rowCount() > 0 && pairs.rowCount() < all);
    }

    /// By its action, as from the palette: the menu of the function at hand opens.
    void variantsAreChosenByTheAction() {
        app::MainWindow window;
        window.resize(1200, 800);
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QAction* choose = window.actions()["fusion.choose"];
        QVERIFY(choose && !choose->isEnabled());
        QVERIFY(compileAndWait(window));
        window.showPage("fusion");
        auto* tree = window.fusionPage()->findChild<QTreeView*>();
        for (int row = 0; row < tree->model()->rowCount() && !choose->isEnabled(); ++row)
            tree->setCurrentIndex(tree->model()->index(row, 0));
        QVERIFY(choose->isEnabled());
        choose->trigger();
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        QVERIFY(std::ranges::any_of(menu->actions(), [](const QAction* each) { return each->isCheckable(); }));
        QTest::keyClick(menu, Qt::Key_Escape);
        QVERIFY(!menu->isVisible());
    }

    void nothingYetSaysWhatToDo() {
        Selection selection;
        FusionPage page(&selection);
        QVERIFY(says(page, "Compile the model (F5)"));
        driver::Trace off = trace_;
        off.fusion = {};
        std::ranges::find(off.passes, "fuse", &driver::PassRecord::name)->enabled = false;
        page.setProvenance(std::make_shared<inspect::Provenance>(std::make_shared<driver::Trace>(off)));
        QVERIFY(says(page, "\"fuse\" is off"));
    }

    void clicksSelectAndSelectionsAreFollowed() {
        app::MainWindow window;
        window.resize(1300, 900);
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        FusionPage* page = window.fusionPage();
        QVERIFY(says(*page, "Compile the model (F5)"));
        QVERIFY(compileAndWait(window));
        window.showPage("fusion");
        auto* tree = page->findChild<QTreeView*>();
        auto* table = page->findChild<QTableView*>();
        const auto& functions = page->model()->functions();
        const auto several =
            std::ranges::find_if(functions, [](const FusedRow& row) { return row.members.size() > 1; });
        QVERIFY(several != functions.end());

        // A function, then an operator of it.
        const QModelIndex row = rowOf(tree, several->name);
        tree->scrollTo(row);
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(row).center());
        QCOMPARE(window.selection().nodes(), several->nodes);
        const int pairs = table->model()->rowCount();
        QVERIFY(pairs > 1);
        QVERIFY(says(*page, several->name));
        tree->expand(row);
        QTest::keyClick(tree, Qt::Key_Down);
        QCOMPARE(window.selection().nodes(), several->members[0].nodes);
        QVERIFY(table->model()->rowCount() < pairs);

        // What another page selects is shown, and stays what it is.
        const auto other = std::find_if(std::next(several), functions.end(),
                                        [](const FusedRow& each) { return each.nodes.size() > 1; });
        QVERIFY(other != functions.end());
        const std::vector<int> one{other->nodes.back()};
        window.selection().set(one);
        QCOMPARE(window.selection().nodes(), one);
        const auto shown = std::ranges::find(functions, tree->currentIndex().data().toString(), &FusedRow::name);
        QVERIFY(shown != functions.end());
        QVERIFY(std::ranges::count(shown->nodes, one[0]) == 1);
        window.selection().set({});
        QVERIFY(!tree->currentIndex().isValid());
        QCOMPARE(table->model()->rowCount(), 0);

        // From a neighbour that stands apart to its function.
        tree->scrollTo(row);
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(row).center());
        QCOMPARE(table->model()->index(0, FusionPairModel::Joined).data().toString(), QString("no"));
        emit table->activated(table->model()->index(0, 0));
        QVERIFY(tree->currentIndex().parent().data().toString() != several->name);
        QVERIFY(tree->currentIndex().parent().isValid());

        // A run fills in the times.
        Settled ran(window);
        window.run();
        QVERIFY(ran.wait());
        double ms = 0, profiled = 0;
        for (const FusedRow& each : functions)
            ms += each.ms.value_or(0);
        for (const inspect::ProfileRow& each : window.profilePage()->model()->profile().rows)
            profiled += each.ms;
        QVERIFY(ms > 0 && std::abs(ms - profiled) < 1e-6);

        // Each place that counts them has the same number; the model's Flatten is a view, which calls nothing.
        const QString calls = counted(qint64(functions.size()) - 1, "kernel call", "kernel calls");
        QVERIFY(says(*page, calls + ", 1 view"));
        QVERIFY(says(*window.profilePage(), calls));
        QVERIFY(says(*window.statusBar(), calls));

        // Another model: nothing of the last one stays.
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        QCOMPARE(tree->model()->rowCount(), 0);
        QVERIFY(says(*page, "Compile the model (F5)"));
    }

    void boxesAreTheRows() {
        const FusionRows rows = fusionRows(trace_);
        const FusionPicture picture = pictureFusion(trace_);
        QCOMPARE(picture.members.size(), rows.functions.size());
        for (size_t i = 0; i < rows.functions.size(); ++i) {
            QCOMPARE(picture.members[i].size(), rows.functions[i].members.size());
            for (size_t member = 0; member < picture.members[i].size(); ++member) {
                const int node = picture.members[i][member];
                const FusionPicture::Row row{int(i), int(member)};
                QVERIFY(picture.rowOf({node}) == row);
                QCOMPARE(picture.nodesOf(row), std::vector<int>{node});
                // "conv  Conv_3": the operator of the row.
                const QString op = QString::fromStdString(picture.graph->nodes[size_t(node)]->op);
                QVERIFY(rows.functions[i].members[member].name.startsWith(op + "  "));
            }
            QVERIFY(picture.rowOf(picture.nodesOf({int(i), -1})).function == int(i));
        }
        QVERIFY(picture.rowOf({picture.members[0][0], picture.members[1][0]}) == FusionPicture::Row());

        // A box has the function's time and why its neighbours are not in it; so has the arrow between two.
        std::vector<FusedRow> functions = rows.functions;
        functions[1].ms = 0.25;
        const auto grouped = groupedGraph(picture.graph, picture.graph->graph, GroupStyle::Scopes);
        const Overlay overlay = fusionOverlay(picture, functions, rows.pairs, grouped.get());
        const auto groupOf = [&](int function) {
            const auto& groups = grouped->tree.groups;
            const auto found = std::ranges::find(groups, functions[size_t(function)].name.toStdString(), &Group::name);
            return int(found - groups.begin());
        };
        QCOMPARE(overlay.groups[size_t(groupOf(1))].text, QString("0.250 ms"));
        QCOMPARE(overlay.groups[size_t(groupOf(0))].text, QString());
        const auto apart = std::ranges::find_if(
            rows.pairs, [](const FusionPairRow& pair) { return !pair.joined && pair.fromFunction != pair.toFunction; });
        QVERIFY(apart != rows.pairs.end());
        QVERIFY(overlay.groups[size_t(groupOf(apart->fromFunction))].hint.contains(apart->why));
        QVERIFY(overlay.between.at({groupOf(apart->fromFunction), groupOf(apart->toFunction)}).contains(apart->why));
    }

    void clicksInThePicture() {
        app::MainWindow window;
        window.resize(1300, 900);
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        window.showPage("fusion");
        FusionPage* page = window.fusionPage();
        const auto buttons = page->findChildren<QToolButton*>();
        const auto toggle = std::ranges::find_if(buttons, [](QToolButton* each) { return each->isCheckable(); });
        QVERIFY(toggle != buttons.end());
        QTest::mouseClick(*toggle, Qt::LeftButton);
        QVERIFY(page->picture()->isVisible() && page->picture()->canvas()->picture().boxes.empty());
        QVERIFY(compileAndWait(window));
        window.showPage("fusion");
        QTRY_VERIFY(!page->picture()->canvas()->picture().boxes.empty());
        auto* canvas = page->picture()->canvas();
        auto* tree = page->findChild<QTreeView*>();
        auto* table = page->findChild<QTableView*>();
        const auto& functions = page->model()->functions();
        const auto several =
            std::ranges::find_if(functions, [](const FusedRow& row) { return row.members.size() > 1; });
        const auto boxOf = [&](const QString& title) {
            const auto& boxes = canvas->picture().boxes;
            return int(std::ranges::find(boxes, title, &GraphBox::title) - boxes.begin());
        };

        // The box of a function, by its title: its row, its nodes, its pairs.
        const int box = boxOf(several->name);
        QVERIFY(size_t(box) < canvas->picture().boxes.size() && canvas->picture().boxes[size_t(box)].open);
        canvas->reveal(box);
        const QPoint title = canvas->boxOnScreen(box).topLeft().toPoint() + QPoint(60, 10);
        QTest::mouseClick(canvas, Qt::LeftButton, {}, title);
        QCOMPARE(tree->currentIndex().data().toString(), several->name);
        QVERIFY(!tree->currentIndex().parent().isValid());
        QCOMPARE(window.selection().nodes(), several->nodes);
        QVERIFY(table->model()->rowCount() > 1);
        // With a key to the first operator in it.
        QTest::keyClick(canvas, Qt::Key_Down);
        QVERIFY(tree->currentIndex().parent().isValid());
        QCOMPARE(tree->currentIndex().row(), 0);
        QCOMPARE(window.selection().nodes(), several->members[0].nodes);

        // What is selected elsewhere is marked here: all operators of the function.
        const auto other = std::find_if(std::next(several), functions.end(),
                                        [](const FusedRow& each) { return each.members.size() > 1; });
        QVERIFY(other != functions.end());
        window.selection().set({other->nodes});
        QCOMPARE(page->picture()->selected().size(), other->members.size());
        for (const int node : page->picture()->selected())
            QVERIFY(canvas->isSelected(canvas->picture().boxOfNode.at(node)));
        window.selection().set({});
        QVERIFY(page->picture()->selected().empty());

        // Another model: no picture of the last one stays.
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        QVERIFY(canvas->picture().boxes.empty());
        window.showPage("fusion");
        QTest::mouseClick(*toggle, Qt::LeftButton);
        QVERIFY(tree->isVisible());
    }

    /// What if two operators were not fused: undoing it gives what was there before, and compiles nothing.
    void aPairIsKeptApartAndFusedAgain() {
        app::MainWindow window;
        window.resize(1400, 900);
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(window));
        window.showPage("fusion");
        const auto page = window.fusionPage();
        const auto tree = page->findChild<QTreeView*>();
        const auto table = page->findChild<QTableView*>();
        const auto button = [&](const QString& title) {
            const auto buttons = page->findChildren<QToolButton*>();
            const auto found =
                std::ranges::find_if(buttons, [&](QToolButton* each) { return each->text().remove('&') == title; });
            return found == buttons.end() ? nullptr : *found;
        };
        const auto functions = [&] {
            QStringList names;
            for (const FusedRow& row : page->model()->functions())
                names << row.name;
            return names;
        };
        const auto newKernels = [&] {
            return std::ranges::count(window.provenance()->trace().kernels, false, &driver::KernelRecord::cached);
        };
        const QStringList before = functions();
        tree->setCurrentIndex(rowOf(tree, before.first()));
        int joined = 0;
        while (joined < table->model()->rowCount() &&
               table->model()->index(joined, FusionPairModel::Joined).data() != "yes")
            ++joined;
        QVERIFY(joined < table->model()->rowCount());
        QVERIFY(!button("Keep apart")->isEnabled());
        table->setCurrentIndex(table->model()->index(joined, 0));
        QVERIFY(button("Keep apart")->isEnabled() && !button("Fuse again")->isEnabled());
        {
            Settled settled(window);
            QTest::mouseClick(button("Keep apart"), Qt::LeftButton);
            QVERIFY(settled.wait());
        }
        QCOMPARE(window.decisions().apart.size(), size_t{1});
        QCOMPARE(functions().size(), before.size() + 1);
        QCOMPARE(newKernels(), 2); // those of the function that became two
        {
            Settled settled(window);
            QTest::keyClick(&window, Qt::Key_F6, Qt::ShiftModifier);
            QVERIFY(settled.wait());
        }
        // One function before, two now; which is faster is not for a test to say.
        const auto* changes = window.profilePage()->changes()->model();
        QVERIFY(changes->before().medianMs > 0 && changes->after().medianMs > 0);
        QCOMPARE(changes->before().rows.size() + 1, changes->after().rows.size());
        int split = 0;
        for (int row = 0; row < changes->rowCount(); ++row)
            split += changes->at(row).before.size() == 1 && changes->at(row).after.size() == 2;
        QCOMPARE(split, 1);
        QCOMPARE(changes->rowCount(), int(changes->before().rows.size()));
        window.showPage("fusion");
        // The pair is there, apart by decision, and may be fused again.
        tree->setCurrentIndex(tree->model()->index(0, 0));
        int apart = -1;
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            table->setCurrentIndex(table->model()->index(row, 0));
            if (button("Fuse again")->isEnabled())
                apart = row;
        }
        QVERIFY(apart >= 0);
        {
            Settled settled(window);
            QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
            QVERIFY(settled.wait());
        }
        QVERIFY(window.decisions().apart.empty());
        QCOMPARE(functions(), before);
        QCOMPARE(newKernels(), 0); // those of before
        // A whole function: each operator in one of its own.
        tree->setCurrentIndex(rowOf(tree, before.first()));
        const int operators = int(page->model()->functions().front().members.size());
        {
            Settled settled(window);
            QTest::mouseClick(button("Take the function apart"), Qt::LeftButton);
            QVERIFY(settled.wait());
        }
        QCOMPARE(functions().size(), before.size() + operators - 1);
    }
};

Test test() {
    return {makes<TestFusionPage>, Application::Window};
}

} // namespace lathe::testing::test_fusion_page

#include "test_fusion_page.moc"
