// SPDX-License-Identifier: Apache-2.0
#include "diagnose/bisect.h"

#include "base/guarded.h"
#include "diagnose/bisect_judge.h"
#include "driver/passes.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace lathe::diagnose {
namespace {

const driver::Extensions* extensionsOf(const BisectQuestion& question) {
    return question.options.extensions.get();
}

driver::Stage stageOf(std::string_view pass, const BisectQuestion& question) {
    const std::vector<driver::Pass> all = driver::pipelineWith(extensionsOf(question));
    return std::ranges::find(all, pass, &driver::Pass::name)->stage;
}

int ordinalOf(std::string_view pass, const BisectQuestion& question) {
    return driver::ordinalOf(pass, extensionsOf(question));
}

/// Whether the kernels are those of all passes, and have their schedules.
bool keepsKernels(int limit, const BisectQuestion& question) {
    return std::ranges::all_of(driver::pipelineWith(extensionsOf(question)), [&](const driver::Pass& pass) {
        const bool matters = pass.stage == driver::Stage::Relay || pass.name == "schedule";
        return pass.required || !matters || ordinalOf(pass.name, question) < limit;
    });
}

/// What is decided for a pass that is off would be an error; so would be what is decided for kernels, if others may stand in
/// their place.
driver::Decisions fitting(driver::Decisions decisions, const driver::Options& options) {
    const auto off = [&](std::string_view name) {
        return !driver::isEnabled(*std::ranges::find(driver::pipeline(), name, &driver::Pass::name), decisions,
                                  options);
    };
    if (off("choose variants"))
        decisions.variants.clear();
    if (off("choose layouts"))
        decisions.layouts.clear();
    if (off("fuse"))
        decisions.apart.clear();
    return decisions;
}

driver::Decisions upTo(const BisectQuestion& question, int limit) {
    driver::Decisions decisions = question.decisions;
    decisions.optionalLimit = limit;
    if (!keepsKernels(limit, question)) { // kernels may be others, and have no schedules
        decisions.kernels.clear();
        decisions.skipIn.clear();
    }
    return fitting(std::move(decisions), question.options);
}

driver::Decisions without(const BisectQuestion& question, const std::string& pass) {
    driver::Decisions decisions = question.decisions;
    decisions.skipPasses.insert(pass);
    if (stageOf(pass, question) == driver::Stage::Relay) {
        decisions.kernels.clear();
        decisions.skipIn.clear();
    } else if (pass == "schedule") {
        decisions.kernels.clear();
    }
    return fitting(std::move(decisions), question.options);
}

/// Whether a pass did anything to a kernel; so too if it ended there.
bool isTouched(const driver::KernelRecord& kernel, std::string_view pass) {
    for (size_t i = 1; i < kernel.stages.size(); ++i)
        if (kernel.stages[i].first == pass)
            return kernel.stages[i].second != kernel.stages[i - 1].second;
    return kernel.schedulable || pass != "schedule";
}

/// What a compilation may be worse at, the fewer passes it has: no correctness, but a measure.
bool isMeasure(const Fault& fault) {
    return std::holds_alternative<SlowerThan>(fault) || std::holds_alternative<MoreThan>(fault);
}

class Bisecting {
public:
    Bisecting(driver::Session& session, const BisectQuestion& question,
              const std::function<void(const BisectStep&)>& step, const driver::Progress& progress)
        : judge_(session, question, progress), question_(question), step_(step), progress_(progress) {}

    Result<Bisection> run() {
        const auto* most = std::get_if<MoreThan>(&question_.fault);
        if (most && most->what != "kernels" && !relay::findOp(most->what))
            return failure(ErrorKind::Usage, fmt::format("there is no operator '{}' in the graph IR", most->what),
                           "as `lathe compile MODEL --emit relay` prints them");
        LATHE_TRY(const bool badWithout, isBad(upTo(question_, 0), "none"));
        LATHE_TRY(const bool badWithAll, isBad(question_.decisions, "all"));
        if (!badWithAll)
            return answer(BisectAnswer::GoodWithAll);
        full_ = std::move(last_);
        found_.trace = full_;
        noteSuspects();
        if (badWithout && !isMeasure(question_.fault))
            return answer(found_.steps.front().endless ? BisectAnswer::Endless : BisectAnswer::BadWithout);
        if (!badWithout && suspects_.empty())
            return answer(BisectAnswer::Unsteady);
        if (!badWithout) {
            LATHE_CHECKED(halve());
            LATHE_TRY(const bool badWithoutIt, isBadWithout(found_.pass));
            found_.mends = !badWithoutIt;
        }
        if (!found_.mends && isMeasure(question_.fault))
            LATHE_CHECKED(switchOffEach());
        if (found_.pass.empty())
            return answer(BisectAnswer::BadWithout);
        if (found_.stage == driver::Stage::Tir)
            LATHE_CHECKED(findKernel());
        return answer(BisectAnswer::Found);
    }

private:
    Result<bool> isBad(const driver::Decisions& decisions, std::string passes) {
        if (progress_.cancelled && progress_.cancelled())
            throw Cancelled{};
        if (progress_.report)
            progress_.report(fmt::format("bisect: {}", passes),
                             std::min(0.99, double(found_.steps.size()) / double(expectedSteps_)));
        const auto start = std::chrono::steady_clock::now();
        last_ = {};
        LATHE_TRY(Verdict verdict, judge_.judge(decisions, last_));
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        found_.steps.push_back({decisions, std::move(passes), verdict.bad, verdict.endless, std::move(verdict.reason),
                                std::move(verdict.caveat), seconds});
        if (step_)
            step_(found_.steps.back());
        return verdict.bad;
    }

