// SPDX-License-Identifier: GPL-3.0-or-later
//
// The graph coloured by a table of the user's own: a value for each of some nodes, by their names. It may come from anywhere: a
// profiler of the device, a list of what another compiler refuses.
#pragma once

#include "views/models/graph/overlay.h"

#include <QByteArray>
#include <map>

namespace lathe::views::models {

inline constexpr qint64 largestTable = 8 << 20; // bytes

struct NodeTable {
    QString name;                          // of what it shows: its file
    std::map<std::string, QString> values; // by the names of nodes; the last one of a name counts

    bool empty() const { return values.empty(); }
};

/// JSON: an object of values by name, or an array of objects with "name" and "value". Otherwise lines of a name and a value
/// with a comma, semicolon or tab between them, names in quotes where they need them; a first line whose value is no number is
/// a heading if all others have numbers. Fails if it is neither, or holds no row.
Result<NodeTable> readTable(const QByteArray& bytes);

/// Numbers are a scale from the least to the largest of those of this model's nodes; if any value is no number, each value is
/// a category. A group has the sum of the numbers in it.
Overlay tableOverlay(const NodeTable& table, const model::ModelGraph& model, const GroupedGraph* grouped = nullptr);

/// Nodes of the model that the table names.
int countNamed(const NodeTable& table, const model::ModelGraph& model);

} // namespace lathe::views::models
