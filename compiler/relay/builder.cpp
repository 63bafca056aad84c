// SPDX-License-Identifier: Apache-2.0
//
// Calls of operators and functions: type rule, requirements, value rule, Evaluator, binding.
#include "relay/builder.h"

#include "arith/analysis.h"
#include "base/limits.h"
#include "relay/builder_state.h"
#include "relay/element.h"
#include "relay/folding.h"
#include "relay/rules.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::relay {

// ---- state --------------------------------------------------------------------------------------------------------

VarInfo& Builder::State::at(Var var) {
    auto found = vars.find(var.id);
    LATHE_ASSERT(found != vars.end(), fmt::format("%{} is not visible here", var.id));
    return found->second;
}

Var Builder::State::declare(Type type, Frame& frame) {
    Var var{module.nextVar++};
    vars[var.id].type = std::move(type);
    frame.bound.push_back(var.id);
    return var;
}

Var Builder::State::declare(Type type) {
    return declare(std::move(type), frames.back());
}

Var Builder::State::bind(Rhs rhs, Type type) {
    LATHE_ASSERT(!span.empty(), "a binding needs a Span");
    Var var = declare(type);
    frames.back().bindings.push_back(
        std::make_shared<Binding>(Binding{var, std::move(rhs), std::move(type), span, {}}));
    return var;
}

Expr Builder::State::freshSymbol(const std::string& hint, int64_t lower, int64_t upper) {
    if (lower == upper)
        return Expr(lower);
    Expr symbol = arith::symbol(hint, lower, upper);
    frames.back().symbols.insert(symbol.get());
    return symbol;
}

void Builder::State::learn(Var var, std::shared_ptr<const KnownValue> known) {
    VarInfo& info = at(var);
    frames.back().learnt.emplace_back(var.id, info.known);
    info.known = std::move(known);
}

BlockPtr Builder::State::close(Var result, std::unordered_set<const arith::ExprNode*>& inner) {
    Frame frame = std::move(frames.back());
    frames.pop_back();
    for (auto it = frame.learnt.rbegin(); it != frame.learnt.rend(); ++it)
        if (auto found = vars.find(it->first); found != vars.end())
            found->second.known = it->second;
    for (uint32_t id : frame.bound)
        vars.erase(id);
    inner.insert(frame.symbols.begin(), frame.symbols.end());
    if (!frames.empty())
        frames.back().symbols.insert(frame.symbols.begin(), frame.symbols.end());
    auto block = std::make_shared<Block>();
    block->bindings = std::move(frame.bindings);
    block->result = result;
    return block;
}

// ---- plain accessors ----------------------------------------------------------------------------------------------

Builder::Builder(Module& module, Evaluator* evaluator, std::shared_ptr<Budget> budget)
    : state_(std::make_unique<State>(module, evaluator, std::move(budget))) {
    if (!module.spans)
        module.spans = std::make_shared<model::SpanTable>();
}

Builder::~Builder() = default;

void Builder::setSpan(Span span) {
    state_->span = span;
}
Span Builder::span() const {
    return state_->span;
}
void Builder::setContext(Diagnostic where) {
    state_->where = std::move(where);
}

void Builder::fail(std::string what, std::string hint, ErrorKind kind) {
    if (state_->error)
        return;
    Diagnostic error = state_->where;
    error.severity = Severity::Error;
    error.kind = kind;
    error.what = std::move(what);
    error.hint = std::move(hint);
    state_->error = std::move(error);
}

void Builder::disagree(std::string what, std::string hint) {
    if (failed())
        return;
    fail(std::move(what), std::move(hint), ErrorKind::Unsupported);
    state_->disagreed = true;
}

bool Builder::isVisible(Var var) const {
    return state_->vars.contains(var.id);
}

bool Builder::disagreed() const {
    return state_->disagreed;
}

void Builder::takeBack() {
    LATHE_ASSERT(state_->disagreed, "only a disagreement of branches can be taken back");
    state_->error.reset();
    state_->disagreed = false;
}

bool Builder::failed() const {
    return state_->error.has_value();
}

const Diagnostic& Builder::error() const {
    LATHE_ASSERT(state_->error, "there is no error");
    return *state_->error;
}

