// SPDX-License-Identifier: Apache-2.0
//
// Layers are read in the order of their config, models in place of their calls. What reads what goes by names
// (frame.h), and in the end the nodes are sorted. A config may call models within models more often than anyone could
// count: each call is taken from the budget.
#include "frontend/keras/graph_reader.h"

#include "base/limits.h"
#include "frontend/common/members.h"
#include "frontend/common/topology.h"
#include "frontend/keras/attributes.h"
#include "frontend/keras/frame.h"
#include "frontend/keras/input_types.h"
#include "frontend/keras/masks.h"
#include "frontend/keras/weights.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <utility>

namespace lathe::frontend::keras {
namespace {

constexpr int64_t mostResults = 1000; // of one call
constexpr const char* saveModelAgain = "the config is damaged or was written wrongly; save the model again";

class ModelReader {
public:
    ModelReader(OpenModel& open, const std::string& file, std::shared_ptr<Budget> budget)
        : open_(open), budget_(std::move(budget)), weights_(open), model_(std::make_shared<model::ModelGraph>()) {
        model_->file = file;
        model_->format = "Keras";
        model_->producer = open.kerasVersion.empty() ? "Keras" : "Keras " + open.kerasVersion;
        model_->versions.emplace_back("keras", open.version);
    }

    std::shared_ptr<model::ModelGraph> read() {
        auto graph = std::make_shared<model::Graph>();
        graph->name = nameOf(open_.config);
        std::set<std::string> initializers;
        Frame frame;
        frame.graph = graph.get();
        frame.initializers = &initializers;
        if (!isContainer(open_.config)) {
            stop(
                error(ErrorKind::Unsupported,
                      fmt::format("the model is of class '{}', which is known only to the program that it was made for",
                                  classOf(open_.config)),
                      "build it as a Functional or Sequential model"));
        } else {
            if (open_.isOneFile)
                if (auto names = weights_.readNames(); !names)
                    stop(std::move(names).error());
            giveResults(readModel(open_.config, frame, nullptr), *graph);
        }
        model_->graph = graph;
        if (!stopped_) {
            if (sortNodes(*graph, reportTo(*model_)))
                noteTakenMasks(*graph);
            checkNames(*graph, reportTo(*model_));
            if (graph->nodes.empty())
                report(nullptr, error("the model has no layers: there is nothing to compile", "save the whole model"));
            if (graph->outputs.empty())
                report(nullptr, error("the model has no outputs", saveModelAgain));
        }
        model_->nodeCount = nodes_;
        indexNodes(*model_);
        return model_;
    }

private:
    /// Reads the layers of a model into its frame. given: values for its inputs; null: it is the whole model, whose
    /// inputs are the graph's.
    Named readModel(const Json& model, const Frame& frame, const std::vector<std::string>* given) {
        budget_->checkpoint();
        if (stopped_ || !spend(1, 0))
            return {};
        return isSequential(model) ? readSequential(model, frame, given) : readFunctional(model, frame, given);
    }

    Named readSequential(const Json& model, const Frame& frame, const std::vector<std::string>* given) {
        const Json& config = configOf(model);
        if (given && given->size() != 1) {
            report(nullptr,
                   error(fmt::format("model '{}' is called with {} tensors, not one", nameOf(model), given->size()),
                         saveModelAgain));
            return {};
        }
        std::string value;
        if (given) {
            value = given->front();
        } else {
            const Result<model::Value> input = sequentialInput(config);
            if (!input) {
                report(nullptr, input.error());
                return {};
            }
            frame.graph->inputs.push_back(*input);
            value = input->name;
        }
        forEachEntry(model, frame, [&](const Json& layer, const std::string& place) {
            if (classOf(layer) == "InputLayer")
                return;
            LayerCall call;
            call.labels.push_back("arg.0");
            value = readCall(layer, place, frame, 0, call, {value}, 1).front();
        });
        return {{"", value}};
    }

