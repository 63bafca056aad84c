// SPDX-License-Identifier: Apache-2.0
#include "advise/rules.h"
#include "arith/analysis.h"
#include "arith/print.h"
#include "base/counted.h"
#include "base/printable.h"
#include "model/model_graph.h"
#include "relay/ir.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace lathe::advise {
namespace {

std::string listed(const std::vector<std::string>& names) {
    constexpr size_t most = 4;
    std::vector<std::string> shown;
    for (size_t i = 0; i < std::min(most, names.size()); ++i)
        shown.push_back(inQuotes(names[i]));
    return fmt::format("{}{}", fmt::join(shown, ", "),
                       names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

} // namespace

/// A first dim of one is a batch of one, which is what most models run on; others are the length of a text or the size of an
/// image, and one of those is no work.
std::optional<Advice> sizesTakenAsOne(const Facts& facts) {
    const driver::ModulePtr imported = facts.trace.passes.empty() ? nullptr : facts.trace.passes.front().after;
    if (!facts.known.profile || !imported)
        return std::nullopt;
    std::vector<std::string> names;
    for (const relay::Param& param : relay::inputParams(imported->main())) {
        const relay::TensorType* type = relay::asTensor(param.type);
        const auto ran = std::ranges::find(facts.known.profile->shapes, param.name, &driver::Shapes::value_type::first);
        if (!type || ran == facts.known.profile->shapes.end() || ran->second.size() != type->shape.size())
            continue;
        for (size_t dim = 1; dim < type->shape.size(); ++dim)
            if (!arith::asInt(type->shape[dim]) && ran->second[dim] == 1) {
                const std::string name = arith::toString(type->shape[dim]);
                if (std::ranges::find(names, name) == names.end())
                    names.push_back(name);
            }
    }
    if (names.empty())
        return std::nullopt;
    return Advice{.what = fmt::format("Say how large {} {}", listed(names), names.size() == 1 ? "is" : "are"),
                  .why =
                      "The model leaves that open, and it ran at size 1: neither its time nor what makes it are those "
                      "of real inputs.",
                  .step = Step::Settings};
}

std::optional<Advice> valuesDecideTime(const Facts& facts) {
    if (!facts.known.profile || !facts.trace.graph || !facts.known.profile->given.empty() ||
        facts.known.profile->shapes.empty())
        return std::nullopt;
    const auto& nodes = facts.trace.graph->nodes;
    // The branches of an If, or the body of a loop.
    const auto deciding =
        std::ranges::find_if(nodes, [](const model::Node* node) { return node && !model::graphsOf(*node).empty(); });
    if (deciding == nodes.end())
        return std::nullopt;
    return Advice{.what = "Run it on real inputs",
                  .why = fmt::format("{} ({}) does what values say, and all inputs were drawn at random: a run on real "
                                     "ones may take another way.",
                                     inQuotes(model::displayName(**deciding)), printable((*deciding)->op)),
                  .step = Step::Settings,
                  .node = (*deciding)->id};
}

std::optional<Advice> runsDiffer(const Facts& facts) {
    constexpr double much = 0.2; // of the median, between the ends of the middle half
    constexpr int fewRuns = 5;
    const inspect::Profile* profile = facts.known.profile;
    if (!profile || profile->runs < fewRuns || profile->medianMs <= 0 ||
        profile->highMs - profile->lowMs < much * profile->medianMs)
        return std::nullopt;
    return Advice{.what = "Run it again when the machine is idle",
                  .why = fmt::format("Half of its runs took {} to {}, so differences of less than {} say nothing.",
                                     milliseconds(profile->lowMs), milliseconds(profile->highMs),
                                     percent((profile->highMs - profile->lowMs) / profile->medianMs)),
                  .step = Step::Run};
}

std::optional<Advice> codeForLess(const Facts& facts) {
    const Target& target = facts.known.options->target;
    const std::optional<Target>& machine = facts.known.machine;
    if (!facts.known.profile || !machine || machine->architecture != target.architecture ||
        target.vectorBits >= machine->vectorBits)
        return std::nullopt;
    return Advice{.what = "Compile for this machine to see how fast it is here",
                  .why = fmt::format("The code is for {}, with vectors of {} bits; {} has {}.", target.cpu,
                                     target.vectorBits, machine->cpu, machine->vectorBits),
                  .step = Step::Settings};
}

std::optional<Advice> passesOff(const Facts& facts) {
    const driver::Decisions& decisions = *facts.known.decisions;
    std::vector<std::string> off(decisions.skipPasses.begin(), decisions.skipPasses.end());
    std::string why;
    if (decisions.optionalLimit >= 0)
        why = fmt::format("Only the first {} of the optional passes run. ", decisions.optionalLimit);
    if (!off.empty())
        why += fmt::format("{} {} off. ", listed(off), off.size() == 1 ? "is" : "are");
    if (!decisions.skipIn.empty())
        why += fmt::format("Passes are off in {}. ", counted(decisions.skipIn.size(), "kernel", "kernels"));
    if (why.empty())
        return std::nullopt;
    return Advice{.what = "Switch passes on again",
                  .why = why + "That helps to find a fault; code is slower without.",
                  .step = Step::Passes};
}

std::optional<Advice> schedulesStale(const Facts& facts) {
    const auto stale = std::ranges::count_if(facts.trace.kernels, [](const driver::KernelRecord& kernel) {
        return kernel.schedule.isStale || !kernel.schedule.warnings.empty();
    });
    if (stale == 0)
        return std::nullopt;
    return Advice{.what = fmt::format("Tune {} anew", counted(stale, "kernel", "kernels")),
                  .why = "The schedules that were found for them do not fit what they compute any more, so they have "
                         "those by default.",
                  .step = Step::Tune};
}

} // namespace lathe::advise
