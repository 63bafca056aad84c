// SPDX-License-Identifier: Apache-2.0
//
// The nodes of a program, each a call of an operator.
#include "frontend/common/topology.h"
#include "frontend/torch/invoke.h"
#include "frontend/torch/program_walk.h"

#include <fmt/format.h>

namespace lathe::frontend::torch {
namespace {

constexpr std::string_view higherOrder = "higher_order.", python = "_operator.";

bool isOfWalk(std::string_view target) {
    return target.starts_with(higherOrder) || target.starts_with(python) || target.starts_with("math.") ||
           target.starts_with("torch.sym_");
}

void addNodes(const ProgramGraph& graph, std::vector<const ProgramNode*>& nodes) {
    for (const ProgramNode& node : graph.nodes) {
        nodes.push_back(&node);
        for (const ProgramNode::Input& input : node.inputs)
            if (const auto* inner = input.value.as<std::shared_ptr<const ProgramGraph>>())
                addNodes(**inner, nodes);
    }
}

Diagnostic unknownOperator(const ProgramNode& node) {
    return error(ErrorKind::Unsupported, fmt::format("operator {} is not supported", node.target),
                 node.target.starts_with("aten.")
                     ? "export the program with run_decompositions(), which takes operators apart"
                     : "let the program compute it by operators of PyTorch's own");
}

} // namespace

std::vector<Diagnostic> ProgramWalk::unsupported() const {
    std::vector<const ProgramNode*> nodes;
    addNodes(*from_.program.graph, nodes);
    std::vector<Diagnostic> found;
    for (const ProgramNode* node : nodes) {
        if (isOfWalk(node->target) || calledOperator(*node).op)
            continue;
        Diagnostic reason = unknownOperator(*node);
        reason.file = graph_.file;
        reason.node = node->name;
        reason.op = node->target;
        reason.nodeId = node->id;
        found.push_back(std::move(reason));
        if (found.size() == keptDiagnostics)
            break;
    }
    return found;
}

void ProgramWalk::enter(const ProgramNode& node) {
    b_.setSpan(graph_.spans->of(node.id));
    Diagnostic context;
    context.file = graph_.file;
    context.node = node.name;
    context.op = node.target;
    context.nodeId = node.id;
    b_.setContext(context);
}

void ProgramWalk::convertNodes(Frame& frame) {
    for (const ProgramNode& node : frame.graph.nodes) {
        if (b_.failed())
            return;
        enter(node);
        convertNode(node, frame);
    }
}

void ProgramWalk::convertNode(const ProgramNode& node, Frame& frame) {
    if (node.target.starts_with(higherOrder))
        return callHigherOrder(node, frame);
    if (isOfWalk(node.target)) {
        const std::optional<TorchValue> number = callPython(node, frame);
        if (!number && !b_.failed())
            b_.fail(fmt::format("function {} is not supported", node.target), "export the program with fixed sizes",
                    ErrorKind::Unsupported);
        else if (!b_.failed())
            defineResults(node, {*number}, frame, {});
        return;
    }
    const CalledOperator called = calledOperator(node);
    if (called.op)
        return callOperator(node, called, frame);
    const Diagnostic reason = unknownOperator(node);
    b_.fail(reason.what, reason.hint, reason.kind);
}

void ProgramWalk::callOperator(const ProgramNode& node, const CalledOperator& called, Frame& frame) {
    const Operator& op = *called.op;
    std::vector<GivenArgument> given;
    for (const ProgramNode::Input& input : node.inputs)
        given.push_back({input.name, valueOf(input.value, frame)});
    List arguments = filledArguments(op.schema, std::move(given), b_);
    const List results = invoke(op, arguments, randomCalls_, b_);
    if (b_.failed())
        return;
    if (called.isAssigned)
        return assignTo(node, op, results, frame);
    assignOthers(node, op, results, frame);
    const View view = viewOf(op, node, frame.graph);
    const ProgramArgument* self = view.sharing == Sharing::Never ? nullptr : inputAt(node, op.schema, view.self);
    const auto* viewed = self ? self->as<Name>() : nullptr;
    const auto of = viewed ? frame.tensors.find(viewed->text) : frame.tensors.end();
    if (of == frame.tensors.end())
        return defineResults(node, results, frame, [&](size_t, Var value) { return frame.memory.make(value); });
    const Memory::Place parent = of->second;
    defineResults(node, results, frame, [&](size_t number, Var value) {
        return view.sharing == Sharing::Always ? frame.memory.makeView(parent, op, arguments, view.self, number, value)
                                               : frame.memory.makePerhaps({&parent, 1}, value);
    });
}

void ProgramWalk::assignTo(const ProgramNode& node, const Operator& op, const List& results, Frame& frame) {
    const ProgramArgument* self = op.schema.arguments.empty() ? nullptr : inputAt(node, op.schema, 0);
    if (results.size() != 1)
        return b_.fail("the operator assigns to what is no tensor");
    const std::optional<Memory::Place> to = assign(self, results[0], frame);
    if (to)
        defineResults(node, results, frame, [&](size_t, Var) { return *to; });
}

void ProgramWalk::assignOthers(const ProgramNode& node, const Operator& op, const List& results, Frame& frame) {
    size_t next = op.schema.results.size();
    for (size_t i = 0; i < op.schema.arguments.size() && next < results.size() && !b_.failed(); ++i) {
        const ProgramArgument* argument = op.schema.arguments[i].type.isWritten ? inputAt(node, op.schema, i) : nullptr;
        if (argument && argument->as<Name>())
            assign(argument, results[next++], frame);
    }
}

std::optional<Memory::Place> ProgramWalk::assign(const ProgramArgument* argument, const TorchValue& result,
                                                 Frame& frame) {
    const auto* name = argument ? argument->as<Name>() : nullptr;
    const auto place = name ? frame.tensors.find(name->text) : frame.tensors.end();
    const Var* assigned = result.as<Var>();
    if (place == frame.tensors.end() || !assigned) {
        b_.fail("the operator assigns to what is no tensor");
        return std::nullopt;
    }
    const Memory::Place to = place->second;
    if (!frame.isMain && frame.isInput(frame.memory.whole(to))) {
        b_.fail(fmt::format("'{}' is assigned to in a graph that it is passed to", name->text),
                "export the program with run_decompositions(), or clone() the tensor first", ErrorKind::Unsupported);
        return std::nullopt;
    }
    const Var before = frame.memory.read(to);
    const Var value = b_.failed() ? Var{} : cast(b_, *assigned, b_.dtype(before));
    if (b_.failed())
        return std::nullopt;
    if (b_.rank(value) != b_.rank(before)) {
        b_.fail(fmt::format("'{}' is {}, and is assigned {}", name->text, toString(b_.type(before)),
                            toString(b_.type(value))));
        return std::nullopt;
    }
    frame.memory.assign(to, withDims(b_, value, b_.shape(before)));
    return to;
}

// ---- values

TorchValue ProgramWalk::valueOf(const std::string& name, Frame& frame) {
    if (const auto place = frame.tensors.find(name); place != frame.tensors.end())
        return frame.memory.read(place->second);
    if (const auto other = frame.others.find(name); other != frame.others.end())
        return other->second;
    b_.fail(fmt::format("'{}' is read, but nothing gives it", name), "the program is malformed; export it again");
    return {};
}

TorchValue ProgramWalk::valueOf(const ProgramArgument& argument, Frame& frame) {
    if (const TorchValue* value = argument.as<TorchValue>())
        return *value;
    if (const auto* name = argument.as<Name>())
        return valueOf(name->text, frame);
    const auto* list = argument.as<std::vector<ProgramArgument>>();
    if (!list) {
        b_.fail("a graph is passed to an operator that takes none", "the program is malformed; export it again");
        return {};
    }
    List values;
    for (const ProgramArgument& one : *list)
        values.push_back(valueOf(one, frame));
    return values;
}

// ---- results

void ProgramWalk::defineResults(const ProgramNode& node, const List& results, Frame& frame, const Placing& place) {
    size_t number = 0; // of tensors so far, in lists too
    const auto defineOne = [&](const ProgramArgument& output, const TorchValue& value) {
        const size_t own = number++;
        const auto* name = output.as<Name>();
        if (!name || b_.failed())
            return; // a result that nothing asks for
        const Var* tensor = value.as<Var>();
        if (!tensor || !name->isTensor)
            return define(name->text, value, frame, nullptr);
        const Memory::Place at = place(own, *tensor);
        define(name->text, value, frame, &at);
    };
    if (node.outputs.size() > results.size())
        return b_.fail(
            fmt::format("the node has {} results, the operator gives {}", node.outputs.size(), results.size()),
            "the program is malformed; export it again");
    for (size_t i = 0; i < node.outputs.size() && !b_.failed(); ++i) {
        const auto* names = node.outputs[i].as<std::vector<ProgramArgument>>();
        const List* values = results[i].as<List>();
        if (!names && !values) {
            defineOne(node.outputs[i], results[i]);
            continue;
        }
        if (!names || !values || names->size() != values->size())
            return b_.fail(fmt::format("the node has {} results where the operator gives {}", names ? names->size() : 1,
                                       values ? values->size() : 1),
                           "the program is malformed; export it again");
        for (size_t j = 0; j < names->size(); ++j)
            defineOne((*names)[j], (*values)[j]);
    }
}

bool ProgramWalk::isNew(const std::string& name, const Frame& frame) {
    if (frame.tensors.contains(name) || frame.others.contains(name))
        b_.fail(fmt::format("'{}' is given twice", name), "the program is malformed; export it again");
    return !b_.failed();
}

void ProgramWalk::define(const std::string& name, const TorchValue& value, Frame& frame, const Memory::Place* place) {
    if (!isNew(name, frame))
        return;
    const Complex* complex = value.as<Complex>();
    if (const auto declared = frame.graph.tensors.find(name);
        declared != frame.graph.tensors.end() && (complex || place)) {
        const Var tensor = complex ? complex->parts : frame.memory.read(*place);
        checkDeclared(name, declared->second, tensor, complex != nullptr, symbols_, b_);
    }
    if (place) {
        frame.tensors.emplace(name, *place);
        const Var now = frame.memory.read(*place);
        const auto known = from_.names.find(name);
        if (frame.isMain && !b_.failed())
            b_.nameValue(now, known == from_.names.end() ? name : known->second);
        return;
    }
    if (const Expr* number = value.as<Expr>())
        if (const auto declared = frame.graph.numbers.find(name); declared != frame.graph.numbers.end())
            symbols_.learn(declared->second, *number);
    frame.others.emplace(name, value);
}

} // namespace lathe::frontend::torch
