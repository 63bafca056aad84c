// SPDX-License-Identifier: Apache-2.0
//
// What the report is of: the model, how it was compiled, how it ran; and what went wrong.
#include "base/counted.h"
#include "base/file_hash.h"
#include "base/json.h"
#include "base/version.h"
#include "report/sections.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::report {
namespace {

void writeFact(Html& html, std::string_view name, std::string_view value) {
    if (!value.empty())
        html.element("dt", name).element("dd", value);
}

std::string versions(const model::ModelGraph& graph) {
    std::vector<std::string> all;
    for (const auto& [domain, version] : graph.versions)
        all.push_back(fmt::format("{} {}", domain.empty() ? "ai.onnx" : domain, version));
    return fmt::format("{}", fmt::join(all, ", "));
}

std::string values(const std::vector<model::Value>& values) {
    std::vector<std::string> all;
    for (const model::Value& value : values)
        all.push_back(fmt::format("{}: {}", value.name, model::toString(value.type)));
    return fmt::format("{}", fmt::join(all, "\n"));
}

/// What the model keeps from one run to the next; nothing of one that is refused.
std::string states(const driver::Trace& trace) {
    const driver::ModulePtr imported = trace.passes.empty() ? nullptr : trace.passes.front().after;
    std::vector<std::string> all;
    if (imported)
        for (const relay::StateValue& state : imported->main().states)
            all.push_back(fmt::format("{}: {}", state.name, relay::toString(state.initial->type)));
    return fmt::format("{}", fmt::join(all, "\n"));
}

std::string shapes(const driver::Shapes& shapes) {
    std::vector<std::string> all;
    for (const auto& [name, dims] : shapes)
        all.push_back(fmt::format("{} [{}]", name, fmt::join(dims, ", ")));
    return fmt::format("{}", fmt::join(all, ", "));
}

std::string indented(const std::string& json) {
    const auto value = parseJson(json);
    return value ? value->dump(2) : json;
}

void writeFigure(Html& html, std::string_view figure, std::string_view of) {
    html.open("div", {{"class", "figure"}}).element("b", figure).element("span", of).close();
}

} // namespace

void writeSummary(Html& html, const Facts& facts) {
    const Report& report = facts.report;
    openSection(html, "summary", "Summary");
    html.open("div", {{"class", "figures"}});
    if (report.profile) {
        writeFigure(html, msText(report.profile->medianMs) + " ms", "a run, the median");
        double flops = 0;
        for (const inspect::ProfileRow& row : report.profile->rows)
            flops += row.flops;
        writeFigure(html, countText(flops) + "FLOP", "a run, estimated");
    }
    if (facts.memory.reserved)
        writeFigure(html, bytesText(static_cast<double>(*facts.memory.reserved)), "for intermediate values");
    if (report.compileSeconds > 0)
        writeFigure(html, fmt::format("{:.2f} s", report.compileSeconds), "to compile");
    if (!facts.trace.kernels.empty()) {
        writeFigure(html, std::to_string(facts.trace.kernels.size()), "kernels");
        writeFigure(html, std::to_string(facts.trace.calls.size()), "kernel calls");
    }
    if (facts.trace.graph)
        writeFigure(html, std::to_string(model::countNodes(*facts.trace.graph)), "nodes of the model");
    html.close();

    html.open("dl");
    writeFact(html, "Model", report.model.string());
    const auto content = contentOf(report.model);
    writeFact(html, "Hash of the file", content ? toString(content->hash) : "it cannot be read any more");
    if (const model::ModelGraph* graph = facts.trace.graph.get()) {
        writeFact(
            html, "Format",
            fmt::format("{}{}{}", graph->format, graph->versions.empty() ? "" : ", operators ", versions(*graph)));
        writeFact(html, "Made by", graph->producer);
        if (graph->graph) {
            writeFact(html, "Inputs", values(graph->graph->inputs));
            writeFact(html, "Outputs", values(graph->graph->outputs));
            writeFact(html, "States", states(facts.trace));
        }
    }
    writeFact(html, "Target", toString(report.options.target));
    const int threads = report.profile ? report.profile->threads : report.options.threads;
    writeFact(html, "Threads", threads ? std::to_string(threads) : "all");
    writeFact(html, "Numerics", driver::toString(report.options.numerics));
    if (report.profile)
        writeFact(html, "Ran",
                  fmt::format("{}, inputs {}", counted(report.profile->runs, "time", "times"),
                              shapes(report.profile->shapes)));
    if (report.peaks)
        writeFact(html, "Machine",
                  fmt::format("{}; {:.1f} GFLOP/s and {:.1f} GB/s with {}, {:.1f} and {:.1f} "
                              "with one",
                              report.peaks->cpu, report.peaks->all.gflops, report.peaks->all.gbs,
                              counted(report.peaks->threads, "thread", "threads"), report.peaks->one.gflops,
                              report.peaks->one.gbs));
    writeFact(html, "Lathe", base::version());
    html.close();
    writeCode(html, "Options", indented(driver::toJson(report.options)));
    writeCode(html, "Decisions", indented(driver::toJson(report.decisions)));
    html.close();
}

void writeProblems(Html& html, const Facts& facts) {
    const std::vector<Diagnostic>& all = facts.problems;
    openSection(html, "problems", "Problems");
    html.open("ul", {{"class", "problems"}});
    constexpr size_t most = 200;
    for (size_t i = 0; i < std::min(most, all.size()); ++i) {
        const std::string_view severity = toString(all[i].severity);
        html.element("li", toString(all[i]), {{"class", severity}});
    }
    html.close();
    if (all.size() > most)
        html.element("p", fmt::format("{} more are left out.", all.size() - most), {{"class", "note"}});
    html.close();
}

} // namespace lathe::report
