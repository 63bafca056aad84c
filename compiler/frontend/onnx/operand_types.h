// SPDX-License-Identifier: Apache-2.0
//
// What an operator's schema says about the types of its operands and results: which it takes and gives, and which must be
// the same.
#pragma once

#include "model/model_graph.h"

#include <onnx/defs/schema.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lathe::frontend::onnx {

/// The element type of input or output i, if it is there and a tensor.
using TypeOf = std::function<std::optional<DataType>(size_t i)>;

/// One node held against its schema: first its operands, then its results.
class OperandTypes {
public:
    explicit OperandTypes(const model::Node& node);

    /// What is wrong with the operands' types; nothing if they fit, or if the operator has no schema.
    std::optional<std::string> faultOfOperands(const TypeOf& typeOfInput);

    /// The same of the results, which attributes ask for (a cast's target) and which must agree with the operands, so
    /// those come first. Nothing for constants.
    std::optional<std::string> faultOfResults(const TypeOf& typeOfOutput);

private:
    using Formals = std::vector<::onnx::OpSchema::FormalParameter>;
    /// side: "input", "output"; does: what the operator does with them.
    std::optional<std::string> faultOf(const Formals& formals, size_t count, const TypeOf& typeOf, const char* side,
                                       const char* does);

    const model::Node& node_;
    const ::onnx::OpSchema* schema_;
    /// Which operand or result gave a type variable its type: "T" -> "input 0 (X)", float32.
    std::map<std::string, std::pair<std::string, DataType>> variables_;
};

} // namespace lathe::frontend::onnx
