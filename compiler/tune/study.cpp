// SPDX-License-Identifier: Apache-2.0
#include "tune/study.h"

#include "tune/paired.h"
#include "tune/resume.h"
#include "tune/xgb_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <ranges>
#include <utility>

namespace lathe::tune {
namespace {

constexpr size_t contendersABatch = 2; // that meet the incumbent in a paired test
constexpr size_t seedsFirst = 4;       // of what was best before, in the first batch

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Adds the time that it lives.
class Stopwatch {
public:
    explicit Stopwatch(double& seconds) : seconds_(seconds) {}
    ~Stopwatch() { seconds_ += since(begin_); }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

private:
    double& seconds_;
    Clock::time_point begin_ = Clock::now();
};

class Runner {
public:
    Runner(std::vector<Task> tasks, const Space& space, const Plan& plan, Bench& bench,
           const std::function<void(const Study&, const Event&)>& told, const std::function<bool()>& cancelled,
           Control* control)
        : plan_(plan), bench_(bench), told_(told), control_(control),
          cancelled_([&cancelled, control] { return (control && control->isEnding()) || (cancelled && cancelled()); }),
          limits_{.seconds = plan.time.count(), .trials = plan.trials}, begin_(Clock::now()),
          judge_(plan.machine, makeTreeModel(plan.seed), plan.learned) {
        bench_.noted = [this](const std::string& text) { tell(Event::Kind::Note, at_, 0, text); };
        bench_.clock = [this] { return Bench::Time{elapsed(), limits_.seconds - elapsed()}; };
        for (Task& task : tasks) {
            explorers_.emplace_back(space, task.computation, &judge_, task.sizes);
            explorers_.back().isOver = [this] { return isOver(); };
            searches_.push_back(nullptr);
            untimed_.emplace_back();
            before_ += task.known.seconds;
            study_.tasks.push_back(resumed(std::move(task), explorers_.back()));
        }
    }

    ~Runner() {
        bench_.noted = {};
        bench_.clock = {};
    }
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    StudyResult run() {
        const Control::Work work(control_, cancelled_);
        for (size_t i = 0; i < study_.tasks.size(); ++i)
            if (!study_.tasks[i].trials.empty()) // it goes on
                tell(Event::Kind::TaskBegun, i);
        while (heed(), !isOver()) {
            const auto task = nextTask(study_.tasks);
            if (!task)
                break;
            if (auto done = round(*task); !done)
                return {std::move(study_), done.error(), judge_.learned()};
        }
        study_.seconds = elapsed();
        return {std::move(study_), std::nullopt, judge_.learned()};
    }

private:
    double elapsed() const { return since(begin_) - study_.spent.wait; }
    bool isOver() const {
        return elapsed() >= limits_.seconds || (limits_.trials > 0 && study_.trials >= limits_.trials) || cancelled_();
    }

    /// Waits while the study is paused or held, or has nothing to do before a task goes on; what is wished is heeded.
    void heed() {
        if (!control_)
            return;
        bool waits = false;
        for (take(); !cancelled_() && (control_->mustWait() || isIdle()); take()) {
            if (!std::exchange(waits, true))
                tell(Event::Kind::Waits, 0);
            const Stopwatch waiting(study_.spent.wait);
            control_->wait(cancelled_, isIdle());
        }
        if (waits)
            tell(Event::Kind::GoesOn, 0);
    }
    bool isIdle() const {
        return !nextTask(study_.tasks) && std::ranges::any_of(study_.tasks, [](const TaskState& state) {
            return state.done == Done::No && state.wish == Wish::Paused;
        });
    }
    void take() {
        for (const Instruction& each : control_->instructions())
            for (size_t i = 0; i < study_.tasks.size(); ++i)
                if (study_.tasks[i].task.workload == each.workload) {
                    follow(each, study_.tasks[i]);
                    tell(Event::Kind::TaskChanged, i);
                }
        limits_ = control_->limits().value_or(limits_);
    }
    static void follow(const Instruction& instruction, TaskState& state) {
        state.priority = instruction.priority.value_or(state.priority);
        state.wish = instruction.wish.value_or(state.wish);
        if (instruction.wish == Wish::Go && state.done == Done::Settled) {
            state.done = Done::No;
            state.sinceGain = 0;
        }
    }
    void tell(Event::Kind kind, size_t task, size_t trial = 0, const std::string& note = {}) {
        study_.seconds = elapsed();
        if (!told_)
            return;
        const Stopwatch telling(study_.spent.tell);
        told_(study_, {kind, task, trial, note});
    }

    Result<std::vector<Trial>> screen(const Task& task, const Candidate* incumbent, std::vector<Candidate> candidates) {
        return benched([&] { return bench_.screen(task, incumbent, std::move(candidates)); });
    }
    /// What `work` on the bench gives; its time counts as building and measuring.
    template <class Work>
    auto benched(const Work& work) -> decltype(work()) {
        const double built = bench_.buildSeconds();
        const Clock::time_point begin = Clock::now();
        auto result = work();
        const double building = bench_.buildSeconds() - built;
        study_.spent.build += building;
        study_.spent.measure += since(begin) - building;
        return result;
    }

