// SPDX-License-Identifier: Apache-2.0
//
// Makes a relay Module of a script's function. What the program changes of its own objects becomes states, which only its
// evaluation tells: it is evaluated once as the archive has the objects, and again with what changed as parameters, until nothing
// else changes. Where the first call leaves another kind of thing behind than the archive holds (an empty buffer that gets its
// sizes), there are two programs: one for the first call, one for all others.
#pragma once

#include "frontend/common/conversion.h"
#include "frontend/torch/script/inputs.h"

namespace lathe::frontend::torch::script {

/// What an import works with, apart from the graph that people see.
struct ScriptProgram {
    ScriptArchive archive;
    FunctionPtr function;
    ScriptInputs inputs;
};

class ScriptConversion : public Conversion {
public:
    ScriptConversion(ScriptProgram& program, model::ModelGraph& graph, relay::Module& module,
                     relay::Evaluator* evaluator, std::shared_ptr<Budget> budget, Builder& b);

    void convertMain(const std::vector<relay::Type>& parameters) override;
    /// Which calls an evaluation comes to is not known before it is made.
    std::vector<Diagnostic> unsupported() const override { return {}; }

private:
    struct State {
        enum class Kind : uint8_t { Tensor, Int, Float, Bool, Known } kind = Kind::Tensor;
        relay::Type type;           // of all but Known
        relay::ConstantPtr initial; // null: something of another type, or nothing
        ScriptValue known;          // Known: what it is after the first call
    };
    using States = std::map<std::string, State>; // by place in the module
    using Vars = std::map<std::string, Var>;

    /// What one evaluation gives.
    struct Evaluated {
        std::vector<std::string> names; // of outputs
        std::vector<Var> outputs;
        Vars ends;      // of the states
        States changed; // what is left of what the program changed: as states
        std::vector<Evaluator::Named> named;
        std::map<std::string, model::TensorPtr> stored;
    };
    /// hasBegun: the objects hold `values` of the states; else what the archive says.
    Evaluated evaluate(Builder& b, Trace& trace, const std::vector<Var>& inputs, const States& states,
                       const Vars& values, bool hasBegun = true);
    static std::optional<ScriptValue> overridden(Builder& b, Evaluator& evaluator, const States& states,
                                                 const Vars& values, const std::string& path);
    void addOutputs(Builder& b, Evaluator& evaluator, const ScriptValue& value, const std::string& name,
                    Evaluated& evaluated, int depth) const;
    std::optional<State> stateOf(Builder& b, Evaluator& evaluator, const ScriptValue& before, const ScriptValue& after,
                                 const std::string& path) const;
    static State numberState(const relay::Type& type, const State& first);
    static Var endOf(Builder& b, Evaluator& evaluator, const State& state, const ScriptValue& value);

    /// All states of a program that has some. Whether the first call is another program than all others.
    bool findStates(const std::vector<relay::Type>& parameters, States& states);
    /// Begins a function: parameters for the inputs and the states.
    struct Begun {
        std::vector<Var> inputs;
        Vars states;
    };
    Begun begin(Builder& b, const std::vector<relay::Type>& parameters, const States& states) const;
    /// The program with these states; or what it changes beside them, and nothing is built.
    States build(const std::vector<relay::Type>& parameters, const States& states);
    void buildTwo(const std::vector<relay::Type>& parameters, const States& states);
    void finish(Builder& b, relay::Module& module, Trace& trace, Evaluated evaluated, const Begun& begun,
                const States& states, const std::optional<std::pair<std::string, Var>>& begins);
    relay::Module emptyModule() const;
    void keepFault(const Builder& b, Trace& trace);
    void describe(Trace& trace, const Evaluated& evaluated, const std::map<std::string, std::string>& renamed);

    ScriptProgram& program_;
    model::ModelGraph& graph_;
    relay::Module& module_;
    relay::Evaluator* evaluator_;
    std::shared_ptr<Budget> budget_;
    Builder& b_;
};

} // namespace lathe::frontend::torch::script
