// SPDX-License-Identifier: Apache-2.0
//
// If, Loop and Scan. Nested graphs see the names around them. What is known while importing is decided here: a branch
// is picked, a loop over sequences of known length is unrolled. Other sequences and optionals that leave branches and loops
// are made while the model runs.
#include "frontend/common/branches.h"
#include "frontend/common/sequences.h"
#include "frontend/onnx/ops.h"

#include <fmt/format.h>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

constexpr int64_t unrollLimit = 256;

/// A scalar as the body's input `i` declares it: onnxmltools writes the iteration number as a vector of one element.
Value asDeclared(Builder& b, const model::Graph& body, size_t i, Var scalar) {
    const model::ValueType& type = body.inputs[i].type;
    return tensorValue(type.hasShape && type.shape.size() == 1 ? reshape(b, scalar, {1}) : scalar);
}

/// A loop whose trips are all known, run while importing: needed where sequences are carried.
void unroll(NodeReader& node, Builder& b, const model::Graph& body, int64_t trips, std::vector<Value> carried) {
    const size_t count = carried.size();
    const size_t scans = body.outputs.size() - 1 - count;
    std::vector<std::vector<Var>> rows(scans);
    for (int64_t i = 0; i < trips && !b.failed(); ++i) {
        std::vector<Value> inputs = {asDeclared(b, body, 0, b.scalarInt(i)),
                                     asDeclared(b, body, 1, b.scalar(1, types::Bool))};
        inputs.insert(inputs.end(), carried.begin(), carried.end());
        const std::vector<Value> results = node.walk.run(body, &node.scope, inputs);
        if (b.failed())
            return;
        const auto goesOn = isTensor(results[0]) ? b.knownInts(results[0].var) : std::nullopt;
        if (!goesOn || goesOn->size() != 1)
            return node.refuse("a loop that carries sequences must know when it ends while the model is compiled");
        carried.assign(results.begin() + 1, results.begin() + 1 + static_cast<std::ptrdiff_t>(count));
        for (size_t s = 0; s < scans; ++s)
            rows[s].push_back(unsqueeze(b, results[1 + count + s].var, {0}));
        if ((*goesOn)[0] == 0)
            break;
    }
    for (size_t i = 0; i < count; ++i)
        node.set(i, carried[i]);
    for (size_t s = 0; s < scans; ++s) {
        if (rows[s].empty())
            return node.refuse("a loop without iterations gives rows of unknown shape");
        node.set(count + s, rows[s].size() == 1 ? rows[s][0] : concat(b, rows[s], 0));
    }
}

/// Dims in another order: stacked rows stand in front and belong at `axis`.
Var moveFront(Builder& b, Var x, int64_t axis) {
    if (axis == 0 || b.failed())
        return x;
    Ints order = iotaInts(1, b.rank(x));
    order.insert(order.begin() + std::min<int64_t>(axis, static_cast<int64_t>(order.size())), 0);
    return transpose(b, x, order);
}

struct ScanShape {
    size_t states = 0, inputs = 0, outputs = 0;
    Ints inputAxes, inputDirections, outputAxes, outputDirections;
};

/// One Scan over tensors without a batch dim. Gives final states, then stacked rows.
std::vector<Var> scanOnce(NodeReader& node, Builder& b, const model::Graph& body, const ScanShape& shape,
                          const std::vector<Var>& states, const std::vector<Var>& inputs) {
    const Expr length = dim(b, inputs[0], shape.inputAxes[0]);
    const Var trips = b.scalarOf(length);
    const Var result =
        b.loop(trips, {}, states, static_cast<int>(shape.outputs), [&](Var iteration, const std::vector<Var>& carried) {
            std::vector<Value> values;
            for (Var state : carried)
                values.push_back(tensorValue(state));
            for (size_t i = 0; i < shape.inputs; ++i) {
                Var at = iteration;
                if (shape.inputDirections[i] != 0)
                    at = sub(b, addTo(b, trips, -1), iteration);
                values.push_back(tensorValue(gather(b, inputs[i], at, shape.inputAxes[i])));
            }
            return tensorsOf(node, node.walk.run(body, &node.scope, values));
        });
    std::vector<Var> results;
    for (size_t i = 0; i < shape.states; ++i)
        results.push_back(b.project(result, static_cast<int>(i)));
    for (size_t i = 0; i < shape.outputs; ++i) {
        Var rows = b.project(result, static_cast<int>(shape.states + i));
        if (shape.outputDirections[i] != 0)
            rows = reverse(b, rows, 0);
        const int64_t rank = b.failed() ? 1 : b.rank(rows);
        results.push_back(moveFront(b, rows, node.axis(shape.outputAxes[i], rank)));
    }
    return results;
}

bool isOptional(const model::Value& value) {
    return value.type.kind == model::ValueType::Kind::Optional;
}