    /// A task begins with its first batch, in which its default is candidate 0: few studies come to all of their tasks. Until
    /// then it takes what it took in the model. Without candidates: there is no default.
    Result<std::vector<Candidate>> firstCandidates(size_t i) {
        if (!untimed_[i].empty())
            return std::exchange(untimed_[i], {});
        auto first = explorers_[i].make({}, std::nullopt, Made::Default);
        if (!first)
            return std::vector<Candidate>();
        Trial guessed;
        guessed.candidate = std::move(*first);
        guessed.us = std::max(study_.tasks[i].task.us, 1e-3);
        guessed.ratio = {1, 1, 1};
        (void)explorers_[i].rate({&guessed.candidate, 1});
        LATHE_TRY(std::vector<Candidate> candidates, propose(i, {&guessed, 1}));
        candidates.insert(candidates.begin(), std::move(guessed.candidate));
        return candidates;
    }

    /// Takes the default's trial from the batch. False: the task has not begun. One whose default cannot be measured is done;
    /// one that the machine was too busy for may begin later, with the same candidates.
    bool begin(size_t i, std::vector<Trial>& trials, std::vector<Candidate> candidates) {
        TaskState& state = study_.tasks[i];
        if (trials.front().verdict == Verdict::Disturbed) {
            state.isUntimed = true;
            untimed_[i] = std::move(candidates);
            return false;
        }
        state.trials.push_back(std::move(trials.front()));
        state.trials.front().seconds = before_ + elapsed();
        trials.erase(trials.begin());
        tell(Event::Kind::TaskBegun, i);
        if (state.trials.front().verdict != Verdict::Measured || (trials.empty() && !isOver()))
            finish(i, Done::Exhausted);
        return state.done == Done::No && !trials.empty();
    }

    void finish(size_t i, Done done) {
        study_.tasks[i].done = done;
        tell(Event::Kind::TaskDone, i);
    }

    Result<void> round(size_t i) {
        TaskState& state = study_.tasks[i];
        const double began = elapsed();
        at_ = i;
        const bool fresh = state.trials.empty();
        LATHE_TRY(std::vector<Candidate> candidates, fresh ? firstCandidates(i) : propose(i, state.trials));
        if (candidates.empty()) {
            if (!isOver())
                finish(i, Done::Exhausted);
            return {};
        }
        std::optional<Candidate> incumbent;
        if (!fresh)
            incumbent = state.trials[state.best].candidate;
        LATHE_TRY(std::vector<Trial> trials, screen(state.task, incumbent ? &*incumbent : nullptr, candidates));
        if (fresh && !begin(i, trials, std::move(candidates))) {
            state.seconds += elapsed() - began;
            return {};
        }
        const double before = state.bestUs();
        const size_t first = state.trials.size();
        for (Trial& trial : trials) {
            trial.round = state.rounds + 1;
            trial.seconds = before_ + elapsed();
            // What was timed beside the incumbent is said of the default.
            for (double* ratio : {&trial.ratio.low, &trial.ratio.middle, &trial.ratio.high})
                *ratio *= state.bestRatio;
            state.trials.push_back(std::move(trial));
        }
        study_.trials += std::ssize(state.trials) - static_cast<int64_t>(first);
        state.judgements.push_back(judge_.judgementOf(state.trials, first));
        tell(Event::Kind::Trials, i, first);
        LATHE_CHECKED(benched([&] { return contend(i, first); }));
        learn();
        state.seconds += elapsed() - began;
        noteRound(state, before - state.bestUs());
        if (state.done != Done::No)
            finish(i, state.done);
        return {};
    }

    /// Of all tasks; not from a batch before it was found which of it are wrong.
    void learn() {
        const Stopwatch training(study_.spent.train);
        std::vector<std::span<const Trial>> trials;
        for (const TaskState& state : study_.tasks)
            trials.emplace_back(state.trials);
        judge_.learn(trials);
        study_.importance = judge_.importance();
    }

    Result<std::vector<Candidate>> propose(size_t i, std::span<const Trial> trials) {
        const Stopwatch searching(study_.spent.search);
        if (!searches_[i]) {
            // A study that goes on draws other things than before.
            const uint64_t drawn = trials.size() - 1;
            LATHE_TRY(searches_[i], makeSearch(plan_.search, plan_.seed + i + drawn * 1'000'003));
        }
        size_t count = plan_.batch;
        if (limits_.trials > 0)
            count = std::min(count, static_cast<size_t>(limits_.trials - study_.trials));
        std::vector<Candidate> made;
        if (study_.tasks[i].rounds == 0)
            made = seeds(i, std::min(count, seedsFirst));
        std::vector<Candidate> others = searches_[i]->propose(count - made.size(), explorers_[i], trials);
        std::ranges::move(others, std::back_inserter(made));
        if (made.size() < count) // nothing else is left
            std::ranges::move(seeds(i, count - made.size()), std::back_inserter(made));
        study_.tasks[i].refused = explorers_[i].refusals();
        explorers_[i].rate(made);
        return made;
    }

