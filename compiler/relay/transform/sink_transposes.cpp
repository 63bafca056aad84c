// SPDX-License-Identifier: Apache-2.0
//
// Writes Blocks anew, as it was chosen: values once as they are written, and in each other order where one first
// reads them so.
#include "relay/transform/sink_transposes.h"

#include "relay/transform/choose_orders.h"
#include "relay/transform/dead_code.h"

#include <algorithm>
#include <map>

namespace lathe::relay::transform {
namespace {

ReshapeAttrs toShape(std::vector<Expr> shape) {
    return attrsWith<ReshapeAttrs>([&](ReshapeAttrs& a) { a.shape = std::move(shape); });
}

TransposeAttrs byAxes(Axes axes) {
    return attrsWith<TransposeAttrs>([&](TransposeAttrs& a) { a.axes = std::move(axes); });
}

/// Calls at one place, or constants where it is a constant that they are made of.
class Steps {
public:
    Maker make;

    Steps(Module& module, Span span, Maker::Value value, ConstantPtr constant)
        : make(module, span), module_(module), span_(span), value_(std::move(value)), constant_(std::move(constant)) {}

    template <class A>
    void apply(Op op, const A& attrs) {
        if (constant_)
            if (ConstantPtr computed = computeConstant(module_, span_, op, {constant_}, attrs)) {
                constant_ = std::move(computed);
                value_ = {};
                return;
            }
        value_ = make.call(op, {current()}, attrs);
        constant_ = nullptr;
    }
    void reshape(std::vector<Expr> shape) { apply(Op::Reshape, toShape(std::move(shape))); }
    void transpose(const Axes& axes) {
        if (!isIdentity(axes))
            apply(Op::Transpose, byAxes(axes));
    }
    Maker::Value current() {
        if (!value_.var)
            value_ = make.constant(constant_);
        return value_;
    }

private:
    Module& module_;
    Span span_;
    Maker::Value value_;
    ConstantPtr constant_;
};

class Writer {
public:
    Writer(Module& module, const Index& index, bool exact, Rewriter& outside, int64_t& steps)
        : module_(module), index_(index), exact_(exact), outside_(outside), steps_(steps) {}

    BlockPtr write(const BlockPtr& before) {
        OrderGraph graph(*before, index_, exact_);
        const bool changes = graph.isSimple() && (chooseOrders(graph, steps_) || graph.hasNeedless());
        if (!changes)
            return rewriteNested(before);
        graph_ = &graph;
        forms_.resize(graph.values().size());
        markNeeded();
        auto after = std::make_shared<Block>();
        out_ = &after->bindings;
        size_t call = 0;
        for (const BindingPtr& binding : before->bindings) {
            const OrderGraph::Reading* reading = graph.find(binding->var);
            if (call < graph.calls().size() && graph.calls()[call].binding == binding)
                writeCall(graph.calls()[call++]);
            else if (reading && valueOf(reading->value).var != binding->var)
                writeTransposed(binding, *reading);
            else
                writeFixed(binding);
        }
        after->result = readInModelOrder(before->result, before->bindings.back()->span);
        return after;
    }

private:
    struct Form {
        AxisOrder order;
        Maker::Value value;
    };
    Module& module_;
    const Index& index_;
    bool exact_;
    Rewriter& outside_; // Vars that another stands for, those of Blocks around as well
    int64_t& steps_;
    OrderGraph* graph_ = nullptr;
    std::vector<std::vector<Form>> forms_;      // of each value, that are there
    std::vector<std::vector<int>> needed_;      // of each value: orders in which it is read
    std::vector<BindingPtr>* out_ = nullptr;    // the Block as far as it is written
    std::map<uint32_t, ConstantPtr> constants_; // that were made

    OrderGraph::Value& valueOf(int number) { return graph_->values()[static_cast<size_t>(number)]; }

    BlockPtr nested(const BlockPtr& block) { return Writer(module_, index_, exact_, outside_, steps_).write(block); }

    /// A Block of which only those within it change.
    BlockPtr rewriteNested(const BlockPtr& before) {
        auto after = std::make_shared<Block>();
        after->bindings.reserve(before->bindings.size());
        for (const BindingPtr& binding : before->bindings)
            after->bindings.push_back(withOperands(
                binding, [&](Var var) { return outside_.replaced(var); },
                [&](const BlockPtr& block) { return nested(block); }));
        after->result = outside_.replaced(before->result);
        return after->bindings == before->bindings && after->result == before->result ? before : after;
    }