// ---- calls --------------------------------------------------------------------------------------------------------

namespace {

struct Requirement {
    Expr condition;
    std::string message;
};

/// What a type rule sees while the Builder makes a call.
class CallContext : public RuleContext {
public:
    using Fresh = std::function<Expr(const std::string&, int64_t, int64_t)>;
    CallContext(const Builder& builder, const std::vector<Var>& vars, AttrsPtr attrs, Fresh fresh)
        : builder_(builder), vars_(vars), attrs_(std::move(attrs)), fresh_(std::move(fresh)) {
        for (Var var : vars)
            args_.push_back(var ? builder.type(var) : nullptr);
    }
    const std::vector<Type>& args() const override { return args_; }
    const std::vector<Expr>* known(int arg) const override {
        Var var = vars_[static_cast<size_t>(arg)];
        return var ? builder_.known(var) : nullptr;
    }
    AttrsPtr attrs() const override { return attrs_; }
    Expr freshSymbol(const std::string& hint, int64_t lower, int64_t upper) override {
        return fresh_(hint, lower, upper);
    }
    void require(const Expr& condition, const std::string& message) override {
        requirements.push_back({condition, message});
    }
    std::vector<Requirement> requirements;

private:
    const Builder& builder_;
    const std::vector<Var>& vars_;
    AttrsPtr attrs_;
    Fresh fresh_;
    std::vector<Type> args_;
};

void normalise(int64_t& axis, int64_t rank) {
    if (axis < 0)
        axis += rank;
}

template <class A>
AttrsPtr withAxis(const AttrsPtr& pointer, int64_t rank) {
    if (attrs<A>(pointer).axis >= 0)
        return pointer;
    auto copy = std::make_shared<A>(attrs<A>(pointer));
    normalise(copy->axis, rank);
    return copy;
}

template <class A>
AttrsPtr withAxes(const AttrsPtr& pointer, int64_t rank) {
    auto copy = std::make_shared<A>(attrs<A>(pointer));
    for (int64_t& axis : copy->axes)
        normalise(axis, rank);
    return copy;
}

} // namespace

AttrsPtr withPositiveAxes(Op op, const AttrsPtr& attrs, int64_t rank) {
    if (!attrs)
        return attrs;
    switch (op) {
    case Op::Concat:
    case Op::Gather:
    case Op::GatherElements:
    case Op::Softmax:
    case Op::LogSoftmax:
        return withAxis<AxisAttrs>(attrs, rank);
    case Op::ScatterElements:
        return withAxis<ScatterAttrs>(attrs, rank);
    case Op::ArgReduce:
        return withAxis<ArgReduceAttrs>(attrs, rank);
    case Op::CumSum:
        return withAxis<CumAttrs>(attrs, rank);
    case Op::LayerNorm:
    case Op::BatchNorm:
        return withAxis<NormAttrs>(attrs, rank);
    case Op::TopK:
        return withAxis<TopKAttrs>(attrs, rank);
    case Op::OneHot:
        return withAxis<OneHotAttrs>(attrs, rank + 1);
    case Op::Dft:
        return withAxis<DftAttrs>(attrs, rank);
    case Op::Reduce:
        return withAxes<ReduceAttrs>(attrs, rank);
    case Op::Reverse:
    case Op::DynamicSlice:
        return withAxes<AxesAttrs>(attrs, rank);
    default:
        return attrs;
    }
}

bool isKnowable(const ConstantPtr& constant) {
    return constant && !constant->recipe && asTensor(constant->type)->dtype != types::String &&
           constant->elements() <= limits::knownValueElements;
}

namespace {

/// Memory that a known element takes, about: an Expr and its node.
constexpr size_t elementBytes = sizeof(Expr) + sizeof(arith::ExprNode);

/// Whether a call's results are numbers and few enough to be computed here. Sizes that only the computation will tell are bounded by
/// its operands.
bool isSmall(const Type& type) {
    return std::ranges::all_of(fieldTypes(type), [](const Type& field) {
        const TensorType* tensor = asTensor(field);
        return tensor && tensor->dtype != types::String && (paysAsConstant(field, {}) || !constantShape(tensor->shape));
    });
}

} // namespace

