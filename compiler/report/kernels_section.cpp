// SPDX-License-Identifier: Apache-2.0
//
// The kernels: the hottest with their computation, schedule, loops and machine code, the others in a table.
#include "base/counted.h"
#include "report/sections.h"
#include "tir/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::report {
namespace {

std::string scheduleText(const lower::KernelSchedule& schedule) {
    std::string text = schedule::print(schedule.trace);
    for (const schedule::Question& question : schedule.questions)
        text += fmt::format("asked {}: {} of {}\n", question.name, fmt::join(question.preferred, ", "),
                            fmt::join(question.candidates, ", "));
    for (const schedule::Refusal& refusal : schedule.refusals)
        text += fmt::format("refused: {}: {}\n", refusal.tried, refusal.reason);
    return text;
}

std::string assemblyText(const driver::Listing& listing) {
    std::string text;
    for (const driver::Instruction& instruction : listing.instructions)
        text += fmt::format("{:5x}  {}{}\n", instruction.address, instruction.inLoop ? "  " : "", instruction.text);
    return text;
}

std::string figuresOf(const Facts& facts, const KernelFacts& kernel) {
    if (facts.report.profile)
        return fmt::format("{} ms, {} of the time", msText(kernel.ms), percentText(kernel.share));
    return fmt::format("{} of the estimated FLOPs", percentText(kernel.share));
}

void writeCalls(Html& html, const Facts& facts, const KernelFacts& kernel) {
    constexpr size_t shown = 12;
    html.open("p").text("Serves ");
    for (size_t i = 0; i < std::min(shown, kernel.calls.size()); ++i) {
        const int call = kernel.calls[i];
        const std::string& function = facts.trace.calls[static_cast<size_t>(call)].function;
        html.text(i ? ", " : "");
        writeLink(html, facts.linkToCall(call), function);
    }
    if (kernel.calls.size() > shown)
        html.text(" and " + counted(kernel.calls.size() - shown, "more call", "more calls"));
    html.text(".").close();
}

void writeDetails(Html& html, const Facts& facts, size_t index, const Result<driver::Listing>& listing) {
    const driver::KernelRecord& kernel = facts.trace.kernels[index];
    html.open("article", {{"id", "kernel-" + kernel.name}}).element("h3", kernel.name);
    html.open("p").text(figuresOf(facts, facts.kernels[index]) + ". ");
    html.text("Workload ").element("code", kernel.workload).close();
    writeCalls(html, facts, facts.kernels[index]);
    if (!kernel.stages.empty())
        writeCode(html, "Computation", tir::print(*kernel.stages.front().second));
    if (kernel.schedulable)
        writeCode(html, "Schedule", scheduleText(kernel.schedule));
    else
        html.element("p", "Its loops were written by hand: it has no schedule.", {{"class", "note"}});
    if (kernel.stages.size() > 1)
        writeCode(html, "Loops", tir::print(*kernel.stages.back().second));
    if (listing)
        writeCode(html, "Assembly", assemblyText(*listing));
    else
        html.element("p", toString(listing.error()), {{"class", "note"}});
    html.close();
}

} // namespace

void writeKernels(Html& html, const Facts& facts, std::span<const Result<driver::Listing>> listings) {
    openSection(html, "kernels", "Kernels",
                fmt::format("The {} hottest of {}, {}. The rest is below.", listings.size(), facts.kernels.size(),
                            facts.report.profile ? "by their time" : "by their estimated FLOPs"));
    for (size_t i = 0; i < listings.size(); ++i)
        writeDetails(html, facts, facts.hottest[i], listings[i]);
    if (facts.hottest.size() > listings.size()) {
        html.element("h3", "The others").open("table").open("thead").open("tr");
        html.element("th", "Kernel").element("th", "Calls", {{"class", "number"}});
        html.element("th", facts.report.profile ? "ms" : "FLOPs", {{"class", "number"}});
        html.element("th", "Workload").close().close().open("tbody");
        for (size_t i = listings.size(); i < facts.hottest.size(); ++i) {
            const driver::KernelRecord& kernel = facts.trace.kernels[facts.hottest[i]];
            const KernelFacts& figures = facts.kernels[facts.hottest[i]];
            html.open("tr", {{"id", "kernel-" + kernel.name}}).element("td", kernel.name);
            html.element("td", std::to_string(figures.calls.size()), {{"class", "number"}});
            html.element("td", facts.report.profile ? msText(figures.ms) : percentText(figures.share),
                         {{"class", "number"}});
            html.open("td").element("code", kernel.workload).close().close();
        }
        html.close().close();
    }
    html.close();
}

} // namespace lathe::report
