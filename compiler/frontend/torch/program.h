// SPDX-License-Identifier: Apache-2.0
//
// A program of torch.export as its JSON has it, checked for form: every field that is read is there and of its kind. What names
// refer to, and whether types fit, is found out when it is converted.
#pragma once

#include "base/budget.h"
#include "frontend/torch/value.h"
#include "model/model_graph.h"

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace lathe::frontend::torch {

/// A size, or another number that depends on sizes: known, or a text (size_expression.h).
using ProgramSize = std::variant<int64_t, std::string>;

/// What is declared of a tensor.
struct TensorMeta {
    DataType dtype; // of complex numbers: of their parts; Void: a type that Lathe has not
    bool isComplex = false;
    std::vector<ProgramSize> sizes, strides;
    ProgramSize offset = int64_t{0}; // in elements, of the first one in its storage
};

struct ProgramGraph;

struct ProgramArgument {
    struct Name { // of a tensor, or of a number that depends on sizes
        std::string text;
        bool isTensor;
    };
    std::variant<TorchValue, Name, std::shared_ptr<const ProgramGraph>, std::vector<ProgramArgument>> value;

    template <class T>
    const T* as() const {
        return std::get_if<T>(&value);
    }
};

struct ProgramNode {
    std::string name;
    std::string target; // "aten.add.Tensor", "higher_order.cond", "_operator.add"
    struct Input {
        std::string name; // of the schema's; empty: by place
        ProgramArgument value;
    };
    std::vector<Input> inputs;
    std::vector<ProgramArgument> outputs;
    std::vector<std::string> modules; // paths of those around it, outermost first
    std::vector<model::SourceLine> source;
    int32_t id = 0;
};

struct ProgramGraph {
    std::string name;
    std::vector<ProgramArgument> inputs, outputs;
    std::vector<ProgramNode> nodes;
    std::unordered_map<std::string, TensorMeta> tensors;
    std::unordered_map<std::string, ProgramSize> numbers; // that depend on sizes
};

/// What an input of the graph is.
struct InputSpec {
    enum class Kind : uint8_t { User, Parameter, Buffer, Constant, Value } kind = Kind::User;
    std::string name;      // in the graph; empty: of none
    std::string tensor;    // Parameter, Buffer, Constant: by which the archive has it
    bool isStored = true;  // Buffer: among the weights; else among the constants
    ProgramArgument value; // Value: what it always is
};

struct OutputSpec {
    enum class Kind : uint8_t { User, Buffer, Input } kind = Kind::User; // what it is assigned to, if not for the user
    ProgramArgument value;
    std::string target; // Buffer, Input: the name of what it is assigned to
};

/// The least and the greatest value of a number; nothing: no bound.
struct SizeRange {
    std::string expression;
    std::optional<int64_t> least, greatest;
};

struct Program {
    std::shared_ptr<const ProgramGraph> graph;
    std::vector<InputSpec> inputs; // one for each of the graph's
    std::vector<OutputSpec> outputs;
    std::vector<SizeRange> ranges;
    std::vector<std::string> inputNames, outputNames; // for the user, of inputs and outputs that are for him
    std::string torchVersion;
    int64_t schemaMinor = 0;
    int32_t nodeCount = 0;
};

/// Fails if the text is no program, or of a version that is not known.
Result<Program> readProgram(std::string_view text, Budget& budget);

/// What is declared of a tensor of the archive; fails if sizes are not numbers.
Result<TensorMeta> readTensorMeta(const nlohmann::json& json);

} // namespace lathe::frontend::torch
