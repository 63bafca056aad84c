// SPDX-License-Identifier: Apache-2.0
#include "diagnose/bisect_judge.h"

#include "base/memory_file.h"
#include "inspect/provenance.h"
#include "model/random_values.h"
#include "relay/visit.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::diagnose {
namespace {

device::RunnerOptions runnerOptions(const BisectQuestion& question, const driver::Progress& progress) {
    device::RunnerOptions options = question.runner;
    options.seed = question.chosen.seed;
    options.cancelled = progress.cancelled;
    return options;
}

/// Calls of an operator after the last pass over the graph.
int64_t callsOf(const std::string& op, const driver::Trace& trace) {
    int64_t calls = 0;
    if (const driver::ModulePtr last = inspect::lastModule(trace))
        relay::visitBindings(*last, [&](const relay::Binding& binding) {
            const auto* call = binding.as<relay::OpCall>();
            calls += call && relay::info(call->op).name == op;
        });
    return calls;
}

} // namespace

BisectJudge::BisectJudge(driver::Session& session, const BisectQuestion& question, const driver::Progress& progress)
    : session_(session), question_(question), quiet_{.report = {}, .cancelled = progress.cancelled},
      runner_(runnerOptions(question, progress)) {}

Result<Verdict> BisectJudge::judge(const driver::Decisions& decisions, driver::Trace& trace) {
    const auto* most = std::get_if<MoreThan>(&question_.fault);
    first_ = judged_++ == 0;
    driver::Options options = question_.options;
    options.emitCode = !most;
    if (!question_.data.empty())
        options.inputsAtNeed = {.folder = question_.data.front().string()};
    const MemoryFile artifact("lathe-bisect");
    if (auto compiled =
            session_.compile(most ? std::filesystem::path{} : artifact.path(), decisions, options, trace, quiet_);
        !compiled) {
        if (compiled.error().kind == ErrorKind::Internal)
            return Verdict{true, toString(compiled.error())};
        return Failure(compiled.error());
    }
    return most ? count(*most, trace) : run(artifact.path(), trace);
}

Result<Verdict> BisectJudge::count(const MoreThan& most, const driver::Trace& trace) const {
    const int64_t found =
        most.what == "kernels" ? static_cast<int64_t>(trace.kernels.size()) : callsOf(most.what, trace);
    return Verdict{found > most.limit, fmt::format("{} {}", found, most.what)};
}

Result<Verdict> BisectJudge::failed(const Diagnostic& diagnostic) const {
    switch (runner_.outcome()) {
    case device::RunnerOutcome::Cancelled:
    case device::RunnerOutcome::Unavailable:
    case device::RunnerOutcome::Lost:
        return Failure(diagnostic);
    default:
        return Verdict{true, toString(diagnostic), {}, runner_.outcome() == device::RunnerOutcome::Timeout};
    }
}

Result<void> BisectJudge::readSets(const device::RunnerModel& loaded, const driver::Trace& trace) {
    const driver::Shapes asked = inspect::asDeclared(trace.graph.get(), question_.shapes);
    for (const std::filesystem::path& folder : question_.data) {
        LATHE_TRY(inspect::DataSet set, inspect::readDataSet(folder, loaded));
        if (trace.fixedAtNeed) // for the sizes of the first
            LATHE_CHECKED(inspect::checkSizes(set, loaded));
        if (std::holds_alternative<WrongValues>(question_.fault) && set.outputs.size() != loaded.outputs.size())
            return failure(fmt::format("'{}' has {} outputs, the model has {}", folder.string(), set.outputs.size(),
                                       loaded.outputs.size()),
                           "name a folder with an output_N.pb for each output");
        sets_.push_back(std::move(set));
    }
    if (!sets_.empty()) { // the data says the sizes; what is no input is refused all the same
        LATHE_CHECKED(inspect::inputShapes(loaded.inputs, {}, asked));
        return {};
    }
    inspect::DataSet drawn;
    LATHE_TRY(chosen_, inspect::drawChosen(
                           loaded.inputs, {}, question_.chosen, asked,
                           [&](size_t, const model::HostTensor& tensor) -> Result<void> {
                               drawn.inputs.push_back(tensor);
                               return {};
                           },
                           quiet_.cancelled));
    sets_.push_back(std::move(drawn));
    return {};
}

