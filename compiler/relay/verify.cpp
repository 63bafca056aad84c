// SPDX-License-Identifier: Apache-2.0
//
// The rules of the graph IR, executed. Each binding's type is inferred again and compared with what is stated; a symbol
// that the rule makes anew stands for whatever is stated.
#include "relay/verify.h"

#include "arith/analysis.h"
#include "base/limits.h"
#include "relay/attr_fields.h"
#include "relay/data_types.h"
#include "relay/element.h"
#include "relay/rules.h"
#include "relay/type_map.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace lathe::relay {
namespace {

using Symbols = std::unordered_set<const arith::ExprNode*>;

class VerifyContext : public RuleContext {
public:
    VerifyContext(std::vector<Type> args, AttrsPtr attrs) : args_(std::move(args)), attrs_(std::move(attrs)) {}
    const std::vector<Type>& args() const override { return args_; }
    const std::vector<Expr>* known(int) const override { return nullptr; }
    AttrsPtr attrs() const override { return attrs_; }
    Expr freshSymbol(const std::string& hint, int64_t lower, int64_t upper) override {
        Expr symbol = arith::symbol(hint, lower, std::max(lower, upper));
        fresh.insert(symbol.get());
        kept_.push_back(symbol);
        return symbol;
    }
    void require(const Expr&, const std::string&) override {}
    Symbols fresh;

private:
    std::vector<Type> args_;
    AttrsPtr attrs_;
    std::vector<Expr> kept_;
};

class Verifier {
public:
    Verifier(const Module& module, const VarLines* lines) : module_(module), lines_(lines) {}

    Result<void> run() {
        for (const auto& [name, function] : module_.functions) {
            types_.clear();
            symbols_.clear();
            checkSymbols_ = !function->primitive;
            if (Result<void> good = this->function(*function, name == "main"); !good) {
                Diagnostic error = good.error();
                error.what = fmt::format("function '{}': {}", name, error.what);
                return std::unexpected(std::move(error));
            }
        }
        return {};
    }

private:
    const Module& module_;
    const VarLines* lines_;
    std::unordered_map<uint32_t, Type> types_;
    std::unordered_set<uint32_t> bound_; // in the whole module
    Symbols symbols_;
    bool checkSymbols_ = true;
    int nesting_ = 0;

    Failure fail(Var at, std::string what) const {
        Diagnostic error = lathe::error(fmt::format("%{}: {}", at.id, what));
        if (lines_)
            if (auto line = lines_->find(at.id); line != lines_->end())
                error.line = line->second;
        return Failure(std::move(error));
    }

    void define(const Expr& expr) {
        if (expr && !arith::isConst(expr))
            for (const arith::Var& symbol : arith::freeVars(expr))
                symbols_.insert(symbol.get());
    }
    void define(const Type& type) {
        visitDims(type, [this](const Expr& dim) { define(dim); });
    }
    Result<void> defined(Var at, const Expr& expr) const {
        if (!checkSymbols_ || arith::isConst(expr))
            return {};
        for (const arith::Var& symbol : arith::freeVars(expr))
            if (!symbols_.contains(symbol.get()))
                return fail(at, fmt::format("symbol {} is not defined here", symbol->name));
        return {};
    }
    Result<void> defined(Var at, const Type& type) const {
        Result<void> result;
        visitDims(type, [&](const Expr& dim) {
            if (result)
                result = defined(at, dim);
        });
        return result;
    }

    Result<void> bind(Var var, const Type& type, std::vector<uint32_t>& scope) {
        if (!var || var.id >= module_.nextVar)
            return fail(var, fmt::format("the number is not below the module's next, %{}", module_.nextVar));
        if (!type)
            return fail(var, "has no type");
        if (!bound_.insert(var.id).second)
            return fail(var, "is bound twice");
        for (const Type& field : fieldTypes(type))
            if (const TensorType* tensor = asTensor(field); tensor && tensor->layout)
                if (Result<void> good = checkLayout(*tensor->layout, tensor->shape.size()); !good)
                    return fail(var, good.error().what);
        types_[var.id] = type;
        scope.push_back(var.id);
        return {};
    }
    Result<void> params(const std::vector<Param>& params, std::vector<uint32_t>& scope) {
        for (const Param& param : params) {
            LATHE_CHECKED(bind(param.var, param.type, scope));
            define(param.type);
        }
        return {};
    }

