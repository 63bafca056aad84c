// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Tuning: its item models by rows made by hand; and a study of the sample network in the window by clicks and keys
// alone, with the builders and the measurer that users have: charts fill, it pauses, goes on, prefers a task, stops; what it
// found is applied and compiled; closed and opened again, the study is there and goes on.
// Needs: lathe-runner samples
// Timeout: 900
// Runs: release sanitized
#include "app/main_window.h"
#include "app/run_settings.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "tune/made_up.h"
#include "views/models/tuning/apply_model.h"
#include "views/models/tuning/study_task_model.h"
#include "views/tuning/apply_panel.h"
#include "views/tuning/estimate_panel.h"
#include "views/tuning/history_panel.h"
#include "views/tuning/start_dialog.h"
#include "views/tuning/tuning_page.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <qcustomplot.h>

namespace lathe::testing::test_tuning_page {

using namespace lathe::views;
using models::ApplyModel;
using models::FoundSchedule;
using models::StudyEnd;
using models::StudyLog;
using models::StudyTaskModel;
using models::StudyUpdate;
using views::tuning::StartDialog;

namespace {

/// Two tasks: the first one with a default of 10 us and a trial that takes 8, called three times; the second untried.
StudyUpdate twoTasks() {
    StudyUpdate update;
    update.tasks.resize(2);
    update.tasks[0].workload = "w0";
    update.tasks[0].kernel = "conv";
    update.tasks[0].calls = 3;
    update.tasks[0].defaultUs = 10;
    update.tasks[0].bestUs = 8;
    update.tasks[0].bestRatio = 0.8;
    update.tasks[0].floorUs = 4;
    update.tasks[0].best = 1;
    update.tasks[0].trials = 2;
    update.tasks[1].workload = "w1";
    update.tasks[1].kernel = "dense";
    update.tasks[1].defaultUs = update.tasks[1].bestUs = 5;
    for (int number = 0; number < 2; ++number) {
        tune::Trial trial;
        trial.candidate.program = {0, uint64_t(number)};
        trial.us = number == 0 ? 10 : 8;
        trial.ratio = {trial.us / 10, trial.us / 10, trial.us / 10};
        trial.accepted = number == 1;
        trial.seconds = number;
        update.trials.push_back({models::pointOf(trial, 0, size_t(number)), models::shownTrial(trial, size_t(number))});
    }
    update.seconds = 2;
    return update;
}

QString textAt(const QAbstractItemModel& model, int row, int column) {
    return model.index(row, column).data().toString();
}

} // namespace

class TestTuningPage : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::unique_ptr<app::MainWindow> window_;

    views::tuning::TuningPage* page() { return window_->tuningPage(); }
    QAction* action(const char* id) { return window_->actions()[id]; }
    QTableView* tasks() { return page()->findChild<QTableView*>("tasks"); }
    QString allText() {
        QString all;
        for (const QLabel* label : page()->findChildren<QLabel*>())
            if (label->isVisible())
                all += label->text() + '\n';
        return all;
    }
    void openWindow() {
        window_ = std::make_unique<app::MainWindow>();
        window_->resize(1200, 800);
        window_->show();
    }
    /// Presses the page's key for the dialog, and there this key, after `fill`.
    void ask(const std::function<void(StartDialog&)>& fill, Qt::Key key) {
        bool asked = false;
        QTimer::singleShot(0, this, [&] {
            auto dialog = qobject_cast<StartDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            fill(*dialog);
            asked = true;
            QTest::keyClick(dialog, key);
            if (dialog->isVisible()) // it took no heed
                dialog->reject();
        });
        QTest::keyClick(window_.get(), Qt::Key_F9);
        QVERIFY(asked);
        window_->activateWindow(); // keys are for the window again
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    }
    void start(const std::function<void(StartDialog&)>& fill) { ask(fill, Qt::Key_Return); }
    /// One kernel, with a search that thinks of nothing, so that batches are short.
    static void askForLittle(StartDialog& dialog, int trials) {
        const auto choices = dialog.findChildren<QComboBox*>();
        choices[0]->setCurrentIndex(choices[0]->findText("what is selected", Qt::MatchStartsWith));
        choices[1]->setCurrentText("random");
        dialog.findChild<QSpinBox*>()->setValue(trials);
    }
    static void type(QLineEdit& field, const QString& text) {
        QTest::mouseClick(&field, Qt::LeftButton);
        field.selectAll();
        QTest::keyClick(&field, Qt::Key_Delete);
        QTest::keyClicks(&field, text);
    }
    int nodeNamed(const std::string& name) const {
        for (const model::Node& node : window_->modelGraph()->graph->nodes)
            if (node.name == name)
                return node.id;
        return -1;
    }
    size_t trials() { return page()->log().points().size(); }

private slots:
    void initTestCase() { isolate(folder_, "tuning"); }
    void init() { qputenv("LATHE_RECORDS", folder_.filePath("records.db").toUtf8()); }
    void cleanup() { window_.reset(); }

