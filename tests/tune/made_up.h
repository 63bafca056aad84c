// SPDX-License-Identifier: Apache-2.0
//
// A space and a bench without kernels, for tests of searches and studies: a few questions, and times that are a formula of
// the answers.
#pragma once

#include "tune/study.h"

#include <cmath>
#include <functional>
#include <map>
#include <random>

namespace lathe::testing {

/// A question with the candidates 0 … count - 1.
inline schedule::Question numbers(const std::string& name, int64_t count, int64_t preferred) {
    schedule::Question question;
    question.name = name;
    for (int64_t i = 0; i < count; ++i)
        question.candidates.push_back(i);
    question.preferred = {preferred};
    return question;
}

/// Asks for "a" and "b" of 8, and for "c" of 4 where "a" is even or for "d" of 4 where it is odd: 8 · 8 · 4 candidates. With
/// a + b = 13 it is illegal.
inline tune::Space madeUpSpace() {
    const auto generate = [](const tir::PrimFuncPtr&,
                             const std::shared_ptr<const schedule::Chooser>& chooser) -> Result<tune::Candidate> {
        tune::Candidate made;
        const auto ask = [&](const schedule::Question& question) {
            made.questions.push_back(question);
            made.answers[question.name] = chooser->answer(question);
            return made.answers[question.name].front();
        };
        const int64_t a = ask(numbers("a", 8, 1)), b = ask(numbers("b", 8, 1));
        const int64_t c = ask(numbers(a % 2 == 0 ? "c" : "d", 4, 0));
        if (a + b == 13)
            return failure("13 brings bad luck");
        made.program = {1, static_cast<uint64_t>(a * 100 + b * 10 + c)};
        return made;
    };
    return {"made up", 1, generate};
}

/// Microseconds: least, 1, at a = 6, b = 4, c = 3; the default takes 10.5.
inline double madeUpTime(const tune::Candidate& candidate) {
    const auto answer = [&](const char* name) {
        const auto found = candidate.answers.find(name);
        return found == candidate.answers.end() ? -1.0 : static_cast<double>(found->second.front());
    };
    const double a = answer("a"), b = answer("b"), c = answer("c"), d = answer("d");
    const double rest = c >= 0 ? 0.25 * (3 - c) : 1 + 0.25 * d;
    return 1 + std::abs(a - 6) + 0.5 * std::abs(b - 4) * (1 + 0.2 * std::abs(a - 6)) + rest;
}

class MadeUpBench final : public tune::Bench {
public:
    std::function<double(const tune::Candidate&)> time = madeUpTime;
    std::map<Hash128, tune::Verdict> verdicts; // of programs that come to something else
    double noise = 0;                          // relative deviation of a measured time
    int failAfter = -1;                        // requests; then the machine fails
    std::vector<tune::Candidate> seen;
    std::map<std::string, int> busy;     // by task: first batches that the machine has no time for
    std::vector<tune::Made> truths = {}; // how what a candidate's values were held against was made

    Result<std::vector<tune::Trial>> screen(const tune::Task& task, const tune::Candidate* incumbent,
                                            std::vector<tune::Candidate> candidates) override {
        if (failAfter == 0)
            return failure("the disk is full");
        --failAfter;
        std::vector<tune::Trial> trials;
        if (!incumbent && busy[task.workload] > 0) {
            --busy[task.workload];
            trials.emplace_back().verdict = tune::Verdict::Disturbed;
            return trials;
        }
        for (tune::Candidate& candidate : candidates) {
            seen.push_back(candidate);
            tune::Trial& trial = trials.emplace_back();
            const auto verdict = verdicts.find(candidate.program);
            trial.verdict = verdict == verdicts.end() || verdict->second == tune::Verdict::Wrong
                                ? tune::Verdict::Measured
                                : verdict->second;
            if (trial.verdict == tune::Verdict::Measured) {
                trial.us = measured(candidate);
                const double ratio = incumbent            ? trial.us / measured(*incumbent)
                                     : trials.size() == 1 ? 1
                                                          : trial.us / trials.front().us;
                trial.ratio = {ratio * (1 - noise), ratio, ratio * (1 + noise)};
            }
            trial.candidate = std::move(candidate);
            if (!incumbent && trials.front().verdict != tune::Verdict::Measured)
                break;
        }
        return trials;
    }

    Result<std::optional<tune::Fault>> check(const tune::Task&, const tune::Candidate& byDefault,
                                             const tune::Candidate& candidate) override {
        truths.push_back(byDefault.made);
        const auto verdict = verdicts.find(candidate.program);
        return verdict != verdicts.end() && verdict->second == tune::Verdict::Wrong ? std::optional(tune::Fault{})
                                                                                    : std::nullopt;
    }

    Result<tune::PairedTimes> compare(const tune::Task&, const tune::Candidate& incumbent,
                                      const tune::Candidate& candidate, double) override {
        tune::PairedTimes found;
        for (int i = 0; i < 25; ++i)
            found.logRatios.push_back(std::log(measured(candidate) / measured(incumbent)));
        return found;
    }

private:
    double measured(const tune::Candidate& candidate) {
        return time(candidate) * (1 + noise * std::normal_distribution<double>()(random_));
    }
    std::mt19937_64 random_{7};
};

/// A task with no kernel: the space does not look at it.
inline tune::Task madeUpTask(const std::string& name, double calls = 1) {
    tune::Task task;
    task.workload = task.kernel = name;
    task.calls = calls;
    return task;
}

} // namespace lathe::testing
