// SPDX-License-Identifier: Apache-2.0
//
// What a compilation is given beside what Lathe has itself: operators, passes at a few places of the pipeline, variants of
// operators, and spaces of schedules for the tuner. A value, handed in by Options: whoever has rows makes one, and nothing of
// them is known elsewhere. With none, all is as it would be without this file.
#pragma once

#include "frontend/added_operators.h"
#include "lower/pipeline.h"
#include "relay/choose/variant.h"
#include "relay/ir.h"
#include "tune/spaces.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::driver {

struct PluginId {
    std::string id, version;
    bool operator==(const PluginId&) const = default;
};

/// Where a pass over the graph may stand, by what holds there.
enum class GraphPlace {
    Imported,   // one flat main function
    Simplified, // what inference does not need is gone, scales are folded
    Canonical,  // operators have one form each; no variants and no layouts are chosen yet
    Fused,      // what belongs together stands in functions: a pass may only look
};

/// A pass over the graph. Optional like all that plugins add: Decisions can switch it off, and the verifier runs after it.
struct PassRow {
    std::string name; // "PLUGIN/PASS"
    GraphPlace place = GraphPlace::Canonical;
    bool exactOverReals = false; // changes floats otherwise: off under strict numerics
    std::function<Result<relay::Module>(const relay::Module&)> run;
};

struct Extensions {
    std::vector<PluginId> plugins;
    frontend::AddedOperators operators;
    std::vector<PassRow> passes;
    std::vector<lower::AddedKernelPass> kernelPasses;
    std::vector<relay::choose::VariantRow> variants;
    std::vector<tune::SpaceRow> spaces;
};

/// The plugin that a pass, a variant or a space is of: what stands before the slash; empty for Lathe's own.
std::string_view pluginOf(std::string_view name);

/// Fails if a row cannot be taken: what is there already, a name that says no plugin, or a row that lacks a function.
Result<void> checkExtensions(const Extensions& extensions);

/// Nothing for null.
std::span<const relay::choose::VariantRow> variantsOf(const Extensions* extensions);
std::span<const tune::SpaceRow> spacesOf(const Extensions* extensions);

/// As the frontend takes them; null for null.
std::shared_ptr<const frontend::AddedOperators> operatorsOf(const std::shared_ptr<const Extensions>& extensions);

} // namespace lathe::driver