    Named readFunctional(const Json& model, const Frame& frame, const std::vector<std::string>* given) {
        const Json& config = configOf(model);
        const auto inputs = refsOf(memberOf(config, "input_layers"));
        const auto outputs = refsOf(memberOf(config, "output_layers"));
        if (given && given->size() != inputs.size()) {
            report(nullptr, error(fmt::format("model '{}' is called with {} tensors, and has {} inputs", nameOf(model),
                                              given->size(), inputs.size()),
                                  saveModelAgain));
            return {};
        }
        std::map<std::string, const Json*> inputLayers;
        std::map<std::pair<std::string, int64_t>, int64_t> results; // that are wanted of calls
        const auto want = [&](const TensorRef& ref) {
            int64_t& count = results[{ref.layer, ref.call}];
            count = std::max(count, std::clamp<int64_t>(ref.result, 0, mostResults) + 1);
        };
        std::vector<std::vector<LayerCall>> calls;
        for (const Json& layer : layersOf(config)) {
            if (classOf(layer) == "InputLayer")
                inputLayers[nameOf(layer)] = &layer;
            calls.push_back(callsOf(layer));
            for (const LayerCall& call : calls.back()) {
                if (!spend(0, bytesOf(call.constants) + std::ssize(call.tensors) * int64_t{sizeof(TensorRef)}))
                    return {};
                std::ranges::for_each(call.tensors, want);
            }
        }
        for (const auto& [name, ref] : outputs)
            want(ref);
        for (size_t i = 0; i < inputs.size(); ++i) {
            const auto found = inputLayers.find(inputs[i].second.layer);
            if (found == inputLayers.end())
                report(nullptr, error(fmt::format("input '{}' is no layer of the model", inputs[i].second.layer),
                                      saveModelAgain));
            else
                readInput(*found->second, frame, given ? &(*given)[i] : nullptr);
        }
        size_t at = 0;
        forEachEntry(model, frame, [&](const Json& layer, const std::string& place) {
            const std::vector<LayerCall>& own = calls[at++];
            const int64_t first = firstCall(layer, own.size(), results);
            for (size_t i = 0; i < own.size() && !stopped_ && classOf(layer) != "InputLayer"; ++i) {
                std::vector<std::string> values;
                for (const TensorRef& ref : own[i].tensors)
                    values.push_back(valueName(frame, ref));
                const int64_t number = first + static_cast<int64_t>(i);
                const auto wanted = results.find({entryName(layer), number});
                readCall(layer, place, frame, number, own[i], values, wanted == results.end() ? 1 : wanted->second);
            }
        });
        Named named;
        for (const auto& [name, ref] : outputs)
            named.emplace_back(name, valueName(frame, ref));
        return named;
    }

    /// What calls name an entry of a model's layers by.
    static std::string entryName(const Json& layer) {
        for (const std::string& name : {textOf(layer, "name"), nameOf(layer)})
            if (!name.empty())
                return name;
        return classOf(layer);
    }

    /// By which number the first call is named that a config lists. Of models in models Keras 2 leaves out the one by
    /// which they were built, and its number with it.
    int64_t firstCall(const Json& layer, size_t calls,
                      const std::map<std::pair<std::string, int64_t>, int64_t>& results) const {
        const std::string name = entryName(layer);
        const bool leavesOut = open_.version == 2 && isContainer(layer) && !results.contains({name, 0}) &&
                               results.lower_bound({name, 1}) != results.end() && calls > 0;
        return leavesOut ? 1 : 0;
    }

    /// fn(layer, place of its weights) for each entry; operations have none.
    void forEachEntry(const Json& model, const Frame& frame, const auto& fn) {
        NamesInOrder names;
        for (const Json& layer : layersOf(configOf(model))) {
            if (stopped_)
                return;
            fn(layer, isOperation(layer) ? std::string() : frame.place + "layers/" + names.next(classOf(layer)));
        }
    }

    void readInput(const Json& layer, const Frame& frame, const std::string* given) {
        const std::string name = valueName(frame, entryName(layer), 0, 0);
        if (given) {
            addIdentity(entryName(layer), frame, *given, name);
            return;
        }
        Result<model::ValueType> type = inputType(configOf(layer));
        if (!type)
            report(nullptr, Diagnostic(type.error()));
        frame.graph->inputs.push_back({name, type ? *type : model::ValueType()});
    }