    void markNeeded() {
        needed_.resize(graph_->values().size());
        for (size_t i = 0; i < needed_.size(); ++i) {
            needed_[i] = graph_->values()[i].fixed;
            for (auto [call, operand] : graph_->values()[i].uses)
                needed_[i].push_back(
                    graph_->calls()[static_cast<size_t>(call)].now.reads[static_cast<size_t>(operand)]);
        }
    }

    void append(std::vector<BindingPtr> bindings) {
        for (const BindingPtr& binding : bindings)
            if (const ConstantRef* made = binding->as<ConstantRef>())
                constants_[binding->var.id] = made->constant;
        std::ranges::move(bindings, std::back_inserter(*out_));
    }
    ConstantPtr constantBehind(Var var) {
        const auto made = constants_.find(var.id);
        return made == constants_.end() ? constantOf(index_, var) : made->second;
    }

    /// The forms of a value; the one in which it was written is the first.
    std::vector<Form>& formsOf(int number) {
        std::vector<Form>& forms = forms_[static_cast<size_t>(number)];
        const OrderGraph::Value& value = valueOf(number);
        if (forms.empty()) {
            LATHE_ASSERT(value.producer < 0, "a call was written before what reads it");
            forms.push_back({value.orders[0], {outside_.replaced(value.var), value.type}});
        }
        return forms;
    }
    const Form* findForm(int number, const AxisOrder& order) {
        for (const Form& form : formsOf(number))
            if (equalOrders(form.order, order))
                return &form;
        return nullptr;
    }

    /// From a form of the value to another.
    void convert(Steps& steps, const Form& from, const AxisOrder& to, const std::vector<Expr>& shape) {
        if (sameSequence(from.order, to, shape))
            return steps.reshape(shapeIn(to, shape));
        if (from.order.parts.empty() && to.parts.empty())
            return steps.transpose(compose(inverse(from.order.axes), to.axes));
        toModelOrder(steps, from.order, shape);
        if (to.parts.empty())
            return steps.transpose(to.axes);
        steps.reshape(to.parts);
        steps.transpose(to.axes);
        steps.reshape(shape);
    }
    void toModelOrder(Steps& steps, const AxisOrder& order, const std::vector<Expr>& shape) {
        if (isModelOrder(order))
            return;
        if (order.parts.empty())
            return steps.transpose(inverse(order.axes));
        steps.reshape(permuted(order.parts, order.axes));
        steps.transpose(inverse(order.axes));
        steps.reshape(shape);
    }

    /// The value in that order; made here if it was not there yet, as `var` where one is to be it.
    Maker::Value read(int number, const AxisOrder& order, Span span, Var var = {}, const std::string& modelValue = {}) {
        if (const Form* form = findForm(number, order))
            return form->value;
        const OrderGraph::Value& value = valueOf(number);
        const std::vector<Expr>& shape = asTensor(value.type)->shape;
        const std::vector<Form>& forms = formsOf(number);
        const auto alike =
            std::ranges::find_if(forms, [&](const Form& form) { return sameSequence(form.order, order, shape); });
        const Form from = alike == forms.end() ? forms.front() : *alike;
        if (constantOf(index_, value.var))
            span = index_.find(value.var)->binding->span;
        Steps steps(module_, span, from.value, constantBehind(from.value.var));
        convert(steps, from, order, shape);
        Maker::Value made = steps.current();
        if (isModelOrder(order) && value.producer >= 0) {
            const Binding& binding = *graph_->calls()[static_cast<size_t>(value.producer)].binding;
            made.var = binding.var;
            append(steps.make.take(binding.var, binding.modelValue));
        } else {
            made.var = var ? var : made.var;
            append(steps.make.take(made.var, modelValue));
        }
        forms_[static_cast<size_t>(number)].push_back({order, made});
        return made;
    }

    /// The Var as the model has it, for who knows no other order.
    Var readInModelOrder(Var var, Span span) {
        const OrderGraph::Reading* reading = var ? graph_->find(var) : nullptr;
        if (!reading)
            return outside_.replaced(var);
        const Var now = read(reading->value, {reading->axes}, span).var;
        if (now != var)
            outside_.map[var.id] = now;
        return now;
    }

