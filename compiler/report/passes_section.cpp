// SPDX-License-Identifier: Apache-2.0
//
// The passes in their order, what each changed in figures, and the difference in text. Passes over kernels change all of them:
// the difference shown is that of the hottest kernel that they changed.
#include "relay/text.h"
#include "report/sections.h"
#include "tir/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::report {
namespace {

/// The kernel's text before and after a pass; empty if the pass left it as it was.
std::pair<std::string, std::string> textsOf(const driver::KernelRecord& kernel, std::string_view pass) {
    for (size_t i = 1; i < kernel.stages.size(); ++i)
        if (kernel.stages[i].first == pass && kernel.stages[i].second != kernel.stages[i - 1].second)
            return {tir::print(*kernel.stages[i - 1].second), tir::print(*kernel.stages[i].second)};
    return {};
}

void writeDifferences(Html& html, const Facts& facts, const driver::PassRecord& record) {
    if (record.stage == driver::Stage::Relay && record.before && record.after && record.changed) {
        const relay::PrintOptions options{.spans = false};
        writeDifference(html, record.name, relay::print(*record.before, options), relay::print(*record.after, options));
    } else if (record.stage == driver::Stage::Tir && record.changed) {
        size_t changed = 0;
        const driver::KernelRecord* shown = nullptr;
        std::pair<std::string, std::string> texts;
        for (const size_t i : facts.hottest) {
            const driver::KernelRecord& kernel = facts.trace.kernels[i];
            if (auto these = textsOf(kernel, record.name); !these.second.empty() || !these.first.empty()) {
                ++changed;
                if (!shown) {
                    shown = &kernel;
                    texts = std::move(these);
                }
            }
        }
        if (shown)
            writeDifference(html,
                            fmt::format("{}, here {} of {} kernels that it changed", record.name, shown->name, changed),
                            texts.first, texts.second);
    }
}

} // namespace

void writePasses(Html& html, const Facts& facts, std::span<const inspect::PassFigures> figures) {
    openSection(
        html, "passes", "Passes",
        "In their order. Times of passes over kernels are sums over all kernels, which are worked on side by "
        "side. FLOPs, bytes and peak memory of one run are estimated from the graph; Δ is what a pass changed of "
        "them.");
    double slowest = 1e-9;
    for (const driver::PassRecord& record : facts.trace.passes)
        slowest = std::max(slowest, record.ms);
    html.open("table").open("thead").open("tr");
    for (const char* head : {"Pass", "Stage", "", "Outcome"})
        html.element("th", head);
    for (const char* head : {"ms", "", "After it", "Δ", "FLOPs", "Δ", "Bytes", "Δ", "Peak", "Δ"})
        html.element("th", head, {{"class", "number"}});
    html.close().close().open("tbody");
    const auto number = [&](const std::string& text) { html.element("td", text, {{"class", "number"}}); };
    for (size_t i = 0; i < facts.trace.passes.size(); ++i) {
        const driver::PassRecord& record = facts.trace.passes[i];
        const auto& [after, delta] = figures[i];
        const std::string_view outcome = driver::outcomeOf(record);
        html.open("tr", {{"class", outcome}});
        html.element("td", record.name).element("td", driver::toString(record.stage));
        html.element("td", record.required ? "" : "optional", {{"class", "note"}}).element("td", outcome);
        number(record.ran ? fmt::format("{:.2f}", record.ms) : "");
        html.open("td");
        if (record.ran)
            writeBar(html, record.ms / slowest);
        html.close();
        number(after.bindings     ? fmt::format("{:.0f} bindings", *after.bindings)
               : after.statements ? fmt::format("{:.0f} statements", *after.statements)
                                  : "");
        number(inspect::deltaText(delta.bindings ? delta.bindings : delta.statements));
        number(after.flops ? countText(*after.flops) : "");
        number(inspect::deltaText(delta.flops));
        number(after.bytes ? bytesText(*after.bytes) : "");
        number(inspect::deltaText(delta.bytes));
        number(after.peakBytes ? bytesText(*after.peakBytes) : "");
        number(inspect::deltaText(delta.peakBytes));
        html.close();
    }
    html.close().close();
    html.element("h3", "What they changed");
    for (const driver::PassRecord& record : facts.trace.passes)
        writeDifferences(html, facts, record);
    html.close();
}

} // namespace lathe::report