    void tasksAsRows() {
        StudyLog log;
        StudyTaskModel model(log);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        log.begin({});
        log.add(twoTasks());
        log.flush();
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(textAt(model, 0, StudyTaskModel::Kernel), QString("conv"));
        QCOMPARE(textAt(model, 0, StudyTaskModel::Gain), QString("20.0 %"));
        QCOMPARE(textAt(model, 0, StudyTaskModel::OfFloor), QString("50 %"));
        QCOMPARE(textAt(model, 0, StudyTaskModel::Trials), QString("1"));
        QCOMPARE(textAt(model, 1, StudyTaskModel::Gain), QString("–"));
        QCOMPARE(textAt(model, 1, StudyTaskModel::State), QString("tunes"));
        StudyUpdate changed = twoTasks();
        changed.trials.clear();
        changed.tasks[1].wish = tune::Wish::Paused;
        changed.tasks[0].priority = 4;
        QSignalSpy told(&model, &QAbstractItemModel::dataChanged);
        log.add(std::move(changed));
        log.flush();
        QCOMPARE(told.size(), 2);
        QCOMPARE(textAt(model, 1, StudyTaskModel::State), QString("paused"));
        QCOMPARE(textAt(model, 0, StudyTaskModel::State), QString("tunes, ×4 first"));
        log.clear();
        QCOMPARE(model.rowCount(), 0);
    }

