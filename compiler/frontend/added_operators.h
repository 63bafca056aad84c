// SPDX-License-Identifier: Apache-2.0
//
// Operators that a compilation is handed beside those of the tables: with a converter, or with a body that says them by
// other operators. Who has nothing to add hands in none; the tables' own operators come first and cannot be replaced.
#pragma once

#include "frontend/common/node_reader.h"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::frontend {

/// An operator with a converter of its own.
struct OperatorRow {
    std::string plugin, domain, name;
    void (*convert)(NodeReader& node, Builder& b) = nullptr;
    model::Family family = model::Family::Other;
    int minVersion = 1, maxVersion = std::numeric_limits<int>::max(); // since_version of the operator
};

/// An operator that is defined by others. A node of it stays one node: its body is expanded while it is converted.
struct BodyRow {
    std::string plugin, domain, name;
    std::string bytes; // the body, in the form of the frontend that read it
    model::Family family = model::Family::Other;
};

/// An operator that a plugin which is off would add.
struct OffRow {
    std::string plugin, domain, name;
};

struct AddedOperators {
    std::vector<OperatorRow> operators;
    std::vector<BodyRow> bodies;
    std::vector<OffRow> off;
};

/// Each null if there is none; nothing is found where `added` is null.
const OperatorRow* findOperator(const AddedOperators* added, const model::Node& node);
const BodyRow* findBody(const AddedOperators* added, const model::Node& node);
const OffRow* findOff(const AddedOperators* added, const model::Node& node);

/// Fails if an operator is one of Lathe's own, or two rows are of one operator: the message names both.
Result<void> checkAdded(const AddedOperators& added);

/// Bodies of operators from text, for people to read and to compare: a list of functions in the textual form of ONNX.
/// `file` is what Diagnostics name. The text is not trusted.
Result<std::vector<BodyRow>> readBodies(std::string_view text, const std::string& plugin, const std::string& file);

} // namespace lathe::frontend
