// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/window/decision_rows.h"

#include "views/models/text/counted.h"
#include "views/models/text/translate.h"

#include <algorithm>

namespace lathe::views::models {
namespace {

/// "keeping apart a and b" begins a sentence.
QString capitalized(QString text) {
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

void addPasses(const driver::Decisions& decisions, std::vector<DecisionRow>& rows) {
    for (const std::string& pass : decisions.skipPasses) {
        const QString name = QString::fromStdString(pass);
        rows.push_back({tr("Pass \"%1\" is off").arg(name), tr("by hand"), switchPass(name, false)});
    }
    if (decisions.optionalLimit >= 0)
        rows.push_back(
            {tr("Of the optional passes the first %1 run").arg(decisions.optionalLimit), tr("by hand"), runUpTo({})});
    if (!decisions.skipIn.empty())
        rows.push_back({tr("Passes are off in %1").arg(counted(qint64(decisions.skipIn.size()), "kernel", "kernels")),
                        tr("by hand"),
                        {tr("switching on passes in kernels"), [](driver::Decisions& all) { all.skipIn.clear(); }}});
}

void addGraph(const driver::Decisions& decisions, std::vector<DecisionRow>& rows) {
    for (const driver::ApartDecision& pair : decisions.apart)
        rows.push_back({capitalized(keepApart({pair}, true).what), tr("by hand"), keepApart({pair}, false)});
    for (const driver::VariantDecision& decision : decisions.variants) {
        const QString what = chooseVariant(decision).what;
        rows.push_back({what, tr("by hand or tuned"), {tr("dropping %1").arg(what), [decision](driver::Decisions& all) {
                                                           std::erase(all.variants, decision);
                                                       }}});
    }
    for (const driver::LayoutDecision& decision : decisions.layouts) {
        const QString what = chooseLayout(decision).what;
        rows.push_back({what, tr("by hand or tuned"), {tr("dropping %1").arg(what), [decision](driver::Decisions& all) {
                                                           std::erase(all.layouts, decision);
                                                       }}});
    }
}

void addKernels(const driver::Decisions& decisions, std::vector<DecisionRow>& rows) {
    if (!decisions.kernels.empty())
        rows.push_back({counted(qint64(decisions.kernels.size()), "schedule of a kernel", "schedules of kernels"),
                        tr("tuned"),
                        {tr("dropping schedules"), [](driver::Decisions& all) { all.kernels.clear(); }}});
    if (!decisions.recorded.empty())
        rows.push_back({tr("%1, taken where nothing is decided")
                            .arg(counted(qint64(decisions.recorded.size()), "recorded schedule", "recorded schedules")),
                        tr("records"),
                        {tr("dropping recorded schedules"), [](driver::Decisions& all) { all.recorded.clear(); }}});
}

} // namespace

std::vector<DecisionRow> decisionRows(const driver::Decisions& decisions) {
    std::vector<DecisionRow> rows;
    addPasses(decisions, rows);
    addGraph(decisions, rows);
    addKernels(decisions, rows);
    return rows;
}

} // namespace lathe::views::models