/// A call whose type is inferred, before it is bound.
struct Builder::Called {
    Op op;
    const std::vector<Var>& args;
    const AttrsPtr& attrs;
    const std::vector<Type>& types; // of args
    const Type& type;
};

void Builder::require(const Expr& condition, const std::string& message, std::vector<Var>& args) {
    if (arith::provablyTrue(condition))
        return;
    if (arith::provablyFalse(condition)) {
        fail(fmt::format("it does not hold that {}", message));
        return;
    }
    auto checked = std::ranges::find_if(args, [&](Var arg) { return arg && !state_->at(arg).constant; });
    if (checked == args.end())
        checked = std::ranges::find_if(args, [](Var arg) { return static_cast<bool>(arg); });
    LATHE_ASSERT(checked != args.end(), "an operator with a requirement has an operand");
    *checked = call(Op::Assume, {*checked}, attrsWith<AssumeAttrs>([&](AssumeAttrs& a) {
                        a.condition = condition;
                        a.message = message;
                    }));
}

std::optional<std::vector<Expr>> Builder::valueOf(const Called& called) {
    const bool passes = called.op == Op::BindSymbols || called.op == Op::Assume; // the value of their operand
    const bool isKnown = (info(called.op).pure || passes) && std::ranges::all_of(called.args, [&](Var arg) {
                             return !arg || state_->at(arg).known || isKnowable(state_->at(arg).constant);
                         });
    if (!isKnown && called.op != Op::ShapeOf && called.op != Op::BindSymbols)
        return std::nullopt;
    std::vector<const KnownValue*> elements;
    for (Var arg : called.args)
        elements.push_back(arg ? known(arg) : nullptr);
    auto value = inferValue(called.op, called.type, called.types, elements, called.attrs);
    if (value && !state_->budget->takeBytes(static_cast<int64_t>(value->size() * elementBytes)))
        value.reset();
    return value;
}

std::optional<Var> Builder::evaluate(const Called& called) {
    State& s = *state_;
    const OpInfo& row = info(called.op);
    const bool allConstant =
        std::ranges::all_of(called.args, [&](Var arg) { return !arg || isKnowable(s.at(arg).constant); });
    if (!row.pure || !allConstant || !s.evaluator || row.numerics == Numerics::Random || row.layouts.converts ||
        !isSmall(called.type))
        return std::nullopt;
    const int64_t steps = stepsOf({called.op, {}, called.attrs}, called.types, called.type);
    if (steps > callSteps || !s.budget->takeSteps(evaluationSteps(steps)))
        return std::nullopt;
    auto function = std::make_shared<Function>();
    std::vector<Var> inner;
    std::vector<ConstantPtr> constants;
    for (Var arg : called.args) {
        if (!arg) {
            inner.emplace_back();
            continue;
        }
        function->params.push_back({Var{s.module.nextVar++}, s.at(arg).type, {}});
        inner.push_back(function->params.back().var);
        constants.push_back(s.at(arg).constant);
    }
    auto body = std::make_shared<Block>();
    body->result = Var{s.module.nextVar++};
    body->bindings.push_back(std::make_shared<Binding>(
        Binding{body->result, OpCall{called.op, inner, called.attrs}, called.type, s.span, {}}));
    function->body = std::move(body);
    function->resultType = called.type;
    const Result<std::vector<ConstantPtr>> results = s.evaluator->evaluate(s.module, *function, constants);
    if (!results)
        return std::nullopt;
    if (!asTuple(called.type))
        return constant(results->at(0));
    std::vector<Var> fields;
    for (const ConstantPtr& result : *results)
        fields.push_back(constant(result));
    return tuple(std::move(fields));
}

