// SPDX-License-Identifier: Apache-2.0
//
// The fused functions: their operators, their kernels, and why their neighbours are not in them.
#include "base/counted.h"
#include "report/sections.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace lathe::report {
namespace {

using relay::transform::FusionEdge;
using relay::transform::FusionOutcome;

std::string named(const driver::ChoiceName& name) {
    return fmt::format("{} {}", name.op, driver::display(name));
}

void writeReasons(Html& html, const driver::FusedFunction& function, const driver::FusionRecord& fusion,
                  const std::set<std::string_view>& listed) {
    std::vector<const FusionEdge*> apart;
    for (const size_t at : function.edges)
        if (fusion.edges[at].outcome != FusionOutcome::Joined)
            apart.push_back(&fusion.edges[at]);
    if (apart.empty())
        return;
    html.open("details").element("summary", fmt::format("not with {} of its neighbours", apart.size())).open("ul");
    for (const FusionEdge* edge : apart) {
        const bool behind = fusion.operators[edge->producer].function == function.name;
        const driver::FusionRecord::Operator& other = fusion.operators[behind ? edge->consumer : edge->producer];
        html.open("li").text(fmt::format("{} {}, in ", behind ? "before" : "behind", named(other.name)));
        writeLink(html, listed.contains(other.function) ? "#function-" + other.function : "", other.function);
        html.text(fmt::format(": {}", sentenceOf(edge->outcome)));
        if (edge->due)
            html.text(fmt::format(" (At {}.)", named(fusion.operators[*edge->due].name)));
        html.close();
    }
    html.close().close();
}

} // namespace

void writeFusion(Html& html, const Facts& facts) {
    const driver::FusionRecord& fusion = facts.trace.fusion;
    const std::vector<driver::FusedFunction> functions = driver::functionsOf(fusion);
    std::set<std::string_view> listed;
    for (size_t i = 0; i < std::min(listedFunctions, functions.size()); ++i)
        listed.insert(functions[i].name);
    openSection(
        html, "fusion", "Fusion",
        fmt::format("{} in {}. A function is computed by one kernel, and functions that are alike share theirs.",
                    counted(fusion.operators.size(), "operator", "operators"),
                    counted(functions.size(), "function", "functions")));
    html.open("table").open("thead").open("tr");
    for (const char* head : {"Function", "Kernel"})
        html.element("th", head);
    if (facts.report.profile)
        html.element("th", "ms", {{"class", "number"}});
    html.element("th", "Operators").close().close().open("tbody");
    for (size_t i = 0; i < std::min(listedFunctions, functions.size()); ++i) {
        const driver::FusedFunction& function = functions[i];
        const int kernel = facts.kernelOfFunction(function.name);
        html.open("tr", {{"id", "function-" + function.name}}).element("td", function.name).open("td");
        if (kernel >= 0)
            writeLink(html, facts.linkTo(kernel), facts.trace.kernels[static_cast<size_t>(kernel)].name);
        else
            html.element("span", "a view: none", {{"class", "note"}});
        html.close();
        if (facts.report.profile) {
            double ms = 0;
            for (const inspect::ProfileRow& row : facts.report.profile->rows)
                if (row.function == function.name)
                    ms += row.ms;
            html.element("td", kernel >= 0 ? msText(ms) : "", {{"class", "number"}});
        }
        std::vector<std::string> members;
        for (const size_t member : function.members)
            members.push_back(named(fusion.operators[member].name));
        html.open("td").text(fmt::format("{}", fmt::join(members, " · ")));
        writeReasons(html, function, fusion, listed);
        html.close().close();
    }
    html.close().close();
    if (functions.size() > listedFunctions)
        html.element(
            "p", counted(functions.size() - listedFunctions, "more function is", "more functions are") + " left out.",
            {{"class", "note"}});
    html.close();
}

} // namespace lathe::report
