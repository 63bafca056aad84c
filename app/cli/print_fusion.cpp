// SPDX-License-Identifier: Apache-2.0
//
// `lathe passes --fusion`: the fused functions with their operators, and why the operators around them stand in others.
#include "app/cli/commands.h"
#include "app/cli/print_line.h"
#include "base/json.h"

#include <fmt/format.h>

namespace lathe::cli {
namespace {

using relay::transform::FusionEdge;
using relay::transform::FusionOutcome;

/// Those that joined, each as Decisions keep it apart, and those that did not, with the reason.
nlohmann::json toJson(const driver::FusedFunction& function, const driver::FusionRecord& fusion) {
    const auto nameOf = [&](size_t at) { return driver::toJson(fusion.operators[at].name); };
    nlohmann::json members = nlohmann::json::array(), joined = members, apart = members;
    for (const size_t member : function.members)
        members.push_back(nameOf(member));
    for (const size_t at : function.edges) {
        const FusionEdge& edge = fusion.edges[at];
        nlohmann::json pair{{"producer", nameOf(edge.producer)}, {"consumer", nameOf(edge.consumer)}};
        if (edge.outcome == FusionOutcome::Joined) {
            joined.push_back(std::move(pair));
            continue;
        }
        pair["outcome"] = toString(edge.outcome);
        pair["reason"] = sentenceOf(edge.outcome);
        if (edge.due)
            pair["due"] = nameOf(*edge.due);
        apart.push_back(std::move(pair));
    }
    return {{"function", function.name},
            {"members", std::move(members)},
            {"joined", std::move(joined)},
            {"apart", std::move(apart)}};
}

void print(const driver::FusedFunction& function, const driver::FusionRecord& fusion) {
    const auto nameOf = [&](size_t at) {
        const driver::ChoiceName& name = fusion.operators[at].name;
        return fmt::format("{} {}", name.op, driver::display(name));
    };
    printLine("{}", function.name);
    for (const size_t member : function.members)
        printLine("  {}", nameOf(member));
    for (const size_t at : function.edges) {
        const FusionEdge& edge = fusion.edges[at];
        if (edge.outcome == FusionOutcome::Joined)
            continue;
        const bool behind = fusion.operators[edge.producer].function == function.name;
        printLine("  not with {} {} {}: {}{}", nameOf(behind ? edge.consumer : edge.producer),
                  behind ? "behind" : "before", nameOf(behind ? edge.producer : edge.consumer),
                  sentenceOf(edge.outcome), edge.due ? fmt::format(" (At {}.)", nameOf(*edge.due)) : "");
    }
    printLine("");
}

} // namespace

void printFusion(const driver::FusionRecord& fusion, const std::string& function, bool json) {
    for (const driver::FusedFunction& each : driver::functionsOf(fusion)) {
        if (!function.empty() && each.name != function)
            continue;
        if (json)
            fmt::print("{}\n", dump(toJson(each, fusion)));
        else
            print(each, fusion);
    }
}

} // namespace lathe::cli
