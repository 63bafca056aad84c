// SPDX-License-Identifier: Apache-2.0
#include "tune/study.h"

#include "tune/paired.h"
#include "tune/resume.h"
#include "tune/xgb_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <ranges>
#include <utility>

namespace lathe::tune {
namespace {

constexpr size_t contendersABatch = 2; // that meet the incumbent in a paired test
constexpr size_t seedsFirst = 4;       // of what was best before, in the first batch
constexpr double busyOver = 0.1;       // of the rounds that were timed

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
    Runner(std::vector<Task> tasks, const Space& space, const Plan& plan, Bench& bench, TuningBudget& budget,
           Share upTo, const std::function<void(const Study&, const Event&)>& told,
           const std::function<bool()>& cancelled)
        : plan_(plan), bench_(bench), budget_(budget), upTo_(upTo), told_(told), control_(budget.control()),
          cancelled_([&cancelled, control = budget.control()] {
              return (control && control->isEnding()) || (cancelled && cancelled());
          }),
          judge_(plan.machine, makeTreeModel(plan.seed), plan.learned) {
        bench_.noted = [this](const std::string& text) { tell(Event::Kind::Note, at_, 0, text); };
        bench_.clock = [this] { return Bench::Time{elapsed(), secondsLeft()}; };
        double before = 0;
        for (const Task& task : tasks)
            before += task.known.seconds;
        for (const Task& task : tasks) // also where some of its kernels alone go on
            for (const Trial& trial : task.known.trials)
                before = std::max(before, trial.seconds);
        const bool isFirst = !budget_.before;
        before_ = budget_.before.value_or(before);
        budget_.before = before_;
        for (Task& task : tasks) {
            explorers_.emplace_back(space, task.computation, &judge_, task.sizes);
            explorers_.back().isOver = [this] { return isOver(); };
            searches_.push_back(nullptr);
            untimed_.emplace_back();
            TaskState& state = study_.tasks.emplace_back(resumed(std::move(task), explorers_.back()));
            if (isFirst && state.done == Done::Settled) { // whoever goes on with it gives it time anew
                state.done = Done::No;
                state.sinceGain = 0;
            }
        }
        if (isFirst) // making the known trials again takes seconds of a long study
            budget_.countFromNow();
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
            if (auto done = round(*task); !done) {
                stand();
                return {std::move(study_), done.error(), judge_.learned()};
            }
        }
        stand();
        return {std::move(study_), std::nullopt, judge_.learned()};
    }

private:
    double elapsed() const { return budget_.seconds(); }
    double secondsLeft() const { return budget_.limits(upTo_).seconds - elapsed(); }
    bool isOver() const { return budget_.isUsedUp(upTo_) || cancelled_(); }
    /// Candidates that may still be tried.
    size_t trialsLeft() const {
        const int64_t most = budget_.limits(upTo_).trials;
        return most > 0 ? static_cast<size_t>(std::max<int64_t>(most - budget_.trials, 0))
                        : std::numeric_limits<size_t>::max();
    }
    void stand() {
        study_.timings = bench_.timings();
        study_.seconds = elapsed();
        study_.trials = budget_.trials;
        study_.spent = budget_.spent;
        study_.spent.wait = budget_.waited();
    }

