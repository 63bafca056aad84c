// SPDX-License-Identifier: Apache-2.0
//
// Inputs, states and outputs of a program.
#include "frontend/torch/program_walk.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch {

ProgramWalk::ProgramWalk(const ProgramModel& from, model::ModelGraph& graph, relay::Module& module, Builder& b)
    : from_(from), graph_(graph), module_(module), b_(b), symbols_(b) {}

void ProgramWalk::convertMain(const std::vector<relay::Type>& parameters) {
    const ProgramGraph& program = *from_.program.graph;
    std::vector<int32_t> all;
    for (const ProgramNode& node : program.nodes)
        all.push_back(node.id);
    const model::Span whole = graph_.spans->intern(std::move(all));
    Diagnostic context;
    context.file = graph_.file;
    b_.setSpan(whole);
    b_.setContext(context);
    Frame frame(program, true, randomCalls_, b_);
    indexMain();
    defineInputs(frame, parameters);
    convertNodes(frame);
    b_.setSpan(whole);
    if (!b_.failed())
        b_.setContext(context);
    assignOutputs(frame);
    finish(frame);
}

void ProgramWalk::indexMain() {
    const std::function<void(const ProgramArgument&, int32_t)> note = [&](const ProgramArgument& argument, int32_t id) {
        if (const auto* name = argument.as<Name>())
            readers_[name->text].push_back(id);
        if (const auto* list = argument.as<std::vector<ProgramArgument>>())
            for (const ProgramArgument& one : *list)
                note(one, id);
    };
    for (const ProgramNode& node : from_.program.graph->nodes)
        for (const ProgramNode::Input& input : node.inputs)
            note(input.value, node.id);
    for (const InputSpec& spec : from_.program.inputs)
        if (!spec.tensor.empty())
            stored_.emplace(spec.tensor, spec.name);
    for (const OutputSpec& output : from_.program.outputs)
        if (output.kind == OutputSpec::Kind::Buffer)
            written_.insert(output.target);
}

void ProgramWalk::defineInputs(Frame& frame, const std::vector<relay::Type>& parameters) {
    std::vector<std::string> users;
    size_t place = 0;
    for (const InputSpec& spec : from_.program.inputs) {
        if (spec.kind != InputSpec::Kind::User)
            continue;
        const Var parameter = b_.param(from_.names.at(spec.name), parameters[place++]);
        taken_.insert(parameter);
        if (!isNew(spec.name, frame))
            return;
        const auto* name = spec.value.as<Name>();
        if (name && !name->isTensor) {
            const std::vector<Expr> number = b_.symbolic(parameter, spec.name);
            frame.others.emplace(spec.name, number.size() == 1 ? number[0] : Expr(0));
            if (const auto declared = frame.graph.numbers.find(spec.name); declared != frame.graph.numbers.end())
                symbols_.learn(declared->second, number.size() == 1 ? number[0] : Expr(0));
        } else {
            frame.tensors.emplace(spec.name, frame.memory.make(parameter));
            users.push_back(spec.name);
        }
    }
    for (const InputSpec& spec : from_.program.inputs) {
        if (spec.kind == InputSpec::Kind::Value && !spec.name.empty() && isNew(spec.name, frame))
            frame.others.emplace(spec.name, valueOf(spec.value, frame));
        else if (from_.tensors.contains(spec.name) && isNew(spec.name, frame))
            defineStored(frame, spec);
    }
    checkInputs(frame, users);
}

void ProgramWalk::defineStored(Frame& frame, const InputSpec& spec) {
    const StoredTensor& stored = from_.tensors.at(spec.name);
    const relay::ConstantPtr constant = relay::makeConstant(stored.tensor);
    const auto check = [&](Var value) {
        if (const auto declared = frame.graph.tensors.find(spec.name); declared != frame.graph.tensors.end())
            checkDeclared(spec.name, declared->second, value, stored.isComplex, symbols_, b_);
    };
    if (stored.isComplex) {
        const Var parts = b_.constant(constant);
        check(parts);
        frame.others.emplace(spec.name, Complex{parts});
        return;
    }
    const std::string& name = from_.names.at(spec.name);
    const bool isState = written_.contains(spec.tensor) || from_.assigned.contains(spec.name);
    const model::Span around = b_.span();
    if (const auto readers = readers_.find(spec.name); readers != readers_.end())
        b_.setSpan(graph_.spans->intern(readers->second));
    const Var value = isState ? b_.param(name, constant->type) : b_.constant(constant);
    if (isState)
        taken_.insert(value);
    else
        b_.nameValue(value, name);
    b_.setSpan(around);
    check(value);
    const Memory::Place place = frame.memory.make(value);
    frame.tensors.emplace(spec.name, place);
    if (isState)
        states_.push_back({name, place, constant});
}

