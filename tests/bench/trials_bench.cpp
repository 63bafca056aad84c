// SPDX-License-Identifier: Apache-2.0
//
// How long the views of trials take with many: prints a Markdown table, one row a number of trials. A made-up study in a file
// of records is opened, then a fixed path is gone through: scrolling the table, sorting, filters typed, the views that follow
// them, and the charts of the history and of the cost model zoomed and moved. Offscreen at 1920×1080, milliseconds by the
// clock: medians of several rounds; of frames the slowest one. Run it on a machine that has nothing else to do.
//
// A frame is what keeps the window from its next picture: what a person does, and all turns of the event loop up to the one
// that paints something of it; or a later turn, where work goes on in slices.
#include "gui/made_up_trials.h"
#include "records/file.h"
#include "views/models/tuning/task_trials.h"
#include "views/tuning/answers_panel.h"
#include "views/tuning/cost_model_panel.h"
#include "views/tuning/history_panel.h"
#include "views/tuning/parallel_view.h"
#include "views/tuning/trials_panel.h"

#include <QAbstractEventDispatcher>
#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QScrollBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <qcustomplot.h>
#include <thread>

using namespace lathe;
using records::File;
namespace models = views::models;

namespace {

constexpr QSize screen(1920, 1080);
constexpr int rounds = 7;

double milliseconds(const std::function<void()>& work) {
    QElapsedTimer timer;
    timer.start();
    work();
    return double(timer.nsecsElapsed()) / 1e6;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

const std::string study(32, '1'), workload(std::string(32, '2') + "-" + std::string(32, '3'));

/// A study of one task with so many trials, as tuning would have left it.
void write(const std::filesystem::path& path, int count) {
    auto file = File::open(path, File::Access::Write);
    if (!file)
        qFatal("%s", toString(file.error()).c_str());
    records::Batch batch;
    batch.workloads.emplace_back().key = workload;
    batch.studies.emplace_back().id = study;
    records::Task& task = batch.tasks.emplace_back();
    task.study = study;
    task.workload = workload;
    schedule::Step step;
    step.primitive = "split";
    step.numbers = {8};
    std::mt19937 random(1);
    for (int i = 0; i < count; ++i) {
        tune::Trial trial = testing::searchedTrial(i, random);
        trial.candidate.trace.steps.assign(40, step);
        batch.trials.push_back(records::rowOf(trial, study, workload, i));
    }
    if (const auto written = file->write(batch); !written)
        qFatal("%s", toString(written.error()).c_str());
}

/// The same trials, as a study that ran leaves them to the charts.
void fill(models::StudyLog& log, int count) {
    models::StudyUpdate update;
    models::StudyTask& task = update.tasks.emplace_back();
    task.kernel = QStringLiteral("kernel");
    task.workload = QString::fromStdString(workload);
    task.defaultUs = 10;
    task.trials = count;
    const auto trial = std::make_shared<const tune::Trial>(); // charts show points
    std::mt19937 random(1);
    for (int i = 0; i < count; ++i)
        update.trials.push_back({models::pointOf(testing::searchedTrial(i, random), 0, size_t(i)), trial});
    log.begin({});
    log.add(std::move(update));
    log.flush();
}

models::TaskTrials read(const std::filesystem::path& path) {
    const auto file = File::open(path, File::Access::Read);
    const auto trials = file->trialsOf(study, workload, File::Traces::Leave);
    models::TaskTrials task;
    task.trials = std::make_shared<models::TrialSet>();
    for (const records::Trial& trial : *trials)
        task.trials->add(trial);
    task.trace = [](int) -> Result<schedule::ScheduleTrace> { return failure("none"); };
    return task;
}

/// Whether something was painted.
class Painted : public QObject {
public:
    Painted() { qApp->installEventFilter(this); }
    bool take() { return std::exchange(painted_, false); }

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        painted_ = painted_ || event->type() == QEvent::Paint;
        return false;
    }

private:
    bool painted_ = false;
};

class Bench {
public:
    explicit Bench(int trials) : count_(trials) {
        path_ = folder_.filePath(QStringLiteral("records.db")).toStdString();
        write(path_, trials);
    }

