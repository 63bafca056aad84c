// SPDX-License-Identifier: Apache-2.0
//
// The roofline as a picture: both axes logarithmic, a point a kernel call, its area by its time.
#include "base/counted.h"
#include "report/sections.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lathe::report {
namespace {

constexpr double plotWidth = 1000, plotHeight = 460, plotLeft = 64, plotRight = 20, plotTop = 20, plotBottom = 48;

/// One logarithmic axis.
struct Axis {
    double low, high; // exponents
    double from, to;  // pixels

    double at(double value) const { return from + (std::log10(value) - low) / (high - low) * (to - from); }
};

Axis axisOver(double least, double most, double from, double to) {
    constexpr double room = 0.15;
    return {std::log10(least) - room, std::log10(most) + room, from, to};
}

std::string tenths(double pixels) {
    return fmt::format("{:.1f}", pixels);
}

void writeLine(Html& html, std::string_view kind, double x1, double y1, double x2, double y2) {
    html.empty("line",
               {{"class", kind}, {"x1", tenths(x1)}, {"y1", tenths(y1)}, {"x2", tenths(x2)}, {"y2", tenths(y2)}});
}

void writeLabel(Html& html, std::string_view anchor, double x, double y, std::string_view text) {
    html.element("text", text, {{"x", tenths(x)}, {"y", tenths(y)}, {"text-anchor", anchor}});
}

void writeGrid(Html& html, const Axis& x, const Axis& y) {
    for (double power = std::ceil(x.low); power <= x.high; ++power) {
        const double value = std::pow(10, power), at = x.at(value);
        writeLine(html, "grid", at, y.from, at, y.to);
        writeLabel(html, "middle", at, y.from + 18, fmt::format("{:g}", value));
    }
    for (double power = std::ceil(y.low); power <= y.high; ++power) {
        const double value = std::pow(10, power), at = y.at(value);
        writeLine(html, "grid", x.from, at, x.to, at);
        writeLabel(html, "end", x.from - 8, at + 4, fmt::format("{:g}", value));
    }
    writeLabel(html, "middle", (x.from + x.to) / 2, plotHeight - 8, "FLOP per byte");
    html.element("text", "GFLOP/s",
                 {{"transform", fmt::format("translate(14 {}) rotate(-90)", tenths((y.from + y.to) / 2))},
                  {"text-anchor", "middle"}});
}

void writeRoof(Html& html, const Peak& peak, const Axis& x, const Axis& y, std::string_view kind) {
    const double least = std::pow(10, x.low), most = std::pow(10, x.high), bottomValue = std::pow(10, y.low);
    const double begin = std::max(least, bottomValue / peak.gbs); // where the slope enters the picture
    const double ridge = std::clamp(peak.gflops / peak.gbs, begin, most);
    html.empty("polyline",
               {{"class", kind},
                {"points", fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", x.at(begin), y.at(begin * peak.gbs),
                                       x.at(ridge), y.at(std::min(peak.gflops, ridge * peak.gbs)), x.at(most),
                                       y.at(peak.gflops))}});
}

std::string titleOf(const inspect::ProfileRow& row, const inspect::RooflinePoint& point) {
    return fmt::format("{}\n{} ms, {:.1f} GFLOP/s, {:.1f} GB/s\n{} of {:.1f} GFLOP/s; bound by {}", row.function,
                       msText(row.ms), row.gflops(), row.gbs(), percentText(point.share), point.limit,
                       inspect::toString(point.bound));
}

} // namespace

void writeRoofline(Html& html, const Facts& facts) {
    const inspect::Roofline& roofline = *facts.roofline;
    const std::vector<inspect::ProfileRow>& rows = facts.report.profile->rows;
    std::vector<const inspect::RooflinePoint*> drawn;
    for (const inspect::RooflinePoint& point : roofline.points)
        if (point.intensity > 0)
            drawn.push_back(&point);
    const inspect::Roofline::Extent shown = roofline.extent();
    openSection(
        html, "roofline", "Roofline",
        fmt::format("Each kernel call by its operations per byte, estimated, and its speed; larger points took more "
                    "time. The roof is what {} of this machine reached when it was measured: {:.1f} GFLOP/s, "
                    "and {:.1f} GB/s from memory.{} Above the slope are calls whose data lie in caches.",
                    counted(facts.report.peaks->threads, "thread", "threads"), roofline.peak.gflops, roofline.peak.gbs,
                    facts.report.profile->threads == 1 || facts.report.peaks->threads == 1
                        ? ""
                        : " The thin one is that of one thread."));
    const Axis x = axisOver(shown.leastIntensity, shown.mostIntensity, plotLeft, plotWidth - plotRight),
               y = axisOver(shown.leastGflops, shown.mostGflops, plotHeight - plotBottom, plotTop);
    html.open("svg", {{"class", "chart"},
                      {"viewBox", fmt::format("0 0 {} {}", plotWidth, plotHeight)},
                      {"role", "img"},
                      {"aria-label", "Roofline"}});
    writeGrid(html, x, y);
    if (facts.report.profile->threads != 1 && facts.report.peaks->threads != 1)
        writeRoof(html, facts.report.peaks->one, x, y, "roof one");
    writeRoof(html, roofline.peak, x, y, "roof");
    for (const inspect::RooflinePoint* point : drawn) { // the slowest first, so that small points lie on top
        const inspect::ProfileRow& row = rows[point->row];
        const std::string link = facts.linkToCall(row.call);
        if (!link.empty())
            html.open("a", {{"href", link}});
        html.open("circle", {{"class", fmt::format("point {}", inspect::toString(point->bound))},
                             {"cx", tenths(x.at(point->intensity))},
                             {"cy", tenths(y.at(std::max(point->gflops, std::pow(10, y.low))))},
                             {"r", tenths(3.5 + 16 * std::sqrt(row.share))}});
        html.element("title", titleOf(row, *point)).close();
        if (!link.empty())
            html.close();
    }
    html.close();
    html.open("p", {{"class", "legend"}});
    for (const inspect::Bound bound : {inspect::Bound::Compute, inspect::Bound::Memory, inspect::Bound::Caches}) {
        double share = 0;
        for (const inspect::RooflinePoint& point : roofline.points)
            if (point.bound == bound)
                share += rows[point.row].share;
        html.element("span", "", {{"class", fmt::format("swatch {}", inspect::toString(bound))}});
        html.text(fmt::format("bound by {}: {} of the time  ", inspect::toString(bound), percentText(share)));
    }
    html.close();
    if (const size_t moving = roofline.points.size() - drawn.size())
        html.element("p", fmt::format("Calls that only move data have no point: {}.", moving), {{"class", "note"}});
    html.close();
}

} // namespace lathe::report