/// What the program says of its inputs' sizes holds, or a run is refused.
void ProgramWalk::checkInputs(Frame& frame, const std::vector<std::string>& users) {
    Expr all = arith::boolImm(true);
    const auto require = [&](const Expr& condition) {
        if (!condition || arith::provablyTrue(condition))
            return;
        all = arith::logicalAnd(all, condition);
        if (all->depth > static_cast<uint32_t>(limits::exprDepth))
            b_.fail("the sizes of the inputs are bound by too many conditions", "fix sizes: --shape NAME=SIZES",
                    ErrorKind::Unsupported);
    };
    // Twice: a size may be of a symbol that only a later input tells.
    for (int pass = 0; pass < 2; ++pass)
        for (const std::string& name : users) {
            const auto declared = frame.graph.tensors.find(name);
            const Var value = frame.memory.read(frame.tensors.at(name));
            if (declared == frame.graph.tensors.end() || b_.failed())
                continue;
            const Dims dims = b_.shape(value);
            for (size_t i = 0; i < std::min(dims.size(), declared->second.sizes.size()) && !b_.failed(); ++i)
                require(symbols_.learn(declared->second.sizes[i], dims[i]));
        }
    for (const std::string& name : users) {
        const auto declared = frame.graph.tensors.find(name);
        if (declared == frame.graph.tensors.end() || b_.failed())
            continue;
        const Var value = frame.memory.read(frame.tensors.at(name));
        checkDeclared(name, declared->second, value, false, symbols_, b_);
        const Dims dims = b_.failed() ? Dims() : b_.shape(value);
        for (size_t i = 0; i < dims.size() && !b_.failed(); ++i) {
            const Expr size = symbols_.valueOf(declared->second.sizes[i]);
            if (size && size.dtype().isIndex() && !arith::provablyEqual(size, dims[i]))
                require(arith::eq(size, dims[i]));
        }
    }
    for (const SizeRange& range : from_.program.ranges)
        if (!b_.failed())
            require(symbols_.holds(range));
    if (users.empty() || b_.failed())
        return;
    const Memory::Place first = frame.tensors.at(users[0]);
    frame.memory.assign(first, assume(b_, frame.memory.read(first), all,
                                      "the sizes of the inputs are such as the program was exported for"));
}

void ProgramWalk::assignOutputs(Frame& frame) {
    for (const OutputSpec& output : from_.program.outputs) {
        if (output.kind != OutputSpec::Kind::Buffer || b_.failed())
            continue;
        const TorchValue value = valueOf(output.value, frame);
        const auto name = stored_.find(output.target);
        const auto place = name == stored_.end() ? frame.tensors.end() : frame.tensors.find(name->second);
        if (place != frame.tensors.end() && value.as<Var>())
            frame.memory.assign(place->second, *value.as<Var>());
        else if (!b_.failed() && name == stored_.end())
            b_.fail(fmt::format("the program assigns to '{}', which it does not have", output.target));
    }
}

Var ProgramWalk::resultOf(Frame& frame, const ProgramOutput& output) {
    if (output.node >= 0)
        b_.setSpan(graph_.spans->of(output.node));
    const TorchValue value = valueOf(output.value, frame);
    if (b_.failed())
        return {};
    if (value.as<Complex>())
        b_.fail(fmt::format("output '{}' is of complex numbers, which are not supported there", output.name),
                "let the program give torch.view_as_real(…)", ErrorKind::Unsupported);
    else if (const Var* tensor = value.as<Var>())
        // Each result is a value of its own, and no parameter.
        return taken_.insert(*tensor).second && output.node < 0 ? *tensor : b_.call(Op::Copy, {*tensor});
    const std::optional<Scalar> number = b_.failed() ? std::nullopt : toScalar(b_, value);
    if (!number) {
        b_.fail(fmt::format("output '{}' is {}, which is not supported", output.name, kindOf(value)),
                "let the program give tensors", ErrorKind::Unsupported);
        return {};
    }
    using Kind = Scalar::Kind;
    return toTensor(b_, *number,
                    number->kind == Kind::Float  ? types::Float64
                    : number->kind == Kind::Bool ? types::Bool
                                                 : types::Int64);
}

void ProgramWalk::finish(Frame& frame) {
    std::vector<std::string> names;
    for (const ProgramOutput& output : from_.outputs) {
        results_.push_back(resultOf(frame, output));
        names.push_back(output.name);
    }
    std::vector<relay::StateValue> states;
    for (const State& state : states_) {
        Var value = frame.memory.read(state.place);
        const relay::TensorType* type = relay::asTensor(state.initial->type);
        if (!b_.failed() && (b_.dtype(value) != type->dtype || b_.rank(value) != static_cast<int>(type->shape.size())))
            b_.fail(fmt::format("'{}' is {}, and is assigned {}", state.name, toString(state.initial->type),
                                toString(b_.type(value))));
        results_.push_back(b_.failed() ? Var{} : withDims(b_, value, type->shape));
        states.push_back({state.name, state.initial});
    }
    if (b_.failed())
        return;
    if (names.empty())
        return b_.fail("the program gives no tensors", "let it return what it computes");
    const Var result = results_.size() == 1 ? results_[0] : b_.tuple(results_);
    module_.functions["main"] = b_.finish(result, names, std::move(states));
}

} // namespace lathe::frontend::torch