/// Whether a loop that carries sequences of known length is run while importing: its number of iterations is known and small,
/// and so is it whether it goes on, as its first iteration shows.
bool isUnrolled(NodeReader& node, Builder& b, const model::Graph& body, Var trips, Var condition,
                const std::vector<Value>& initial) {
    const auto knownTrips = trips ? b.knownInts(trips) : std::nullopt;
    const auto knownStart = condition ? b.knownInts(condition) : Ints{1};
    const bool carriesKnown = !std::all_of(initial.begin(), initial.end(), isTensor);
    if (!carriesKnown || !knownTrips || !knownStart || (*knownTrips)[0] > unrollLimit)
        return false;
    if ((*knownTrips)[0] <= 0 || (*knownStart)[0] == 0)
        return true;
    bool isKnown = false;
    const bool works = b.tried([&] {
        std::vector<Value> inputs = {asDeclared(b, body, 0, b.scalarInt(0)),
                                     asDeclared(b, body, 1, b.scalar(1, types::Bool))};
        inputs.insert(inputs.end(), initial.begin(), initial.end());
        const std::vector<Value> results = node.walk.run(body, &node.scope, inputs);
        isKnown = !b.failed() && isTensor(results[0]) && b.knownInts(results[0].var);
    });
    return !works || isKnown; // what is wrong is told where it is unrolled
}

} // namespace

void convertIf(NodeReader& node, Builder& b) {
    const Var condition = asScalar(b, node.in(0));
    const auto thenGraph = node.graph("then_branch"), elseGraph = node.graph("else_branch");
    if (b.failed())
        return;
    const size_t count = node.outputs();
    if (thenGraph->outputs.size() != elseGraph->outputs.size() || thenGraph->outputs.size() < count || count == 0)
        return node.fail(fmt::format("the branches give {} and {} values, the node has {} outputs",
                                     thenGraph->outputs.size(), elseGraph->outputs.size(), count));
    const auto branch = [&](const model::Graph& graph) {
        return [&node, &graph] { return node.walk.run(graph, &node.scope, {}); };
    };
    const VarsOf varsOf = [&](const std::vector<Value>& values) {
        std::vector<Var> vars;
        for (size_t i = 0; i < values.size(); ++i) {
            const model::Value &first = thenGraph->outputs[i], &second = elseGraph->outputs[i];
            const bool optional = isOptional(first) || isOptional(second);
            const relay::Type declared = declaredType(isOptional(second) ? second.type : first.type);
            vars.push_back(optional ? varOf(b, values[i], true, declared) : varOf(b, values[i], declared));
        }
        return vars;
    };
    const std::vector<Value> values = chosen(node, condition, count, branch(*thenGraph), branch(*elseGraph), varsOf);
    for (size_t i = 0; i < values.size(); ++i)
        node.set(i, values[i]);
}

void convertLoop(NodeReader& node, Builder& b) {
    const auto body = node.graph("body");
    const Var trips = node.hasInput(0) ? cast(b, asScalar(b, node.in(0)), types::Int64) : Var{};
    const Var condition = node.hasInput(1) ? asScalar(b, node.in(1)) : Var{};
    std::vector<Value> initial;
    for (size_t i = 2; i < node.inputs(); ++i)
        if (const Value* value = node.value(i))
            initial.push_back(*value);
    if (b.failed())
        return;
    const size_t count = initial.size();
    if (body->inputs.size() != count + 2 || body->outputs.size() < count + 1)
        return node.fail(
            fmt::format("the body has {} inputs and {} outputs; {} carried values ask for {} and at least {}",
                        body->inputs.size(), body->outputs.size(), count, count + 2, count + 1));
    if (node.outputs() > body->outputs.size() - 1)
        return node.fail(
            fmt::format("the body gives {} values, the node has {} outputs", body->outputs.size() - 1, node.outputs()));
    const size_t scans = body->outputs.size() - 1 - count;
    if (isUnrolled(node, b, *body, trips, condition, initial)) {
        const auto start = condition ? b.knownInts(condition) : Ints{1};
        return unroll(node, b, *body, (*start)[0] != 0 ? (*b.knownInts(trips))[0] : 0, initial);
    }
    if (b.failed())
        return;
    if (!trips && !condition)
        return node.fail("the loop has neither a number of iterations nor a condition: it never ends");
    // A carried value is an optional in all iterations, or in none.
    std::vector<bool> optional;
    std::vector<Var> begin;
    for (size_t i = 0; i < count; ++i) {
        optional.push_back(isOptional(body->inputs[i + 2]) || initial[i].none || isRunTimeOptional(b, initial[i]));
        begin.push_back(varOf(b, initial[i], optional[i], declaredType(body->inputs[i + 2].type)));
    }
    const Var result =
        b.loop(trips, condition, begin, static_cast<int>(scans), [&](Var iteration, const std::vector<Var>& carried) {
            // While the body runs the condition holds.
            std::vector<Value> inputs = {asDeclared(b, *body, 0, iteration),
                                         asDeclared(b, *body, 1, b.scalar(1, types::Bool))};
            for (Var var : carried)
                inputs.push_back(tensorValue(var));
            const std::vector<Value> values = node.walk.run(*body, &node.scope, inputs);
            std::vector<Var> results;
            if (condition)
                results.push_back(asScalar(b, tensorsOf(node, {values[0]})[0]));
            for (size_t i = 0; i + 1 < values.size(); ++i)
                results.push_back(varOf(b, values[i + 1], i < count && optional[i]));
            return results;
        });
    for (size_t i = 0; i < node.outputs() && !b.failed(); ++i) {
        if (!node.wants(i))
            continue;
        const Var value = b.project(result, static_cast<int>(i));
        const model::ValueType* declared = node.declaredResult(i);
        const bool isPresent = declared && (declared->kind == model::ValueType::Kind::Sequence ||
                                            declared->kind == model::ValueType::Kind::Tensor);
        node.set(i, isPresent ? withoutOptional(b, value) : value);
    }
}

