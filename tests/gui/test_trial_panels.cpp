// SPDX-License-Identifier: GPL-3.0-or-later
//
// The views of trials by clicks and keys: one filter for all of them, answers, parallel axes, lineage, failures, a trial's code
// beside another's, the cost model's page, and two studies of the records.
#include "codegen/target.h"
#include "gui/made_up_trials.h"
#include "records/sample.h"
#include "support/program_of_tests.h"
#include "views/models/text/colors.h"
#include "views/page/row_delegate.h"
#include "views/text/comparison_view.h"
#include "views/tuning/answers_panel.h"
#include "views/tuning/cost_model_panel.h"
#include "views/tuning/dot_graph.h"
#include "views/tuning/parallel_view.h"
#include "views/tuning/studies_panel.h"
#include "views/tuning/study_trials.h"
#include "views/tuning/trial_code_panel.h"
#include "views/tuning/trials_panel.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <qcustomplot.h>

namespace lathe::testing::test_trial_panels {

using namespace lathe::views;
using namespace lathe::views::tuning;

namespace {

models::TaskTrials taskOf(std::shared_ptr<models::TrialSet> trials) {
    models::TaskTrials task;
    task.trials = std::move(trials);
    task.kernel.computation = doubled(64);
    task.kernel.name = "doubled";
    task.kernel.workload = records::workloadOf(*task.kernel.computation, codegen::nativeTarget()).key;
    task.kernel.options.cache = false;
    task.trace = [](int trial) -> Result<schedule::ScheduleTrace> {
        if (trial == 3)
            return failure("its trace is gone");
        return schedule::parseTrace(trial % 2 == 0 ? "loops blocks(#0) gives(0, 1)\nparallel loops(0)\n"
                                                   : "loops blocks(#0) gives(0, 1)\nvectorize loops(1)\n");
    };
    return task;
}

QString textOf(const QWidget& widget) {
    QStringList texts;
    for (const QLabel* label : widget.findChildren<QLabel*>())
        if (!label->isHidden())
            texts << label->text();
    return texts.join('\n');
}

} // namespace

class TestTrialPanels : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    static std::unique_ptr<TrialsPanel> panelOf(int trials) {
        auto panel = std::make_unique<TrialsPanel>();
        panel->resize(1200, 800);
        panel->setTask(taskOf(searchedTrials(trials)));
        panel->show();
        return panel;
    }

private slots:
    void nothingYet() {
        TrialsPanel panel;
        panel.show();
        for (int tab = 0; tab < panel.tabs()->count(); ++tab) {
            panel.tabs()->setCurrentIndex(tab);
            panel.grab();
        }
        panel.pick(5);
        QCOMPARE(panel.picked(), -1);
        CostModelPanel cost;
        cost.show();
        for (int tab = 0; tab < cost.tabs()->count(); ++tab) {
            cost.tabs()->setCurrentIndex(tab);
            cost.grab();
        }
        QVERIFY(textOf(cost).contains("No two trials of a round"));
    }

    void aFilterByKeys() {
        const auto panel = panelOf(300);
        auto* field = panel->findChild<QLineEdit*>();
        QTest::keyClicks(field, "rows>8 verdict:measured");
        QVERIFY(panel->model()->rowCount() > 20 && panel->model()->rowCount() < 300);
        QVERIFY(textOf(*panel).contains(QStringLiteral("%1 of 300 trials").arg(panel->model()->rowCount())));
        const int before = panel->model()->rowCount();
        panel->setFilter("rows>8 verdict:measured rowz<1");
        QVERIFY(textOf(*panel).contains(QStringLiteral("Nothing is called “rowz”")));
        QCOMPARE(panel->model()->rowCount(), before); // what was shown is still shown
        field->clear();
        QCOMPARE(panel->model()->rowCount(), 300);
        QVERIFY(!textOf(*panel).contains("rowz"));
    }