    /// What was best before comes first, as candidates like others: what is fast elsewhere need not be fast here.
    std::vector<Candidate> seeds(size_t i, size_t count) {
        std::vector<Candidate> made;
        std::vector<schedule::Answers>& waiting = study_.tasks[i].task.known.seeds;
        for (; made.size() < count && !waiting.empty(); waiting.erase(waiting.begin()))
            if (auto candidate = explorers_[i].make(waiting.front(), std::nullopt, Made::Recorded))
                made.push_back(std::move(*candidate));
        return made;
    }

    /// The fastest of the batch in paired tests, as far as they look faster by as much as a candidate has to gain: a paired
    /// test costs as much as a batch, and of kernels that nothing makes faster half of all candidates look so by a trifle.
    Result<void> contend(size_t i, size_t first) {
        TaskState& state = study_.tasks[i];
        const auto looksFaster = [&](size_t t) {
            return state.trials[t].verdict == Verdict::Measured &&
                   state.trials[t].ratio.middle < (1 - plan_.leastGain) * state.bestRatio;
        };
        std::vector<size_t> contenders;
        for (size_t t = first; t < state.trials.size(); ++t)
            if (looksFaster(t))
                contenders.push_back(t);
        std::ranges::sort(contenders, {}, [&](size_t t) { return state.trials[t].ratio.middle; });
        contenders.resize(std::min(contenders.size(), contendersABatch));
        for (const size_t t : contenders) {
            if (cancelled_() || (t != contenders.front() && elapsed() >= limits_.seconds))
                break;
            if (!looksFaster(t)) // than what has won since
                continue;
            Trial& trial = state.trials[t];
            const Candidate& incumbent = state.trials[state.best].candidate;
            LATHE_TRY(PairedTimes found, bench_.compare(state.task, incumbent, trial.candidate, plan_.leastGain));
            bool wins = !found.fault && isFaster(found.logRatios, plan_.leastGain) == Faster::Yes;
            if (wins) {
                LATHE_TRY(found.fault, bench_.check(state.task, state.trials.front().candidate, trial.candidate));
                wins = !found.fault;
            }
            if (found.fault) {
                trial.verdict = found.fault->verdict;
                trial.message = found.fault->message;
                trial.us = 0;
                trial.ratio = {};
            } else if (found.logRatios.empty()) {
                trial.message = "no paired test: another tuner timed, or the clock gave no times";
            } else if (found.disturbed > 0) {
                trial.message =
                    fmt::format("the machine was busy in {} of {} pairs", found.disturbed, found.logRatios.size());
            }
            if (wins) {
                const Interval won = medianInterval(found.logRatios);
                trial.ratio = {std::exp(won.low) * state.bestRatio, std::exp(won.middle) * state.bestRatio,
                               std::exp(won.high) * state.bestRatio};
                state.bestRatio = trial.ratio.middle;
                state.best = t;
                trial.accepted = true;
            }
            tell(wins ? Event::Kind::Accepted : Event::Kind::Rejected, i, t);
        }
        return {};
    }

    const Plan& plan_;
    Bench& bench_;
    const std::function<void(const Study&, const Event&)>& told_;
    Control* control_;
    std::function<bool()> cancelled_;
    Limits limits_;
    Clock::time_point begin_;
    double before_ = 0; // seconds of the study that this one goes on with
    size_t at_ = 0;     // the task at hand
    Study study_;
    Judge judge_;
    std::vector<Explorer> explorers_; // a task's each
    std::vector<std::unique_ptr<Search>> searches_;
    std::vector<std::vector<Candidate>> untimed_; // a task's first batch, if the machine was too busy for it
};

double sum(const std::vector<TaskState>& tasks, double (TaskState::*us)() const) {
    double all = 0;
    for (const TaskState& state : tasks)
        all += state.task.calls * (state.*us)();
    return all;
}

} // namespace

double Study::defaultUs() const {
    return sum(tasks, &TaskState::defaultUs);
}

double Study::bestUs() const {
    return sum(tasks, &TaskState::bestUs);
}

StudyResult runStudy(std::vector<Task> tasks, const Space& space, const Plan& plan, Bench& bench,
                     const std::function<void(const Study&, const Event&)>& told,
                     const std::function<bool()>& cancelled, Control* control) {
    return Runner(std::move(tasks), space, plan, bench, told, cancelled, control).run();
}

} // namespace lathe::tune