void convertScan(NodeReader& node, Builder& b) {
    const auto body = node.graph("body");
    const bool batched = node.version() < 9; // opset 8 had a batch dim in front, and lengths as first operand
    if (batched && node.hasInput(0))
        return node.refuse("Scan with sequence_lens is not supported", "export the model with opset 9 or newer");
    std::vector<Var> operands;
    for (size_t i = batched ? 1 : 0; i < node.inputs(); ++i)
        operands.push_back(node.in(i));
    ScanShape shape;
    shape.inputs = static_cast<size_t>(std::max<int64_t>(0, node.integer("num_scan_inputs", 0)));
    if (b.failed())
        return;
    if (shape.inputs < 1 || shape.inputs > operands.size())
        return node.fail(
            fmt::format("num_scan_inputs is {}, but the node has {} operands", shape.inputs, operands.size()));
    shape.states = operands.size() - shape.inputs;
    if (body->inputs.size() != operands.size() || body->outputs.size() < shape.states ||
        node.outputs() > body->outputs.size())
        return node.fail("the body's inputs and outputs do not fit the node's");
    shape.outputs = body->outputs.size() - shape.states;
    const auto list = [&](const char* name, size_t size) {
        Ints values = node.integers(name);
        if (values.empty())
            values.assign(size, 0);
        if (values.size() != size)
            node.fail(fmt::format("'{}' has {} entries where {} are needed", name, values.size(), size));
        values.resize(size, 0);
        return values;
    };
    const auto directions = [&](const char* name, size_t size) {
        Ints values = list(name, size);
        for (int64_t value : values)
            if (value != 0 && value != 1)
                node.fail(fmt::format("attribute '{}' has the entry {}; known are 0 and 1", name, value));
        return values;
    };
    shape.inputAxes = list("scan_input_axes", shape.inputs);
    shape.inputDirections = directions(batched ? "directions" : "scan_input_directions", shape.inputs);
    shape.outputAxes = list("scan_output_axes", shape.outputs);
    shape.outputDirections = directions("scan_output_directions", shape.outputs);
    const std::vector<Var> states(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(shape.states));
    const std::vector<Var> inputs(operands.begin() + static_cast<std::ptrdiff_t>(shape.states), operands.end());
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!node.needRank(inputs[i], batched ? 2 : 1))
            return;
        shape.inputAxes[i] = node.axis(shape.inputAxes[i], b.rank(inputs[i]));
    }
    if (!batched) {
        const std::vector<Var> results = scanOnce(node, b, *body, shape, states, inputs);
        for (size_t i = 0; i < results.size(); ++i)
            node.set(i, results[i]);
        return;
    }
    const auto batch = arith::asInt(dim(b, inputs[0], 0));
    if (!batch || *batch < 1 || *batch > unrollLimit)
        return node.refuse("the batch size of Scan in opset 8 must be known when the model is compiled");
    std::vector<std::vector<Var>> items(node.outputs());
    for (int64_t i = 0; i < *batch; ++i) {
        const auto pick = [&](std::vector<Var> vars) {
            for (Var& var : vars)
                var = gather(b, var, b.scalarInt(i), 0);
            return vars;
        };
        const std::vector<Var> results = scanOnce(node, b, *body, shape, pick(states), pick(inputs));
        for (size_t r = 0; r < items.size() && r < results.size(); ++r)
            items[r].push_back(unsqueeze(b, results[r], {0}));
    }
    for (size_t r = 0; r < items.size(); ++r)
        node.set(r, items[r].size() == 1 ? items[r][0] : concat(b, items[r], 0));
}

} // namespace lathe::frontend::onnx
