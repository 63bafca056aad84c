// SPDX-License-Identifier: Apache-2.0
//
// Each way is held against the operator's type rule before it counts as one.
#include "relay/transform/order_graph.h"

#include "arith/analysis.h"

#include <algorithm>

namespace lathe::relay::transform {
namespace {

/// What an unknown size counts as where bytes are compared, as far as its bounds allow it.
constexpr int64_t assumedSize = 64;

/// In which a value is met: no network has as many, and each is compared with each.
constexpr size_t mostOrders = 64;

double sizeOf(const Expr& dim) {
    std::unordered_map<const arith::ExprNode*, int64_t> sizes;
    for (const arith::Var& symbol : arith::freeVars(dim)) {
        const arith::Interval range = arith::bounds(symbol);
        sizes[symbol.get()] = std::max(range.lower, std::min(range.upper, assumedSize));
    }
    return static_cast<double>(std::max<int64_t>(arith::evaluate(dim, sizes).value_or(1), 1));
}

double assumedBytes(const TensorType& type) {
    double bytes = type.dtype.bytes();
    for (const Expr& dim : type.shape)
        bytes *= sizeOf(dim);
    return bytes;
}

void addUses(const Block& block, std::vector<Var>& used) {
    for (const BindingPtr& binding : block.bindings) {
        std::ranges::copy(operands(binding->rhs), std::back_inserter(used));
        for (const BlockPtr& nested : blocksOf(binding->rhs))
            addUses(*nested, used);
    }
    used.push_back(block.result);
}

bool isProduct(const Index& index, Var var) {
    const Index::Entry* entry = index.find(var);
    const OpCall* call = entry && entry->binding ? entry->binding->as<OpCall>() : nullptr;
    return call && (call->op == Op::Conv || call->op == Op::MatMul);
}

} // namespace

OrderGraph::OrderGraph(const Block& block, const Index& index, bool exact) : index_(index), exact_(exact) {
    for (const BindingPtr& binding : block.bindings) {
        const OpCall* call = binding->as<OpCall>();
        if (call && call->op == Op::Transpose && isPlainTensor(binding->var) && isPlainTensor(call->args[0])) {
            Reading source = reading(call->args[0]);
            hasNeedless_ |= !isIdentity(source.axes);
            source.axes = compose(source.axes, attrs<TransposeAttrs>(call->attrs).axes);
            const std::vector<Expr>& shape = asTensor(values_[static_cast<size_t>(source.value)].type)->shape;
            hasNeedless_ |= sameSequence(modelOrder(shape.size()), {source.axes}, shape);
            readings_[binding->var.id] = std::move(source);
        } else if (mayChange(*binding)) {
            addCall(binding, *call);
        } else {
            for (Var var : operands(binding->rhs))
                fix(var);
            for (Var var : usedWithin(*binding))
                if (find(var))
                    fix(var);
        }
        if (!isSimple_)
            return;
    }
    fix(block.result);
}

bool OrderGraph::isPlainTensor(Var var) const {
    const TensorType* type = asTensor(typeOf(index_, var));
    return type && !type->layout;
}

bool OrderGraph::mayChange(const Binding& binding) const {
    const OpCall* call = binding.as<OpCall>();
    return call && info(call->op).orders && info(call->op).pure && isPlainTensor(binding.var) &&
           std::ranges::all_of(call->args, [&](Var var) { return !var || isPlainTensor(var); });
}

const OrderGraph::Reading& OrderGraph::reading(Var var) {
    const auto [entry, isNew] = readings_.try_emplace(var.id);
    if (isNew) {
        const Type& type = typeOf(index_, var);
        const TensorType* tensor = asTensor(type);
        const size_t rank = tensor ? tensor->shape.size() : 0;
        entry->second = {static_cast<int>(values_.size()), identityAxes(rank)};
        values_.push_back({.var = var,
                           .type = type,
                           .bytes = tensor && !constantOf(index_, var) ? assumedBytes(*tensor) : 0,
                           .orders = {modelOrder(rank)},
                           .sequences = {0},
                           .isProduct = isProduct(index_, var)});
    }
    return entry->second;
}

const OrderGraph::Reading* OrderGraph::find(Var var) const {
    const auto found = readings_.find(var.id);
    return found == readings_.end() ? nullptr : &found->second;
}

void OrderGraph::fix(Var var) {
    if (!var)
        return;
    const Reading& of = reading(var);
    Value& value = values_[static_cast<size_t>(of.value)];
    value.fixed.push_back(numberOf(value, {of.axes}));
}

void OrderGraph::addCall(const BindingPtr& binding, const OpCall& call) {
    const int number = static_cast<int>(calls_.size());
    Call made;
    made.binding = binding;
    made.now.call.attrs = call.attrs;
    for (size_t i = 0; i < call.args.size(); ++i) {
        made.args.push_back(call.args[i] ? typeOf(index_, call.args[i]) : nullptr);
        made.readings.push_back(call.args[i] ? reading(call.args[i]) : Reading{});
        const Reading& of = made.readings.back();
        made.now.call.operands.push_back({{identityAxes(of.axes.size())}});
        made.now.reads.push_back(0);
        if (of.value < 0)
            continue;
        Value& value = values_[static_cast<size_t>(of.value)];
        value.uses.emplace_back(number, static_cast<int>(i));
        made.now.reads.back() = numberOf(value, {of.axes});
    }
    made.result = reading(binding->var).value;
    made.now.call.result = values_[static_cast<size_t>(made.result)].orders[0];
    values_[static_cast<size_t>(made.result)].producer = number;
    calls_.push_back(std::move(made));
}

std::vector<Var> OrderGraph::usedWithin(const Binding& binding) {
    std::vector<Var> used;
    for (const BlockPtr& nested : blocksOf(binding.rhs))
        addUses(*nested, used);
    return used;
}

std::optional<AxisOrder> OrderGraph::ofOperand(const Reading& reading, const AxisOrder& order) {
    if (order.parts.empty())
        return AxisOrder{compose(inverse(reading.axes), order.axes)};
    return isIdentity(reading.axes) ? std::optional(order) : std::nullopt;
}

std::optional<AxisOrder> OrderGraph::ofValue(const Reading& reading, const AxisOrder& order) {
    if (order.parts.empty())
        return AxisOrder{compose(reading.axes, order.axes)};
    return isIdentity(reading.axes) ? std::optional(order) : std::nullopt;
}

int OrderGraph::numberOf(Value& value, const AxisOrder& order) {
    for (size_t i = 0; i < value.orders.size(); ++i)
        if (equalOrders(value.orders[i], order))
            return static_cast<int>(i);
    const auto number = static_cast<int>(value.orders.size());
    isSimple_ &= value.orders.size() < mostOrders;
    int sequence = number;
    if (const TensorType* tensor = asTensor(value.type))
        for (int other = number - 1; other >= 0; --other)
            if (sameSequence(value.orders[static_cast<size_t>(other)], order, tensor->shape))
                sequence = other;
    value.orders.push_back(order);
    value.sequences.push_back(sequence);
    return number;
}

/// Between an order of dims and one within dims there is no way but by the model's.
double OrderGraph::moves(const Value& value, int written, int read) {
    const auto from = static_cast<size_t>(written), to = static_cast<size_t>(read);
    if (value.sequences[from] == value.sequences[to])
        return 0;
    const bool direct = value.sequences[from] == 0 || value.sequences[to] == 0 ||
                        value.orders[from].parts.size() == value.orders[to].parts.size();
    return direct ? 1 : 2;
}

void OrderGraph::note(const Value& value, int order, std::vector<int>& orders) {
    const int sequence = value.sequences[static_cast<size_t>(order)];
    if (std::ranges::find(orders, sequence) == orders.end())
        orders.push_back(sequence);
}

std::optional<OrderGraph::Way> OrderGraph::way(int number, int at, const AxisOrder& order) {
    Call& call = calls_[static_cast<size_t>(number)];
    const OpCall& made = *call.binding->as<OpCall>();
    std::optional<OrderedCall> written = info(made.op).orders({made, call.args, call.binding->type}, at, order);
    if (!written || (exact_ && written->sumsOtherwise) || !isSimple_)
        return std::nullopt;
    Way way{std::move(*written), {}, 0};
    std::vector<Type> types;
    for (size_t i = 0; i < call.args.size(); ++i) {
        way.reads.push_back(0);
        types.push_back(call.args[i]);
        if (!call.args[i])
            continue;
        const OrderedOperand& operand = way.call.operands[i];
        const TensorType& type = *asTensor(call.args[i]);
        const std::optional<AxisOrder> stands = ofValue(call.readings[i], operand.order);
        if (!stands)
            return std::nullopt;
        way.reads.back() = numberOf(values_[static_cast<size_t>(call.readings[i].value)], *stands);
        types.back() = tensorType(type.dtype, operand.shape ? *operand.shape : shapeIn(operand.order, type.shape));
    }
    way.writes = numberOf(values_[static_cast<size_t>(call.result)], way.call.result);
    const TensorType& before = *asTensor(call.binding->type);
    const Type after = staticType(made.op, types, way.call.attrs);
    if (!after || !sameType(after, tensorType(before.dtype, shapeIn(way.call.result, before.shape))))
        return std::nullopt;
    return way;
}

} // namespace lathe::relay::transform
