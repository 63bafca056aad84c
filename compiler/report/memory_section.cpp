// SPDX-License-Identifier: Apache-2.0
//
// The memory plan as a picture: each buffer a rectangle, from its first kernel call to its last, where it lies; the curve is
// how much is alive. Then those that make the peak.
#include "base/counted.h"
#include "report/sections.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lathe::report {
namespace {

constexpr double chartWidth = 1000, chartHeight = 360, chartLeft = 72, chartRight = 20, chartTop = 16, chartBottom = 40;
constexpr size_t mostCulprits = 20;

struct Frame {
    double calls, bytes;
    double x(double call) const { return chartLeft + call / calls * (chartWidth - chartLeft - chartRight); }
    double y(double at) const {
        return chartHeight - chartBottom - at / bytes * (chartHeight - chartTop - chartBottom);
    }
};

std::string lifeOf(const Facts& facts, const lower::PlacedBuffer& buffer) {
    return fmt::format("{} ({}) to {} ({})", buffer.firstCall, inspect::functionAt(facts.trace, buffer.firstCall),
                       buffer.lastCall, inspect::functionAt(facts.trace, buffer.lastCall));
}

void writeAxes(Html& html, const Frame& frame) {
    // Steps of 1, 2 or 5 times a power of ten; at most six.
    double step = std::pow(10, std::floor(std::log10(frame.bytes)));
    for (const double factor : {0.2, 0.5, 1.0})
        if (frame.bytes / (step * factor) <= 6) {
            step *= factor;
            break;
        }
    for (double at = 0; at <= frame.bytes; at += step) {
        const double y = frame.y(at);
        html.empty("line", {{"class", "grid"},
                            {"x1", number(chartLeft)},
                            {"y1", number(y)},
                            {"x2", number(chartWidth - chartRight)},
                            {"y2", number(y)}});
        html.element("text", bytesText(at),
                     {{"x", number(chartLeft - 8)}, {"y", number(y + 4)}, {"text-anchor", "end"}});
    }
    html.element("text", fmt::format("kernel calls, 0 … {:.0f}", frame.calls - 1),
                 {{"x", number((chartLeft + chartWidth - chartRight) / 2)},
                  {"y", number(chartHeight - 12)},
                  {"text-anchor", "middle"}});
}

void writeBuffer(Html& html, const Facts& facts, const inspect::MemoryChart::Buffer& buffer, const Frame& frame) {
    const lower::PlacedBuffer& record = facts.trace.buffers[buffer.index];
    const bool atPeak = record.firstCall <= facts.memory.peakCall && facts.memory.peakCall <= record.lastCall;
    const double x = frame.x(record.firstCall), y = frame.y(static_cast<double>(*buffer.offset + buffer.bytes));
    const double right = frame.x(std::min(frame.calls, record.lastCall + 1.0));
    html.open(
        "a",
        {{"href", facts.linkTo(facts.kernelNamed(
                      facts.trace.calls[std::min(facts.trace.calls.size() - 1, static_cast<size_t>(record.firstCall))]
                          .kernel))}});
    html.open("rect", {{"class", fmt::format("buffer {}{}", toString(record.use.kind), atPeak ? " peak" : "")},
                       {"x", number(x)},
                       {"y", number(y)},
                       {"width", number(std::max(0.5, right - x))},
                       {"height", number(std::max(0.3, frame.y(static_cast<double>(*buffer.offset)) - y))}});
    html.element("title",
                 fmt::format("{}\n{} at {}\ncalls {}", inspect::nameOf(record),
                             bytesText(static_cast<double>(buffer.bytes)), *buffer.offset, lifeOf(facts, record)));
    html.close().close();
}

void writeLegend(Html& html, const Facts& facts) {
    using Kind = lower::BufferUse::Kind;
    html.open("p", {{"class", "legend"}});
    for (const Kind kind : {Kind::Value, Kind::Workspace, Kind::Sizes, Kind::Control})
        if (std::ranges::any_of(facts.trace.buffers, [&](const auto& buffer) { return buffer.use.kind == kind; })) {
            html.element("span", "", {{"class", fmt::format("swatch {}", toString(kind))}});
            html.text(toString(kind));
        }
    html.element("span", "  Strong colours are alive at the peak, the dashed line.", {{"class", "note"}}).close();
}

void writePicture(Html& html, const Facts& facts) {
    const inspect::MemoryChart& chart = facts.memory;
    double top = static_cast<double>(std::max(chart.peak(), chart.reserved.value_or(0)));
    for (const inspect::MemoryChart::Buffer& buffer : chart.buffers)
        if (buffer.offset)
            top = std::max(top, static_cast<double>(*buffer.offset + buffer.bytes));
    const Frame frame{static_cast<double>(chart.alive.size()), top * 1.03};
    html.open("svg", {{"class", "chart"},
                      {"viewBox", fmt::format("0 0 {} {}", chartWidth, chartHeight)},
                      {"role", "img"},
                      {"aria-label", "Memory plan"}});
    writeAxes(html, frame);
    for (const inspect::MemoryChart::Buffer& buffer : chart.buffers)
        if (buffer.offset)
            writeBuffer(html, facts, buffer, frame);
    std::string points;
    for (size_t i = 0; i < chart.alive.size(); ++i) {
        const double y = frame.y(static_cast<double>(chart.alive[i])), x = static_cast<double>(i);
        points += fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", frame.x(x), y, frame.x(x + 1), y);
    }
    html.empty("polyline", {{"class", "alive"}, {"points", points}});
    const double x = frame.x(chart.peakCall + 0.5);
    html.empty("line", {{"class", "peak"},
                        {"x1", number(x)},
                        {"y1", number(frame.y(frame.bytes))},
                        {"x2", number(x)},
                        {"y2", number(frame.y(0))}});
    html.close();
    writeLegend(html, facts);
}

void writeCulprits(Html& html, const Facts& facts) {
    const inspect::MemoryChart& chart = facts.memory;
    html.element("h3", fmt::format("Alive at the peak, at call {} ({})", chart.peakCall,
                                   inspect::functionAt(facts.trace, chart.peakCall)));
    html.open("table").open("thead").open("tr").element("th", "Value");
    html.element("th", "Bytes", {{"class", "number"}}).element("th", "").element("th", "Calls").element("th", "Nodes");
    html.close().close().open("tbody");
    for (size_t i = 0; i < std::min(mostCulprits, chart.culprits.size()); ++i) {
        const inspect::MemoryChart::Buffer& buffer = chart.buffers[chart.culprits[i]];
        const lower::PlacedBuffer& record = facts.trace.buffers[buffer.index];
        html.open("tr").element("td", inspect::nameOf(record));
        html.element("td", bytesText(static_cast<double>(buffer.bytes)), {{"class", "number"}}).open("td");
        writeBar(html, static_cast<double>(buffer.bytes) / static_cast<double>(chart.peak()));
        html.close().element("td", lifeOf(facts, record)).open("td");
        writeNodes(html, facts, facts.trace.graph->spans->ids(record.use.span));
        html.close().close();
    }
    html.close().close();
    if (chart.culprits.size() > mostCulprits)
        html.element("p",
                     counted(chart.culprits.size() - mostCulprits, "smaller one is", "smaller ones are") + " left out.",
                     {{"class", "note"}});
}

} // namespace

void writeMemory(Html& html, const Facts& facts) {
    const inspect::MemoryChart& chart = facts.memory;
    std::string sentence =
        fmt::format("{} of intermediate values are alive at the peak", bytesText(static_cast<double>(chart.peak())));
    sentence += chart.reserved ? fmt::format("; the plan takes {}, since dead places do not always fit. ",
                                             bytesText(static_cast<double>(*chart.reserved)))
                               : "; how much the plan takes, only a run tells. ";
    sentence += "Constants, inputs and outputs lie elsewhere. The line is how much is alive.";
    openSection(html, "memory", "Memory", sentence);
    if (chart.unknown)
        html.element("p",
                     fmt::format("The sizes of {} are not known without the sizes of the inputs, or before data "
                                 "are computed.",
                                 counted(chart.unknown, "buffer", "buffers")),
                     {{"class", "note"}});
    if (!chart.buffers.empty()) {
        writePicture(html, facts);
        writeCulprits(html, facts);
    }
    html.close();
}

} // namespace lathe::report
