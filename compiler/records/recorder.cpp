// SPDX-License-Identifier: Apache-2.0
#include "records/recorder.h"

#include "base/version.h"
#include "tune/features.h"
#include "tune/xgb_model.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <random>

namespace lathe::records {
namespace {

constexpr size_t mostSeeds = 64;
constexpr std::chrono::seconds pauseAfterFailure(30); // each try waits for a lock, and the study meanwhile
constexpr int64_t mostNumbers = 1 << 30;              // no study comes so far, but a file may hold anything

std::string drawnId() {
    std::random_device random;
    Hash128 id;
    for (uint64_t* half : {&id.high, &id.low})
        *half = (uint64_t{random()} << 32) | random();
    return toString(id);
}

Workload workloadOfTask(const tune::Task& task, const Target& target) {
    Workload workload = records::workloadOf(*task.computation, target);
    workload.flops = task.flops;
    workload.bytes = task.bytes;
    return workload;
}

} // namespace

Recorder::Recorder(File file, Study study, Target target)
    : file_(std::move(file)), study_(std::move(study)), target_(std::move(target)) {
    study_.id = drawnId();
    study_.program = base::version();
    study_.started =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    study_.state = StudyState::Running;
    waiting_.studies = {study_};
}

Result<Recorder> Recorder::resume(File file, const Study& like, Target target) {
    LATHE_TRY(const std::optional<Study> found, file.newestLike(like));
    if (!found)
        return failure(ErrorKind::Usage, "there is no study of this model to go on with",
                       "it has to be of the same machine, threads, numerics and name: lathe records stats");
    if (const std::string space = spaceOf(found->search); space != spaceOf(like.search))
        return failure(ErrorKind::Usage,
                       fmt::format("the study '{}' is one in the space '{}', not in '{}'", found->name, space,
                                   spaceOf(like.search)),
                       fmt::format("go on with it by --space {}, or begin another one", space));
    Recorder recorder(std::move(file), *found, std::move(target));
    recorder.study_.id = found->id;
    recorder.study_.started = found->started;
    recorder.waiting_.studies = {recorder.study_};
    recorder.resumed_ = true;
    return recorder;
}

void Recorder::note(Diagnostic problem) {
    problem.severity = Severity::Warning;
    if (std::ranges::find(problems_, problem) == problems_.end())
        problems_.push_back(std::move(problem));
}

tune::Known Recorder::known(const tune::Task& task) {
    tune::Known known;
    if (resumed_) {
        const auto rows = file_.trialsOf(study_.id, task.workload);
        const auto tasks = file_.tasks();
        if (!rows || !tasks) {
            note(rows ? tasks.error() : rows.error());
            return known;
        }
        Numbers& numbers = numbers_[task.workload];
        for (const Trial& row : *rows)
            if (row.number < mostNumbers && row.round < mostNumbers) {
                numbers.trials = std::max(numbers.trials, row.number + 1);
                numbers.rounds = std::max(numbers.rounds, row.round);
            }
        for (const Trial& row : sinceItBegan(*rows))
            if (auto trial = trialOf(row))
                known.trials.push_back(std::move(*trial));
        if (const auto rounds = file_.roundsOf(study_.id, task.workload)) {
            known.judgements = judgementsOf(*rounds);
            numbers.rounds = std::max(numbers.rounds, static_cast<int>(known.judgements.size()));
        }
        for (const Task& row : *tasks)
            if (row.study == study_.id && row.workload == task.workload)
                known.seconds = row.seconds;
    }
    const auto seeds = file_.seedsFor(workloadOfTask(task, target_), study_.setting, static_cast<int>(mostSeeds));
    if (!seeds) {
        note(seeds.error());
        return known;
    }
    for (const std::string& seed : *seeds)
        if (auto answers = parseAnswers(seed))
            known.seeds.push_back(std::move(*answers));
    if (!near_) {
        auto near = NearRecords::of(file_, study_.setting, target_);
        if (!near) {
            note(near.error());
            return known;
        }
        near_.emplace(std::move(*near));
    }
    for (NearRecords::Match& match : near_->matchesOf(*task.computation))
        if (known.seeds.size() < mostSeeds && std::ranges::find(known.seeds, match.answers) == known.seeds.end())
            known.seeds.push_back(std::move(match.answers));
    return known;
}

std::string Recorder::learned() {
    auto kept = file_.model(modelKey(study_.setting));
    if (!kept) {
        note(kept.error());
        return {};
    }
    if (!*kept)
        return {};
    if (const auto loaded = tune::makeTreeModel(0)->load(**kept, tune::featureNames().size()); !loaded) {
        Diagnostic problem = loaded.error();
        problem.file = file_.path().string();
        problem.hint = "the study begins without one, and keeps what it learns in its place";
        note(std::move(problem));
        return {};
    }
    return std::move(**kept);
}

void Recorder::tell(const tune::Study& study, const tune::Event& event) {
    using Kind = tune::Event::Kind;
    if (event.kind == Kind::TaskChanged || event.kind == Kind::Waits || event.kind == Kind::GoesOn ||
        event.kind == Kind::Note)
        return; // it is of this time alone
    const tune::TaskState& state = study.tasks[event.task];
    const std::string& workload = state.task.workload;
    const Task task{.study = study_.id, .workload = workload, .calls = state.task.calls, .seconds = state.seconds};
    Numbers& numbers = numbers_[workload];
    size_t first = event.firstTrial, end = state.trials.size();
    switch (event.kind) {
    case Kind::TaskBegun:
        numbers.trialsAhead = numbers.trials - static_cast<int64_t>(state.known);
        numbers.roundsAhead = numbers.rounds - state.rounds;
        waiting_.workloads.push_back(workloadOfTask(state.task, target_));
        first = state.known;
        break;
    case Kind::Trials:
        numbers.rounds = numbers.roundsAhead + state.rounds + 1;
        for (Round& round : rowsOf(state.judgements.back(), study_.id, workload, numbers.rounds))
            waiting_.rounds.push_back(std::move(round));
        break;
    case Kind::Accepted:
    case Kind::Rejected:
        end = first + 1;
        break;
    default:
        first = end;
        break;
    }
    waiting_.tasks.push_back(task);
    for (size_t i = first; i < end; ++i) {
        Trial row = rowOf(state.trials[i], study_.id, workload, numbers.trialsAhead + static_cast<int64_t>(i));
        row.round += row.round > 0 ? numbers.roundsAhead : 0;
        numbers.trials = std::max(numbers.trials, row.number + 1);
        waiting_.trials.push_back(std::move(row));
    }
    told_ = true;
    if (!failedAt_ || std::chrono::steady_clock::now() - *failedAt_ > pauseAfterFailure)
        write();
}

void Recorder::end(StudyState state, std::vector<HeldTrial> held, const std::string& learned,
                   std::optional<StudyGraph> graph) {
    if (!told_ && learned.empty())
        return;
    study_.state = state;
    if (!learned.empty())
        waiting_.models.emplace_back(modelKey(study_.setting), learned);
    waiting_.studies.push_back(study_);
    for (HeldTrial& each : held) {
        each.study = study_.id;
        waiting_.held.push_back(std::move(each));
    }
    if (graph) {
        graph->study = study_.id;
        waiting_.graphs = {*std::move(graph)};
    }
    write();
    if (failedAt_ && !waiting_.models.empty()) { // what is large first, where the disk is full
        waiting_.models.clear();
        write();
    }
    if (failedAt_ && !waiting_.trials.empty())
        note(error(fmt::format("{} trials of this study are not recorded", waiting_.trials.size()),
                   "what they found is in the study's result alone, which -o writes"));
}

void Recorder::write() {
    const auto written = file_.write(waiting_);
    failedAt_.reset();
    if (written) {
        waiting_ = {};
    } else {
        failedAt_ = std::chrono::steady_clock::now();
        note(written.error());
    }
}

} // namespace lathe::records