    void aTrialIsPicked() {
        const auto panel = panelOf(300);
        QSignalSpy picked(panel.get(), &TrialsPanel::trialPicked);
        panel->table()->setFocus();
        panel->table()->selectRow(17);
        QCOMPARE(picked.count(), 1);
        QCOMPARE(panel->picked(), 17);
        panel->table()->sortByColumn(models::TrialModel::Ratio, Qt::AscendingOrder);
        QCOMPARE(panel->model()->trialAt(panel->table()->selectionModel()->selectedRows().front().row()), 17);
        panel->setFilter("id!=17"); // it is not shown, and still picked
        QVERIFY(panel->table()->selectionModel()->selectedRows().isEmpty());
        panel->setFilter("");
        QCOMPARE(panel->model()->trialAt(panel->table()->selectionModel()->selectedRows().front().row()), 17);
        QCOMPARE(picked.count(), 1);
    }

    void aTrialBesideTheBest() {
        const auto panel = panelOf(60);
        const int best = panel->model()->trials().best();
        QVERIFY(best > 0);
        panel->pick(best == 11 ? 13 : 11);
        QSignalSpy shown(panel->code(), &TrialCodePanel::shown);
        panel->tabs()->setCurrentWidget(panel->code());
        QVERIFY(shown.wait(60'000));
        QVERIFY(textOf(*panel->code()).contains(QStringLiteral("Left trial %1, the best").arg(best)));
        const auto lines = [&](models::TrialLevel level) {
            return panel->code()->view(level)->after()->text() + panel->code()->view(level)->before()->text();
        };
        QVERIFY(lines(models::TrialLevel::Trace).contains("vectorize"));
        QVERIFY(lines(models::TrialLevel::Schedule).contains("y"));
        QVERIFY2(lines(models::TrialLevel::Assembly).contains("ret"), qPrintable(lines(models::TrialLevel::Assembly)));
        const auto* figures = panel->code()->findChild<QStandardItemModel*>();
        QVERIFY(figures->rowCount() > 50); // features, too
        QVERIFY(figures->item(0, 1)->text().toInt() > 0);
        panel->pick(3);
        QVERIFY(textOf(*panel->code()).contains("its trace is gone"));
    }

    /// Not beside a batch that is being measured.
    void trialsAreCompiledBetweenBatches() {
        models::TrialKernel kernel = taskOf(searchedTrials(2)).kernel;
        kernel.control = std::make_shared<tune::Control>();
        std::optional<tune::Control::Work> batch(std::in_place, kernel.control.get());
        const auto codeOf = [&](const std::function<bool()>& cancelled) {
            return models::trialCode(kernel, {"one", {}, {}}, {"other", {}, {}}, cancelled);
        };
        int asked = 0; // while it waits
        QCOMPARE(codeOf([&] { return ++asked > 5; }).figures[0].instructions, 0);
        QVERIFY(asked > 5);
        batch.reset();
        QVERIFY(codeOf({}).figures[0].instructions > 0);
        QVERIFY(!kernel.control->mustWait());
    }

    void whatKernelIsNotKnown() {
        TrialsPanel panel;
        models::TaskTrials task = taskOf(searchedTrials(20));
        task.kernel.computation = nullptr;
        panel.setTask(task);
        panel.show();
        QSignalSpy shown(panel.code(), &TrialCodePanel::shown);
        panel.pick(5);
        panel.tabs()->setCurrentWidget(panel.code());
        QVERIFY(shown.wait(60'000));
        QVERIFY(textOf(*panel.code()).contains("Open and compile its model"));
    }

    void answersAreCharts() {
        const auto panel = panelOf(400);
        panel->tabs()->setCurrentWidget(panel->answers());
        QTRY_VERIFY(!panel->answers()->isWorking());
        const auto& importance = panel->answers()->importance();
        QCOMPARE(panel->model()->trials().questions()[importance.front().question].name, std::string("b0.rows"));
        QCOMPARE(panel->answers()->findChildren<QCustomPlot*>().size(), qsizetype(importance.size()));
        QVERIFY(textOf(*panel->answers())
                    .contains(QStringLiteral("b0.rows: %1 %").arg(100 * importance.front().share, 0, 'f', 0)));
        // A click on a point picks its trial.
        auto* plot = panel->answers()->findChildren<QCustomPlot*>().front();
        const int trial = importance.front().answers[0].trials[0];
        plot->replot();
        QSignalSpy picked(panel.get(), &TrialsPanel::trialPicked);
        const auto data = plot->graph(0)->data();
        const auto point = std::ranges::min_element(*data, {}, [&](const QCPGraphData& each) {
            return std::abs(each.value - panel->model()->trials()[size_t(trial)].ratio);
        });
        QTest::mouseClick(plot, Qt::LeftButton, Qt::NoModifier,
                          plot->graph(0)->coordsToPixels(point->key, point->value).toPoint());
        QCOMPARE(picked.count(), 1);
    }

    /// Charts and lines come a part at a time: what is seen in the end is what a new panel shows, and a task that goes away
    /// meanwhile takes nothing along.
    void viewsThatComeInParts() {
        const auto panel = panelOf(3000), other = panelOf(3000);
        const auto isWorking = [](const TrialsPanel& of) {
            return of.answers()->isWorking() || of.parallel()->isWorking();
        };
        const auto picture = [&](TrialsPanel& of, int tab) {
            of.tabs()->setCurrentIndex(tab);
            if (!QTest::qWaitFor([&] { return !isWorking(of); }, 60'000))
                return QImage();
            return of.tabs()->widget(tab)->grab().toImage();
        };
        for (const int tab : {1, 2}) {
            const QImage all = picture(*panel, tab);
            for (const char* filter : {"signal", "rows>8", "signal", "rows>8 width>1"}) {
                panel->setFilter(filter);
                QVERIFY(isWorking(*panel));
                QCoreApplication::processEvents(); // not to its end
            }
            panel->resize(900, 700);
            QCoreApplication::processEvents();
            panel->resize(1200, 800);
            const QImage filtered = picture(*panel, tab);
            QVERIFY(!all.isNull() && !filtered.isNull() && filtered != all);
            other->setFilter("rows>8 width>1");
            QCOMPARE(picture(*other, tab), filtered);
            other->setFilter("");
            panel->setFilter("");
            QCOMPARE(picture(*panel, tab), all);
            panel->setTask({}); // before it was drawn
            panel->setTask(taskOf(searchedTrials(3000)));
            QCOMPARE(picture(*panel, tab), all);
        }
    }

    /// The same pixels as the style draws, with a row that is selected, the best one and columns that are too narrow.
    void cellsAreThoseOfTheStyle() {
        const auto panel = panelOf(400);
        QTableView& table = *panel->table();
        table.horizontalHeader()->setDefaultSectionSize(40);
        table.selectRow(3);
        QCoreApplication::processEvents();
        QAbstractItemDelegate* own = table.itemDelegate();
        class Plain : public RowDelegate {
            void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
                RowDelegate::initStyleOption(option, index);
                if (index.data(models::TrialModel::bestRole).toBool()) {
                    option->font.setBold(true);
                    option->backgroundBrush = models::colorsFor(option->palette).added;
                }
            }
        } plain;
        for (const int row : {0, panel->model()->rowOf(panel->model()->trials().best())}) {
            table.scrollTo(panel->model()->index(row, 0), QAbstractItemView::PositionAtTop);
            const QImage drawn = table.grab().toImage();
            QCOMPARE(table.grab().toImage(), drawn); // from what was kept
            table.setItemDelegate(&plain);
            QCOMPARE(table.grab().toImage(), drawn);
            table.setItemDelegate(own);
        }
    }

    void dotsAreThoseOfQCustomPlot_data() {
        QTest::addColumn<double>("scale");
        QTest::addColumn<bool>("isLogarithmic");
        QTest::newRow("at 100 %") << 1.0 << false;
        QTest::newRow("at 200 %") << 2.0 << false;
        QTest::newRow("logarithmic") << 1.0 << true;
    }

    /// The same pixels.
    void dotsAreThoseOfQCustomPlot() {
        QFETCH(double, scale);
        QFETCH(bool, isLogarithmic);
        const auto pictureOf = [&](const auto& makeGraph) {
            QCustomPlot plot;
            plot.resize(800, 600);
            plot.setNotAntialiasedElements(QCP::aeScatters);
            QCPGraph* graph = makeGraph(plot);
            graph->setLineStyle(QCPGraph::lsNone);
            graph->setScatterStyle({QCPScatterStyle::ssDot, QPen(Qt::blue, 2), Qt::NoBrush, 2});
            std::mt19937 random(1);
            for (int i = 0; i < 20'000; ++i)
                graph->addData(double(random() % 10'000), double(random() % 10'000));
            plot.xAxis->setRange(1000, 9000); // some lie outside
            plot.yAxis->setRange(1000, 9000);
            plot.yAxis->setScaleType(isLogarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
            return plot.toPixmap(800, 600, scale).toImage();
        };
        const QImage dots = pictureOf([](QCustomPlot& plot) { return new DotGraph(plot.xAxis, plot.yAxis); });
        const QImage expected = pictureOf([](QCustomPlot& plot) { return plot.addGraph(); });
        QCOMPARE(dots, expected);
    }

    void aRangeOfAnAxisIsAFilter() {
        const auto panel = panelOf(400);
        ParallelView* view = panel->parallel();
        panel->tabs()->setCurrentWidget(view);
        int axis = 0;
        while (view->picture().axes[size_t(axis)].name != "b0.rows")
            ++axis;
        const auto at = [&](int place) { return QPointF(view->xOf(axis), view->yOf(axis, place)).toPoint(); };
        QTest::mousePress(view, Qt::LeftButton, {}, at(3)); // 1 2 4 6 8 9 12 14
        QTest::mouseMove(view, at(6));
        QTest::mouseRelease(view, Qt::LeftButton, {}, at(6));
        QCOMPARE(panel->filter(), QString("b0.rows>=6 b0.rows<=12"));
        for (const int trial : panel->model()->shown()) {
            const int64_t rows = panel->model()->trials().answersOf(size_t(trial)).at("b0.rows").front();
            QVERIFY(rows >= 6 && rows <= 12);
        }
        // By keys: to the top, and with Shift one down.
        view->setFocus();
        QTest::keyClick(view, Qt::Key_End);
        QTest::keyClick(view, Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(panel->filter(), QString("b0.rows>=12"));
        QVERIFY(view->accessibleDescription().contains("From 12 to 14"));
        QTest::keyClick(view, Qt::Key_Delete);
        QCOMPARE(panel->filter(), QString());
        // The ratio, the last axis.
        QTest::keyClick(view, Qt::Key_Home);
        for (size_t i = 0; i < view->picture().axes.size(); ++i)
            QTest::keyClick(view, Qt::Key_Right);
        QTest::keyClick(view, Qt::Key_Up, Qt::ShiftModifier);
        QVERIFY2(panel->filter().startsWith("ratio<="), qPrintable(panel->filter()));
        QVERIFY(panel->model()->rowCount() > 0);
        panel->setFilter("");
        QTest::mouseClick(view, Qt::LeftButton, {}, at(3)); // all of it, as it was
        QCOMPARE(panel->filter(), QString());
    }

    void axesAreMoved() {
        const auto panel = panelOf(100);
        ParallelView* view = panel->parallel();
        panel->tabs()->setCurrentWidget(view);
        const QString first = view->picture().axes[0].name, second = view->picture().axes[1].name;
        view->setFocus();
        QTest::keyClick(view, Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(view->picture().axes[0].name, second);
        QCOMPARE(view->picture().axes[1].name, first);
        const QPoint from = view->titleOf(3).center().toPoint(), to = view->titleOf(0).center().toPoint();
        const QString moved = view->picture().axes[3].name;
        QTest::mousePress(view, Qt::LeftButton, {}, from);
        QTest::mouseMove(view, to);
        QTest::mouseRelease(view, Qt::LeftButton, {}, to);
        QCOMPARE(view->picture().axes[0].name, moved);
        panel->setFilter("rows>2"); // a filter leaves them where they are
        QCOMPARE(view->picture().axes[0].name, moved);
    }

    void lineageAndFailures() {
        const auto panel = panelOf(400);
        panel->pick(panel->model()->trials().best());
        panel->tabs()->setCurrentIndex(3);
        QVERIFY(textOf(*panel).contains("the best"));
        panel->tabs()->setCurrentIndex(4);
        QTableView* table = panel->tabs()->currentWidget()->findChild<QTableView*>();
        QVERIFY(table->model()->rowCount() >= 2);
        const QRect cell = table->visualRect(table->model()->index(0, 0));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, cell.center());
        QVERIFY(panel->filter().startsWith("verdict:"));
        QCOMPARE(panel->model()->rowCount(), table->model()->index(0, 2).data().toString().toInt());
    }

    /// While a study runs.
    void trialsComeIn() {
        const auto panel = panelOf(40);
        panel->setFilter("verdict:measured");
        std::mt19937 random(9);
        for (const int tab : {0, 1, 2, 3, 4}) {
            panel->tabs()->setCurrentIndex(tab);
            for (int i = 0; i < 16; ++i)
                panel->add(searchedTrial(int(panel->model()->trials().size()), random));
            panel->grown();
            panel->grab();
        }
        QCOMPARE(panel->model()->trials().size(), size_t(40 + 5 * 16));
        tune::Trial best = madeUpTrial(70, 0.3, {});
        best.accepted = true;
        panel->change(70, best);
        panel->grown();
        QCOMPARE(panel->model()->trials().best(), 70);
    }

    void theCostModel() {
        CostModelPanel panel;
        panel.resize(1000, 700);
        panel.setTask(taskOf(searchedTrials(400)));
        panel.show();
        QVERIFY(panel.points() > 300);
        QSignalSpy picked(&panel, &CostModelPanel::trialPicked);
        QCustomPlot* plot = panel.predictions();
        plot->replot();
        const auto point = plot->graph(CostModelPanel::shades + 1)->data()->at(7);
        QTest::mouseClick(plot, Qt::LeftButton, {},
                          plot->graph(CostModelPanel::shades + 1)->coordsToPixels(point->key, point->value).toPoint());
        QCOMPARE(picked.count(), 1);
        panel.opinion()->setCurrentIndex(1);
        QVERIFY(textOf(panel).contains("microseconds that the estimate expected"));
        panel.opinion()->setCurrentIndex(0);
        panel.tabs()->setCurrentIndex(1);
        QVERIFY(panel.rounds()->graph(0)->dataCount() > 10);
        panel.tabs()->setCurrentIndex(3);
        QVERIFY(panel.pairs()->model()->rowCount() > 0);
        QSignalSpy shown(panel.code(), &TrialCodePanel::shown);
        int row = 0; // of which both traces are there
        while (panel.pairs()->model()->index(row, 1).data().toInt() == 3 ||
               panel.pairs()->model()->index(row, 2).data().toInt() == 3)
            ++row;
        panel.pairs()->selectRow(row);
        QVERIFY(shown.wait(60'000));
        QVERIFY(textOf(*panel.code()).contains("was expected to be faster"));
        panel.setImportance(std::vector<double>(5, 0.2));
        panel.tabs()->setCurrentIndex(2);
        QVERIFY(textOf(panel).contains("total gain"));
    }

    void manyPredictionsAreCells() {
        CostModelPanel panel;
        panel.resize(1000, 700);
        panel.show();
        panel.setTask(taskOf(searchedTrials(6000)));
        QCOMPARE(panel.points(), size_t(0));
        int cells = 0;
        for (int shade = 0; shade < CostModelPanel::shades; ++shade)
            cells += panel.predictions()->graph(shade)->dataCount();
        QVERIFY(cells > 200 && cells < 5400);
    }

    /// The tabs follow a study that grows, its tasks and what is picked.
    void aStudyThatRuns() {
        models::StudyLog log;
        models::StudyPick pick;
        StudyTrials tabs(&log, &pick);
        const std::unique_ptr<QWidget> trials(tabs.trialsTab()), costModel(tabs.costModelTab());
        trials->show();
        costModel->show();
        QCOMPARE(tabs.task(), -1);
        tune::Study study;
        study.tasks.resize(2);
        std::mt19937 random(1);
        for (size_t i = 0; i < 2; ++i) {
            study.tasks[i].task.kernel = i == 0 ? "first" : "second";
            study.tasks[i].task.workload = std::to_string(i);
        }
        for (size_t i = 0; i < 2; ++i) {
            study.tasks[i].trials.push_back(searchedTrial(0, random));
            log.add(models::updateOf(study, {tune::Event::Kind::TaskBegun, i, 0}));
        }
        log.flush();
        QCOMPARE(tabs.task(), 0);
        QCOMPARE(trials->findChild<QComboBox*>()->currentText(), QString("first"));
        for (int i = 1; i <= 40; ++i)
            study.tasks[1].trials.push_back(searchedTrial(i, random));
        study.importance = {0.5, 0.5};
        log.add(models::updateOf(study, {tune::Event::Kind::Trials, 1, 1}));
        log.flush();
        QCOMPARE(tabs.trials()->model()->trials().size(), size_t(1)); // of the first
        pick.setTask(1);
        QCOMPARE(tabs.trials()->model()->trials().size(), size_t(41));
        study.tasks[1].trials[7].accepted = true;
        study.tasks[1].trials[7].ratio = {0.1, 0.2, 0.3};
        study.tasks[1].trials[7].verdict = tune::Verdict::Measured;
        log.add(models::updateOf(study, {tune::Event::Kind::Accepted, 1, 7}));
        log.flush();
        QCOMPARE(tabs.trials()->model()->trials().best(), 7);
        tabs.trials()->table()->selectRow(12);
        QCOMPARE(log.points()[size_t(pick.trial())].number, 12);
        pick.set(1, log.trialsOf(1)[30]);
        QCOMPARE(tabs.trials()->picked(), 30);
        log.clear();
        QCOMPARE(tabs.task(), -1);
        QCOMPARE(tabs.trials()->model()->rowCount(), 0);
    }

    /// Study 1 on a machine, 2 on the same, 3 on another.
    void twoStudies() {
        const std::filesystem::path path = folder_.filePath("records.db").toStdString();
        {
            auto file = records::File::open(path, records::File::Access::Write);
            QVERIFY(file.has_value());
            for (const int number : {1, 2, 3}) {
                records::Batch batch = sampleBatch({1, 0.9, number == 1 ? 0.8 : 0.5}, number);
                if (number == 3)
                    batch.studies[0].setting.machine = "another machine";
                QVERIFY(file->write(batch));
            }
            QVERIFY(file->write(sampleBatch({1, 0.7}, 4, 16))); // another kernel
            const auto both = models::compareStudies(*file, sampleStudy(1).id, sampleStudy(2).id);
            QVERIFY(both && both->tasks.size() == 1 && both->sameSetting());
            // Twice a run 10 µs by default; trials 1 and 2 were timed after 0.5 and 1 s.
            QCOMPARE(both->one.defaultUs, 20.0);
            QCOMPARE(both->one.steps.size(), size_t(3));
            QVERIFY(both->one.steps[2].seconds == 1 && std::abs(both->one.steps[2].ratio - 0.8) < 1e-12);
            QVERIFY(std::abs(both->other.ratio - 0.5) < 1e-12);
            QVERIFY(both->tasks[0].differs());
            QVERIFY(!models::compareStudies(*file, sampleStudy(1).id, "nothing"));
        }
        StudiesPanel panel;
        panel.resize(1000, 700);
        panel.setFile(path);
        panel.show();
        QTRY_VERIFY(!panel.isWorking());
        QCOMPARE(panel.studies().size(), size_t(4)); // the newest first
        panel.choose(3, 2);
        QTRY_VERIFY(!panel.isWorking());
        QCOMPARE(panel.model()->index(0, models::StudyComparisonModel::One).data().toString(),
                 QString("0.800 (0.792 to 0.808)"));
        QCOMPARE(panel.model()->index(0, models::StudyComparisonModel::Difference).data().toString(),
                 QString("-37.5 %"));
        QCOMPARE(panel.model()->index(0, models::StudyComparisonModel::DefaultUs).data().toString(), QString("10.00"));
        panel.choose(3, 1);
        QTRY_VERIFY(!panel.isWorking());
        QVERIFY(textOf(panel).contains("two machines"));
        QCOMPARE(panel.model()->index(0, models::StudyComparisonModel::DefaultUs).data().toString(), QString("–"));
        panel.choose(3, 0);
        QTRY_VERIFY(!panel.isWorking());
        QVERIFY(textOf(panel).contains("no kernel in common"));
        panel.setFile(folder_.filePath("none.db").toStdString());
        QTRY_VERIFY(!panel.isWorking());
        QVERIFY(textOf(panel).contains("no records here"));
    }
};

Test test() {
    return {makes<TestTrialPanels>, Application::Window};
}

} // namespace lathe::testing::test_trial_panels

#include "test_trial_panels.moc"
