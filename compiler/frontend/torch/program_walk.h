// SPDX-License-Identifier: Apache-2.0
//
// Drives a program of torch.export through the relay Builder: names to values, one call of the operators' table a node. Tensors
// that it assigns to lie in a Memory; of those from the archive that it assigns to, states are made.
#pragma once

#include "frontend/common/conversion.h"
#include "frontend/torch/graph_model.h"
#include "frontend/torch/memory.h"
#include "frontend/torch/symbols.h"
#include "frontend/torch/views.h"

#include <functional>
#include <set>

namespace lathe::frontend::torch {

class ProgramWalk : public Conversion {
public:
    ProgramWalk(const ProgramModel& from, model::ModelGraph& graph, relay::Module& module, Builder& b);

    void convertMain(const std::vector<relay::Type>& parameters) override;
    std::vector<Diagnostic> unsupported() const override;

private:
    using GraphPtr = std::shared_ptr<const ProgramGraph>;
    using Name = ProgramArgument::Name;

    /// The values of a graph while it is walked.
    struct Frame {
        Frame(const ProgramGraph& graph, bool isMain, int64_t& randomCalls, Builder& b)
            : graph(graph), isMain(isMain), memory(randomCalls, b) {}
        /// Whether it is the storage of a tensor that the graph is passed.
        bool isInput(Memory::Place place) const { return place < inputs; }
        const ProgramGraph& graph;
        bool isMain;
        Memory::Place inputs = 0; // so many places are made of what is passed
        Memory memory;
        std::unordered_map<std::string, Memory::Place> tensors;
        std::unordered_map<std::string, TorchValue> others; // numbers, and tensors of complex numbers
    };

    // ---- main (program_walk.cpp)
    void indexMain();
    void defineInputs(Frame& frame, const std::vector<relay::Type>& parameters);
    void defineStored(Frame& frame, const InputSpec& spec);
    void checkInputs(Frame& frame, const std::vector<std::string>& users);
    void assignOutputs(Frame& frame);
    void finish(Frame& frame);
    Var resultOf(Frame& frame, const ProgramOutput& output);

    // ---- nodes (program_nodes.cpp)
    void convertNodes(Frame& frame);
    void enter(const ProgramNode& node);
    void convertNode(const ProgramNode& node, Frame& frame);
    void callOperator(const ProgramNode& node, const CalledOperator& called, Frame& frame);
    void assignTo(const ProgramNode& node, const Operator& op, const List& results, Frame& frame);
    /// What a converter gives beyond the results is assigned to the arguments that the schema says are written.
    void assignOthers(const ProgramNode& node, const Operator& op, const List& results, Frame& frame);
    /// The tensor that a result is assigned to; nothing after a fault.
    std::optional<Memory::Place> assign(const ProgramArgument* argument, const TorchValue& result, Frame& frame);
    TorchValue valueOf(const ProgramArgument& argument, Frame& frame);
    TorchValue valueOf(const std::string& name, Frame& frame);
    /// How a tensor among the results comes into the memory: its number among them, its value.
    using Placing = std::function<Memory::Place(size_t number, Var value)>;
    void defineResults(const ProgramNode& node, const List& results, Frame& frame, const Placing& place);
    void define(const std::string& name, const TorchValue& value, Frame& frame, const Memory::Place* place);
    bool isNew(const std::string& name, const Frame& frame);

    // ---- numbers (program_numbers.cpp)
    /// Operators of Python on numbers. Nothing if the target is none of them.
    std::optional<TorchValue> callPython(const ProgramNode& node, Frame& frame);

    // ---- graphs in nodes (program_graphs.cpp)
    void callHigherOrder(const ProgramNode& node, Frame& frame);
    GraphPtr graphAt(const ProgramNode& node, size_t at);
    std::vector<Var> tensorsAt(const ProgramNode& node, size_t at, Frame& frame);
    std::vector<Var> runGraph(const ProgramNode& node, const GraphPtr& graph, const std::vector<Var>& inputs);
    std::vector<Var> runCond(const ProgramNode& node, Frame& frame);
    std::vector<Var> runWhile(const ProgramNode& node, Frame& frame);
    /// The graph once for each row of all `rows`: of what it carries the last, of what else it gives all, stacked.
    std::vector<Var> loopOver(const ProgramNode& node, const GraphPtr& graph, const std::vector<Var>& carried,
                              const std::vector<Var>& rows, const std::vector<Var>& others);
    std::vector<Var> runMap(const ProgramNode& node, Frame& frame);
    std::vector<Var> runScan(const ProgramNode& node, Frame& frame);
    std::vector<Var> runWrapped(const ProgramNode& node, Frame& frame);

    const ProgramModel& from_;
    model::ModelGraph& graph_;
    relay::Module& module_;
    Builder& b_;
    Symbols symbols_;
    int64_t randomCalls_ = 0;
    struct State {
        std::string name;
        Memory::Place place;
        relay::ConstantPtr initial;
    };
    std::vector<State> states_;
    std::unordered_map<std::string, std::vector<int32_t>> readers_; // nodes of main, by what they read
    std::unordered_map<std::string, std::string> stored_;           // inputs of main, by the tensors that they are
    std::set<std::string> written_;                                 // tensors that outputs of main are assigned to
    std::set<Var> taken_;                                           // parameters and results
    std::vector<Var> results_;
};

} // namespace lathe::frontend::torch