    void whatIsFoundBecomesDecisions() {
        StudyLog log;
        log.begin({});
        log.add(twoTasks());
        log.flush();
        StudyEnd end;
        end.found["w0"].inPlace = FoundSchedule::InPlace::Kept;
        end.found["w1"].inPlace = FoundSchedule::InPlace::TakenBack;
        ApplyModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.show(log, end);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, 0).data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
        QCOMPARE(model.index(1, 0).data(Qt::CheckStateRole).toInt(), int(Qt::Unchecked)); // not faster in the model
        QCOMPARE(textAt(model, 0, ApplyModel::Saved), QString("6.00"));
        QCOMPARE(textOf(model.changes()), QString("1 new"));
        driver::Decisions decisions;
        decisions.kernels["other"].trace.emplace();
        model.wish().change(decisions);
        QCOMPARE(decisions.kernels.size(), size_t(2));
        QVERIFY(decisions.kernels.contains("w0") && decisions.kernels.contains("other"));
        model.setDecisions(decisions);
        QVERIFY(!model.changes().any());
        QCOMPARE(textAt(model, 0, ApplyModel::Now), QString("applied"));
        QVERIFY(model.setData(model.index(0, 0), Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(textOf(model.changes()), QString("1 withdrawn"));
        model.wish().change(decisions);
        QVERIFY(!decisions.kernels.contains("w0") && decisions.kernels.contains("other"));
        // Of a kernel that the model does not have.
        model.setWorkloads({"w1"});
        QCOMPARE(textAt(model, 0, ApplyModel::Now), QString("not in the model"));
        QVERIFY(!(model.flags(model.index(0, 0)) & Qt::ItemIsEnabled));
    }

    /// Schedules are of the kernels that the model has under the choices that are ticked.
    void choicesOfTheGraphGoWithTheirSchedules() {
        StudyLog log;
        log.begin({});
        log.add(twoTasks());
        log.flush();
        StudyEnd end;
        end.found["w0"].inPlace = end.found["w1"].inPlace = FoundSchedule::InPlace::Kept;
        const driver::LayoutDecision blocks{{"Conv_3", "conv", 0}, relay::choose::StoredPart::Blocks, 8};
        end.graph = {{}, {{}, {blocks}, {}}, {"w0"}, {"w1"}}; // w1 is there with the blocks, w0 without
        ApplyModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.show(log, end);
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(textOf(model.changes()), QString("2 new"));
        driver::Decisions decisions;
        model.wish().change(decisions);
        QVERIFY(decisions.layouts == std::vector{blocks});
        QVERIFY(decisions.kernels.contains("w1") && !decisions.kernels.contains("w0"));
        model.setDecisions(decisions);
        QVERIFY(!model.changes().any());
        // Without them the other schedule goes, and this one comes.
        QVERIFY(model.setData(model.index(0, 0), Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(textOf(model.changes()), QString("1 new, 2 withdrawn"));
        model.wish().change(decisions);
        QVERIFY(decisions.layouts.empty());
        QVERIFY(decisions.kernels.contains("w0") && !decisions.kernels.contains("w1"));
    }

    void historyGrowsAndPicks() {
        models::Selection selection;
        StudyLog log;
        models::StudyPick pick;
        views::tuning::HistoryPanel panel(&selection, log, &pick);
        panel.resize(600, 400);
        panel.show();
        log.begin({});
        log.add(twoTasks());
        log.flush();
        QCOMPARE(panel.drawn(), 2);
        StudyUpdate more = twoTasks();
        more.trials.clear();
        tune::Trial crashed;
        crashed.candidate.program = {0, 2};
        crashed.verdict = tune::Verdict::Crashed;
        crashed.message = "it died";
        more.trials.push_back({models::pointOf(crashed, 0, 2), models::shownTrial(crashed, 2)});
        log.add(std::move(more));
        log.flush();
        QCOMPARE(panel.drawn(), 3);
        QTest::mouseClick(panel.plot(), Qt::LeftButton, {}, panel.pixelOf(1).toPoint());
        QCOMPARE(pick.task(), 0);
        QCOMPARE(pick.trial(), 1);
        panel.plot()->setFocus();
        QTest::keyClick(panel.plot(), Qt::Key_Right);
        QCOMPARE(pick.trial(), 2);
        QVERIFY(views::tuning::trialText(log, 2).contains("it died"));
        QTest::keyClick(panel.plot(), Qt::Key_Home);
        QCOMPARE(pick.trial(), 0);
        pick.setTask(1);
        QCOMPARE(panel.drawn(), 0);
        const QString csv = folder_.filePath("history.csv"), svg = folder_.filePath("history.svg");
        pick.setTask(0);
        QCOMPARE(panel.write(csv), QString());
        QFile file(csv);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().count('\n'), 4);
        QCOMPARE(panel.write(svg), QString());
        QVERIFY(!panel.write(folder_.filePath("history.txt")).isEmpty());
        QVERIFY(!panel.write(folder_.filePath("no/such/folder.png")).isEmpty());
        const QString state = panel.state();
        views::tuning::HistoryPanel other(&selection, log, &pick);
        other.setState("{\"x\": 1, \"y\": 99, \"log\": true}");
        QVERIFY(other.state() != state);
        other.setState(state);
        QCOMPARE(other.state(), state);
    }

    void anEmptyPageSaysWhatToDo() {
        openWindow();
        QVERIFY(!action("tuning.start")->isEnabled()); // there is no model
        QVERIFY(openAndWait(*window_, sample("small_cnn.onnx")));
        QTest::keyClick(window_.get(), Qt::Key_9, Qt::ControlModifier);
        QVERIFY(page()->isVisible());
        QVERIFY(allText().contains("F9"));
        QVERIFY(action("tuning.start")->isEnabled());
        QVERIFY(!action("tuning.stop")->isEnabled());
    }

    void aStudyFromBeginningToEnd() {
        openWindow();
        QVERIFY(openAndWait(*window_, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(*window_));
        window_->selection().set(std::vector<int>{12}); // a convolution
        window_->showPage("tuning");
        start([](StartDialog& dialog) { askForLittle(dialog, 4000); }); // it is stopped before
        QVERIFY(page()->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(trials() > 16, patience);
        QVERIFY(page()->isRunning());
        QVERIFY(page()->history()->drawn() > 16);

        // Pause, and work of the user's meanwhile.
        QTest::keyClick(window_.get(), Qt::Key_F9, Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(page()->log().waits(), patience);
        QTRY_VERIFY_WITH_TIMEOUT(allText().contains("paused"), patience);
        const size_t before = trials();
        QVERIFY(compileAndWait(*window_));
        QVERIFY(window_->isCompiled());
        QCOMPARE(trials(), before);

        // A task first, while it is paused.
        window_->showPage("tuning");
        QCOMPARE(page()->pick()->task(), 0); // the task of what is selected
        QCOMPARE(tasks()->selectionModel()->selectedRows().size(), 1);
        action("tuning.first")->trigger();
        const auto first = [this] {
            return std::ranges::any_of(page()->log().tasks(), [](const auto& task) { return task.priority == 4; });
        };
        QTRY_VERIFY_WITH_TIMEOUT(first(), patience);

        QTest::keyClick(window_.get(), Qt::Key_F9, Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(trials() > before || !page()->isRunning(), patience);
        // Compiling is not refused while it measures.
        if (page()->isRunning())
            QVERIFY(compileAndWait(*window_));
        QTest::keyClick(window_.get(), Qt::Key_F9, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!page()->isRunning(), patience);
        QVERIFY(action("tuning.start")->isEnabled());
        QVERIFY(page()->estimate()->plot()->graphCount() > 0);

        // What was found, if anything was: on a busy machine a small network may have nothing.
        ApplyModel* apply = page()->applyPanel()->model();
        for (int row = 0; row < apply->rowCount(); ++row)
            apply->setData(apply->index(row, 0), Qt::Checked, Qt::CheckStateRole);
        if (apply->changes().any()) {
            Settled settled(*window_);
            action("tuning.apply")->trigger();
            QVERIFY(settled.wait());
            QVERIFY(window_->isCompiled());
            QCOMPARE(window_->compilation()->decisions.kernels.size(), size_t(apply->rowCount()));
            QVERIFY(!apply->changes().any());
            QVERIFY(window_->baseline());
            action("edit.undo")->trigger();
            QVERIFY(window_->decisions().kernels.empty());
        }
        const size_t all = trials();
        const QString name = page()->log().head().id;
        QVERIFY(!name.isEmpty());
        window_->saveProject(folder_.filePath("tuned.lathe"));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(folder_.filePath("tuned.lathe")), patience);
        QVERIFY(window_->finish(std::chrono::seconds(60)));
        window_.reset();

        // Another window: the study is there, and goes on.
        openWindow();
        QVERIFY(openAndWait(*window_, folder_.filePath("tuned.lathe")));
        window_->showPage("tuning");
        QTRY_COMPARE_WITH_TIMEOUT(page()->log().head().id, name, patience);
        QTRY_COMPARE_WITH_TIMEOUT(trials(), all, patience);
        QCOMPARE(page()->history()->drawn(), int(all));
        start([](StartDialog& dialog) { askForLittle(dialog, 16); });
        QTRY_VERIFY_WITH_TIMEOUT(page()->isRunning(), patience);
        QTRY_VERIFY_WITH_TIMEOUT(!page()->isRunning(), patience);
        QCOMPARE(page()->log().head().id, name);
        // Where the machine was slow to stop the study, it may be through with the task: all tried, or no more gains.
        const bool nothingIsLeft = std::ranges::any_of(
            page()->log().tasks(), [](const auto& task) { return task.trials > 0 && task.done != tune::Done::No; });
        QVERIFY2(trials() > all || nothingIsLeft, qPrintable(allText()));
    }

    /// What sizes that the model leaves open mostly are: said in the dialog, kept for the next time, and those of a study as
    /// long as it goes on.
    void atSizesThatTheModelLeavesOpen() {
        openWindow();
        QVERIFY(openAndWait(*window_, sample("small_cnn.onnx")));
        ask([](StartDialog& dialog) { QVERIFY(!dialog.findChild<QLineEdit*>("sizes")->isVisible()); }, Qt::Key_Escape);
        QVERIFY(openAndWait(*window_, sample("small_transformer.onnx")));
        QVERIFY(compileAndWait(*window_));
        const int node = nodeNamed("/layer0/feed/up/MatMul");
        QVERIFY(node >= 0);
        window_->selection().set(std::vector<int>{node});
        window_->showPage("tuning");
        const auto partsOf = [](StartDialog& dialog) {
            return std::tuple(dialog.findChild<QLineEdit*>("sizes"), dialog.findChild<QLabel*>("sizes note"),
                              dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok));
        };
        ask(
            [&](StartDialog& dialog) {
                const auto [field, note, startButton] = partsOf(dialog);
                QVERIFY(field->isVisible() && field->text().isEmpty());
                QVERIFY(note->isVisible() && note->text().contains("left out"));
                QVERIFY(startButton->isEnabled() && !dialog.request().sizes);
                for (const auto& [text, problem] : {std::pair{"7,", "malformed sizes"},
                                                    {"0", "malformed sizes"},
                                                    {"seven", "malformed sizes"},
                                                    {"1:5", "5 sizes, of 4 at most"},
                                                    {"1000000000000000000", "is too large for a tensor"}}) {
                    type(*field, text);
                    QVERIFY2(note->isVisible() && note->text().contains(problem), qPrintable(note->text()));
                    QVERIFY2(!startButton->isEnabled(), text);
                }
                type(*field, "7");
                QVERIFY(startButton->isEnabled() && !note->isVisible());
                type(*field, "");
                QVERIFY(startButton->isEnabled() && note->isVisible());
            },
            Qt::Key_Escape);

        start([&](StartDialog& dialog) {
            askForLittle(dialog, 8);
            const auto names = dialog.findChildren<QComboBox*>();
            const auto name =
                std::ranges::find_if(names, [](const QComboBox* each) { return each->findText("batch") >= 0; });
            QVERIFY(name != names.end());
            QTest::keyClicks(*name, "seq");
            QCOMPARE((*name)->currentText(), QString("sequence"));
            type(*std::get<0>(partsOf(dialog)), "7,24,7");
        });
        QTRY_VERIFY_WITH_TIMEOUT(page()->isRunning(), patience);
        QTRY_VERIFY_WITH_TIMEOUT(!page()->isRunning(), patience);
        QCOMPARE(page()->log().head().sizes, QString("sequence=24,7"));
        QCOMPARE(page()->log().tasks().size(), size_t(1)); // it is not left out
        const size_t before = trials();
        QVERIFY(before > 1);
        const QString study = page()->log().head().id;

        ask(
            [&](StartDialog& dialog) {
                const auto [field, note, startButton] = partsOf(dialog);
                QVERIFY(!field->isEnabled() && field->text() == "24,7"); // it is to go on
                QCOMPARE(toString(*dialog.request().sizes), std::string("sequence=24,7"));
                const auto buttons = dialog.findChildren<QRadioButton*>();
                QTest::mouseClick(buttons.back(), Qt::LeftButton, {}, QPoint(8, buttons.back()->height() / 2));
                QVERIFY(!dialog.request().resume);
                QVERIFY(field->isEnabled() && field->text() == "7,24,7"); // as it was written
                type(*field, "9");
                QTest::mouseClick(buttons.front(), Qt::LeftButton, {}, QPoint(8, buttons.front()->height() / 2));
                QCOMPARE(field->text(), QString("24,7"));
                askForLittle(dialog, 8);
            },
            Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(page()->isRunning(), patience);
        QTRY_VERIFY_WITH_TIMEOUT(!page()->isRunning(), patience);
        QCOMPARE(page()->log().head().id, study);
        const bool nothingIsLeft = page()->log().tasks().front().done == tune::Done::Exhausted;
        QVERIFY2(trials() > before || nothingIsLeft, qPrintable(allText()));

        // Fixed by the settings, none are open.
        app::RunSettings fixed = window_->runSettings();
        fixed.fixSizes = true;
        window_->setRunSettings(fixed);
        ask([](StartDialog& dialog) { QVERIFY(!dialog.findChild<QLineEdit*>("sizes")->isVisible()); }, Qt::Key_Escape);
    }

    void anAbortedStudyIsRecorded() {
        openWindow();
        QVERIFY(openAndWait(*window_, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(*window_));
        window_->selection().set(std::vector<int>{12});
        window_->showPage("tuning");
        start([](StartDialog& dialog) { askForLittle(dialog, 4000); });
        QTRY_VERIFY_WITH_TIMEOUT(page()->isRunning(), patience);
        action("tuning.abort")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!page()->isRunning(), patience);
        QVERIFY(action("tuning.start")->isEnabled());
        QVERIFY(!action("tuning.apply")->isEnabled());
    }

    void recordsThatCannotBeWrittenEndNoStudy() {
        qputenv("LATHE_RECORDS", "/proc/no/such/folder/records.db");
        openWindow();
        QVERIFY(openAndWait(*window_, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(*window_));
        window_->selection().set(std::vector<int>{12});
        window_->showPage("tuning");
        start([](StartDialog& dialog) { askForLittle(dialog, 8); });
        QTRY_VERIFY_WITH_TIMEOUT(page()->isRunning(), patience);
        QTRY_VERIFY_WITH_TIMEOUT(!page()->isRunning(), patience);
        QVERIFY(page()->log().head().id.isEmpty());
        QVERIFY(trials() > 1);
    }
};

Test test() {
    return {makes<TestTuningPage>, Application::Window};
}

} // namespace lathe::testing::test_tuning_page

#include "test_tuning_page.moc"
