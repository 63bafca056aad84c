// SPDX-License-Identifier: Apache-2.0
//
// First all subgraphs that can be reached are read, which shows whether they call themselves and how much they come to
// with each call in place; then they are put in place.
#include "frontend/tflite/graph_reader.h"

#include "base/limits.h"
#include "frontend/common/topology.h"
#include "frontend/tflite/schema_generated.h"
#include "frontend/tflite/subgraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace lathe::frontend::tflite {
namespace {

constexpr const char* convertModel = "the file is damaged or was written wrongly; convert the model again";

std::string producerOf(const ::tflite::Model& model, const SubgraphReader& subgraphs) {
    std::string producer = model.description() ? model.description()->str() : "";
    const std::string runtime = subgraphs.metadata("min_runtime_version");
    if (!runtime.empty())
        producer += fmt::format("{}for runtime {}", producer.empty() ? "" : " ", runtime);
    return producer;
}

class ModelReader {
public:
    ModelReader(const OpenModel& open, const std::string& file, std::shared_ptr<Budget> budget, const Signature& main)
        : open_(open), budget_(budget), main_(main.subgraph), subgraphs_(open, std::move(budget), main),
          model_(std::make_shared<model::ModelGraph>()) {
        model_->file = file;
        model_->format = "TFLite";
    }

    std::shared_ptr<model::ModelGraph> read() {
        model_->producer = producerOf(*open_.model, subgraphs_);
        model_->versions.emplace_back("schema", open_.model->version());
        plan(main_, 0);
        if (!stopped_ && plans_.at(main_).height > limits::blockNesting)
            tooDeep();
        if (!stopped_ && plans_.at(main_).size > limits::graphNodes)
            tooLarge();
        const std::shared_ptr<model::Graph> graph = stopped_ ? std::make_shared<model::Graph>() : place(main_);
        model_->graph = graph;
        if (!stopped_) {
            checkNames(*graph, reportTo(*model_));
            if (graph->nodes.empty())
                report(nullptr,
                       error("the graph has no nodes: there is nothing to compile", "convert the whole model"));
            if (graph->outputs.empty())
                report(nullptr, error("the graph has no outputs", "convert the model with outputs"));
        }
        for (const auto& [placed, count] : withVariables_)
            placed->inputs.resize(placed->inputs.size() - count);
        model_->nodeCount = nodes_;
        indexNodes(*model_);
        return model_;
    }

private:
    struct Plan {
        std::shared_ptr<Subgraph> subgraph;
        bool isOpen = true; // what it calls is being planned
        int height = 1;     // graphs in graphs below it, and itself
        int64_t size = 0;   // nodes, tensors and graphs with all calls in place; graphNodes + 1 if more
        bool isPlaced = false;
    };

    void plan(size_t index, int depth) {
        if (depth >= limits::blockNesting)
            return tooDeep();
        Plan& planned = plans_[index];
        Result<std::shared_ptr<Subgraph>> read = subgraphs_.read(index);
        if (!read)
            return stop(std::move(read).error());
        planned.subgraph = *std::move(read);
        planned.size = 1 + std::ssize(planned.subgraph->nodes) + planned.subgraph->tensors;
        for (SubgraphNode& node : planned.subgraph->nodes) {
            for (SubgraphField& field : node.subgraphs)
                std::erase_if(field.indices, [&](int64_t called) { return !planCall(planned, node, called, depth); });
            if (stopped_)
                return;
        }
        planned.isOpen = false;
    }

    /// False if a graph cannot be called from there, which is reported.
    bool planCall(Plan& caller, SubgraphNode& node, int64_t called, int depth) {
        const int64_t count = open_.model->subgraphs()->size();
        if (stopped_)
            return false;
        if (called < 0 || called >= count) {
            node.faults.push_back(error(fmt::format("the node names graph {} of {}", called, count), convertModel));
            return false;
        }
        const auto index = static_cast<size_t>(called);
        if (!plans_.contains(index))
            plan(index, depth + 1);
        if (stopped_)
            return false;
        const Plan& inner = plans_.at(index);
        if (inner.isOpen) {
            node.faults.push_back(
                error(fmt::format("the node calls graph '{}', which it is part of itself", inner.subgraph->graph.name),
                      "a graph may not call itself: repeat work with WHILE"));
            return false;
        }
        caller.height = std::max(caller.height, inner.height + 1);
        caller.size = std::min<int64_t>(limits::graphNodes + 1, caller.size + inner.size);
        return true;
    }

