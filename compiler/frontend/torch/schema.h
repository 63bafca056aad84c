// SPDX-License-Identifier: Apache-2.0
//
// Operators' schemas, as PyTorch writes them: "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor". They
// say the names, kinds and defaults of arguments, so that converters ask for them by name and files may leave them out.
#pragma once

#include "base/result.h"
#include "frontend/torch/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace lathe::frontend::torch {

struct SchemaType {
    enum class Kind : uint8_t { Tensor, Int, Float, Bool, Scalar, Text, Type, Any } kind = Kind::Any; // of one element
    bool isList = false;
    bool isOptional = false; // of a list: the list itself
    bool hasOptionalElements = false;
    bool isWritten = false; // Tensor(a!): the operator assigns to it
    bool isView = false;    // Tensor(a): shares its elements
};

struct SchemaArgument {
    std::string name;
    SchemaType type;
    bool isKeywordOnly = false;
    bool hasDefault = false;
    TorchValue otherwise; // the default; None if it has none
};

struct Schema {
    std::string name; // as torch.export names it: "aten.add.Tensor", "aten.conv2d.default"
    std::vector<SchemaArgument> arguments;
    std::vector<SchemaType> results;
    /// The place of an argument; nothing if there is none of that name.
    std::optional<size_t> find(std::string_view argument) const;
};

Result<Schema> parseSchema(std::string_view text);

} // namespace lathe::frontend::torch
