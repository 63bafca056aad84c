// SPDX-License-Identifier: Apache-2.0
//
// The model as imported, format-neutral: what views draw and diagnostics point into. It is made even when import
// refuses. Nodes are numbered once for each place they stand: a node of a function called 12 times has 12 ids.
#pragma once

#include "base/data_type.h"
#include "base/result.h"
#include "model/span.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace lathe::model {

/// Bytes that are mapped from a file or owned; shared by everything that points into them.
struct Bytes {
    std::shared_ptr<const void> owner;
    std::span<const std::byte> view;
};

/// A constant tensor, one element per DataType::bytes() (sub-byte types are unpacked, one element a byte).
struct TensorData {
    DataType dtype;
    std::vector<int64_t> shape;
    Bytes bytes;                      // empty for strings
    std::vector<std::string> strings; // dtype string
    int64_t elements() const;
};
using TensorPtr = std::shared_ptr<const TensorData>;

/// A dim as declared: a number, a name ("batch"), or unknown.
struct Dim {
    int64_t value = -1;
    std::string name;
};

/// How integers stand for real numbers: real = scale * (integer - zeroPoint), with one scale and zero point of all elements
/// or one each of a slice of `axis`.
struct Quantization {
    std::vector<double> scale;
    std::vector<int64_t> zeroPoint;
    int64_t axis = 0;
    bool operator==(const Quantization&) const = default;
};

/// Declared type of a value. Nested for sequence (element), optional (element) and map (key dtype, element).
struct ValueType {
    enum class Kind { Unknown, Tensor, Sequence, Optional, Map } kind = Kind::Unknown;
    DataType dtype;
    bool hasShape = false;
    std::vector<Dim> shape;
    std::shared_ptr<const ValueType> element;
    std::shared_ptr<const Quantization> quantization; // of a tensor whose format says it of the tensor itself
};
std::string toString(const ValueType& type); // "float32[batch,3,?,?]", "sequence(float32[…])"

struct Graph;

using AttributeValue =
    std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>, std::vector<std::string>,
                 TensorPtr, std::shared_ptr<const Graph>, std::vector<std::shared_ptr<const Graph>>>;
struct Attribute {
    std::string name;
    AttributeValue value;
};
std::string toString(const AttributeValue& value); // short, for people: long lists and tensors are elided

/// A line of the program that the model was written as.
struct SourceLine {
    std::string file; // a name or a path, as the format has it
    int64_t line = 0; // from 1; 0: it is not known
    std::string function, text;
};

struct Node {
    int32_t id = 0;
    std::string name;                // as in the file; may be empty
    std::string op;                  // "Conv"
    std::string domain;              // the set of operators that op is of, "ai.onnx"; empty if the format has one
    int version = 0;                 // since_version that applies; 0 if unknown
    std::vector<std::string> inputs; // value names; "" is an absent optional input
    std::vector<std::string> outputs;
    std::vector<Attribute> attributes;
    std::vector<std::string> scope; // names of enclosing functions and module paths, outermost first
    std::vector<SourceLine> source; // where the author's program has it, the line that says most first
};

/// What an operator is for, whatever its format calls it. What depends on the kind of an operator outside of a frontend
/// goes by this, never by a name.
enum class Family : uint8_t {
    Other,
    Product, // convolutions, products of matrices, and what is made of them
    Activation,
    Normalization,
    Reduction,  // pooling, reductions, searches
    Movement,   // elements to other places; shapes
    Constant,   // gives what its one attribute holds
    Conversion, // the values of its first input as another element type
    Arithmetic,
    Logic, // gives false and true
    Control,
    Quantization,   // rounds to narrow integers, or computes with them: a value on a tie may fall either way
    Dequantization, // narrow integers to what they stand for
    Transform,      // between signal and spectrum: sums that cancel
    Random,         // draws numbers
    Bernoulli,      // draws 0 or 1
    /// Draws which elements of its first input x it keeps: gives x / (1 - ratio) or 0, and which were kept. The ratio is
    /// its second input or its attribute "ratio"; without one it is 0.5. It keeps all if the ratio or the third input,
    /// the training mode, is 0.
    Dropout,
};

/// What a format says of a node beside its operator's name.
struct Role {
    Family family = Family::Other;
    DataType named; // the element type that an attribute asks for; Void if none does
};

struct Value {
    std::string name;
    ValueType type;
};

struct Initializer {
    std::string name;
    TensorPtr tensor;
};

/// What a model keeps from one run to the next.
struct State {
    Value value;
    TensorPtr
        initial; // what it begins as; null where that is too large to hold, or computed when the model is compiled
};

/// One graph; nested graphs (branches, loop bodies) hang on attributes. Value names are unique within nested scopes
/// as in the file; a nested graph sees the names of those around it.
struct Graph {
    std::string name;
    std::vector<Value> inputs; // without initializers
    std::vector<Value> outputs;
    std::vector<Initializer> initializers;
    std::vector<Node> nodes;   // in an order where producers come first
    std::vector<Value> values; // types of intermediate values, declared or found by the import: hints
};

struct ModelGraph {
    std::string file;                                      // as the user named it
    std::string format;                                    // "ONNX"
    std::string producer;                                  // "pytorch 2.1"
    std::vector<std::pair<std::string, int64_t>> versions; // opset imports
    /// By which people call the graphs of the file, sorted; empty: it has no such names. And the one that `graph` is.
    std::vector<std::string> signatures;
    std::string signature;
    std::vector<State> states; // as the import found them
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<SpanTable> spans = std::make_shared<SpanTable>();
    int32_t nodeCount = 0;               // ids are 0 … nodeCount-1, nested graphs included
    std::vector<Diagnostic> diagnostics; // why import refused, warnings
    /// By id, over all nested graphs; built by indexNodes.
    std::vector<const Node*> nodes;
    std::vector<Role> roles; // by id, as the format says; empty for a graph that no frontend read
};
using ModelGraphPtr = std::shared_ptr<const ModelGraph>;

/// The graphs that hang on a node's attributes, in order.
std::vector<std::shared_ptr<const Graph>> graphsOf(const Node& node);

/// Fills `nodes` from the graph and all nested ones, without recursion deeper than limits::blockNesting.
void indexNodes(ModelGraph& model);

/// How many it has, nested graphs included: of ids that were cut off there is no node.
int64_t countNodes(const ModelGraph& model);
/// Elements of the outermost graph's initializers.
int64_t countParameters(const ModelGraph& model);

/// The role of a node of the model.
Role roleOf(const ModelGraph& model, const Node& node);

/// "conv1" or, without a name, "#12 Conv".
std::string displayName(const Node& node);
/// Of the nodes of these ids, those that stand in no graph left out.
std::vector<std::string> displayNames(const ModelGraph& model, const std::vector<int32_t>& ids);
/// "ai.onnx.Conv-11".
std::string operatorName(const Node& node);
/// The diagnostic, which a run gave and which names a node alone, with that node's operator and id. As it was if it names
/// none, or several.
Diagnostic withOperator(Diagnostic diagnostic, const ModelGraph& model);

} // namespace lathe::model