    Result<void> function(const Function& function, bool isMain) {
        std::vector<uint32_t> scope;
        LATHE_CHECKED(params(function.params, scope));
        if (!function.states.empty() && !isMain)
            return failure("only main has states");
        LATHE_CHECKED(states(function));
        LATHE_TRY(Type type, block(function.body, scope));
        if (!fits(type, function.resultType, [](const Expr&) { return false; }, true))
            return fail(function.body->result, fmt::format("the result is {}, the function says {}", toString(type),
                                                           toString(function.resultType)));
        return {};
    }

    Result<void> states(const Function& function) const {
        const std::vector<Type> results = fieldTypes(function.resultType);
        const size_t count = function.states.size();
        if (count > function.params.size() || count > results.size())
            return failure(fmt::format("{} states of {} parameters and {} results", count, function.params.size(),
                                       results.size()));
        std::unordered_set<std::string_view> names;
        for (size_t i = 0; i < count; ++i) {
            const auto& [name, initial] = function.states[i];
            const TensorType* type = initial ? asTensor(initial->type) : nullptr;
            if (!type || type->dtype == types::String || type->layout || !constantShape(type->shape))
                return failure(fmt::format("state '{}' is no tensor of numbers of known size", name));
            if (name.empty() || !names.insert(name).second)
                return failure(fmt::format("state {} has no name of its own", i + 1));
            const Param& param = function.params[function.params.size() - count + i];
            if (!sameType(param.type, initial->type))
                return fail(param.var, fmt::format("is {}, state '{}' is {}", toString(param.type), name,
                                                   toString(initial->type)));
            if (const Type& last = results[results.size() - count + i]; !sameType(last, initial->type))
                return fail(function.body->result, fmt::format("state '{}' is {}, and would become {}", name,
                                                               toString(initial->type), toString(last)));
        }
        return {};
    }

    /// The type of the Block's result. What is bound in the Block and its `scope` is forgotten afterwards.
    Result<Type> block(const BlockPtr& block, std::vector<uint32_t>& scope) {
        if (!block)
            return failure("a Block is missing");
        if (++nesting_ > limits::blockNesting)
            return failure(fmt::format("blocks are nested over {} deep", limits::blockNesting));
        for (const BindingPtr& entry : block->bindings) {
            LATHE_CHECKED(binding(*entry));
            LATHE_CHECKED(bind(entry->var, entry->type, scope));
        }
        auto found = types_.find(block->result.id);
        if (found == types_.end())
            return fail(block->result, "is a Block's result but not visible there");
        Type type = found->second;
        for (uint32_t id : scope)
            types_.erase(id);
        --nesting_;
        return type;
    }
    Result<Type> nested(const BlockPtr& block, const std::vector<Param>& params) {
        Symbols outer = symbols_;
        std::vector<uint32_t> scope;
        LATHE_CHECKED(this->params(params, scope));
        LATHE_TRY(Type type, this->block(block, scope));
        symbols_ = std::move(outer);
        return type;
    }

    Result<void> binding(const Binding& binding) {
        Var at = binding.var;
        if (binding.span.empty())
            return fail(at, "has an empty Span");
        for (Var operand : operands(binding.rhs))
            if (!types_.contains(operand.id))
                return fail(at, fmt::format("uses %{}, which is not visible here", operand.id));
        if (!binding.type)
            return fail(at, "has no type");
        LATHE_CHECKED(std::visit([&](const auto& rhs) { return check(binding, rhs); }, binding.rhs));
        return defined(at, binding.type);
    }

