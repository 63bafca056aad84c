// SPDX-License-Identifier: Apache-2.0
//
// Attributes of operators. Each builtin operator has a table of options in the schema, over a hundred in all: they are
// read by what the schema, which the program has in it, says of their fields. A field that the file leaves out has the
// schema's default, and so have all of them where the whole table is left out.
#pragma once

#include "base/budget.h"
#include "base/result.h"
#include "model/model_graph.h"

#include <span>
#include <string>
#include <vector>

namespace tflite {
struct Operator;
struct OperatorCode;
} // namespace tflite

namespace lathe::frontend::tflite {

/// The set of operators that custom ones are of; builtin ones have none.
inline constexpr const char* customDomain = "custom";

/// The code of an operator in the schema; it may be unknown to it. Old files have it in a byte, new ones in a field of
/// its own.
int builtinCode(const ::tflite::OperatorCode& code);
/// "CONV_2D", or "BUILTIN_999" for one that the schema does not know.
std::string builtinName(int code);
bool isCustom(int code);

/// A field that names subgraphs of the model by their indices.
struct SubgraphField {
    std::string name;
    std::vector<int64_t> indices;
    bool isList = false;
};

struct OperatorOptions {
    /// By the fields' names: integers and flags as int64_t, floats as double, enumerations as the names of their
    /// values, bytes and texts as std::string, vectors likewise.
    std::vector<model::Attribute> attributes;
    std::vector<SubgraphField> subgraphs;
};

/// The options of a builtin operator. Lists and texts are taken from the budget: operators may share them.
Result<OperatorOptions> readOptions(const ::tflite::Operator& proto, int code, Budget& budget);

/// The options of a custom operator: the entries of its map, or all bytes as "custom_options" if they are
/// none, or a large one.
Result<std::vector<model::Attribute>> readCustomOptions(std::span<const std::byte> bytes, Budget& budget);

} // namespace lathe::frontend::tflite
