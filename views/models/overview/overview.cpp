// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/overview/overview.h"

#include "inspect/layer_name.h"
#include "views/models/inputs/open_sizes.h"
#include "views/models/profile/chart_texts.h"
#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"
#include "views/models/text/translate.h"

#include <QFileInfo>
#include <algorithm>

namespace lathe::views::models {
namespace {

constexpr size_t longestLayers = 5;

QString percent(double share) {
    return QStringLiteral("%1 %").arg(share * 100, 0, 'f', 0);
}

QString summaryOf(const advise::Known& known) {
    const model::ModelGraph& graph = *known.trace->graph;
    QStringList parts = {QString::fromStdString(graph.format), counted(model::countNodes(graph), "node", "nodes"),
                         tr("%1 parameters").arg(shortened(double(model::countParameters(graph)))),
                         QString::fromStdString(known.options->target.cpu)};
    if (known.profile) {
        parts << counted(known.profile->threads, "thread", "threads");
        if (const QString sizes = textOf(known.profile->shapes); !sizes.isEmpty())
            parts << sizes;
    }
    return parts.join(QStringLiteral(" · "));
}

OverviewFigure runFigure(const inspect::Profile* profile) {
    if (!profile)
        return {tr("A run"), QStringLiteral("–"), tr("run it (F6) to measure")};
    return {tr("A run"), tr("%1 ms").arg(msText(profile->medianMs)),
            tr("half: %1 to %2 ms").arg(msText(profile->lowMs), msText(profile->highMs))};
}

/// What the kernels would take at the machine's peaks, of what they take.
OverviewFigure machineFigure(const inspect::Profile* profile, const inspect::Roofline* roofline) {
    OverviewFigure figure{tr("Of the machine's peak"), QStringLiteral("–"), tr("known after a run")};
    if (!profile || !roofline || profile->callsMs() <= 0)
        return figure;
    double least = 0;
    for (const inspect::RooflinePoint& point : roofline->points)
        least += profile->rows[point.row].ms * std::min(1.0, point.share);
    figure.value = percent(least / profile->callsMs());
    figure.detail = tr("%1 GFLOP/s, %2 GB/s").arg(roofline->peak.gflops, 0, 'f', 0).arg(roofline->peak.gbs, 0, 'f', 0);
    return figure;
}

OverviewFigure memoryFigure(const advise::Facts& facts) {
    OverviewFigure figure{tr("Memory"), QStringLiteral("–"), tr("known after a run")};
    if (!facts.memory)
        return figure;
    if (const auto& reserved = facts.memory->reserved) {
        figure.value = bytesText(double(*reserved));
        figure.detail = tr("intermediate values");
    } else {
        figure.detail = tr("only a run tells");
    }
    return figure;
}

OverviewFigure sizeFigure(const OverviewWork& work) {
    if (work.artifactBytes == 0)
        return {tr("Artifact"), QStringLiteral("–"), tr("compile it (F5)")};
    return {tr("Artifact"), bytesText(double(work.artifactBytes)), tr("compiled in %1 s").arg(work.seconds, 0, 'f', 2)};
}

OverviewFigure kernelFigure(const driver::Trace& trace, bool isCompiled) {
    if (!isCompiled)
        return {tr("Kernels"), QStringLiteral("–"), tr("compile it (F5)")};
    return {tr("Kernels"), grouped(qint64(trace.kernels.size())),
            tr("%1, %2 tuned").arg(counted(qint64(trace.calls.size()), "call", "calls")).arg(tunedKernels(trace))};
}

OverviewFigure valueFigure(const diagnose::Check* check) {
    if (!check)
        return {tr("Values"), tr("unchecked"), tr("check them (F8)")};
    const size_t wrong = check->count(diagnose::CheckState::Diverges),
                 right = check->count(diagnose::CheckState::Within);
    if (wrong > 0)
        return {tr("Values"), counted(qint64(wrong), "diverges", "diverge"),
                tr("of %1 compared").arg(grouped(qint64(wrong + right)))};
    if (const size_t odd = check->countNotFinite(); odd > 0)
        return {tr("Values"), tr("not finite"), tr("%1 of %2 compared").arg(odd).arg(grouped(qint64(right)))};
    return {tr("Values"), right > 0 ? tr("right") : QStringLiteral("–"), tr("%1 compared").arg(grouped(qint64(right)))};
}

OverviewFigure problemFigure(const OverviewWork& work) {
    const QString warnings = counted(work.warnings, "warning", "warnings");
    return {tr("Problems"), grouped(work.errors + work.warnings),
            work.errors > 0 ? counted(work.errors, "error", "errors") + ", " + warnings : warnings};
}

std::vector<OverviewLayer> longestOf(const advise::Known& known, const inspect::Roofline* roofline) {
    std::vector<OverviewLayer> layers;
    for (size_t i = 0; i < std::min(longestLayers, known.profile->rows.size()); ++i) {
        const inspect::ProfileRow& row = known.profile->rows[i];
        OverviewLayer layer{.name = oneLine(inspect::layerName(*known.trace, row.call), longestNameInText),
                            .call = row.call,
                            .nodes = {row.nodes.begin(), row.nodes.end()},
                            .ms = row.ms,
                            .share = row.share,
                            .machineShare = {},
                            .bound = {}};
        if (roofline)
            if (const auto point = std::ranges::find(roofline->points, i, &inspect::RooflinePoint::row);
                point != roofline->points.end()) {
                layer.machineShare = point->share;
                const auto bound = toString(point->bound);
                layer.bound = QString::fromUtf8(bound.data(), qsizetype(bound.size()));
            }
        layers.push_back(std::move(layer));
    }
    return layers;
}

} // namespace

qint64 tunedKernels(const driver::Trace& trace) {
    return std::ranges::count_if(trace.kernels, [](const driver::KernelRecord& kernel) {
        return kernel.schedule.from != lower::ScheduleFrom::Default;
    });
}

QString textOf(advise::Step step) {
    switch (step) {
    case advise::Step::Bisect:
        return tr("Bisect…");
    case advise::Step::Check:
        return tr("Check");
    case advise::Step::Run:
        return tr("Run");
    case advise::Step::Settings:
        return tr("Settings…");
    case advise::Step::Tune:
        return tr("Tune…");
    case advise::Step::Passes:
        return tr("Switch on");
    case advise::Step::Fusion:
        return tr("Show in Fusion");
    case advise::Step::Loops:
        return tr("Show in Loops");
    case advise::Step::Timeline:
        return tr("Show the timeline");
    case advise::Step::Memory:
        return tr("Show the memory plan");
    }
    return {};
}

Overview overviewOf(const advise::Known& known, const OverviewWork& work, bool isCompiled) {
    Overview overview;
    overview.model = oneLine(QFileInfo(work.path).fileName(), longestNameInText);
    overview.summary = summaryOf(known);
    overview.isCompiled = isCompiled;
    overview.ran = known.profile != nullptr;
    const advise::Facts facts(known);
    const inspect::Roofline* roof = facts.roofline ? &*facts.roofline : nullptr;
    overview.figures = {runFigure(known.profile), machineFigure(known.profile, roof),     memoryFigure(facts),
                        sizeFigure(work),         kernelFigure(*known.trace, isCompiled), valueFigure(known.check),
                        problemFigure(work)};
    if (known.profile)
        overview.longest = longestOf(known, roof);
    overview.decisions = decisionRows(*known.decisions);
    if (isCompiled)
        overview.advice = advise::adviseOn(facts);
    return overview;
}

} // namespace lathe::views::models
