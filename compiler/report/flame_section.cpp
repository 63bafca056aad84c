// SPDX-License-Identifier: Apache-2.0
//
// The times of the profile by the model's own scopes: a level a row, from the whole model down, a box as wide as its time.
// Fused functions, coloured by their time, lead to their rows of the profile.
#include "base/counted.h"
#include "report/sections.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::report {
namespace {

constexpr double flameWidth = 1200, rowHeight = 22;
constexpr double narrowest = 1, narrowestText = 30;

class FlameWriter {
public:
    FlameWriter(Html& html, const Facts& facts)
        : html_(html), facts_(facts), flame_(*facts.flame), scale_(flameWidth / flame_.boxes.front().ms) {
        for (const inspect::FlameBox& box : flame_.boxes)
            if (box.call >= 0)
                slowest_ = std::max(slowest_, box.ms);
    }

    /// Gives how many boxes were too narrow to be drawn.
    size_t write() {
        int deepest = 0;
        std::vector<const inspect::FlameBox*> shown;
        for (const inspect::FlameBox& box : flame_.boxes)
            if (box.ms * scale_ >= narrowest) {
                shown.push_back(&box);
                deepest = std::max(deepest, box.depth);
            }
        html_.open("svg", {{"class", "chart flame"},
                           {"viewBox", fmt::format("0 0 {} {}", flameWidth, (deepest + 1) * rowHeight)},
                           {"role", "img"},
                           {"aria-label", "Time by the model's scopes"}});
        for (const inspect::FlameBox* box : shown)
            write(*box);
        html_.close();
        return flame_.boxes.size() - shown.size();
    }

private:
    void write(const inspect::FlameBox& box) {
        const inspect::ProfileRow* row = box.call < 0 ? nullptr : facts_.rowOf(box.call);
        std::string link = row ? facts_.linkToCall(box.call) : std::string();
        if (row && link.empty())
            link = facts_.linkTo(facts_.kernelNamed(row->kernel));
        const double wide = box.ms * scale_;
        // An image of its own cuts off what is too long for the box.
        if (!link.empty())
            html_.open("a", {{"href", link}});
        html_.open("svg", {{"x", number(box.start * scale_)},
                           {"y", number(box.depth * rowHeight)},
                           {"width", number(wide)},
                           {"height", number(rowHeight)}});
        html_.element("title", titleOf(box)).empty("rect", {{"width", "100%"}, {"height", "100%"}});
        if (box.call >= 0)
            html_.empty("rect", {{"class", "heat"},
                                 {"width", "100%"},
                                 {"height", "100%"},
                                 {"fill-opacity", number(0.1 + 0.5 * (slowest_ > 0 ? box.ms / slowest_ : 0))}});
        if (wide >= narrowestText)
            html_.element("text", fmt::format("{}  {} ms", bounded(box.name), msText(box.ms)),
                          {{"x", "5"}, {"y", number(rowHeight - 7)}});
        html_.close();
        if (!link.empty())
            html_.close();
    }

    std::string titleOf(const inspect::FlameBox& box) const {
        std::string title = fmt::format("{}\n{} ms, {} of the run", bounded(box.name), msText(box.ms),
                                        percentText(box.ms / flame_.boxes.front().ms));
        if (box.call < 0)
            title += "\n" + counted(box.calls, "kernel call", "kernel calls");
        return title;
    }

    Html& html_;
    const Facts& facts_;
    const inspect::Flame& flame_;
    const double scale_; // pixels a millisecond
    double slowest_ = 0;
};

} // namespace

void writeFlame(Html& html, const Facts& facts) {
    openSection(
        html, "flame", "Time by the model's scopes",
        "From the whole model down; a box is as wide as its time, and those in it add up to it. Fused functions "
        "are coloured by their time; one whose nodes lie in several scopes stands in the one around them.");
    if (facts.flame->boxes.front().ms > 0) {
        if (const size_t left = FlameWriter(html, facts).write())
            html.element("p", counted(left, "box is", "boxes are") + " too narrow to be drawn.", {{"class", "note"}});
    } else {
        html.element("p", "No call took any time.", {{"class", "note"}});
    }
    html.close();
}

} // namespace lathe::report
