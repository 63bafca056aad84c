// SPDX-License-Identifier: GPL-3.0-or-later
// The page Overview and the tool bar on a real model: what they show after each stage, where rows and advice lead, and that
// what belongs to another model or compilation goes.
// Needs: lathe-runner samples
// Timeout: 900
#include "app/flow_bar.h"
#include "app/main_window.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/check/check_page.h"
#include "views/loops/loops_page.h"
#include "views/models/overview/layer_model.h"
#include "views/overview/overview_page.h"
#include "views/profile/profile_page.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolBar>
#include <algorithm>

namespace lathe::testing::test_overview {

using views::models::Flow;
using views::models::FlowStage;
using views::overview::OverviewPage;

namespace {

QStringList textsOf(const QWidget& page) {
    QStringList texts;
    for (const QLabel* label : page.findChildren<QLabel*>())
        if (!label->isHidden())
            texts << label->text();
    return texts;
}

/// "Check, next": what the button of an action says of itself.
QString stateOf(app::MainWindow& window, const char* action) {
    return window.findChild<app::FlowBar*>()->widgetForAction(window.actions()[action])->accessibleName();
}

bool isShown(const app::MainWindow& window, const QWidget* page) {
    return window.findChild<QTabWidget*>()->currentWidget() == page;
}

bool runAndWait(app::MainWindow& window) {
    Settled settled(window);
    window.run();
    return settled.wait();
}

} // namespace

class TestOverview : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private slots:
    void initTestCase() { isolate(folder_, "test_overview"); }

    void nextStage_data() {
        QTest::addColumn<QList<FlowStage>>("done");
        QTest::addColumn<FlowStage>("next");
        using enum FlowStage;
        QTest::newRow("nothing") << QList<FlowStage>{} << Open;
        QTest::newRow("opened") << QList{Open} << Compile;
        QTest::newRow("checked, not compiled") << QList{Open, Check} << Compile;
        QTest::newRow("ran") << QList{Open, Compile, Run} << Check;
        QTest::newRow("tuned without a check") << QList{Open, Compile, Run, Tune} << Export;
        QTest::newRow("exported without a check") << QList{Open, Compile, Run, Export} << Export;
    }
    void nextStage() {
        QFETCH(QList<FlowStage>, done);
        QFETCH(FlowStage, next);
        Flow flow;
        for (const FlowStage stage : done)
            flow.done[size_t(stage)] = true;
        QCOMPARE(flow.next(), next);
    }

    void rowsOfLayers() {
        views::models::LayerModel model;
        const QAbstractItemModelTester tester(&model);
        model.show({{.name = "a", .ms = 2, .share = 0.5, .machineShare = 0.25, .bound = "memory"},
                    {.name = "b", .ms = 1, .share = 0.25, .machineShare = {}, .bound = {}}});
        const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
        using Model = views::models::LayerModel;
        QCOMPARE(text(0, Model::Time), QString("2.000"));
        QCOMPARE(text(0, Model::Share), QString("50.0 %"));
        QCOMPARE(text(0, Model::Machine), QString("25 %"));
        QCOMPARE(text(1, Model::Machine), QString("–"));                               // its peaks are not known
        QCOMPARE(model.index(1, Model::Share).data(Model::shareRole).toDouble(), 0.5); // of the longest
    }

    /// Each row takes back its own decision and no other; together they take back all.
    void decisionsAreTakenBackOneByOne() {
        driver::Decisions all;
        all.skipPasses = {"fuse", "fold scale"};
        all.optionalLimit = 3;
        all.skipIn["w"] = {"unroll"};
        const auto named = [](const char* node) {
            driver::ChoiceName name;
            name.node = node;
            return name;
        };
        all.apart = {{named("a"), named("b")}, {named("b"), named("c")}};
        all.variants = {{named("a"), "direct"}, {named("b"), "direct"}};
        using relay::choose::StoredPart;
        all.layouts = {{named("a"), StoredPart::Blocks, 16}, {named("a"), StoredPart::Panels, 16}};
        all.kernels["w"].answers["b0.rows"] = {4};
        all.recorded["v"];
        const auto rows = views::models::decisionRows(all);
        QCOMPARE(rows.size(),
                 12U); // two passes, a limit, kernels, two pairs, two variants, two layouts, two of schedules
        driver::Decisions left = all;
        for (size_t i = 0; i < rows.size(); ++i) {
            const driver::Decisions before = left;
            rows[i].drop.change(left);
            QVERIFY2(left != before, qPrintable(rows[i].what));
            QCOMPARE(views::models::decisionRows(left).size(), rows.size() - i - 1);
        }
        QVERIFY(left == driver::Decisions());
    }

