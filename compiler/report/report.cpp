// SPDX-License-Identifier: Apache-2.0
//
// The page from top to bottom.
#include "report/report.h"

#include "base/guarded.h"
#include "base/new_file.h"
#include "base/parallel.h"
#include "report/sections.h"
#include "report/style.h"

#include <functional>
#include <span>

namespace lathe::report {
namespace {

// Of the whole work.
constexpr double forCode = 0.7, forSections = 0.95;

void check(const driver::Progress& progress) {
    if (progress.cancelled && progress.cancelled())
        throw Cancelled{};
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
            progress.report("machine code", forCode * static_cast<double>(finished) / static_cast<double>(count));
    });
    return listings;
}

struct Section {
    std::string_view link, title;
    bool present; // whether there is anything to say
    std::function<void(Html&)> write;
};

/// All of a page, in their order.
std::vector<Section> sectionsOf(const Facts& facts, std::span<const inspect::PassFigures> figures,
                                std::span<const Result<driver::Listing>> listings) {
    const driver::Trace& trace = facts.trace;
    const auto by = [&facts](void (*write)(Html&, const Facts&)) {
        return [write, &facts](Html& html) { write(html, facts); };
    };
    const auto passes = [&facts, figures](Html& html) { writePasses(html, facts, figures); };
    const auto kernels = [&facts, listings](Html& html) { writeKernels(html, facts, listings); };
    return {
        {"#problems", "Problems", !facts.problems.empty(), by(writeProblems)},
        {"#summary", "Summary", true, by(writeSummary)},
        {"#graph", "Graph", trace.graph && trace.graph->graph, by(writeGraph)},
        {"#passes", "Passes", !trace.passes.empty(), passes},
        {"#fusion", "Fusion", !trace.fusion.operators.empty(), by(writeFusion)},
        {"#kernels", "Kernels", !trace.kernels.empty(), kernels},
        {"#profile", "Profile", true, by(writeProfile)},
        {"#flame", "Scopes", facts.flame.has_value(), by(writeFlame)},
        {"#roofline", "Roofline", facts.roofline.has_value(), by(writeRoofline)},
        {"#memory", "Memory", !trace.calls.empty(), by(writeMemory)},
    };
}

} // namespace

std::string toHtml(const Report& report, const driver::Progress& progress) {
    const Facts facts(report);
    const std::vector<inspect::PassFigures> figures = inspect::passFigures(facts.trace, progress.cancelled);
    check(progress); // they end early
    const std::vector<Result<driver::Listing>> listings = list(facts, progress);
    const std::string name = report.model.filename().string();
    Html html;
    html.open("html", {{"lang", "en"}}).open("head").empty("meta", {{"charset", "utf-8"}});
    html.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
    html.element("title", name + " – Lathe report").verbatim("style", styleSheet).close().open("body");
    std::vector<Section> sections = sectionsOf(facts, figures, listings);
    std::erase_if(sections, [](const Section& section) { return !section.present; });
    html.open("nav");
    for (const Section& section : sections)
        html.element("a", section.title, {{"href", section.link}});
    html.close().open("main").element("h1", name);
    for (size_t i = 0; i < sections.size(); ++i) {
        check(progress);
        if (progress.report)
            progress.report(sections[i].title, forCode + (forSections - forCode) * static_cast<double>(i) /
                                                             static_cast<double>(sections.size()));
        sections[i].write(html);
    }
    html.close().verbatim("script", script).close().close();
    return html.finish();
}

Result<void> writeReport(const Report& report, const std::filesystem::path& path, const driver::Progress& progress) {
    LATHE_CHECKED(driver::keepsModel(path, report.model, *report.trace));
    const std::string page = toHtml(report, progress);
    if (progress.report)
        progress.report("write", forSections);
    NewFile file(path, NewFile::Kind::Text);
    if (!file.write(std::as_bytes(std::span(page))) || !file.keep())
        return Failure(file.problem());
    return {};
}

} // namespace lathe::report
