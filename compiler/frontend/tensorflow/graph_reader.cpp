// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/graph_reader.h"

#include "frontend/common/topology.h"
#include "frontend/tensorflow/choices.h"
#include "frontend/tensorflow/control_flow.h"
#include "frontend/tensorflow/expand.h"
#include "frontend/tensorflow/saved_tables.h"
#include "frontend/tensorflow/saved_variables.h"
#include "frontend/tensorflow/sinks.h"

#include <tensorflow/core/protobuf/meta_graph.pb.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

namespace lathe::frontend::tensorflow {
namespace {

constexpr const char* exportModel = "the model is malformed; export it again";
constexpr const char* initSignature = "__saved_model_init_op";

std::shared_ptr<model::ModelGraph> emptyModel(const ::tensorflow::GraphDef& graph, const std::string& file) {
    auto made = std::make_shared<model::ModelGraph>();
    made->file = file;
    made->format = "TensorFlow";
    made->versions.emplace_back("producer", graph.versions().producer());
    made->graph = std::make_shared<model::Graph>();
    return made;
}

/// Makes an argument of each of these results, which nothing is to produce any more.
void feed(Body& body, const std::vector<Endpoint>& fed) {
    std::map<Endpoint, Endpoint> arguments;
    for (size_t i = 0; i < fed.size(); ++i) {
        arguments.emplace(fed[i], Endpoint{.node = Endpoint::none, .output = 0, .argument = static_cast<int>(i)});
        body.arguments.push_back(fmt::format("input{}", i));
    }
    replaceEndpoints(body, arguments);
}

/// Files beside the model by the nodes that stand for their names.
Result<std::map<std::string, std::string>> assetsOf(const ::tensorflow::MetaGraphDef& graph) {
    std::map<std::string, std::string> files;
    for (const auto& asset : graph.asset_file_def()) {
        if (asset.filename().find_first_of("/\\") != std::string::npos || asset.filename() == "..")
            return failure(fmt::format("asset '{}' is no file of the model's folder", asset.filename()),
                           "do not trust the model; save it again");
        const std::string& name = asset.tensor_info().name();
        files.emplace(name.substr(0, name.find(':')), asset.filename());
    }
    return files;
}

/// Makes results of those that are asked for and are none yet.
void addResults(Body& body, const std::vector<std::string>& asked) {
    for (const std::string& name : asked)
        if (const auto endpoint = endpointIn(body, name);
            endpoint && std::ranges::find(body.results, *endpoint) == body.results.end())
            body.results.push_back(*endpoint);
}

void finish(model::ModelGraph& model, const std::shared_ptr<model::Graph>& graph) {
    model.graph = graph;
    const auto isError = [](const Diagnostic& each) { return each.severity == Severity::Error; };
    if (std::ranges::none_of(model.diagnostics, isError)) {
        checkNames(*graph, reportTo(model));
        if (graph->outputs.empty())
            addFault(model, nullptr, error("the graph has no outputs", "export the model with what it computes"));
    }
    indexNodes(model);
}

/// Sorted.
std::vector<std::string> signaturesOf(const ::tensorflow::MetaGraphDef& graph) {
    std::vector<std::string> keys;
    for (const auto& [key, signature] : graph.signature_def())
        if (key != initSignature)
            keys.push_back(key);
    std::ranges::sort(keys);
    return keys;
}

Result<std::string> chosenSignature(std::vector<std::string> keys, const std::string& asked) {
    const std::string wanted = asked.empty() ? keys.size() == 1 ? keys[0] : "serving_default" : asked;
    if (std::ranges::binary_search(keys, wanted))
        return wanted;
    keys.resize(std::min<size_t>(keys.size(), 20)); // as many as anybody reads
    if (keys.empty())
        return failure(asked.empty() ? "the SavedModel has no signature, so nothing says where it begins and ends"
                                     : "the model has no signatures",
                       "export it with a signature, or say where it ends by --outputs");
    return failure(ErrorKind::Usage,
                   asked.empty() ? std::string("the model has several signatures, and none is called 'serving_default'")
                                 : fmt::format("the model has no signature '{}'", asked),
                   fmt::format("{}: it has {}", asked.empty() ? "choose one by --signature" : "choose another",
                               fmt::join(keys, ", ")));
}

/// Words of a signature, sorted, with what they name in the graph.
struct SignatureValue {
    std::string word;
    Endpoint endpoint;
    model::ValueType type;
};
Result<std::vector<SignatureValue>> valuesOf(const auto& named, const Body& body) {
    std::vector<SignatureValue> values;
    for (const auto& [word, info] : named) {
        const auto endpoint = info.name().empty() ? std::nullopt : endpointIn(body, info.name());
        if (!endpoint)
            return failure(info.name().empty() ? ErrorKind::Unsupported : ErrorKind::Invalid,
                           fmt::format("the signature's '{}' is no tensor of the graph: '{}'", word, info.name()),
                           exportModel);
        values.push_back(
            {word, *endpoint, declaredType(info.dtype(), info.has_tensor_shape() ? &info.tensor_shape() : nullptr)});
    }
    std::ranges::sort(values, {}, &SignatureValue::word);
    return values;
}

} // namespace

std::shared_ptr<model::ModelGraph> readGraph(std::shared_ptr<const ::tensorflow::GraphDef> graph, const Beside& beside,
                                             const std::string& file, const std::vector<std::string>& asked,
                                             const std::shared_ptr<Budget>& budget) {
    const auto model = emptyModel(*graph, file);
    const BodyPtr body = bodyOfGraph(graph->node());
    body->name = "main";
    body->results = sinksOf(*body);
    addResults(*body, asked);
    gatherControlFlow(*body);
    std::vector<int> ends;
    for (const Endpoint& result : body->results)
        ends.push_back(result.node);
    const std::vector<bool> needed = reached(*body, ends, Along::Data);
    std::vector<Endpoint> fed;
    std::vector<model::Value> inputs;
    for (size_t i = 0; i < body->nodes.size(); ++i) {
        const BodyNode& node = body->nodes[i];
        if (!needed[i] || !node.proto || (node.op != "Placeholder" && node.op != "PlaceholderV2"))
            continue;
        fed.push_back({.node = static_cast<int>(i), .output = 0, .argument = Endpoint::none});
        inputs.push_back({node.name, declaredType({&node.proto->attr(), nullptr})});
    }
    feed(*body, fed);
    Functions functions(graph->library().function());
    TensorReader tensors(graph, budget);
    SavedTables tables(*body, graph->library().function(), functions, tensors, beside.members, {});
    Stored stored{.variable = nullptr, .table = [&](const std::string& node) { return tables.table(node); }};
    std::optional<SavedVariables> variables;
    if (beside.members) {
        variables.emplace(*bodyOfGraph(graph->node()), graph->library().function(), functions, beside.members,
                          beside.variables, budget);
        stored.variable = [&](const std::string& node) { return variables->initial(node); };
    }
    Expander expander(*model, functions, tensors, budget, std::move(stored));
    finish(*model, expander.expand(*body, inputs, std::vector<std::string>(body->results.size())));
    return model;
}

bool hasSignatures(const ::tensorflow::MetaGraphDef& graph) {
    return !signaturesOf(graph).empty();
}

std::shared_ptr<model::ModelGraph> readSaved(std::shared_ptr<const ::tensorflow::MetaGraphDef> graph,
                                             const Beside& beside, const std::string& file,
                                             const std::string& signature, const std::vector<std::string>& asked,
                                             const std::shared_ptr<Budget>& budget) {
    const auto model = emptyModel(graph->graph_def(), file);
    model->producer = fmt::format("TensorFlow {}", graph->meta_info_def().tensorflow_version());
    model->signatures = signaturesOf(*graph);
    const auto key = chosenSignature(model->signatures, signature);
    const auto refused = [&](const Diagnostic& fault) {
        addFault(*model, nullptr, fault);
        indexNodes(*model);
        return model;
    };
    if (!key)
        return refused(key.error());
    const auto assets = assetsOf(*graph);
    if (!assets)
        return refused(assets.error());
    const BodyPtr body = bodyOfGraph(graph->graph_def().node());
    body->name = model->signature = *key;
    const ::tensorflow::SignatureDef& chosen = graph->signature_def().at(*key);
    const auto inputs = valuesOf(chosen.inputs(), *body);
    if (!inputs)
        return refused(inputs.error());
    const auto outputs = valuesOf(chosen.outputs(), *body);
    if (!outputs)
        return refused(outputs.error());
    std::vector<Endpoint> fed;
    std::vector<model::Value> parameters;
    std::vector<std::string> words;
    for (const SignatureValue& value : *inputs) {
        fed.push_back(value.endpoint);
        parameters.push_back({value.word, value.type});
    }
    for (const SignatureValue& value : *outputs) {
        const bool isInput = std::ranges::find(*inputs, value.word, &SignatureValue::word) != inputs->end();
        words.push_back(isInput ? value.word + "_out" : value.word);
        body->results.push_back(value.endpoint);
    }
    addResults(*body, asked);
    words.resize(body->results.size());
    Functions functions(graph->graph_def().library().function());
    SavedVariables variables(*body, graph->graph_def().library().function(), functions, beside.members,
                             beside.variables, budget);
    gatherControlFlow(*body);
    feed(*body, fed);
    TensorReader tensors(graph, budget);
    SavedTables tables(*body, graph->graph_def().library().function(), functions, tensors, beside.members, *assets);
    Expander expander(*model, functions, tensors, budget,
                      {.variable = [&](const std::string& node) { return variables.initial(node); },
                       .table = [&](const std::string& node) { return tables.table(node); }});
    finish(*model, expander.expand(*body, parameters, words));
    return model;
}

} // namespace lathe::frontend::tensorflow