    /// One call of a layer. Gives the names of as many results as are wanted.
    std::vector<std::string> readCall(const Json& layer, const std::string& place, const Frame& frame, int64_t number,
                                      const LayerCall& call, const std::vector<std::string>& inputs, int64_t wanted) {
        std::vector<std::string> results;
        for (int64_t i = 0; i < wanted; ++i)
            results.push_back(valueName(frame, entryName(layer), number, i));
        if (classOf(layer) == "SpectralNormalization") {
            // Its layer's weights were divided by their norm when the model was trained.
            Frame inner = frame;
            inner.values = results.front() + "/";
            inner.weights += entryName(layer) + "/";
            inner.scope.push_back(entryName(layer));
            const std::vector<std::string> given =
                readCall(memberOf(configOf(layer), "layer"), place + "/layer", inner, 0, call, inputs, wanted);
            for (size_t i = 0; i < results.size(); ++i)
                addIdentity(entryName(layer), frame, given[i], results[i]);
            return results;
        }
        if (!isContainer(layer)) {
            addLayer(layer, place, frame, call, inputs, results);
            return results;
        }
        for (const model::Attribute& constant : call.constants)
            if (constant.name == "call.training" && constant.value == model::AttributeValue(int64_t{1}))
                report(nullptr, error(ErrorKind::Unsupported,
                                      fmt::format("model '{}' is called as in training", entryName(layer)),
                                      "call it without training=True"));
        Frame inner = frame;
        inner.values = valueName(frame, entryName(layer), number, 0) + "/";
        inner.weights += entryName(layer) + "/";
        inner.place = place + "/";
        inner.scope.push_back(entryName(layer));
        const Named named = readModel(layer, inner, &inputs);
        for (size_t i = 0; i < std::min(results.size(), named.size()); ++i)
            addIdentity(entryName(layer), frame, named[i].second, results[i]);
        return results;
    }

    void addIdentity(const std::string& layer, const Frame& frame, const std::string& from, const std::string& to) {
        model::Node node;
        node.name = layer;
        node.op = "Identity";
        node.version = open_.version;
        node.scope = frame.scope;
        node.inputs = {from};
        node.outputs = {to};
        add(std::move(node), frame);
    }

    void addLayer(const Json& layer, const std::string& place, const Frame& frame, const LayerCall& call,
                  const std::vector<std::string>& inputs, const std::vector<std::string>& results) {
        const Json& config = configOf(layer);
        model::Node node;
        node.name = entryName(layer);
        node.op = classOf(layer);
        node.version = open_.version;
        node.scope = frame.scope;
        node.inputs = inputs;
        node.outputs = results;
        if (isOperation(layer)) {
            node.domain = operations;
        } else if (node.op == "TFOpLambda" || node.op == "SlicingOpLambda") {
            node.domain = tensorflow;
            node.op = textOf(config, "function");
        }
        const bool isWrapper = node.domain.empty() && node.op == "TimeDistributed";
        node.attributes = isWrapper ? attributesOf(config, {"layer"}) : attributesOf(config, {});
        std::ranges::copy(call.constants, std::back_inserter(node.attributes));
        node.attributes.push_back({"arguments", call.labels});
        if (node.domain.empty() && node.op == "IntegerLookup")
            addVocabulary(place, node);
        if (isWrapper)
            addWrapped(memberOf(config, "layer"), place, frame, node);
        addWeights(config, place, frame, node);
    }

    /// Integers that a layer was adapted to stand in a text beside the weights, one a line; those before the
    /// vocabulary's own are numbers of what is masked and unknown.
    void addVocabulary(const std::string& place, model::Node& node) {
        const auto has = [&](const char* name) {
            return std::ranges::find(node.attributes, name, &model::Attribute::name) != node.attributes.end();
        };
        if (has("vocabulary") || !open_.members)
            return;
        const Result<model::Bytes> bytes = open_.members->read("assets/" + place + "/vocabulary.txt");
        if (!bytes)
            return; // the converter says so
        std::vector<int64_t> tokens;
        std::string_view text(reinterpret_cast<const char*>(bytes->view.data()), bytes->view.size());
        while (!text.empty()) {
            const std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(line.size() + 1, text.size()));
            int64_t token = 0;
            const auto [end, code] = std::from_chars(line.data(), line.data() + line.size(), token);
            if (code != std::errc() || end != line.data() + line.size())
                return;
            tokens.push_back(token);
        }
        if (spend(0, std::ssize(tokens) * int64_t{sizeof(int64_t)}))
            node.attributes.push_back({"vocabulary", std::move(tokens)});
    }

