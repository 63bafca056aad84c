// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/recorded_study.h"

#include "records/study_graph.h"

#include <algorithm>
#include <numeric>

namespace lathe::app {

namespace {

using views::models::FoundSchedule;
using views::models::StudyTask;

FoundSchedule::InPlace inPlaceOf(tune::InPlace inPlace) {
    switch (inPlace) {
    case tune::InPlace::Unknown:
        return FoundSchedule::InPlace::Unknown;
    case tune::InPlace::Kept:
        return FoundSchedule::InPlace::Kept;
    case tune::InPlace::TakenBack:
        return FoundSchedule::InPlace::TakenBack;
    }
    return FoundSchedule::InPlace::Unknown;
}

/// A task with its trials, and what it found.
Result<void> addTask(const records::File& file, const records::Task& row, RecordedStudy& study,
                     const std::map<std::string, records::Workload>& workloads) {
    LATHE_TRY(const std::vector<records::Trial> rows,
              file.trialsOf(row.study, row.workload, records::File::Traces::Leave));
    const size_t number = study.update.tasks.size();
    StudyTask task;
    task.workload = QString::fromStdString(row.workload);
    task.calls = row.calls;
    task.seconds = row.seconds;
    if (const auto known = workloads.find(row.workload); known != workloads.end()) {
        task.kernel = QString::fromStdString(known->second.kernel);
        task.flops = known->second.flops;
        task.bytes = known->second.bytes;
    }
    const records::Trial* best = nullptr;
    double last = 0;                // when a trial was timed
    std::vector<tune::Trial> timed; // their times alone
    for (const records::Trial& each : records::sinceItBegan(rows)) {
        auto trial = records::trialOf(each);
        if (!trial)
            continue; // a file may hold anything
        const size_t at = static_cast<size_t>(task.trials++);
        study.update.trials.push_back(
            {views::models::pointOf(*trial, number, at), views::models::shownTrial(*trial, at)});
        task.rounds = std::max(task.rounds, trial->round);
        last = std::max(last, trial->seconds);
        tune::Trial& times = timed.emplace_back(*trial);
        times.candidate = {};
        // The last to win need not be the last of its batch.
        if (trial->accepted && trial->ratio.middle < task.bestRatio) {
            task.best = int(at);
            task.bestRatio = trial->ratio.middle;
            best = &each;
        }
    }
    task.defaultUs = tune::defaultUsOf(timed);
    task.bestUs = task.defaultUs * task.bestRatio;
    if (task.best > 0) {
        LATHE_TRY(const std::string trace, file.traceOf(row.study, row.workload, best->program));
        if (auto parsed = schedule::parseTrace(trace))
            study.end.found[row.workload] = {std::move(*parsed), inPlaceOf(best->inPlace)};
    }
    study.update.seconds = std::max(study.update.seconds, last);
    study.update.tasks.push_back(std::move(task));
    return {};
}

/// What it chose in the graph, as a study that has just ended gives it.
Result<void> addGraph(const records::File& file, RecordedStudy& study) {
    LATHE_TRY(const std::optional<records::StudyGraph> row, file.graphOf(study.head.id.toStdString()));
    if (!row)
        return {};
    const auto graph = records::foundIn(*row);
    if (!graph) { // the rest of it can be seen all the same
        Diagnostic& problem = study.problems.emplace_back(graph.error());
        problem.file = file.path().string();
        problem.severity = Severity::Warning;
        return {};
    }
    study.end.graph = {views::models::choicesOf(graph->given), views::models::choicesOf(graph->found),
                       graph->workloadsBefore, graph->workloads};
    return {};
}

} // namespace

views::models::StudyHead headOf(const records::Study& study, const std::filesystem::path& file) {
    views::models::StudyHead head;
    head.id = QString::fromStdString(study.id);
    head.name = QString::fromStdString(study.name);
    head.model = QString::fromStdString(study.model);
    head.search = QString::fromStdString(study.search);
    head.sizes = QString::fromStdString(records::sizesOf(study.search));
    head.records = QString::fromStdString(file.string());
    head.threads = study.setting.threads;
    return head;
}

Result<std::optional<RecordedStudy>> readStudy(const records::StudyWish& wish, const tuning::TuneOptions& options,
                                               const std::string& id, const std::function<bool()>& cancelled) {
    const std::filesystem::path path = wish.file.empty() ? records::defaultFile() : wish.file;
    std::error_code failed;
    if (path.empty() || !std::filesystem::exists(path, failed))
        return std::nullopt;
    LATHE_TRY(const records::File file, records::File::open(path, records::File::Access::Read));
    std::optional<records::Study> found;
    if (id.empty()) {
        found = records::lastStudy(wish, options);
    } else {
        LATHE_TRY(const std::vector<records::Study> all, file.studies());
        if (const auto at = std::ranges::find(all, id, &records::Study::id); at != all.end())
            found = *at;
    }
    if (!found)
        return std::nullopt;
    RecordedStudy study;
    study.head = headOf(*found, path);
    std::map<std::string, records::Workload> workloads;
    LATHE_TRY(std::vector<records::Workload> known, file.workloads());
    for (records::Workload& each : known)
        workloads.emplace(each.key, std::move(each));
    LATHE_TRY(const std::vector<records::Task> tasks, file.tasks());
    for (const records::Task& task : tasks)
        if (task.study == found->id && !cancelled())
            LATHE_CHECKED(addTask(file, task, study, workloads));
    LATHE_CHECKED(addGraph(file, study));
    double spent = 0; // which is all that is known of trials of format 1
    for (const StudyTask& task : study.update.tasks)
        spent += task.seconds;
    study.update.seconds = std::max(study.update.seconds, spent);
    // What takes most of the model's time comes first, as in a study that goes on.
    std::vector<size_t> order(study.update.tasks.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](size_t i) { return study.update.tasks[i].calls * study.update.tasks[i].defaultUs; });
    std::vector<StudyTask> sorted;
    std::vector<uint16_t> places(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
        sorted.push_back(std::move(study.update.tasks[order[i]]));
        places[order[i]] = uint16_t(i);
    }
    study.update.tasks = std::move(sorted);
    for (auto& each : study.update.trials)
        each.point.task = places[each.point.task];
    // In the order in which they were timed, as far as that is known.
    std::ranges::stable_sort(study.update.trials, {}, [](const auto& each) {
        return std::tuple(each.point.seconds, each.point.round, each.point.task, each.point.number);
    });
    study.update.waits = false;
    return study;
}

} // namespace lathe::app