Var Builder::call(Op op, std::vector<Var> args, AttrsPtr attributes) {
    if (failed())
        return {};
    State& s = *state_;
    s.budget->checkpoint();
    if (!args.empty() && args[0] && isTensor(args[0]))
        attributes = withPositiveAxes(op, attributes, rank(args[0]));
    CallContext context(*this, args, attributes, [&](const std::string& hint, int64_t lower, int64_t upper) {
        return s.freshSymbol(hint, lower, upper);
    });
    Result<Type> type = inferType(op, context);
    if (!type) {
        fail(type.error().what, type.error().hint, type.error().kind);
        return {};
    }
    for (const Requirement& requirement : context.requirements) {
        require(arith::simplify(requirement.condition), requirement.message, args);
        if (failed())
            return {};
    }
    const Called called{op, args, attributes, context.args(), *type};
    std::optional<std::vector<Expr>> value = valueOf(called);
    if (value && info(op).pure && std::ranges::all_of(*value, [](const Expr& e) { return arith::isConst(e); })) {
        const TensorType& tensor = *asTensor(*type);
        if (ConstantPtr folded = constantFrom(tensor.dtype, tensor.shape, *value))
            return constant(folded);
    }
    if (!value)
        if (const std::optional<Var> result = evaluate(called))
            return *result;
    Var result = s.bind(OpCall{op, std::move(args), std::move(attributes)}, *type);
    if (value)
        s.at(result).known = std::make_shared<KnownValue>(std::move(*value));
    return result;
}

Var Builder::tuple(std::vector<Var> fields) {
    if (failed())
        return {};
    std::vector<Type> types;
    for (Var field : fields) {
        if (!field) {
            fail("a field of a tuple is missing");
            return {};
        }
        types.push_back(type(field));
    }
    Var result = state_->bind(MakeTuple{fields}, tupleType(std::move(types)));
    state_->at(result).fields = std::move(fields);
    return result;
}

Var Builder::project(Var tuple, int index) {
    if (failed())
        return {};
    const VarInfo& info = state_->at(tuple);
    if (!info.fields.empty()) {
        LATHE_ASSERT(index >= 0 && static_cast<size_t>(index) < info.fields.size(), "a field of the tuple");
        return info.fields[static_cast<size_t>(index)];
    }
    const TupleType* type = asTuple(info.type);
    LATHE_ASSERT(type && index >= 0 && static_cast<size_t>(index) < type->fields.size(), "a field of a tuple");
    return state_->bind(Projection{tuple, index}, type->fields[static_cast<size_t>(index)]);
}

Var Builder::closure(FunctionPtr function, std::vector<Var> captures) {
    if (failed())
        return {};
    std::vector<Type> params;
    for (const Param& param : function->params)
        params.push_back(param.type);
    Type type = std::make_shared<TypeNode>(TypeNode{FunctionType{std::move(params), function->resultType}});
    return state_->bind(FunctionLiteral{std::move(function), std::move(captures)}, std::move(type));
}

// ---- functions ----------------------------------------------------------------------------------------------------

Var Builder::param(const std::string& name, Type type) {
    Var var = state_->declare(type, state_->frames.front());
    state_->params.push_back({var, std::move(type), name});
    return var;
}

bool Builder::isOutermost() const {
    return state_->frames.size() == 1;
}

void Builder::nameValue(Var var, const std::string& modelValue) {
    if (failed() || !var)
        return;
    // Nearly always one of the last bindings of the innermost frame.
    for (auto frame = state_->frames.rbegin(); frame != state_->frames.rend(); ++frame)
        for (auto binding = frame->bindings.rbegin(); binding != frame->bindings.rend(); ++binding)
            if ((*binding)->var == var) {
                if (!(*binding)->modelValue.empty())
                    return;
                auto named = std::make_shared<Binding>(**binding);
                named->modelValue = modelValue;
                *binding = std::move(named);
                return;
            } else if ((*binding)->var < var) {
                break;
            }
}

FunctionPtr Builder::finish(Var result, std::vector<std::string> outputNames, std::vector<StateValue> states) {
    if (failed())
        return nullptr;
    LATHE_ASSERT(state_->frames.size() == 1, "all nested Blocks are closed");
    auto function = std::make_shared<Function>();
    function->params = std::move(state_->params);
    function->resultType = type(result);
    function->outputNames = std::move(outputNames);
    function->states = std::move(states);
    std::unordered_set<const arith::ExprNode*> inner;
    function->body = state_->close(result, inner);
    state_->params.clear();
    state_->vars.clear();
    state_->open();
    return function;
}

} // namespace lathe::relay