    /// The graph of the one layer that a node wraps: from its one input to its one result.
    void addWrapped(const Json& layer, const std::string& place, const Frame& frame, model::Node& node) {
        auto graph = std::make_shared<model::Graph>();
        graph->name = entryName(layer);
        std::set<std::string> initializers;
        Frame inner = frame;
        inner.values = node.outputs.front() + "/";
        inner.weights += node.name + "/";
        inner.scope.push_back(node.name);
        inner.graph = graph.get();
        inner.initializers = &initializers;
        model::Value input;
        input.name = inner.values + "#input"; // no layer's name begins so
        LayerCall call;
        call.labels.push_back("arg.0");
        const std::string result = readCall(layer, place + "/layer", inner, 0, call, {input.name}, 1).front();
        graph->inputs.push_back(input);
        graph->outputs.push_back({result, {}});
        if (!stopped_ && sortNodes(*graph, reportTo(*model_)))
            noteTakenMasks(*graph);
        node.attributes.push_back({"layer", std::shared_ptr<const model::Graph>(std::move(graph))});
    }

    void addWeights(const Json& config, const std::string& place, const Frame& frame, model::Node node) {
        std::vector<WeightSpec> specs;
        if (node.domain.empty())
            specs = weightsOf(node.op, config);
        const Result<std::vector<model::TensorPtr>> tensors = weights_.read(specs, place);
        std::vector<std::string> names;
        for (size_t i = 0; i < specs.size(); ++i) {
            if (!specs[i].isRead)
                continue;
            const std::string name = fmt::format("{}{}/{}", frame.weights, node.name, specs[i].name);
            if (frame.initializers->insert(name).second)
                frame.graph->initializers.push_back(
                    {name, tensors ? (*tensors)[i] : std::make_shared<const model::TensorData>()});
            node.inputs.push_back(name);
            names.push_back(specs[i].name);
        }
        if (!names.empty())
            node.attributes.push_back({"weights", std::move(names)});
        const int32_t id = add(std::move(node), frame);
        if (!tensors && id >= 0)
            report(&frame.graph->nodes.back(), Diagnostic(tensors.error()));
    }

    /// Gives its id; -1 if there are too many.
    int32_t add(model::Node node, const Frame& frame) {
        if (stopped_)
            return -1;
        budget_->checkpoint();
        int64_t bytes = int64_t{sizeof(model::Node)} + bytesOf(node.attributes);
        for (const auto* names : {&node.inputs, &node.outputs, &node.scope})
            for (const std::string& name : *names)
                bytes += static_cast<int64_t>(sizeof(name) + name.size());
        if (!spend(1, bytes))
            return -1;
        node.id = nodes_++;
        frame.graph->nodes.push_back(std::move(node));
        return nodes_ - 1;
    }

    /// False, and reported, if there are too many nodes or bytes.
    bool spend(int64_t nodes, int64_t bytes) {
        if (budget_->takeNodes(nodes) && budget_->takeBytes(bytes))
            return true;
        stop(error(ErrorKind::Unsupported,
                   fmt::format("the model has more than {} nodes once models are in place of their calls, or too "
                               "long names and configs for so many",
                               limits::graphNodes),
                   "split the model"));
        return false;
    }

    /// The graph's outputs, by names of their own or as output_0, output_1, ….
    void giveResults(const Named& named, model::Graph& graph) {
        std::map<std::string, std::string> renamed;
        std::set<std::string> made;
        for (const model::Node& node : graph.nodes)
            made.insert(node.outputs.begin(), node.outputs.end());
        Frame frame;
        frame.graph = &graph;
        for (size_t i = 0; i < named.size() && !stopped_; ++i) {
            const auto& [name, value] = named[i];
            const std::string shown = name.empty() ? fmt::format("output_{}", i) : name;
            graph.outputs.push_back({shown, {}});
            if (value == shown)
                continue;
            if (!made.contains(value) || made.contains(shown) || !renamed.emplace(value, shown).second)
                addIdentity(shown, frame, value, shown);
        }
        for (model::Node& node : graph.nodes)
            for (auto* names : {&node.inputs, &node.outputs})
                for (std::string& name : *names)
                    if (const auto found = renamed.find(name); found != renamed.end())
                        name = found->second;
    }

    void stop(Diagnostic fault) {
        if (!std::exchange(stopped_, true))
            report(nullptr, std::move(fault));
    }

    void report(const model::Node* node, Diagnostic fault) { addFault(*model_, node, std::move(fault)); }

    OpenModel& open_;
    std::shared_ptr<Budget> budget_;
    Weights weights_;
    std::shared_ptr<model::ModelGraph> model_;
    int32_t nodes_ = 0;
    bool stopped_ = false;
};

} // namespace

std::shared_ptr<model::ModelGraph> readGraph(OpenModel& open, const std::string& file,
                                             const std::shared_ptr<Budget>& budget) {
    return ModelReader(open, file, budget).read();
}

} // namespace lathe::frontend::keras
