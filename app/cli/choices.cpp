// SPDX-License-Identifier: Apache-2.0
#include "app/cli/choices.h"

#include <fmt/ranges.h>

namespace lathe::cli {
namespace {

ChoiceLine lineOf(const driver::VariantRecord& record) {
    nlohmann::json json = driver::toJson(record.chosen);
    std::string offered;
    for (const relay::choose::VariantCost& each : record.offered) {
        json["offered"].push_back({{"variant", each.name}, {"cycles", each.cycles}});
        offered += fmt::format("{}{} {:.0f}", offered.empty() ? "" : ", ", each.name, each.cycles / 1000);
    }
    const driver::ChoiceName& of = record.chosen.of;
    return {fmt::format("{:8} variant {} of {} thousand cycles  {}", of.op, record.chosen.variant, offered,
                        driver::display(of)),
            std::move(json), record.span};
}

ChoiceLine lineOf(const driver::LayoutRecord& record) {
    nlohmann::json json = driver::toJson(record.chosen);
    json["offered"] = record.offered;
    const driver::LayoutDecision& chosen = record.chosen;
    return {fmt::format("{:8} {} {:3} of {:16}  {}", chosen.of.op, driver::toString(chosen.part), chosen.width,
                        fmt::format("{}", fmt::join(record.offered, ", ")), driver::display(chosen.of)),
            std::move(json), record.span};
}

} // namespace

std::vector<ChoiceLine> choiceLines(const driver::Trace& trace) {
    std::vector<ChoiceLine> lines;
    for (const driver::VariantRecord& record : trace.variants)
        lines.push_back(lineOf(record));
    for (const driver::LayoutRecord& record : trace.layouts)
        lines.push_back(lineOf(record));
    return lines;
}

} // namespace lathe::cli