    void writeFixed(const BindingPtr& binding) {
        for (Var var : OrderGraph::usedWithin(*binding))
            if (graph_->find(var))
                readInModelOrder(var, binding->span);
        out_->push_back(withOperands(
            binding, [&](Var var) { return readInModelOrder(var, binding->span); },
            [&](const BlockPtr& block) { return nested(block); }));
    }

    /// A Transpose, where one still reads that; as it was, where it reads what it read.
    void writeTransposed(const BindingPtr& binding, const OrderGraph::Reading& reading) {
        const AxisOrder order{reading.axes};
        const OrderGraph::Value& value = valueOf(reading.value);
        const bool isNeeded = std::ranges::any_of(needed_[static_cast<size_t>(reading.value)], [&](int number) {
            return equalOrders(value.orders[static_cast<size_t>(number)], order);
        });
        if (!isNeeded)
            return;
        const Form& stored = formsOf(reading.value).front();
        const Var operand = binding->as<OpCall>()->args[0];
        const bool isStored = stored.value.var == operand && isModelOrder(stored.order);
        const bool moves = !sameSequence(stored.order, order, asTensor(value.type)->shape);
        if (!findForm(reading.value, order) && isStored && moves) {
            out_->push_back(binding);
            forms_[static_cast<size_t>(reading.value)].push_back({order, {binding->var, binding->type}});
            return;
        }
        const Var now = read(reading.value, order, binding->span, binding->var, binding->modelValue).var;
        if (now != binding->var)
            outside_.map[binding->var.id] = now;
    }

    void writeCall(const OrderGraph::Call& call) {
        const OpCall& before = *call.binding->as<OpCall>();
        std::vector<Maker::Value> args;
        for (size_t i = 0; i < before.args.size(); ++i) {
            args.emplace_back();
            if (!before.args[i])
                continue;
            const auto number = static_cast<size_t>(call.now.reads[i]);
            const int value = call.readings[i].value;
            args.back() = read(value, AxisOrder(valueOf(value).orders[number]), call.binding->span);
        }
        std::vector<Form>& forms = forms_[static_cast<size_t>(call.result)];
        const AxisOrder& order = call.now.call.result;
        if (!call.changed) {
            out_->push_back(readingThese(call.binding, args));
            forms.push_back({order, {call.binding->var, call.binding->type}});
            return;
        }
        for (size_t i = 0; i < args.size(); ++i)
            if (call.now.call.operands[i].shape && before.args[i])
                args[i] = reshaped(args[i], *call.now.call.operands[i].shape, call.binding->span);
        Maker make(module_, call.binding->span);
        Maker::Value made = make.call(before.op, args, call.now.call.attrs);
        const bool isModels = isModelOrder(order);
        made.var = isModels ? call.binding->var : made.var;
        append(make.take(made.var, isModels ? call.binding->modelValue : ""));
        forms.push_back({order, made});
    }

    static BindingPtr readingThese(const BindingPtr& binding, const std::vector<Maker::Value>& args) {
        OpCall call = *binding->as<OpCall>();
        const std::vector<Var> before = call.args;
        for (size_t i = 0; i < args.size(); ++i)
            call.args[i] = args[i].var;
        if (call.args == before)
            return binding;
        auto copy = std::make_shared<Binding>(*binding);
        copy->rhs = std::move(call);
        return copy;
    }

    Maker::Value reshaped(const Maker::Value& value, const std::vector<Expr>& shape, Span span) {
        Steps steps(module_, span, value, constantBehind(value.var));
        steps.reshape(shape);
        const Maker::Value made = steps.current();
        append(steps.make.take(made.var));
        return made;
    }
};

} // namespace

Module sinkTransposes(const Module& module, bool exact) {
    Module result = module;
    int64_t steps = orderSteps;
    for (auto& [name, function] : result.functions) {
        if (function->primitive)
            continue;
        const Index index(*function);
        Rewriter outside;
        BlockPtr body = Writer(result, index, exact, outside, steps).write(function->body);
        if (body == function->body)
            continue;
        auto after = std::make_shared<Function>(*function);
        after->body = std::move(body);
        function = std::move(after);
    }
    return sweep(module, result);
}

} // namespace lathe::relay::transform