    void fromFileToCheck() {
        app::MainWindow window;
        window.resize(1280, 800);
        window.show();
        OverviewPage* page = window.overviewPage();
        QCOMPARE(stateOf(window, "file.open"), QString("Open, next"));
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QCOMPARE(stateOf(window, "file.open"), QString("Open, done"));
        QCOMPARE(stateOf(window, "model.compile"), QString("Compile, next"));
        QVERIFY(textsOf(*page).contains("small_cnn.onnx"));
        QVERIFY(compileAndWait(window));
        QCOMPARE(stateOf(window, "model.run"), QString("Run and profile, next"));
        QCOMPARE(page->layers()->rowCount(), 0);
        QVERIFY(!page->findChild<QPushButton*>("unchecked")); // there is nothing to go by

        QVERIFY(runAndWait(window));
        QVERIFY(isShown(window, page));
        QCOMPARE(stateOf(window, "check.values"), QString("Check, next"));
        QCOMPARE(page->layers()->rowCount(), 5);
        const inspect::Profile& profile = window.profilePage()->model()->profile();
        for (int row = 0; row < 5; ++row) {
            QCOMPARE(page->layers()->at(row).call, profile.rows[size_t(row)].call);
            QCOMPARE(page->layers()->at(row).ms, profile.rows[size_t(row)].ms);
            QVERIFY(page->layers()->at(row).machineShare > 0);
        }
        QVERIFY(page->layers()->at(0).name.contains("Conv · ")); // layer and operators

        // A row is a selection, and leads to its code.
        auto* table = page->findChild<QTableView*>();
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(page->layers()->index(1, 0)).center());
        QCOMPARE(window.selection().place().call, page->layers()->at(1).call);
        QTest::keyClick(table, Qt::Key_Return);
        QVERIFY(isShown(window, window.loopsPage()));

        // Advice does what it says.
        window.showPage("overview");
        auto* advised = page->findChild<QPushButton*>("unchecked");
        QVERIFY(advised);
        {
            Settled settled(window);
            QTest::mouseClick(advised, Qt::LeftButton);
            QVERIFY(settled.wait());
        }
        QVERIFY(window.checkPage()->model()->check());
        QVERIFY(!page->findChild<QPushButton*>("unchecked"));
        QCOMPARE(stateOf(window, "check.values"), QString("Check, done"));
        QCOMPARE(stateOf(window, "tuning.start"), QString("Tune, next"));
        QVERIFY(textsOf(*page).contains("right"));

        // Another compilation: what was measured and checked of the one before is not its own.
        QVERIFY(compileAndWait(window));
        QCOMPARE(page->layers()->rowCount(), 0);
        QCOMPARE(stateOf(window, "model.run"), QString("Run and profile, next"));
    }

    void decidedPasses() {
        app::MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(window));
        {
            Settled settled(window);
            emit window.findChild<OverviewPage*>()->whatIfWanted(
                {"a pass off, and direct", [](driver::Decisions& decided) {
                     decided.skipPasses = {"fold scale"};
                     driver::VariantDecision direct;
                     direct.of.node = "/block1/a/Conv";
                     direct.variant = "direct";
                     decided.variants = {direct};
                 }});
            QVERIFY(settled.wait());
        }
        auto* advised = window.overviewPage()->findChild<QPushButton*>("passes off");
        QVERIFY(advised);
        const auto drops = [&] {
            QStringList names;
            for (const QPushButton* button : window.overviewPage()->findChildren<QPushButton*>())
                if (button->text() == "Drop")
                    names << button->accessibleName();
            return names;
        };
        QCOMPARE(drops(), (QStringList{"Drop: Pass \"fold scale\" is off", "Drop: /block1/a/Conv as direct"}));
        {
            Settled settled(window);
            QTest::mouseClick(advised, Qt::LeftButton);
            QVERIFY(settled.wait());
        }
        QVERIFY(!window.overviewPage()->findChild<QPushButton*>("passes off"));
        QCOMPARE(drops(), QStringList{"Drop: /block1/a/Conv as direct"}); // nobody advised against that
        for (QPushButton* button : window.overviewPage()->findChildren<QPushButton*>())
            if (button->text() == "Drop") {
                Settled settled(window);
                QTest::mouseClick(button, Qt::LeftButton);
                QVERIFY(settled.wait());
                break;
            }
        QVERIFY(window.decisions() == driver::Decisions());
    }

    void aFileThatIsNoModel() {
        app::MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        const QString file = folder_.filePath("broken.onnx");
        QFile out(file);
        QVERIFY(out.open(QFile::WriteOnly));
        out.write("no model");
        out.close();
        QVERIFY(openAndWait(window, file));
        QVERIFY(!textsOf(*window.overviewPage()).contains("small_cnn.onnx"));
        QCOMPARE(stateOf(window, "file.open"), QString("Open, next"));
    }
};

Test test() {
    return {makes<TestOverview>, Application::Window};
}

} // namespace lathe::testing::test_overview

#include "test_overview.moc"
