// SPDX-License-Identifier: Apache-2.0
#include "records/evaluate.h"

#include "codegen/target.h"
#include "lower/schedule_kernel.h"
#include "lower/workload.h"
#include "schedule/schedule.h"
#include "tir/text.h"
#include "tune/paired.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lathe::records {
namespace {

constexpr size_t folds = 5;
constexpr size_t batch = 256; // trials whose functions are in memory at once

std::optional<tune::Candidate> replayed(const tir::PrimFuncPtr& computation, const Trial& row) {
    const auto trace = schedule::parseTrace(row.trace);
    if (!trace)
        return std::nullopt;
    schedule::Schedule schedule(computation);
    if (!schedule.replay(*trace))
        return std::nullopt;
    tune::Candidate candidate;
    candidate.program = parseHash(row.program).value_or(Hash128{});
    candidate.trace = *trace;
    candidate.made = row.made;
    candidate.scheduled = schedule.function();
    return candidate;
}

/// The trials with features; without any if the default's cannot be replayed.
std::vector<tune::Trial> trialsWith(const tir::PrimFuncPtr& computation, std::span<const Trial> rows,
                                    const tune::Judge& judge, int64_t& unread) {
    std::vector<tune::Trial> trials;
    std::vector<tune::Candidate> waiting;
    std::vector<const Trial*> of;
    const auto rate = [&] {
        judge.rate(waiting, {});
        for (size_t i = 0; i < waiting.size(); ++i) {
            tune::Trial& trial = trials.emplace_back();
            trial.candidate = std::move(waiting[i]);
            trial.verdict = of[i]->verdict;
            trial.us = of[i]->us;
            trial.ratio = of[i]->ratio;
            trial.round = of[i]->round;
        }
        waiting.clear();
        of.clear();
    };
    for (const Trial& row : rows) {
        auto candidate = replayed(computation, row);
        if (!candidate) {
            if (trials.empty() && waiting.empty()) {
                unread += std::ssize(rows);
                return {};
            }
            ++unread;
            continue;
        }
        waiting.push_back(std::move(*candidate));
        of.push_back(&row);
        if (waiting.size() == batch)
            rate();
    }
    rate();
    return trials;
}

Result<std::map<std::string, Workload>> workloadsOf(const File& file) {
    LATHE_TRY(std::vector<Workload> all, file.workloads());
    std::map<std::string, Workload> byKey;
    for (Workload& workload : all)
        byKey[workload.key] = std::move(workload);
    return byKey;
}

} // namespace

Result<Evaluated> evaluate(const File& file, const Setting& setting, const MachineModel& machine) {
    LATHE_TRY(const auto workloads, workloadsOf(file));
    LATHE_TRY(const std::vector<Study> studies, file.studies());
    LATHE_TRY(const std::vector<Task> tasks, file.tasks());
    const tune::Judge judge(machine, nullptr);
    Evaluated done;
    std::vector<tune::GroupedTask> grouped;
    for (const Task& task : tasks) {
        const auto study = std::ranges::find(studies, task.study, &Study::id);
        const auto workload = workloads.find(task.workload);
        if (study == studies.end() || workload == workloads.end() || study->setting.machine != setting.machine ||
            (study->setting.threads == 1) != (setting.threads == 1)) // as models are kept
            continue;
        LATHE_TRY(const std::vector<Trial> all, file.trialsOf(task.study, task.workload));
        const std::span<const Trial> rows = sinceItBegan(all);
        done.trials += std::ssize(rows);
        const auto computation = tir::parsePrimFunc(workload->second.text);
        std::vector<tune::Trial> trials;
        if (computation && !lower::hasOpenSizes(**computation) && !rows.empty() && rows.front().us > 0)
            trials = trialsWith(*computation, rows, judge, done.unread);
        else
            done.unread += std::ssize(rows);
        if (!trials.empty())
            grouped.push_back({task.workload, std::move(trials)});
    }
    done.heldOut = tune::heldOut(grouped, folds, 0);
    return done;
}

Result<void> timeAgain(const File& file, const Setting& setting, tune::Bench& bench,
                       const std::function<void(const TimedAgain&)>& take) {
    LATHE_TRY(const auto workloads, workloadsOf(file));
    LATHE_TRY(const std::vector<Best> all, file.best(&setting));
    for (const Best& best : all) {
        TimedAgain timed{.best = best, .problem = {}, .ratio = {}};
        const auto workload = workloads.find(best.workload.key);
        const auto target = codegen::parseTarget(best.workload.target);
        const auto computation =
            workload == workloads.end() ? failure("it is gone") : tir::parsePrimFunc(workload->second.text);
        if (!target || !computation) {
            timed.problem = (target ? computation.error() : target.error()).what;
            take(timed);
            continue;
        }
        if (lower::hasOpenSizes(**computation)) {
            timed.problem = "its sizes are open: it is not timed again";
            take(timed);
            continue;
        }
        const auto made = lower::scheduleKernel(*computation, *target, {});
        const auto candidate = replayed(*computation, best.trial);
        if (!made || !candidate) {
            timed.problem = made ? "its trace does not replay" : made.error().what;
            take(timed);
            continue;
        }
        tune::Candidate first;
        first.trace = made->schedule.trace; // its program is 0: none that is recorded
        tune::Task task;
        task.workload = best.workload.key;
        task.kernel = best.workload.kernel;
        task.computation = *computation;
        task.flops = best.workload.flops;
        task.bytes = best.workload.bytes;
        LATHE_TRY(std::optional<tune::Fault> fault, bench.check(task, first, *candidate));
        tune::PairedTimes found;
        if (!fault) {
            LATHE_TRY(found, bench.compare(task, first, *candidate, 0));
            fault = found.fault;
        }
        timed.wrong = fault.has_value();
        if (fault) {
            timed.problem = fault->message;
        } else if (found.logRatios.empty()) {
            timed.problem = "no round gave a time";
        } else {
            const tune::Interval logs = tune::medianInterval(found.logRatios);
            timed.ratio = {std::exp(logs.low), std::exp(logs.middle), std::exp(logs.high)};
        }
        take(timed);
    }
    return {};
}

} // namespace lathe::records
