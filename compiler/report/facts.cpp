// SPDX-License-Identifier: Apache-2.0
#include "report/facts.h"

#include "arith/analysis.h"
#include "report/html.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace lathe::report {
namespace {

std::string scaled(double value, std::string_view none, std::initializer_list<std::string_view> units) {
    std::string_view unit = none;
    for (const std::string_view next : units) {
        if (std::abs(value) < 999.5) // more would be rounded to 1000
            break;
        value /= 1000;
        unit = next;
    }
    return unit == none && value == std::floor(value) ? fmt::format("{:.0f} {}", value, unit)
                                                      : fmt::format("{:.3g} {}", value, unit);
}

} // namespace

std::string bytesText(double bytes) {
    return scaled(bytes, "B", {"kB", "MB", "GB", "TB"});
}

std::string countText(double count) {
    return scaled(count, "", {"k", "M", "G", "T"});
}

std::string msText(double ms) {
    return fmt::format("{:.{}f}", ms, ms < 10 ? 4 : ms < 1000 ? 2 : 0);
}

std::string percentText(double share) {
    return fmt::format("{:.1f} %", share * 100);
}

Facts::Facts(const Report& report)
    : report(report), trace(*report.trace), kernels(trace.kernels.size()), problems(trace.diagnostics) {
    for (const Diagnostic& problem : report.problems)
        if (std::ranges::find(problems, problem) == problems.end())
            problems.push_back(problem);
    for (size_t i = 0; i < trace.kernels.size(); ++i)
        kernelsByName_.emplace(trace.kernels[i].name, static_cast<int>(i));
    rows_.assign(trace.calls.size(), -1);
    if (report.profile)
        for (size_t i = 0; i < report.profile->rows.size(); ++i)
            if (const auto call = static_cast<size_t>(report.profile->rows[i].call); call < rows_.size())
                rows_[call] = static_cast<int>(i);
    const size_t nodes = trace.graph ? trace.graph->nodes.size() : 0;
    kernelOfNode.assign(nodes, -1);
    shareOfNode.assign(nodes, 0);
    std::vector<double> shares(trace.calls.size());
    for (size_t i = 0; i < shares.size(); ++i) {
        const inspect::ProfileRow* row = rowOf(static_cast<int>(i));
        shares[i] =
            report.profile ? (row ? row->ms : 0) : static_cast<double>(arith::asInt(trace.calls[i].flops).value_or(0));
    }
    const double total = std::max(1e-12, std::accumulate(shares.begin(), shares.end(), 0.0));
    for (size_t i = 0; i < trace.calls.size(); ++i) {
        const driver::CallRecord& call = trace.calls[i];
        const int kernel = kernelNamed(call.kernel);
        kernelsByFunction_.emplace(call.function, kernel);
        for (const int32_t node : trace.graph->spans->ids(call.span)) {
            if (kernelOfNode[static_cast<size_t>(node)] < 0)
                kernelOfNode[static_cast<size_t>(node)] = kernel;
            shareOfNode[static_cast<size_t>(node)] += shares[i] / total;
        }
        if (kernel < 0)
            continue;
        KernelFacts& facts = kernels[static_cast<size_t>(kernel)];
        facts.calls.push_back(static_cast<int>(i));
        facts.share += shares[i] / total;
        if (const inspect::ProfileRow* row = rowOf(static_cast<int>(i)))
            facts.ms += row->ms;
    }
    hottest.resize(kernels.size());
    std::iota(hottest.begin(), hottest.end(), size_t{0});
    std::ranges::stable_sort(hottest, std::ranges::greater(), [&](size_t i) { return kernels[i].share; });
    for (size_t i = 0; i < hottest.size() && i < detailedKernels; ++i)
        kernels[hottest[i]].detailed = true;
    if (report.profile && report.peaks)
        roofline = inspect::roofline(*report.profile, *report.peaks);
    if (report.profile && !report.profile->rows.empty() && trace.graph && trace.graph->graph)
        flame = inspect::flameOf(*report.profile, *graph::groupedGraph(trace.graph, trace.graph->graph));
    memory = inspect::memoryChart(trace, report.profile ? report.profile->shapes : report.shapes);
}

int Facts::kernelNamed(std::string_view name) const {
    const auto found = kernelsByName_.find(name);
    return found == kernelsByName_.end() ? -1 : found->second;
}

int Facts::kernelOfFunction(std::string_view function) const {
    const auto found = kernelsByFunction_.find(function);
    return found == kernelsByFunction_.end() ? -1 : found->second;
}

const inspect::ProfileRow* Facts::rowOf(int call) const {
    const int row = call >= 0 && static_cast<size_t>(call) < rows_.size() ? rows_[static_cast<size_t>(call)] : -1;
    return row < 0 ? nullptr : &report.profile->rows[static_cast<size_t>(row)];
}

std::string Facts::linkTo(int kernel) const {
    return kernel < 0 ? std::string() : "#kernel-" + trace.kernels[static_cast<size_t>(kernel)].name;
}

std::string Facts::linkToCall(int call) const {
    const inspect::ProfileRow* row = rowOf(call);
    const bool listed = row && static_cast<size_t>(row - report.profile->rows.data()) < listedRows;
    return listed ? fmt::format("#call-{}", call) : std::string();
}

std::string Facts::nameOf(int node) const {
    const model::Node* found = trace.graph->nodes[static_cast<size_t>(node)];
    return found ? bounded(model::displayName(*found)) : fmt::format("#{}", node);
}

} // namespace lathe::report