    void printRow() {
        std::vector<double> opening;
        size_t bytes = 0;
        for (int round = 0; round < rounds; ++round) {
            views::tuning::TrialsPanel panel;
            views::tuning::CostModelPanel cost;
            models::Selection selection;
            models::StudyLog log;
            models::StudyPick pick;
            views::tuning::HistoryPanel history(&selection, log, &pick);
            for (QWidget* each :
                 {static_cast<QWidget*>(&panel), static_cast<QWidget*>(&cost), static_cast<QWidget*>(&history)}) {
                each->resize(screen);
                each->show();
            }
            isWorking_ = [&] { return panel.answers()->isWorking() || panel.parallel()->isWorking(); };
            slowest([] {});
            models::TaskTrials task;
            opening.push_back(slowest([&] {
                task = read(path_);
                panel.setTask(task);
            }));
            bytes = task.trials->bytes();
            at_ = 0;
            table(panel);
            views(panel);
            slowest([&] { cost.setTask(task); });
            cost.tabs()->setCurrentIndex(0);
            cost.opinion()->setCurrentIndex(0);
            chart("expected", *cost.predictions());
            slowest([&] { fill(log, count_); });
            chart("history", *history.plot());
        }
        std::printf("| %d | %.0f | %.0f |", count_, median(opening), double(bytes) / 1e6);
        for (const auto& [name, frames] : frames_) {
            double slowest = 0;
            for (const auto& [at, times] : frames)
                slowest = std::max(slowest, median(times));
            std::printf(" %.1f |", slowest);
        }
        std::puts("");
        std::fflush(stdout);
    }

private:
    /// The slowest frame of what is done, up to when there is nothing more to do.
    double slowest(const std::function<void()>& act) {
        constexpr int rest = 10; // ms: a picture comes 5 after what changes it
        QAbstractEventDispatcher* loop = QAbstractEventDispatcher::instance();
        painted_.take();
        double first = milliseconds(act), slowest = 0;
        bool isSeen = false; // something of it
        QElapsedTimer quiet;
        quiet.start();
        while (quiet.elapsed() < rest || isWorking_()) {
            bool any = false;
            const double turn = milliseconds([&] { any = loop->processEvents(QEventLoop::AllEvents); });
            if (!any) {
                std::this_thread::sleep_for(std::chrono::microseconds(100));
                continue;
            }
            quiet.restart();
            if (isSeen)
                slowest = std::max(slowest, turn);
            else
                first += turn;
            isSeen = isSeen || painted_.take();
        }
        return std::max(first, slowest);
    }

    void frame(const char* name, const std::function<void()>& act) {
        auto found = std::ranges::find(frames_, name, &Frames::first);
        if (found == frames_.end())
            found = frames_.insert(frames_.end(), {name, {}});
        found->second[at_++].push_back(slowest(act));
    }

    void table(views::tuning::TrialsPanel& panel) {
        panel.tabs()->setCurrentIndex(0);
        QScrollBar* bar = panel.table()->verticalScrollBar();
        for (int step = 0; step <= 40; ++step)
            frame("scroll", [&] { bar->setValue(bar->maximum() * step / 40); });
        for (const int column : {int(models::TrialModel::Ratio), int(models::TrialModel::columns) + 3, 0})
            frame("sort", [&] { panel.table()->sortByColumn(column, Qt::AscendingOrder); });
        type(panel, "filter");
    }

    void type(views::tuning::TrialsPanel& panel, const char* name) {
        for (const char* text :
             {"rows>8", "rows>8 ratio<1", "rows>8 ratio<95% verdict:measured", "signal", "-made:random", ""})
            frame(name, [&] { panel.setFilter(QLatin1String(text)); });
    }

    void views(views::tuning::TrialsPanel& panel) {
        for (const int tab : {1, 2}) {
            slowest([&] { panel.tabs()->setCurrentIndex(tab); });
            type(panel, tab == 1 ? "answers" : "parallel axes");
        }
    }

    void chart(const char* name, QCustomPlot& plot) {
        for (int step = 0; step < 20; ++step)
            frame(name, [&] {
                for (QCPAxis* axis : {plot.xAxis, plot.yAxis})
                    axis->scaleRange(step < 10 ? 0.8 : 1.25);
                plot.replot(QCustomPlot::rpQueuedReplot); // as it does itself while it is dragged
            });
        for (int step = 0; step < 10; ++step)
            frame(name, [&] {
                plot.xAxis->moveRange(plot.xAxis->range().size() / 20);
                plot.replot(QCustomPlot::rpQueuedReplot);
            });
    }

    using Frames = std::pair<std::string, std::map<int, std::vector<double>>>; // by place on the path: a time a round
    int count_, at_ = 0;
    QTemporaryDir folder_;
    std::filesystem::path path_;
    std::vector<Frames> frames_;
    Painted painted_;
    std::function<bool()> isWorking_;
};

} // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    std::puts(
        "| trials | open | MB | scroll | sort | filter, table | filter, answers | filter, parallel axes | expected "
        "and measured | history |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (const int trials : {1'000, 10'000, 100'000})
        Bench(trials).printRow();
    return 0;
}
