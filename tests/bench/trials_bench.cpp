// SPDX-License-Identifier: Apache-2.0
//
// How long the views of trials take with many: prints a Markdown table, one row a number of trials. A made-up study in a file
// of records is opened, then a fixed path is gone through: scrolling the table, sorting, filters typed, the views that follow
// them, and the cost model's chart panned and zoomed. Offscreen at 1920×1080, milliseconds by the clock: medians of several
// rounds; of frames the slowest one. Run it on a machine that has nothing else to do.
#include "gui/made_up_trials.h"
#include "records/file.h"
#include "views/models/task_trials.h"
#include "views/tuning/cost_model_panel.h"
#include "views/tuning/trials_panel.h"

#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QImage>
#include <QScrollBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <qcustomplot.h>

using namespace lathe;
using records::File;
namespace models = views::models;
namespace tuning = views::tuning;

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

class Bench {
public:
    explicit Bench(int trials) : count_(trials), image_(screen, QImage::Format_ARGB32_Premultiplied) {
        path_ = folder_.filePath(QStringLiteral("records.db")).toStdString();
        write(path_, trials);
    }

    void printRow() {
        std::vector<double> opening;
        size_t bytes = 0;
        for (int round = 0; round < rounds; ++round) {
            tuning::TrialsPanel panel;
            tuning::CostModelPanel cost;
            for (QWidget* each : {static_cast<QWidget*>(&panel), static_cast<QWidget*>(&cost)}) {
                each->resize(screen);
                each->setAttribute(Qt::WA_DontShowOnScreen);
                each->show();
            }
            models::TaskTrials task;
            opening.push_back(milliseconds([&] {
                task = read(path_);
                panel.setTask(task);
                paint(panel);
            }));
            bytes = task.trials->bytes();
            cost.setTask(task);
            at_ = 0;
            table(panel);
            views(panel);
            predictions(cost);
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
    void paint(QWidget& widget) { widget.render(&image_); }

    void frame(const char* name, QWidget& widget, const std::function<void()>& change) {
        auto found = std::ranges::find(frames_, name, &Frames::first);
        if (found == frames_.end())
            found = frames_.insert(frames_.end(), {name, {}});
        found->second[at_++].push_back(milliseconds([&] {
            change();
            paint(widget);
        }));
    }

    void table(tuning::TrialsPanel& panel) {
        panel.tabs()->setCurrentIndex(0);
        QScrollBar* bar = panel.table()->verticalScrollBar();
        for (int step = 0; step <= 40; ++step)
            frame("scroll", panel, [&] { bar->setValue(bar->maximum() * step / 40); });
        for (const int column : {int(models::TrialModel::Ratio), int(models::TrialModel::columns) + 3, 0})
            frame("sort", panel, [&] { panel.table()->sortByColumn(column, Qt::AscendingOrder); });
        type(panel, "filter");
    }

    void type(tuning::TrialsPanel& panel, const char* name) {
        for (const char* text :
             {"rows>8", "rows>8 ratio<1", "rows>8 ratio<95% verdict:measured", "signal", "-made:random", ""})
            frame(name, panel, [&] { panel.setFilter(QLatin1String(text)); });
    }

    void views(tuning::TrialsPanel& panel) {
        for (const int tab : {1, 2}) {
            panel.tabs()->setCurrentIndex(tab);
            paint(panel);
            type(panel, tab == 1 ? "answers" : "parallel axes");
        }
    }

    void predictions(tuning::CostModelPanel& cost) {
        cost.tabs()->setCurrentIndex(0);
        cost.opinion()->setCurrentIndex(0);
        paint(cost);
        QCustomPlot& plot = *cost.predictions();
        const auto replotted = [&] { plot.replot(); };
        for (int step = 0; step < 20; ++step)
            frame("expected", cost, [&] {
                for (QCPAxis* axis : {plot.xAxis, plot.yAxis})
                    axis->scaleRange(step < 10 ? 0.8 : 1.25);
                replotted();
            });
        for (int step = 0; step < 10; ++step)
            frame("expected", cost, [&] {
                plot.xAxis->moveRange(plot.xAxis->range().size() / 20);
                replotted();
            });
    }

    using Frames = std::pair<std::string, std::map<int, std::vector<double>>>; // by place on the path: a time a round
    int count_, at_ = 0;
    QTemporaryDir folder_;
    std::filesystem::path path_;
    QImage image_;
    std::vector<Frames> frames_;
};

} // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    std::puts(
        "| trials | open | MB | scroll | sort | filter, table | filter, answers | filter, parallel axes | expected "
        "and measured |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (const int trials : {1'000, 10'000, 100'000})
        Bench(trials).printRow();
    return 0;
}