    std::vector<Type> typesOf(const std::vector<Var>& vars) const {
        std::vector<Type> list;
        for (Var var : vars)
            list.push_back(var ? types_.at(var.id) : nullptr);
        return list;
    }
    Result<void> stated(const Binding& binding, const Type& inferred, bool widens = false) const {
        if (!fits(inferred, binding.type, [](const Expr&) { return false; }, widens))
            return fail(binding.var, fmt::format("is {}, stated as {}", toString(inferred), toString(binding.type)));
        return {};
    }
    Result<void> present(const Binding& binding, const std::vector<Var>& vars) const {
        if (std::ranges::find(vars, Var{}) != vars.end())
            return fail(binding.var, "an operand is missing");
        return {};
    }

    /// Operators are defined on logical dims: how a result is stored is the graph's choice, but for those that convert
    /// layouts, whose result is stored as they say.
    Result<void> statedByOperator(const Binding& binding, const OpCall& call, const Type& inferred,
                                  const Symbols& fresh) const {
        auto free = [&](const Expr& expr) { return fresh.contains(expr.get()); };
        const bool converts = info(call.op).layouts.converts;
        if (!fits(converts ? inferred : withoutLayout(inferred), converts ? binding.type : withoutLayout(binding.type),
                  free, false))
            return fail(binding.var, fmt::format("is {}, stated as {}", toString(inferred), toString(binding.type)));
        return {};
    }

