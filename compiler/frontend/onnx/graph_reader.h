// SPDX-License-Identifier: Apache-2.0
//
// Protobuf to ModelGraph. Calls of model-local functions are replaced by their bodies here, so that each place has
// nodes and ids of its own; nodes get the version of their operator; faults are collected, never thrown.
#pragma once

#include "frontend/onnx/tensors.h"

#include <set>
#include <unordered_map>

namespace onnx {
class OpSchema;
}

namespace lathe::frontend {
struct AddedOperators;
}

namespace lathe::frontend::onnx {

/// ONNX's own domain, which files may also leave empty.
inline constexpr const char* standardDomain = "ai.onnx";

/// The one name of a domain: standardDomain for both spellings of it.
std::string canonicalDomain(const std::string& domain);

/// The newest opset of ai.onnx that is known.
int64_t newestOpset(const std::string& domain = standardDomain);
/// The names of the operators of a domain of ONNX, as far as they are not deprecated.
const std::vector<std::string>& operatorsOf(const std::string& domain);

/// Schema of an operator for an opset; null if there is none.
const ::onnx::OpSchema* findSchema(const std::string& domain, const std::string& op, int64_t opset);

class GraphReader {
public:
    GraphReader(std::shared_ptr<const ::onnx::ModelProto> proto, const std::vector<std::filesystem::path>& folders,
                std::string file, std::shared_ptr<Budget> budget, std::shared_ptr<const AddedOperators> added = {});

    /// The model; faults are in its diagnostics (errors: it must be refused).
    std::shared_ptr<model::ModelGraph> read();
    /// Files that tensors of the model lie in, beside its own.
    FileIdentities externalFiles() const { return tensors_.files(); }

    /// What the model may use beside the operators of the tables; null: nothing.
    const AddedOperators* added() const { return added_.get(); }
    /// Plugins whose operators the model was seen to use.
    const std::set<std::string>& plugins() const { return plugins_; }
    void notePlugin(const std::string& id) { plugins_.insert(id); }

    /// The body by which ONNX, or a plugin, defines the operator of `call`: a graph with the formal names of inputs and outputs, its
    /// nodes under the call's id. Null if there is none. inputs: types of the operands as far as known.
    Result<std::shared_ptr<model::Graph>> expandBody(const model::Node& call,
                                                     const std::vector<model::ValueType>& inputs);
    /// Whether ONNX defines the operator by a body at all.
    static bool hasBody(const model::Node& call);

private:
    struct Frame;
    Result<std::shared_ptr<model::Graph>> readBody(const std::shared_ptr<const ::onnx::FunctionProto>& body,
                                                   Frame& frame, const model::Node& call);
    std::shared_ptr<model::Graph> readGraph(const ::onnx::GraphProto& proto, const Frame& frame);
    void readNodes(const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& protos, const Frame& frame,
                   model::Graph& into);
    void readNode(const ::onnx::NodeProto& proto, const Frame& frame, model::Graph& into);
    void inlineCall(const ::onnx::NodeProto& call, const ::onnx::FunctionProto& function, const Frame& frame,
                    model::Graph& into);
    void readAttributes(const ::onnx::NodeProto& proto, const Frame& frame, model::Node& node);
    /// What is wrong with initializers, by their names: reported at the nodes that read them, once those are known.
    std::vector<std::pair<std::string, Diagnostic>> readInitializers(const ::onnx::GraphProto& proto,
                                                                     const Frame& frame, model::Graph& graph);
    std::optional<model::AttributeValue> readAttribute(const ::onnx::AttributeProto& proto, const Frame& frame,
                                                       const model::Node& node);
    /// How many nodes, calls and nested graphs these are with functions in place; more than limits::graphNodes is that and one.
    /// Too few where attributes pass graphs to functions, or a function was first met near the limit of nesting: count() has
    /// the last word.
    int64_t sizeOf(const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes, int depth);
    void tooLarge();
    /// Counts a node, a call or a nested graph; false, and reported, when there are too many.
    bool count();
    void checkAgainstSchema(const model::Node& node, const ::onnx::OpSchema& schema);
    void report(const model::Node* node, Diagnostic fault);
    void report(const model::Node* node, std::string what, std::string hint) {
        report(node, error(std::move(what), std::move(hint)));
    }

    std::shared_ptr<const ::onnx::ModelProto> proto_;
    std::shared_ptr<Budget> budget_;
    std::shared_ptr<const AddedOperators> added_;
    std::set<std::string> plugins_;
    std::shared_ptr<model::ModelGraph> model_;
    TensorReader tensors_;
    TensorReader* reading_ = nullptr; // tensors_, or that of the body being expanded
    std::unordered_map<std::string, const ::onnx::FunctionProto*> functions_;
    int64_t nodes_ = 0; // those of expanded bodies too: the next id
    int64_t calls_ = 0;
    std::unordered_map<const ::onnx::FunctionProto*, int64_t> sizes_; // of functions, for sizeOf
    bool overLimit_ = false;
};

} // namespace lathe::frontend::onnx
