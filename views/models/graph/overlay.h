// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the nodes of a graph are coloured by, besides their families: a figure of the fused functions that compute them, or
// which function that is; or the errors of a check (error_overlay.h), how they differ from another model's, their types
// (type_overlay.h), how their values are stored (layout_overlay.h), a table of the user's own (table_overlay.h). A figure
// belongs to a function, so nodes of one function have the same; a node with nested graphs has the sum over what is in them.
// Pure functions: a canvas draws the result, whatever it shows.
#pragma once

#include "inspect/profile.h"
#include "inspect/provenance.h"
#include "views/models/graph/graph_picture.h"
#include "views/models/text/colors.h"

#include <QString>
#include <map>
#include <optional>
#include <vector>

namespace lathe::views::models {

enum class OverlayKind { Family, Time, Flops, Bytes, Function, Error, Difference, Type, Table, Layout };

/// How a node differs from the one that it is compared with (model_comparison.h).
enum class NodeDifference : uint8_t { None, Added, Removed, Changed, Moved };

struct NodeOverlay {
    /// ms, FLOPs or bytes of one run, share of a tolerance, a number of the user's; none: not of this kind, no code, or not
    /// known.
    std::optional<double> value;
    double share = 0; // of the largest value of all functions, at most 1
    NodeDifference difference = NodeDifference::None;
    int category = -1; // where values are none: those of one have one colour
    int call = -1;     // in the Trace, of several the first; of fusionOverlay a row of functions; -1: none
    QString text;      // for its card, "0.31 ms"; with ∗ if other nodes share the value
    QString hint;      // the same at length, or why there is no value
};

struct Overlay {
    OverlayKind kind = OverlayKind::Family;
    QString largest;                // the value whose share is 1, as text
    std::vector<NodeOverlay> nodes; // by id in the ModelGraph; empty: of the kind Family
    /// By group, if some were asked for: the sum over all functions whose first node is in it (driver::homeOf), so that groups
    /// add up to what is around them; and its share of the largest among its siblings.
    std::vector<NodeOverlay> groups;
    /// What there is to say of the values that go from a group to another one.
    std::map<std::pair<int, int>, QString> between;
};

/// Whether there is anything to colour by: code of functions; figures of the profile, or of FLOPs and bytes estimates without
/// symbols. A null Provenance has none. Of the kinds that are made of Provenance and profile.
bool hasOverlay(OverlayKind kind, const inspect::Provenance* provenance, const inspect::Profile& profile);

/// Linear in the nodes of the graph and of those nested in it, and in the depth of the groups. `profile` is of the same compilation, or empty.
Overlay overlayOf(OverlayKind kind, const inspect::Provenance& provenance, const inspect::Profile& profile,
                  const GroupedGraph* grouped = nullptr);

QColor colorOf(NodeDifference difference, const Colors& colors);
/// Of a node's card, in an overlay that is not of the kind Family.
QColor colorOf(const Overlay& overlay, const NodeOverlay& node, const Colors& colors);

} // namespace lathe::views::models