Result<Verdict> BisectJudge::run(const std::filesystem::path& artifact, const driver::Trace& trace) {
    const auto loaded = runner_.load(artifact);
    if (!loaded)
        return failed(loaded.error());
    if (sets_.empty())
        LATHE_CHECKED(readSets(*loaded, trace));
    Verdict verdict{false, "runs"};
    for (inspect::DataSet& set : sets_) {
        const std::string before = std::move(verdict.caveat);
        LATHE_TRY(verdict, runOne(*loaded, set, trace));
        if (verdict.bad)
            return verdict;
        if (verdict.caveat.empty())
            verdict.caveat = before;
    }
    return std::holds_alternative<SlowerThan>(question_.fault) ? time() : verdict;
}

Result<Verdict> BisectJudge::runOne(const device::RunnerModel& loaded, inspect::DataSet& set,
                                    const driver::Trace& trace) {
    for (size_t i = 0; i < set.inputs.size(); ++i)
        if (auto taken = runner_.setInput(loaded.inputs.at(i).name, set.inputs[i]); !taken)
            return failed(taken.error());
    if (auto begun = runner_.resetStates(); !begun)
        return failed(begun.error());
    if (auto ran = runner_.run(1); !ran) {
        // Nobody knows whether a model takes random inputs, such as indices.
        if (first_ && question_.data.empty() && runner_.outcome() == device::RunnerOutcome::Refused) {
            Diagnostic refused = ran.error();
            refused.hint = "give inputs that the model takes";
            return Failure(refused);
        }
        return failed(ran.error());
    }
    const auto* wrong = std::get_if<WrongValues>(&question_.fault);
    if (!wrong)
        return Verdict{false, "runs"};
    auto outputs = runner_.outputs();
    if (!outputs)
        return failed(outputs.error());
    if (first_ && question_.data.empty()) {
        set.outputs = *std::move(outputs);
        return Verdict{false, "the outputs that others are held against"};
    }
    if (set.outputs.size() != outputs->size()) // the first one gave none
        return Verdict{true, fmt::format("{} outputs, expected {}", outputs->size(), set.outputs.size())};
    const data::CompareRules rules = inspect::rulesFor(*trace.graph, wrong->tolerance);
    const std::vector<bool> random = model::randomOutputs(*trace.graph, set.inputs);
    double largest = 0;
    std::vector<std::string> odd;
    for (size_t i = 0; i < outputs->size(); ++i) {
        if (random.at(i))
            continue;
        const data::Comparison comparison = data::compare((*outputs)[i], set.outputs[i], rules);
        if (!comparison.right)
            return Verdict{true, fmt::format("output '{}': {}", loaded.outputs[i].name, comparison.message)};
        largest = std::max(largest, comparison.ofRange);
        if (const std::string text = data::notFiniteText(comparison); !text.empty())
            odd.push_back(fmt::format("output '{}': {}", loaded.outputs[i].name, text));
    }
    return Verdict{false, fmt::format("right, up to {:.1g} of the range", largest),
                   fmt::format("{}", fmt::join(odd, "; "))};
}

Result<Verdict> BisectJudge::time() {
    constexpr double enoughMs = 200;
    constexpr int fewest = 3, most = 100;
    double best = std::numeric_limits<double>::infinity(), spent = 0;
    for (int runs = 0; runs < most && (runs < fewest || spent < enoughMs); ++runs) {
        const auto times = runner_.run(1);
        if (!times)
            return failed(times.error());
        const double ms = static_cast<double>(times->ns.front()) / 1e6;
        best = std::min(best, ms);
        spent += ms;
    }
    if (first_)
        unoptimizedMs_ = best;
    const SlowerThan& slower = std::get<SlowerThan>(question_.fault);
    if (!slower.ofUnoptimized)
        return Verdict{best > slower.limit, fmt::format("{:.3f} ms", best)};
    if (!unoptimizedMs_)
        return failure("the model does not run without optional passes, so there is no time to compare with",
                       "give the limit in milliseconds, or more time by --timeout");
    const double times = best / *unoptimizedMs_;
    return Verdict{times > slower.limit, fmt::format("{:.3f} ms, {:.2f} times the unoptimized", best, times)};
}

} // namespace lathe::diagnose