    Result<void> check(const Binding& binding, const OpCall& call) {
        if (!call.attrs != !info(call.op).makeAttrs)
            return fail(binding.var, "attributes do not belong to the operator");
        VerifyContext context(typesOf(call.args), call.attrs);
        Result<Type> inferred = inferType(call.op, context);
        if (!inferred)
            return fail(binding.var, fmt::format("{}: {}", info(call.op).name, inferred.error().what));
        LATHE_CHECKED(statedByOperator(binding, call, *inferred, context.fresh));
        if (!context.fresh.empty())
            define(binding.type);
        if (call.op == Op::BindSymbols) {
            for (const Expr& symbol : attrs<BindSymbolsAttrs>(call.attrs).symbols)
                define(symbol);
            return {};
        }
        Result<void> result;
        visitExprs(call.attrs, [&](const Expr& expr) {
            if (result)
                result = defined(binding.var, expr);
        });
        return result;
    }
    Result<void> check(const Binding& binding, const FunctionCall& call) {
        LATHE_CHECKED(present(binding, call.args));
        auto found = module_.functions.find(call.callee);
        if (found == module_.functions.end())
            return fail(binding.var, fmt::format("there is no function '{}'", call.callee));
        std::vector<Type> params;
        for (const Param& param : found->second->params)
            params.push_back(param.type);
        return checkCall(binding, params, found->second->resultType, call.args);
    }
    Result<void> check(const Binding& binding, const ClosureCall& call) {
        LATHE_CHECKED(present(binding, call.args));
        const auto* signature = call.callee ? std::get_if<FunctionType>(&types_.at(call.callee.id)->value) : nullptr;
        if (!signature)
            return fail(binding.var, "calls what is no function");
        return checkCall(binding, signature->params, signature->result, call.args);
    }
    Result<void> checkCall(const Binding& binding, const std::vector<Type>& params, const Type& result,
                           const std::vector<Var>& args) {
        Result<Type> inferred = resultOfCall(params, result, typesOf(args));
        if (!inferred)
            return fail(binding.var, inferred.error().what);
        // Symbols that the callee defines have another name at each call.
        auto free = [this](const Expr& expr) {
            return expr.kind() == arith::ExprKind::Var && !symbols_.contains(expr.get());
        };
        if (!fits(*inferred, binding.type, free, true))
            return fail(binding.var, fmt::format("is {}, stated as {}", toString(*inferred), toString(binding.type)));
        define(binding.type);
        return {};
    }
    Result<void> check(const Binding& binding, const MakeTuple& tuple) {
        LATHE_CHECKED(present(binding, tuple.fields));
        return stated(binding, tupleType(typesOf(tuple.fields)));
    }
    Result<void> check(const Binding& binding, const Projection& projection) {
        const TupleType* tuple = projection.tuple ? asTuple(types_.at(projection.tuple.id)) : nullptr;
        if (!tuple || projection.index < 0 || static_cast<size_t>(projection.index) >= tuple->fields.size())
            return fail(binding.var, fmt::format("there is no field {}", projection.index));
        return stated(binding, tuple->fields[static_cast<size_t>(projection.index)]);
    }
    Result<void> check(const Binding& binding, const ConstantRef& reference) {
        if (!reference.constant)
            return fail(binding.var, "the constant is missing");
        return stated(binding, reference.constant->type);
    }
    Result<void> check(const Binding& binding, const Construct& value) {
        LATHE_CHECKED(present(binding, value.args));
        Result<Type> inferred =
            constructedType(module_, value.dataType, value.constructor, typesOf(value.args), binding.type);
        if (!inferred)
            return fail(binding.var, inferred.error().what);
        const auto* reference = std::get_if<DataTypeRef>(&(*inferred)->value);
        const DataTypeDef& definition = *findDataType(module_, reference->name);
        auto constructor = std::ranges::find(definition.constructors, value.constructor, &Constructor::name);
        std::vector<Type> fields = fieldTypes(definition, *constructor, *reference);
        std::vector<Type> given = typesOf(value.args);
        define(binding.type);
        for (size_t i = 0; i < fields.size(); ++i)
            if (!fits(given[i], fields[i], [](const Expr&) { return false; }, true))
                return fail(binding.var,
                            fmt::format("field {} is {}, not {}", i + 1, toString(given[i]), toString(fields[i])));
        return stated(binding, *inferred);
    }
    static bool isCondition(const Type& type) {
        const TensorType* tensor = asTensor(type);
        return tensor && tensor->dtype.isBool() && tensor->shape.empty();
    }
    Result<void> check(const Binding& binding, const If& branch) {
        if (!branch.condition || !isCondition(types_.at(branch.condition.id)))
            return fail(binding.var, "the condition is not bool[]");
        for (const BlockPtr& block : {branch.thenBlock, branch.elseBlock}) {
            LATHE_TRY(Type type, nested(block, {}));
            LATHE_CHECKED(stated(binding, type, true));
        }
        define(binding.type);
        return {};
    }
    Result<void> check(const Binding& binding, const Match& match) {
        const auto* reference = match.value ? std::get_if<DataTypeRef>(&types_.at(match.value.id)->value) : nullptr;
        const DataTypeDef* definition = reference ? findDataType(module_, reference->name) : nullptr;
        if (!definition)
            return fail(binding.var, "matches what has no constructors");
        DataTypeRef instance = *reference;
        if (match.arms.size() != definition->constructors.size())
            return fail(binding.var,
                        fmt::format("{} arms for {} constructors", match.arms.size(), definition->constructors.size()));
        for (size_t i = 0; i < match.arms.size(); ++i) {
            const MatchArm& arm = match.arms[i];
            if (arm.constructor != definition->constructors[i].name)
                return fail(binding.var, fmt::format("arm {} is '{}', not '{}'", i + 1, arm.constructor,
                                                     definition->constructors[i].name));
            std::vector<Type> fields = fieldTypes(*definition, definition->constructors[i], instance);
            if (fields.size() != arm.fields.size())
                return fail(binding.var, fmt::format("arm '{}' names {} fields of {}", arm.constructor,
                                                     arm.fields.size(), fields.size()));
            for (size_t f = 0; f < fields.size(); ++f)
                if (!isOpened(fields[f], arm.fields[f].type))
                    return fail(binding.var,
                                fmt::format("field {} of '{}' is {}", f + 1, arm.constructor, toString(fields[f])));
            LATHE_TRY(Type type, nested(arm.block, arm.fields));
            LATHE_CHECKED(stated(binding, type, true));
        }
        define(binding.type);
        return {};
    }
    Result<void> check(const Binding& binding, const Loop& loop) {
        auto fitsSymbols = [](const Type& inferred, const Type& given) {
            return fits(inferred, given, [](const Expr&) { return false; }, true);
        };
        if (loop.init.size() != loop.carried.size())
            return fail(binding.var,
                        fmt::format("{} initial values for {} carried", loop.init.size(), loop.carried.size()));
        LATHE_CHECKED(present(binding, loop.init));
        for (size_t i = 0; i < loop.init.size(); ++i)
            if (!fitsSymbols(types_.at(loop.init[i].id), loop.carried[i].type))
                return fail(binding.var,
                            fmt::format("initial value {} is {}, carried as {}", i + 1,
                                        toString(types_.at(loop.init[i].id)), toString(loop.carried[i].type)));
        std::vector<Param> params{loop.iteration};
        params.insert(params.end(), loop.carried.begin(), loop.carried.end());
        LATHE_TRY(Type body, nested(loop.body, params));
        const TupleType* given = asTuple(body);
        const TupleType* result = asTuple(binding.type);
        size_t lead = loop.condition ? 1 : 0, carried = loop.carried.size(), scans = static_cast<size_t>(loop.scans);
        if (!given || given->fields.size() != lead + carried + scans || !result ||
            result->fields.size() != carried + scans)
            return fail(binding.var, fmt::format("the loop's body gives {} for {} carried values and {} scans",
                                                 toString(body), carried, scans));
        if (loop.condition && (!isCondition(types_.at(loop.condition.id)) || !isCondition(given->fields.front())))
            return fail(binding.var, "the condition is not bool[]");
        for (size_t i = 0; i < carried; ++i) {
            if (!fitsSymbols(given->fields[lead + i], loop.carried[i].type))
                return fail(binding.var,
                            fmt::format("carried value {} becomes {}, it is {}", i + 1,
                                        toString(given->fields[lead + i]), toString(loop.carried[i].type)));
            if (!fitsSymbols(loop.carried[i].type, result->fields[i]))
                return fail(binding.var, fmt::format("carried value {} ends as {}, it is {}", i + 1,
                                                     toString(result->fields[i]), toString(loop.carried[i].type)));
        }
        for (size_t i = 0; i < scans; ++i) {
            const TensorType *element = asTensor(given->fields[lead + carried + i]),
                             *stacked = asTensor(result->fields[carried + i]);
            if (!element || !stacked || stacked->shape.empty() ||
                !fitsSymbols(given->fields[lead + carried + i],
                             tensorType(stacked->dtype, {stacked->shape.begin() + 1, stacked->shape.end()})))
                return fail(binding.var,
                            fmt::format("scan {} of {} gives {}", i + 1, toString(given->fields[lead + carried + i]),
                                        toString(result->fields[carried + i])));
        }
        define(binding.type);
        return {};
    }
    Result<void> check(const Binding& binding, const FunctionLiteral& literal) {
        LATHE_CHECKED(present(binding, literal.captures));
        const auto* signature = std::get_if<FunctionType>(&binding.type->value);
        const Function& function = *literal.function;
        if (!signature || signature->params.size() != function.params.size() ||
            !sameType(signature->result, function.resultType))
            return fail(binding.var, fmt::format("a function literal stated as {}", toString(binding.type)));
        std::unordered_map<uint32_t, Type> outer = types_;
        types_.clear();
        for (Var capture : literal.captures)
            types_[capture.id] = outer.at(capture.id);
        LATHE_TRY(Type result, nested(function.body, function.params));
        types_ = std::move(outer);
        if (!fits(result, function.resultType, [](const Expr&) { return false; }, true))
            return fail(binding.var, fmt::format("the function gives {}, stated as {}", toString(result),
                                                 toString(function.resultType)));
        return {};
    }
};

} // namespace

Result<void> verify(const Module& module, const VarLines* lines) {
    return Verifier(module, lines).run();
}

} // namespace lathe::relay
