// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finding nodes by what people know of them: operator, name, values that go in and out with their types, attributes.
#pragma once

#include "model/model_graph.h"

#include <QString>
#include <optional>
#include <vector>

namespace lathe::views::models {

class NodeSearch {
public:
    /// Nodes of nested graphs too. The model must outlive the search.
    explicit NodeSearch(const model::ModelGraph& model);

    /// Ids in the order of the model; upper and lower case are alike. As a regular expression, or as words which must all
    /// be there. Nothing: no regular expression.
    std::optional<std::vector<int>> find(const QString& wanted, bool regular) const;

private:
    std::vector<std::pair<int, QString>> texts_; // of a node, a line for each thing that is known
};

} // namespace lathe::views::models
