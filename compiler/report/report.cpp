// SPDX-License-Identifier: Apache-2.0
//
// The page from top to bottom.
#include "report/report.h"

#include "base/new_file.h"
#include "base/parallel.h"
#include "driver/guarded.h"
#include "report/sections.h"
#include "report/style.h"

#include <fmt/format.h>
#include <span>

namespace lathe::report {
namespace {

void check(const driver::Progress& progress) {
    if (progress.cancelled && progress.cancelled())
        throw driver::Cancelled{};
}

/// Of the hottest kernels, in their order.
std::vector<Result<driver::Listing>> list(const Facts& facts, const driver::Progress& progress) {
    const size_t count = std::min(detailedKernels, facts.hottest.size());
    std::vector<Result<driver::Listing>> listings(count, failure("there is no code"));
    const auto listOne = [&](size_t i) {
        check(progress);
        if (const auto& make = facts.trace.kernels[facts.hottest[i]].listing)
            listings[i] = make();
    };
    parallelFor(count, facts.report.options.threads, listOne, [&](size_t finished) {
        if (progress.report)
            progress.report("machine code", static_cast<double>(finished) / static_cast<double>(count));
    });
    return listings;
}

void writeNavigation(Html& html) {
    html.open("nav");
    for (const auto& [id, title] :
         {std::pair("#summary", "Summary"), std::pair("#graph", "Graph"), std::pair("#passes", "Passes"),
          std::pair("#fusion", "Fusion"), std::pair("#kernels", "Kernels"), std::pair("#profile", "Profile"),
          std::pair("#roofline", "Roofline"), std::pair("#memory", "Memory")})
        html.element("a", title, {{"href", id}});
    html.close();
}

} // namespace

std::string toHtml(const Report& report, const driver::Progress& progress) {
    const Facts facts(report);
    const std::vector<Result<driver::Listing>> listings = list(facts, progress);
    const std::string name = report.model.filename().string();
    Html html;
    html.open("html", {{"lang", "en"}}).open("head").empty("meta", {{"charset", "utf-8"}});
    html.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
    html.element("title", name + " – Lathe report").verbatim("style", styleSheet).close().open("body");
    writeNavigation(html);
    html.open("main").element("h1", name);
    writeProblems(html, facts);
    writeSummary(html, facts);
    using Section = void (*)(Html&, const Facts&);
    for (const Section write : {writeGraph, writePasses, writeFusion}) {
        check(progress);
        write(html, facts);
    }
    writeKernels(html, facts, listings);
    for (const Section write : {writeProfile, writeRoofline, writeMemory}) {
        check(progress);
        write(html, facts);
    }
    html.close().verbatim("script", script).close().close();
    return html.finish();
}

Result<void> writeReport(const Report& report, const std::filesystem::path& path, const driver::Progress& progress) {
    const std::string page = toHtml(report, progress);
    if (progress.report)
        progress.report("write", 0);
    NewFile file(path, NewFile::Kind::Text);
    if (!file.write(std::as_bytes(std::span(page))) || !file.keep())
        return Failure(file.problem());
    return {};
}

} // namespace lathe::report