    /// Waits while the study is paused or held, or has nothing to do before a task goes on; what is wished is heeded.
    void heed() {
        if (!control_)
            return;
        bool waits = false;
        for (take(); !cancelled_() && (control_->mustWait() || isIdle()); take()) {
            if (!std::exchange(waits, true))
                tell(Event::Kind::Waits, 0);
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
        stand();
        if (!told_)
            return;
        const Stopwatch telling(budget_.spent.tell);
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
        budget_.spent.build += building;
        budget_.spent.measure += since(begin) - building;
        return result;
    }

    /// A task begins with its first batch, in which its default is candidate 0: few studies come to all of their tasks. Until
    /// then it takes what it took in the model. Without candidates: there is no default.
    Result<std::vector<Candidate>> firstCandidates(size_t i) {
        if (!untimed_[i].empty()) {
            std::vector<Candidate> candidates = std::exchange(untimed_[i], {});
            candidates.resize(1 + std::min(trialsLeft(), candidates.size() - 1));
            return candidates;
        }
        auto first = explorers_[i].make({}, std::nullopt, Made::Default);
        LATHE_CHECKED(isSound(i));
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
        const double before = state.bestRatio;
        const size_t first = state.trials.size();
        for (Trial& trial : trials) {
            trial.round = state.rounds + 1;
            trial.seconds = before_ + elapsed();
            // What was timed beside the incumbent is said of the default.
            for (double* ratio : {&trial.ratio.low, &trial.ratio.middle, &trial.ratio.high})
                *ratio *= state.bestRatio;
            state.trials.push_back(std::move(trial));
        }
        state.typicalUs = defaultUsOf(state.trials);
        budget_.trials += std::ssize(state.trials) - static_cast<int64_t>(first);
        state.judgements.push_back(judge_.judgementOf(state.trials, first));
        tell(Event::Kind::Trials, i, first);
        LATHE_CHECKED(benched([&] { return contend(i, first); }));
        state.typicalUs = defaultUsOf(state.trials); // without those that were accepted now
        learn();
        state.seconds += elapsed() - began;
        noteRound(state, state.defaultUs() * (before - state.bestRatio));
        if (state.done != Done::No)
            finish(i, state.done);
        return {};
    }

    /// Of all tasks; not from a batch before it was found which of it are wrong.
    void learn() {
        const Stopwatch training(budget_.spent.train);
        std::vector<std::span<const Trial>> trials;
        for (const TaskState& state : study_.tasks)
            trials.emplace_back(state.trials);
        judge_.learn(trials);
        study_.importance = judge_.importance();
    }

    Result<std::vector<Candidate>> propose(size_t i, std::span<const Trial> trials) {
        const Stopwatch searching(budget_.spent.search);
        if (!searches_[i]) {
            // A study that goes on draws other things than before.
            const uint64_t drawn = trials.size() - 1;
            LATHE_TRY(searches_[i], makeSearch(plan_.search, plan_.seed + i + drawn * 1'000'003));
        }
        const size_t count = std::min(plan_.batch, trialsLeft());
        std::vector<Candidate> made;
        if (study_.tasks[i].rounds == 0)
            made = seeds(i, std::min(count, seedsFirst));
        std::vector<Candidate> others = searches_[i]->propose(count - made.size(), explorers_[i], trials);
        std::ranges::move(others, std::back_inserter(made));
        if (made.size() < count) // nothing else is left
            std::ranges::move(seeds(i, count - made.size()), std::back_inserter(made));
        study_.tasks[i].refused = explorers_[i].refusals();
        LATHE_CHECKED(isSound(i));
        explorers_[i].rate(made);
        return made;
    }

    /// Fails where the space had a fault of ours: it ends the study, which keeps what it has.
    Result<void> isSound(size_t i) const {
        if (!explorers_[i].fault())
            return {};
        Diagnostic fault = *explorers_[i].fault();
        fault.node = study_.tasks[i].task.kernel;
        return Failure(std::move(fault));
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
            if (cancelled_() || (t != contenders.front() && secondsLeft() <= 0))
                break;
            if (!looksFaster(t)) // than what has won since
                continue;
            Trial& trial = state.trials[t];
            const Candidate& incumbent = state.trials[state.best].candidate;
            LATHE_TRY(PairedTimes found, bench_.compare(state.task, incumbent, trial.candidate, plan_.leastGain));
            bool wins =
                !found.fault && found.loses.empty() && isFaster(found.logRatios, plan_.leastGain) == Faster::Yes;
            if (wins) {
                LATHE_TRY(found.fault, bench_.check(state.task, state.trials.front().candidate, trial.candidate));
                wins = !found.fault;
            }
            if (found.fault) {
                trial.verdict = found.fault->verdict;
                trial.message = found.fault->message;
                trial.us = 0;
                trial.ratio = {};
            } else if (!found.loses.empty()) {
                trial.message = found.loses;
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
    TuningBudget& budget_;
    const Share upTo_;
    const std::function<void(const Study&, const Event&)>& told_;
    Control* control_;
    std::function<bool()> cancelled_;
    double before_ = 0; // seconds of the study that this one goes on with
    size_t at_ = 0;     // the task at hand
    Study study_;
    Judge judge_;
    std::vector<Explorer> explorers_; // a task's each
    std::vector<std::unique_ptr<Search>> searches_;
    std::vector<std::vector<Candidate>> untimed_; // a task's first batch, if the machine was too busy for it
};

} // namespace

bool wasBusy(const Timings& timings) {
    constexpr int64_t least = 10; // of which one says nothing
    return timings.all >= least && busyOver * static_cast<double>(timings.all) < static_cast<double>(timings.disturbed);
}

double Study::defaultUs() const {
    double all = 0;
    for (const TaskState& state : tasks)
        all += state.task.calls * state.defaultUs();
    return all;
}

double Study::bestUs() const {
    double all = 0;
    for (const TaskState& state : tasks)
        all += state.task.calls * (state.isTaken() ? state.bestUs() : state.defaultUs());
    return all;
}

StudyResult runStudy(std::vector<Task> tasks, const Space& space, const Plan& plan, Bench& bench,
                     const std::function<void(const Study&, const Event&)>& told,
                     const std::function<bool()>& cancelled, Control* control) {
    TuningBudget budget({.seconds = plan.time.count(), .trials = plan.trials}, control);
    return runStudy(std::move(tasks), space, plan, bench, budget, {}, told, cancelled);
}

StudyResult runStudy(std::vector<Task> tasks, const Space& space, const Plan& plan, Bench& bench, TuningBudget& budget,
                     Share upTo, const std::function<void(const Study&, const Event&)>& told,
                     const std::function<bool()>& cancelled) {
    return Runner(std::move(tasks), space, plan, bench, budget, upTo, told, cancelled).run();
}

} // namespace lathe::tune