    /// Optional passes that ran and changed something, or were not reached: a pass that changes nothing in the full pipeline
    /// changes nothing in a shorter one either, since the passes before it are the same.
    void noteSuspects() {
        for (const driver::PassRecord& record : found_.trace.passes)
            if (!record.required && record.enabled && (record.changed || record.changedConstants || !record.ran))
                suspects_.push_back(record.name);
        std::ranges::sort(suspects_, {}, [&](const std::string& pass) { return ordinalOf(pass, question_); });
        expectedSteps_ = found_.steps.size() + static_cast<size_t>(std::bit_width(suspects_.size())) + 1;
    }

    Result<bool> isBadWithout(const std::string& pass) {
        return isBad(without(question_, pass), "all but '" + pass + "'");
    }

    /// A measure need not grow with the passes: neither end may be good, or a few passes may be worse than all for reasons of
    /// their own. Then the guilty pass is one without which the whole is good.
    Result<void> switchOffEach() {
        expectedSteps_ = found_.steps.size() + suspects_.size();
        for (auto it = suspects_.rbegin(); it != suspects_.rend();
             ++it) { // without a late pass the others see the same
            const std::string& pass = *it;
            if (pass == found_.pass)
                continue;
            LATHE_TRY(const bool bad, isBadWithout(pass));
            if (bad)
                continue;
            found_.pass = pass;
            found_.stage = stageOf(pass, question_);
            found_.mends = true;
            found_.trace = full_;
            return {};
        }
        return {};
    }

    Result<void> halve() {
        size_t good = 0, bad = suspects_.size(); // so many of them
        while (bad - good > 1) {
            const size_t middle = (good + bad) / 2;
            const std::string& last = suspects_[middle - 1];
            LATHE_TRY(const bool isWorse,
                      isBad(upTo(question_, ordinalOf(last, question_) + 1), "up to '" + last + "'"));
            (isWorse ? bad : good) = middle;
            if (isWorse)
                found_.trace = std::move(last_);
        }
        found_.pass = suspects_[bad - 1];
        found_.stage = stageOf(found_.pass, question_);
        return {};
    }

    /// Switches the pass off in the first kernels: the last one that has to be among them is guilty.
    Result<void> findKernel() {
        std::vector<const driver::KernelRecord*> touched;
        const driver::Trace& trace = found_.trace;
        std::set<std::string_view> workloads; // some compute constants as well
        for (const auto* kernels : {&trace.kernels, &trace.constantKernels})
            for (const driver::KernelRecord& kernel : *kernels)
                if (isTouched(kernel, found_.pass) && workloads.insert(kernel.workload).second)
                    touched.push_back(&kernel);
        if (touched.empty())
            return {};
        // Where switching the pass off does not mend the whole, passes behind it have the fault as well.
        const driver::Decisions all =
            found_.mends ? question_.decisions : upTo(question_, ordinalOf(found_.pass, question_) + 1);
        const auto off = [&](size_t first, size_t count) {
            driver::Decisions decisions = all;
            for (size_t i = first; i < first + count; ++i) {
                decisions.skipIn[touched[i]->workload].insert(found_.pass);
                if (found_.pass == "schedule")
                    decisions.kernels.erase(touched[i]->workload);
            }
            return decisions;
        };
        const auto named = [&](std::string kernels) { return fmt::format("'{}' off in {}", found_.pass, kernels); };
        size_t bad = 0, good = touched.size(); // kernels in which it is off
        expectedSteps_ = found_.steps.size() + static_cast<size_t>(std::bit_width(good));
        while (good - bad > 1) {
            const size_t middle = (good + bad) / 2;
            LATHE_TRY(const bool isWorse,
                      isBad(off(0, middle), named(fmt::format("{} of {} kernels", middle, touched.size()))));
            (isWorse ? bad : good) = middle;
        }
        const driver::KernelRecord& kernel = *touched[good - 1];
        GuiltyKernel guilty{.kernel = kernel.name, .ofConstants = false, .functions = {}, .nodes = {}, .alone = true};
        guilty.ofConstants =
            std::ranges::find(trace.kernels, kernel.workload, &driver::KernelRecord::workload) == trace.kernels.end();
        if (touched.size() > 1) {
            LATHE_TRY(const bool others, isBad(off(good - 1, 1), named(fmt::format("'{}' alone", kernel.name))));
            guilty.alone = !others;
        }
        std::set<int32_t> nodes;
        for (const driver::CallRecord& call : trace.calls)
            if (!guilty.ofConstants && call.kernel == kernel.name) {
                guilty.functions.push_back(call.function);
                const std::vector<int32_t>& ids = trace.graph->spans->ids(call.span);
                nodes.insert(ids.begin(), ids.end());
            }
        guilty.nodes.assign(nodes.begin(), nodes.end());
        found_.kernel = std::move(guilty);
        return {};
    }

    Result<Bisection> answer(BisectAnswer what) {
        found_.answer = what;
        found_.inputs = judge_.chosen();
        return std::move(found_);
    }

    BisectJudge judge_;
    const BisectQuestion& question_;
    const std::function<void(const BisectStep&)>& step_;
    const driver::Progress& progress_;
    std::vector<std::string> suspects_;
    size_t expectedSteps_ = 8;
    driver::Trace last_, full_; // of the last step; of all passes
    Bisection found_;
};

} // namespace

Result<Bisection> bisect(driver::Session& session, const BisectQuestion& question,
                         const std::function<void(const BisectStep&)>& step, const driver::Progress& progress) {
    return guarded([&] { return Bisecting(session, question, step, progress).run(); });
}

} // namespace lathe::diagnose
