// SPDX-License-Identifier: Apache-2.0
//
// Where the time went: a row a kernel call that ran, the slowest first.
#include "base/counted.h"
#include "report/sections.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::report {
namespace {

void writeNumber(Html& html, const std::string& text, double value) {
    html.element("td", text, {{"class", "number"}, {"data-value", fmt::format("{:.9g}", value)}});
}

} // namespace

void writeProfile(Html& html, const Facts& facts) {
    const inspect::Profile* profile = facts.report.profile ? &*facts.report.profile : nullptr;
    if (!profile) {
        openSection(html, "profile", "Profile", "The model was not run.");
        html.close();
        return;
    }
    double longest = 0;
    for (const inspect::ProfileRow& row : profile->rows)
        longest = std::max(longest, row.share);
    openSection(html, "profile", "Profile",
                fmt::format("A run takes {} ms, the median of {}; in the middle half of them {} {} ms, as "
                            "below. A click on a heading sorts.",
                            msText(profile->medianMs), profile->runs,
                            counted(profile->rows.size(), "kernel call takes", "kernel calls take"),
                            msText(profile->callsMs())));
    html.open("table", {{"class", "sortable"}}).open("thead").open("tr");
    html.element("th", "Function");
    for (const char* head : {"ms", "Share"})
        html.element("th", head, {{"class", "number"}});
    html.element("th", "");
    for (const char* head : {"GFLOP/s", "GB/s"})
        html.element("th", head, {{"class", "number"}});
    if (facts.roofline)
        html.element("th", "Of the limit", {{"class", "number"}}).element("th", "Bound by");
    html.element("th", "Nodes").close().close().open("tbody");
    std::vector<const inspect::RooflinePoint*> points(profile->rows.size());
    if (facts.roofline)
        for (const inspect::RooflinePoint& point : facts.roofline->points)
            points[point.row] = &point;
    for (size_t i = 0; i < std::min(listedRows, profile->rows.size()); ++i) {
        const inspect::ProfileRow& row = profile->rows[i];
        html.open("tr", {{"id", fmt::format("call-{}", row.call)}}).open("td");
        writeLink(html, facts.linkTo(facts.kernelNamed(row.kernel)), row.function);
        html.close();
        writeNumber(html, msText(row.ms), row.ms);
        writeNumber(html, percentText(row.share), row.share);
        html.open("td");
        writeBar(html, longest > 0 ? row.share / longest : 0);
        html.close();
        writeNumber(html, fmt::format("{:.1f}", row.gflops()), row.gflops());
        writeNumber(html, fmt::format("{:.1f}", row.gbs()), row.gbs());
        if (facts.roofline && points[i]) {
            writeNumber(html, percentText(points[i]->share), points[i]->share);
            html.element("td", inspect::toString(points[i]->bound));
        } else if (facts.roofline) {
            html.element("td", "").element("td", "");
        }
        html.open("td");
        writeNodes(html, facts, row.nodes);
        html.close().close();
    }
    html.close().close();
    if (profile->rows.size() > listedRows)
        html.element("p", counted(profile->rows.size() - listedRows, "more call is", "more calls are") + " left out.",
                     {{"class", "note"}});
    html.close();
}

} // namespace lathe::report
