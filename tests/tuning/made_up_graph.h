// SPDX-License-Identifier: Apache-2.0
//
// A model without kernels, for tests of choosing by costs: nodes with variants and layouts, and times that are a formula of
// what is chosen.
#pragma once

#include "tuning/choose_by_costs.h"

#include <algorithm>
#include <functional>

namespace lathe::testing {

/// Nodes in a row, each a convolution that reads the one before: variants direct, winograd2, winograd4; of the direct one blocks
/// of 0, 16, 32, and without blocks panels of 0, 16. By rule all are direct, in blocks of 16.
class MadeUpGraph final : public tuning::GraphBench {
public:
    std::vector<std::string> nodes{"a", "b", "c", "d"};
    std::map<std::string, double> ms; // by "NODE OPTION", or by "OPTION" for all; else 1
    double relayoutMs = 0;            // where a node does not store as the one that it reads
    double spread = 0;                // of each time
    double bytes = 0;                 // of each result
    std::set<std::string> broken;     // options whose compilations fail
    bool follow = false;              // by rule blocks are as wide as those that are read
    std::vector<driver::Decisions> measured;

    Result<tuning::GraphChoices> look(const driver::Decisions& decisions) override {
        tuning::GraphChoices choices;
        int64_t before = 16;
        for (const std::string& node : nodes) {
            const driver::ChoiceName name{node, "conv", 0};
            std::string variant = "direct";
            for (const driver::VariantDecision& each : decisions.variants)
                if (each.of.node == node)
                    variant = each.variant;
            choices.variants.push_back({{name, variant}, {{"direct", 1}, {"winograd2", 2}, {"winograd4", 3}}, {}});
            if (variant != "direct")
                continue;
            const int64_t blocks = widthOf(decisions, node, relay::choose::StoredPart::Blocks, follow ? before : 16);
            before = blocks;
            choices.layouts.push_back({{name, relay::choose::StoredPart::Blocks, blocks}, {0, 16, 32}, {}});
            if (blocks == 0)
                choices.layouts.push_back({{name, relay::choose::StoredPart::Panels,
                                            widthOf(decisions, node, relay::choose::StoredPart::Panels, 16)},
                                           {0, 16},
                                           {}});
        }
        return choices;
    }

    Result<tuning::GraphRun> measure(const driver::Decisions& decisions) override {
        measured.push_back(decisions);
        LATHE_TRY(const tuning::GraphChoices choices, look(decisions));
        tuning::GraphRun run;
        run.ms = 1; // of calls that are nobody's
        for (const driver::VariantRecord& record : choices.variants)
            run.sites[record.chosen.of.node].option.variants.push_back(record.chosen);
        for (const driver::LayoutRecord& record : choices.layouts)
            run.sites[record.chosen.of.node].option.layouts.push_back(record.chosen);
        const tuning::SiteRun* before = nullptr;
        for (const std::string& node : nodes) {
            tuning::SiteRun& site = run.sites.at(node);
            const std::string option = tuning::toString(site.option);
            if (broken.contains(option))
                return failure("cannot be compiled");
            site.stored = storedAs(site.option);
            site.bytes = bytes;
            site.taken = {timeOf(node, option), spread};
            if (before) {
                site.reads = {nodes[static_cast<size_t>(std::ranges::find(nodes, node) - nodes.begin()) - 1]};
                site.taken.ms += before->stored == site.stored ? 0 : relayoutMs;
            }
            run.ms += site.taken.ms;
            before = &site;
        }
        return run;
    }

private:
    static int64_t widthOf(const driver::Decisions& decisions, const std::string& node, relay::choose::StoredPart part,
                           int64_t preferred) {
        for (const driver::LayoutDecision& each : decisions.layouts)
            if (each.of.node == node && each.part == part)
                return each.width;
        return preferred;
    }
    static std::string storedAs(const tuning::SiteOption& option) {
        for (const driver::LayoutDecision& each : option.layouts)
            if (each.part == relay::choose::StoredPart::Blocks)
                return std::to_string(each.width);
        return "16"; // what Winograd's stores
    }
    double timeOf(const std::string& node, const std::string& option) const {
        for (const std::string& key : {node + " " + option, option})
            if (const auto found = ms.find(key); found != ms.end())
                return found->second;
        return 1;
    }
};

} // namespace lathe::testing
