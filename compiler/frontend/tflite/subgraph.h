// SPDX-License-Identifier: Apache-2.0
//
// One subgraph of a file, read once however often it is called: names, types, constants and nodes, which have no ids
// yet. Every index in it has been checked; what is wrong is kept with the node that it concerns.
#pragma once

#include "frontend/tflite/option_tables.h"
#include "frontend/tflite/signature.h"
#include "frontend/tflite/tensors.h"

#include <unordered_map>
#include <unordered_set>

namespace tflite {
struct SubGraph;
}

namespace lathe::frontend::tflite {

struct SubgraphNode {
    model::Node node;
    std::vector<SubgraphField> subgraphs; // that it names: they may not exist
    std::vector<Diagnostic> faults;       // and warnings
};

struct Subgraph {
    model::Graph graph; // without nodes
    std::vector<SubgraphNode> nodes;
    /// Tensors that keep their elements from one call to the next. Their types stand in graph.values too.
    std::vector<model::Value> variables;
    std::vector<Diagnostic> faults; // that concern no node
    int64_t tensors = 0;
    int64_t bytes = 0; // of names and lists: as much again for each further place that it is called from
};

/// Reads the subgraphs of one model, whose names are unique among all of them: a graph in another would see its names.
class SubgraphReader {
public:
    /// main: the subgraph that people call, by these names.
    SubgraphReader(OpenModel open, std::shared_ptr<Budget> budget, Signature main);

    /// index: less than the number of subgraphs. A Failure: the model asks for too much.
    Result<std::shared_ptr<Subgraph>> read(size_t index);
    /// The text of an entry of the model's metadata; empty if there is none.
    std::string metadata(const std::string& name) const;

private:
    struct Tensors;
    void nameTensors(const ::tflite::SubGraph& proto, bool isMain, Tensors& tensors);
    std::string unique(const std::string& wanted);
    void readTensors(const ::tflite::SubGraph& proto, bool isMain, Tensors& tensors, Subgraph& into);
    void readNodes(const ::tflite::SubGraph& proto, const Tensors& tensors, Subgraph& into);
    void readAttributes(const ::tflite::Operator& proto, int code, SubgraphNode& into);
    Result<model::Bytes> customOptions(const ::tflite::Operator& proto) const;
    void take(size_t bytes);

    OpenModel open_;
    std::shared_ptr<Budget> budget_;
    Signature main_;
    TensorReader tensors_;
    std::unordered_set<std::string> names_;
    std::unordered_map<std::string, int64_t> suffixes_; // tried last, by name
    int64_t taken_ = 0;                                 // bytes of the subgraph that is being read
    bool spent_ = false;
};

} // namespace lathe::frontend::tflite
