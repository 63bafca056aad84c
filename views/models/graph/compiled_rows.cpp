// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/compiled_rows.h"

#include "views/models/text/counted.h"
#include "views/models/text/translate.h"

#include <QStringList>
#include <algorithm>

namespace lathe::views::models {
namespace {

constexpr size_t mostCalls = 4; // of a node whose work is done in parts

QString fromView(std::string_view value) {
    return QString::fromUtf8(value.data(), qsizetype(value.size()));
}

bool isOf(const driver::Trace& trace, model::Span span, int node) {
    return std::ranges::binary_search(trace.graph->spans->ids(span), node);
}

/// The functions that compute it, what they take, and whose schedules they have.
void addCalls(const inspect::Provenance& provenance, const inspect::Profile& profile, int node,
              std::vector<AttributeRow>& rows) {
    const driver::Trace& trace = provenance.trace();
    const auto uses = provenance.usesOf(node);
    for (const inspect::NodeUse& use : uses.first(std::min(mostCalls, uses.size()))) {
        rows.push_back({.group = tr("Compiled"),
                        .name = tr("Function"),
                        .value = fromView(trace.calls[size_t(use.call)].function),
                        .call = use.call});
        if (const auto ran = std::ranges::find(profile.rows, use.call, &inspect::ProfileRow::call);
            ran != profile.rows.end())
            rows.push_back({.group = tr("Compiled"),
                            .name = tr("Time"),
                            .value = tr("%1 ms, %2 % of a run").arg(msText(ran->ms)).arg(ran->share * 100, 0, 'f', 1)});
        if (const int kernel = provenance.kernelOf(use.call); kernel >= 0) {
            const driver::KernelRecord& record = trace.kernels[size_t(kernel)];
            rows.push_back({.group = tr("Compiled"), .name = tr("Kernel"), .value = fromView(record.name)});
            if (record.schedulable)
                rows.push_back({.group = tr("Compiled"),
                                .name = tr("Schedule"),
                                .value = fromView(lower::toString(record.schedule.from))});
        }
    }
    if (uses.size() > mostCalls)
        rows.push_back({.group = tr("Compiled"),
                        .name = tr("Function"),
                        .value = tr("and %1").arg(counted(qint64(uses.size() - mostCalls), "more", "more"))});
}

/// What was chosen for it, and among what.
void addChoices(const driver::Trace& trace, int node, std::vector<AttributeRow>& rows) {
    for (const driver::VariantRecord& record : trace.variants) {
        if (!isOf(trace, record.span, node))
            continue;
        QStringList offered;
        for (const relay::choose::VariantCost& each : record.offered)
            offered << fromView(each.name);
        rows.push_back(
            {.group = tr("Compiled"),
             .name = tr("Variant"),
             .value = tr("%1, of %2").arg(fromView(record.chosen.variant), offered.join(QStringLiteral(", ")))});
    }
    for (const driver::LayoutRecord& record : trace.layouts)
        if (isOf(trace, record.span, node))
            rows.push_back(
                {.group = tr("Compiled"),
                 .name = tr("Layout"),
                 .value = record.chosen.width == 0
                              ? tr("%1: as the model has it").arg(fromView(driver::toString(record.chosen.part)))
                              : tr("%1 of %2")
                                    .arg(fromView(driver::toString(record.chosen.part)))
                                    .arg(record.chosen.width)});
}

void addCheck(const diagnose::Check& check, int node, std::vector<AttributeRow>& rows) {
    const diagnose::CheckRow* row = nullptr; // of its values one that diverges, else the first
    for (const diagnose::CheckRow& each : check.rows)
        if (each.node == node && (!row || (each.state == diagnose::CheckState::Diverges && row->state != each.state)))
            row = &each;
    if (!row)
        return;
    const bool wrong = row->state == diagnose::CheckState::Diverges;
    rows.push_back({.group = tr("Compiled"),
                    .name = tr("Check"),
                    .value = row->state == diagnose::CheckState::Within ? tr("right, within the tolerance")
                             : wrong                                    ? tr("diverges: %1").arg(fromView(row->why))
                                     : tr("not compared: %1").arg(fromView(row->why)),
                    .problem = wrong});
}

} // namespace

std::vector<AttributeRow> compiledRowsOf(const inspect::Provenance& provenance, const inspect::Profile& profile,
                                         const diagnose::Check* check, int node) {
    const driver::Trace& trace = provenance.trace();
    std::vector<AttributeRow> rows;
    if (!trace.graph || node < 0)
        return rows;
    if (const std::string_view pass = provenance.removedBy(node); !pass.empty())
        rows.push_back({.group = tr("Compiled"), .name = tr("Removed by"), .value = fromView(pass)});
    addCalls(provenance, profile, node, rows);
    addChoices(trace, node, rows);
    if (check)
        addCheck(*check, node, rows);
    return rows;
}

} // namespace lathe::views::models