    std::shared_ptr<model::Graph> place(size_t index) {
        auto graph = std::make_shared<model::Graph>();
        Plan& planned = plans_.at(index);
        Subgraph& from = *planned.subgraph;
        const bool isFirst = !std::exchange(planned.isPlaced, true);
        if (!count() || (!isFirst && !takeAgain(from.bytes)))
            return graph;
        *graph = from.graph;
        for (Diagnostic& fault : std::exchange(from.faults, {}))
            report(nullptr, std::move(fault));
        for (SubgraphNode& each : from.nodes) {
            if (!count())
                return graph;
            model::Node node = each.node;
            node.id = nodes_++;
            for (const SubgraphField& field : each.subgraphs)
                attach(field, node);
            for (Diagnostic& fault : std::exchange(each.faults, {}))
                report(&node, std::move(fault));
            graph->nodes.push_back(std::move(node));
        }
        if (stopped_)
            return graph;
        sortNodes(*graph, reportTo(*model_));
        if (!from.variables.empty()) {
            // As inputs while names are checked: nothing makes them.
            graph->inputs.insert(graph->inputs.end(), from.variables.begin(), from.variables.end());
            withVariables_.emplace_back(graph, from.variables.size());
        }
        return graph;
    }

    void attach(const SubgraphField& field, model::Node& node) {
        std::vector<std::shared_ptr<const model::Graph>> graphs;
        for (const int64_t called : field.indices)
            graphs.push_back(place(static_cast<size_t>(called)));
        if (field.isList)
            node.attributes.push_back({field.name, std::move(graphs)});
        else if (!graphs.empty())
            node.attributes.push_back({field.name, std::move(graphs.front())});
    }

    /// Counts a node or a graph; false, and reported, when there are too many.
    bool count() {
        if (stopped_)
            return false;
        budget_->checkpoint();
        if (budget_->takeNodes(1))
            return true;
        tooLarge();
        return false;
    }

    bool takeAgain(int64_t bytes) {
        if (budget_->takeBytes(bytes))
            return true;
        tooLarge();
        return false;
    }

    void tooLarge() {
        stop(error(ErrorKind::Unsupported,
                   fmt::format("the model has more than {} nodes and tensors once the graphs that nodes call are in "
                               "place, or too long names and options for so many",
                               limits::graphNodes),
                   "split the model"));
    }

    void tooDeep() {
        stop(error(ErrorKind::Unsupported, fmt::format("graphs are nested more than {} deep", limits::blockNesting),
                   "flatten the model"));
    }

    void stop(Diagnostic fault) {
        if (!std::exchange(stopped_, true))
            report(nullptr, std::move(fault));
    }

    void report(const model::Node* node, Diagnostic fault) { addFault(*model_, node, std::move(fault)); }

    OpenModel open_;
    std::shared_ptr<Budget> budget_;
    size_t main_;
    SubgraphReader subgraphs_;
    std::shared_ptr<model::ModelGraph> model_;
    std::unordered_map<size_t, Plan> plans_;
    std::vector<std::pair<std::shared_ptr<model::Graph>, size_t>> withVariables_; // and how many are among its inputs
    int32_t nodes_ = 0;
    bool stopped_ = false;
};

} // namespace

std::shared_ptr<model::ModelGraph> readGraph(const OpenModel& open, const std::string& file,
                                             const std::string& signature, const std::shared_ptr<Budget>& budget) {
    Result<Signature> main = chooseSignature(*open.model, signature);
    std::shared_ptr<model::ModelGraph> read = ModelReader(open, file, budget, main ? *main : Signature()).read();
    read->signatures = signaturesOf(*open.model);
    if (main)
        read->signature = main->key;
    if (!main) {
        Diagnostic fault = std::move(main).error();
        fault.file = file;
        read->diagnostics.insert(read->diagnostics.begin(), std::move(fault));
    }
    return read;
}

} // namespace lathe::frontend::tflite
