// SPDX-License-Identifier: Apache-2.0
#include "records/study_graph.h"

#include "base/json.h"
#include "tuning/tune_model.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::records {
namespace {

driver::Decisions graphPartOf(const driver::Decisions& all) {
    driver::Decisions part;
    part.variants = all.variants;
    part.layouts = all.layouts;
    part.apart = all.apart;
    return part;
}

Result<driver::Decisions> choicesIn(const std::string& text) {
    LATHE_TRY(driver::Decisions decisions, driver::parseDecisions(text));
    if (decisions != graphPartOf(decisions))
        return failure("decisions of something else stand among its choices");
    return decisions;
}

Result<std::set<std::string>> workloadsIn(const std::string& text) {
    const auto list = parseJson(text);
    const Failure malformed = failure(fmt::format("'{}' are no workloads", text.substr(0, 80)));
    if (!list || !list->is_array())
        return malformed;
    std::set<std::string> workloads;
    for (const nlohmann::json& workload : *list) {
        if (!workload.is_string())
            return malformed;
        workloads.insert(workload.get<std::string>());
    }
    return workloads;
}

/// The diagnostic says whose choices cannot be read.
Failure unreadable(const StudyGraph& row, const Diagnostic& why) {
    return failure(fmt::format("the recorded choices of study {} cannot be read: {}", row.study, why.what),
                   "tune the model again");
}

Failure inFile(const File& file, Diagnostic problem) {
    problem.file = file.path().string();
    return Failure(std::move(problem));
}

/// That was accepted and kept in the whole model; null: none was.
const Trial* fastestKept(const std::vector<Trial>& trials) {
    const Trial* fastest = nullptr;
    for (const Trial& trial : sinceItBegan(trials))
        if (trial.accepted && trial.inPlace == InPlace::Kept && isPossible(trial) &&
            (!fastest || trial.ratio.middle < fastest->ratio.middle))
            fastest = &trial;
    return fastest;
}

} // namespace

std::optional<StudyGraph> rowOf(const tuning::Tuned& tuned, const driver::Decisions& given) {
    if (!tuned.graph || !tuned.graph->isTaken)
        return std::nullopt;
    const tuning::TunedGraph& graph = *tuned.graph;
    StudyGraph row;
    row.given = driver::toJson(graphPartOf(given));
    row.found = driver::toJson(graphPartOf(tuned.decisions));
    row.workloadsBefore = dump(graph.workloadsBefore);
    row.workloads = dump(graph.workloads);
    row.schedulesMs = graph.schedulesMs;
    row.wholeMs = graph.wholeMs;
    return row;
}

Result<GraphFound> foundIn(const StudyGraph& row) {
    GraphFound found;
    for (const auto& [text, into] : {std::pair(&row.given, &found.given), std::pair(&row.found, &found.found)}) {
        auto choices = choicesIn(*text);
        if (!choices)
            return unreadable(row, choices.error());
        *into = *std::move(choices);
    }
    for (const auto& [text, into] :
         {std::pair(&row.workloadsBefore, &found.workloadsBefore), std::pair(&row.workloads, &found.workloads)}) {
        auto workloads = workloadsIn(*text);
        if (!workloads)
            return unreadable(row, workloads.error());
        *into = *std::move(workloads);
    }
    return found;
}

Result<StudyFound> foundBy(const File& file, const std::string& study) {
    StudyFound all;
    std::optional<GraphFound> graph;
    LATHE_TRY(all.graph, file.graphOf(study));
    if (all.graph) {
        auto found = foundIn(*all.graph);
        if (!found)
            return inFile(file, found.error());
        graph = *std::move(found);
        all.decisions = graph->found;
    }
    LATHE_TRY(const std::vector<Task> tasks, file.tasks());
    for (const Task& task : tasks) {
        if (task.study != study || (graph && !graph->workloads.contains(task.workload)))
            continue;
        LATHE_TRY(const std::vector<Trial> trials, file.trialsOf(task.study, task.workload));
        const Trial* fastest = fastestKept(trials);
        if (!fastest)
            continue;
        auto trace = schedule::parseTrace(fastest->trace);
        if (!trace)
            return inFile(file, trace.error());
        all.decisions.kernels[task.workload].trace = *std::move(trace);
    }
    return all;
}

} // namespace lathe::records
