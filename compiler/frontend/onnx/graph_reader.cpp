// SPDX-License-Identifier: Apache-2.0
//
// The walk over the protobuf: graphs, nodes, functions in place of their calls.
#include "frontend/onnx/graph_reader.h"

#include "base/limits.h"
#include "frontend/common/topology.h"
#include "frontend/onnx/frame.h"
#include "frontend/onnx/value_types.h"

#include <onnx/defs/schema.h>

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace lathe::frontend::onnx {
namespace {

std::string functionKey(const std::string& domain, const std::string& name, const std::string& overload) {
    return canonicalDomain(domain) + "\n" + name + "\n" + overload;
}

template <class Imports>
void addOpsets(const Imports& imports, std::unordered_map<std::string, int64_t>& opsets) {
    for (const ::onnx::OperatorSetIdProto& opset : imports)
        opsets[canonicalDomain(opset.domain())] = opset.version();
}

/// The registry's name for a domain.
std::string registeredDomain(const std::string& domain) {
    return domain == standardDomain ? "" : domain;
}

/// The same fault, which says what it is a fault of.
Diagnostic about(const std::string& subject, Diagnostic fault) {
    fault.what = fmt::format("{}: {}", subject, fault.what);
    return fault;
}

} // namespace

std::string canonicalDomain(const std::string& domain) {
    return domain.empty() ? standardDomain : domain;
}

int64_t newestOpset(const std::string& domain) {
    return ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at(registeredDomain(domain)).second;
}

const std::vector<std::string>& operatorsOf(const std::string& domain) {
    static const std::map<std::string, std::vector<std::string>> byDomain = [] {
        std::map<std::string, std::vector<std::string>> names;
        for (const ::onnx::OpSchema& schema : ::onnx::OpSchemaRegistry::get_all_schemas())
            if (!schema.Deprecated())
                names[canonicalDomain(schema.domain())].push_back(schema.Name());
        for (auto& [name, operators] : names)
            std::ranges::sort(operators);
        return names;
    }();
    static const std::vector<std::string> none;
    const auto found = byDomain.find(domain);
    return found == byDomain.end() ? none : found->second;
}

const ::onnx::OpSchema* findSchema(const std::string& domain, const std::string& op, int64_t opset) {
    if (opset < 1)
        return nullptr;
    return ::onnx::OpSchemaRegistry::Schema(op, static_cast<int>(std::min<int64_t>(opset, 1'000'000)),
                                            registeredDomain(domain));
}

GraphReader::GraphReader(std::shared_ptr<const ::onnx::ModelProto> proto,
                         const std::vector<std::filesystem::path>& folders, std::string file,
                         std::shared_ptr<Budget> budget, std::shared_ptr<const AddedOperators> added)
    : proto_(std::move(proto)), budget_(std::move(budget)), added_(std::move(added)),
      model_(std::make_shared<model::ModelGraph>()), tensors_(proto_, folders, budget_), reading_(&tensors_) {
    model_->file = std::move(file);
    model_->format = "ONNX";
}

void GraphReader::report(const model::Node* node, Diagnostic fault) {
    addFault(*model_, node, std::move(fault));
}

std::shared_ptr<model::ModelGraph> GraphReader::read() {
    model_->producer = proto_->producer_name();
    if (!proto_->producer_version().empty())
        model_->producer += " " + proto_->producer_version();
    Frame frame;
    addOpsets(proto_->opset_import(), frame.opsets);
    if (frame.opsets.empty() && proto_->ir_version() < 3)
        frame.opsets[standardDomain] = 1; // before IR 3 a model did not say
    for (const auto& [domain, version] : std::map(frame.opsets.begin(), frame.opsets.end()))
        model_->versions.emplace_back(domain, version);
    const auto standard = frame.opsets.find(standardDomain);
    if (standard != frame.opsets.end() && standard->second > newestOpset())
        report(nullptr, error(ErrorKind::Unsupported,
                              fmt::format("the model uses opset {} of ai.onnx; the newest that is known is {}",
                                          standard->second, newestOpset()),
                              "export it for an older opset"));
    for (const ::onnx::FunctionProto& function : proto_->functions())
        functions_.emplace(functionKey(function.domain(), function.name(), function.overload()), &function);

    // Before anything is put in place: functions that call each other twice double with each.
    if (sizeOf(proto_->graph().node(), 0) > limits::graphNodes)
        tooLarge();
    model_->graph = readGraph(proto_->graph(), frame);
    if (!overLimit_) {
        checkNames(*model_->graph, reportTo(*model_));
        if (model_->graph->nodes.empty())
            report(nullptr, "the graph has no nodes: there is nothing to compile",
                   "export the whole model: a file of weights alone is none");
        if (model_->graph->outputs.empty())
            report(nullptr, "the graph has no outputs", "name at least one output in the model");
    }
    model_->nodeCount = static_cast<int32_t>(nodes_);
    indexNodes(*model_);
    return model_;
}

bool GraphReader::count() {
    if (overLimit_)
        return false;
    budget_->checkpoint();
    if (budget_->takeNodes(1))
        return true;
    tooLarge();
    return false;
}

void GraphReader::tooLarge() {
    overLimit_ = true;
    report(nullptr, error(ErrorKind::Unsupported,
                          fmt::format("the model has more than {} nodes and calls once functions are in place",
                                      limits::graphNodes),
                          "split the model"));
}

int64_t GraphReader::sizeOf(const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes, int depth) {
    constexpr int64_t most = limits::graphNodes + 1;
    if (depth > limits::blockNesting)
        return 0; // refused for its depth
    int64_t size = 0;
    const auto addGraph = [&](const ::onnx::GraphProto& graph) {
        size = std::min(most, size + 1 + sizeOf(graph.node(), depth + 1));
    };
    for (const ::onnx::NodeProto& node : nodes) {
        size = std::min(most, size + 1);
        for (const ::onnx::AttributeProto& attribute : node.attribute()) {
            if (attribute.has_g())
                addGraph(attribute.g());
            for (const ::onnx::GraphProto& graph : attribute.graphs())
                addGraph(graph);
        }
        const auto function = functions_.find(functionKey(node.domain(), node.op_type(), node.overload()));
        if (function == functions_.end())
            continue;
        // 0 until it is known: a function that calls itself is refused for its depth.
        if (sizes_.try_emplace(function->second, 0).second) {
            const int64_t body = sizeOf(function->second->node(), depth + 1);
            sizes_[function->second] = body;
        }
        size = std::min(most, size + sizes_.at(function->second));
    }
    return size;
}

std::shared_ptr<model::Graph> GraphReader::readGraph(const ::onnx::GraphProto& proto, const Frame& frame) {
    auto graph = std::make_shared<model::Graph>();
    if (!count())
        return graph;
    graph->name = proto.name();
    const std::vector<std::pair<std::string, Diagnostic>> faults = readInitializers(proto, frame, *graph);
    std::unordered_set<std::string> constants;
    for (const model::Initializer& initializer : graph->initializers)
        constants.insert(initializer.name);
    for (const ::onnx::ValueInfoProto& input : proto.input())
        if (const std::string name = frame.name(input.name()); !constants.contains(name))
            graph->inputs.push_back({name, readType(input.type())});
    for (const ::onnx::ValueInfoProto& output : proto.output())
        graph->outputs.push_back({frame.name(output.name()), readType(output.type())});
    for (const ::onnx::ValueInfoProto& value : proto.value_info())
        graph->values.push_back({frame.name(value.name()), readType(value.type())});
    readNodes(proto.node(), frame, *graph);
    for (const auto& [name, fault] : faults) {
        const auto reader = std::find_if(graph->nodes.begin(), graph->nodes.end(), [&](const model::Node& node) {
            return std::find(node.inputs.begin(), node.inputs.end(), name) != node.inputs.end();
        });
        report(reader == graph->nodes.end() ? nullptr : &*reader, fault);
    }
    if (!overLimit_)
        sortNodes(*graph, reportTo(*model_));
    return graph;
}

std::vector<std::pair<std::string, Diagnostic>> GraphReader::readInitializers(const ::onnx::GraphProto& proto,
                                                                              const Frame& frame, model::Graph& graph) {
    std::vector<std::pair<std::string, Diagnostic>> faults;
    const auto add = [&](const std::string& name, Result<model::TensorPtr> tensor) {
        if (!tensor) {
            faults.emplace_back(frame.name(name),
                                about(fmt::format("initializer '{}'", name), std::move(tensor).error()));
            tensor = std::make_shared<model::TensorData>();
        }
        graph.initializers.push_back({frame.name(name), *std::move(tensor)});
    };
    for (const ::onnx::TensorProto& tensor : proto.initializer())
        add(tensor.name(), reading_->read(tensor));
    for (const ::onnx::SparseTensorProto& tensor : proto.sparse_initializer())
        add(tensor.values().name(), reading_->readSparse(tensor));
    return faults;
}

void GraphReader::readNodes(const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& protos, const Frame& frame,
                            model::Graph& into) {
    for (const ::onnx::NodeProto& proto : protos) {
        const auto function = functions_.find(functionKey(proto.domain(), proto.op_type(), proto.overload()));
        if (function != functions_.end())
            inlineCall(proto, *function->second, frame, into);
        else
            readNode(proto, frame, into);
        if (overLimit_)
            return;
    }
}

void GraphReader::readNode(const ::onnx::NodeProto& proto, const Frame& frame, model::Graph& into) {
    if (!count())
        return;
    model::Node node;
    node.id = frame.fixedId >= 0 ? frame.fixedId : static_cast<int32_t>(nodes_);
    ++nodes_;
    node.name = proto.name();
    node.op = proto.op_type();
    node.domain = canonicalDomain(proto.domain());
    node.scope = frame.scope;
    for (const std::string& name : proto.input())
        node.inputs.push_back(frame.name(name));
    for (const std::string& name : proto.output())
        node.outputs.push_back(frame.name(name));

    const auto opset = frame.opsets.find(node.domain);
    const ::onnx::OpSchema* schema =
        opset == frame.opsets.end() ? nullptr : findSchema(node.domain, node.op, opset->second);
    if (schema)
        node.version = schema->SinceVersion();
    else if (opset != frame.opsets.end())
        node.version = static_cast<int>(std::clamp<int64_t>(opset->second, 0, 1'000'000));
    readAttributes(proto, frame, node);
    if (schema && frame.fixedId < 0)
        checkAgainstSchema(node, *schema);
    else if (opset == frame.opsets.end())
        report(&node, fmt::format("the model does not import the operator set of domain '{}'", node.domain),
               "add an opset_import to the model, or remove the node");
    into.nodes.push_back(std::move(node));
}

void GraphReader::inlineCall(const ::onnx::NodeProto& call, const ::onnx::FunctionProto& function, const Frame& frame,
                             model::Graph& into) {
    if (frame.depth >= limits::blockNesting) {
        overLimit_ = true;
        report(nullptr, fmt::format("function '{}' is nested more than {} deep", function.name(), limits::blockNesting),
               "a function may not call itself");
        return;
    }
    if (!count())
        return;
    Frame inner;
    inner.depth = frame.depth + 1;
    inner.fixedId = frame.fixedId;
    inner.prefix = fmt::format("{}#{}/", function.name(), ++calls_);
    inner.scope = frame.scope;
    inner.scope.push_back(call.name().empty() ? function.name() : call.name());
    inner.opsets = frame.opsets;
    addOpsets(function.opset_import(), inner.opsets);
    for (int i = 0; i < function.input_size(); ++i)
        inner.actual[function.input(i)] = i < call.input_size() ? frame.name(call.input(i)) : std::string();
    for (const ::onnx::AttributeProto& attribute : function.attribute_proto())
        inner.attributes[attribute.name()] = {&attribute, &inner};
    for (const ::onnx::AttributeProto& attribute : call.attribute()) {
        if (attribute.ref_attr_name().empty())
            inner.attributes[attribute.name()] = {&attribute, &frame};
        else if (const auto found = frame.attributes.find(attribute.ref_attr_name()); found != frame.attributes.end())
            inner.attributes[attribute.name()] = found->second;
    }
    // An output that is an input of the function needs a node to carry it over.
    for (int i = 0; i < std::min(function.output_size(), call.output_size()); ++i) {
        const std::string& formal = function.output(i);
        const std::string actual = frame.name(call.output(i));
        if (actual.empty())
            continue;
        if (!inner.actual.contains(formal)) {
            inner.actual[formal] = actual;
            continue;
        }
        if (!count())
            return;
        model::Node node;
        node.id = inner.fixedId >= 0 ? inner.fixedId : static_cast<int32_t>(nodes_);
        ++nodes_;
        node.name = call.name();
        node.op = "Identity";
        node.domain = standardDomain;
        node.version = 1;
        node.scope = inner.scope;
        node.inputs = {inner.actual[formal]};
        node.outputs = {actual};
        into.nodes.push_back(std::move(node));
    }
    readNodes(function.node(), inner, into);
}

void GraphReader::readAttributes(const ::onnx::NodeProto& proto, const Frame& frame, model::Node& node) {
    for (const ::onnx::AttributeProto& attribute : proto.attribute()) {
        const ::onnx::AttributeProto* value = &attribute;
        const Frame* around = &frame;
        if (!attribute.ref_attr_name().empty()) {
            const auto found = frame.attributes.find(attribute.ref_attr_name());
            if (found == frame.attributes.end())
                continue; // neither given by the call nor by default: as if absent
            value = found->second.proto;
            around = found->second.frame;
        }
        if (std::optional<model::AttributeValue> read = readAttribute(*value, *around, node))
            node.attributes.push_back({attribute.name(), *std::move(read)});
    }
}

std::optional<model::AttributeValue> GraphReader::readAttribute(const ::onnx::AttributeProto& proto, const Frame& frame,
                                                                const model::Node& node) {
    using Proto = ::onnx::AttributeProto;
    const auto nested = [&](const ::onnx::GraphProto& graph) {
        Frame inner = frame;
        ++inner.depth;
        return std::shared_ptr<const model::Graph>(readGraph(graph, inner));
    };
    const bool holdsGraphs = proto.has_g() || proto.graphs_size() > 0;
    if (holdsGraphs && frame.depth >= limits::blockNesting) {
        overLimit_ = true;
        report(&node,
               error(ErrorKind::Unsupported, fmt::format("graphs are nested more than {} deep", limits::blockNesting),
                     "flatten the model"));
        return std::nullopt;
    }
    const auto tensor = [&](Result<model::TensorPtr> read) -> std::optional<model::AttributeValue> {
        if (read)
            return model::AttributeValue(*std::move(read));
        report(&node, about(fmt::format("attribute '{}'", proto.name()), std::move(read).error()));
        return std::nullopt;
    };
    switch (attributeType(proto)) {
    case Proto::FLOAT:
        return static_cast<double>(proto.f());
    case Proto::INT:
        return proto.i();
    case Proto::STRING:
        return proto.s();
    case Proto::TENSOR:
        return tensor(reading_->read(proto.t()));
    case Proto::SPARSE_TENSOR:
        return tensor(reading_->readSparse(proto.sparse_tensor()));
    case Proto::GRAPH:
        return nested(proto.g());
    case Proto::FLOATS:
        return std::vector<double>(proto.floats().begin(), proto.floats().end());
    case Proto::INTS:
        return std::vector<int64_t>(proto.ints().begin(), proto.ints().end());
    case Proto::STRINGS:
        return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
    case Proto::GRAPHS: {
        std::vector<std::shared_ptr<const model::Graph>> graphs;
        for (const ::onnx::GraphProto& graph : proto.graphs())
            graphs.push_back(nested(graph));
        return graphs;
    }
    case Proto::TYPE_PROTO:
        return toString(readType(proto.tp()));
    default:
        report(&node, error(ErrorKind::Unsupported,
                            fmt::format("attribute '{}' has a type that is not supported", proto.name())));
        return std::nullopt;
    }
}

} // namespace lathe::frontend::onnx
