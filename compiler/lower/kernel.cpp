// SPDX-License-Identifier: Apache-2.0
//
// Primitive functions to computations. A function of tensor expressions becomes one DAG and so one PrimFunc; a function
// of a single operator that is no tensor expression asks topi for its kernel. Computations of equal structure are one
// kernel: names, origins and the bytes of constants do not count.
#include "lower/diagnose.h"
#include "lower/layout.h"
#include "lower/lower.h"
#include "te/te.h"
#include "tir/structure.h"
#include "topi/topi.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <unordered_set>

namespace lathe::lower {
namespace {

using relay::asTensor;
using relay::TensorType;

/// A small constant inside a fused function as an expression: one value, or a choice by the flat index.
te::TensorPtr constantTensor(const relay::Constant& constant, const std::string& name, int origin) {
    const TensorType& type = *asTensor(constant.type);
    auto element = [&](int64_t index) -> Expr {
        const std::byte* at = constant.bytes.view.data() + (constant.splat ? 0 : index * type.dtype.bytes());
        DataType dtype = type.dtype;
        auto read = [&]<class T>(T) {
            T value;
            std::memcpy(&value, at, sizeof(T));
            return value;
        };
        if (dtype == types::Float32)
            return arith::floatImm(read(float{}), dtype);
        if (dtype == types::Float64)
            return arith::floatImm(read(double{}), dtype);
        if (dtype.isFloat()) { // narrow floats: by their bits
            Expr bits = dtype.bytes() == 2 ? arith::intImm(read(uint16_t{}), types::UInt16)
                                           : arith::intImm(read(uint8_t{}), types::UInt8);
            return arith::call(arith::Intrinsic::Reinterpret, {bits}, dtype);
        }
        switch (dtype.bytes()) {
        case 1:
            return arith::intImm(dtype.isSigned() ? read(int8_t{}) : read(uint8_t{}), dtype);
        case 2:
            return arith::intImm(dtype.isSigned() ? read(int16_t{}) : read(uint16_t{}), dtype);
        case 4:
            return arith::intImm(dtype.isSigned() ? read(int32_t{}) : static_cast<int64_t>(read(uint32_t{})), dtype);
        default:
            return arith::intImm(read(int64_t{}), dtype);
        }
    };
    int64_t count = constant.splat ? 1 : constant.elements();
    return te::compute(
        name, type.shape,
        [&](const std::vector<arith::Var>& axes) {
            Expr flat = 0;
            for (size_t i = 0; i < axes.size(); ++i)
                flat = flat * type.shape[i] + axes[i];
            Expr value = count > 0 ? element(0) : arith::zero(type.dtype);
            for (int64_t i = 1; i < count; ++i)
                value = arith::select(arith::eq(flat, i), element(i), value);
            return value;
        },
        origin);
}

std::vector<const TensorType*> tensorTypes(const std::vector<relay::Type>& types) {
    std::vector<const TensorType*> result;
    for (const relay::Type& type : types)
        result.push_back(type ? asTensor(type) : nullptr);
    return result;
}

/// Whether a call's result has symbols that no operand has.
bool definesSymbols(const std::vector<relay::Type>& args, const relay::Type& result) {
    std::unordered_set<const arith::ExprNode*> known;
    auto each = [](const relay::Type& type, auto&& fn) {
        for (const relay::Type& field : type ? relay::fieldTypes(type) : std::vector<relay::Type>{})
            if (const TensorType* tensor = asTensor(field))
                for (const Expr& dim : tensor->shape)
                    for (const arith::Var& var : arith::freeVars(dim))
                        fn(var);
    };
    for (const relay::Type& arg : args)
        each(arg, [&](const arith::Var& var) { known.insert(var.get()); });
    bool fresh = false;
    each(result, [&](const arith::Var& var) { fresh |= !known.contains(var.get()); });
    return fresh;
}

/// Free symbols of a DAG: those of shapes, bodies and conditions, in order of first occurrence.
std::vector<arith::Var> symbolsOfTensors(const std::vector<te::TensorPtr>& inputs,
                                         const std::vector<te::TensorPtr>& outputs) {
    arith::VarCollector symbols;
    auto addTensor = [&](const te::TensorPtr& tensor) {
        for (const arith::Var& axis : tensor->axes)
            symbols.leaveOut(axis);
        for (const te::ReduceAxis& axis : tensor->reduceAxes)
            symbols.leaveOut(axis.var);
        for (const Expr& dim : tensor->shape)
            symbols.add(dim);
        for (const te::ReduceAxis& axis : tensor->reduceAxes)
            symbols.add(axis.extent);
        symbols.add(tensor->counts);
        symbols.add(tensor->body);
        for (const te::Condition& condition : tensor->conditions)
            symbols.add(condition.holds);
    };
    for (const te::TensorPtr& tensor : inputs)
        addTensor(tensor);
    for (const te::TensorPtr& tensor : te::topologicalOrder(outputs))
        addTensor(tensor);
    return symbols.vars();
}

/// Origin of the first binding that reads a constant of the body: its statements are for that one's sake. Of one that nothing
/// reads its own.
int firstReader(const relay::Block& body, size_t constant) {
    for (size_t i = constant + 1; i < body.bindings.size(); ++i)
        for (const relay::Var operand : relay::operands(body.bindings[i]->rhs))
            if (operand == body.bindings[constant]->var)
                return static_cast<int>(i);
    return static_cast<int>(constant);
}

/// The type as kernels have it: strings are handles there (abi/abi.h), which are moved and compared as any number is.
relay::Type withHandles(const relay::Type& type) {
    if (const TensorType* tensor = asTensor(type))
        return tensor->dtype == types::String ? relay::tensorType(types::UInt64, tensor->shape, tensor->layout) : type;
    const relay::TupleType* tuple = relay::asTuple(type);
    LATHE_ASSERT(tuple, "values of a primitive function are tensors, or tuples of them");
    std::vector<relay::Type> fields;
    for (const relay::Type& field : tuple->fields)
        fields.push_back(withHandles(field));
    return relay::tupleType(std::move(fields));
}

bool hasStrings(const relay::Function& function) {
    const auto isOfStrings = [](const relay::Type& type) {
        return std::ranges::any_of(relay::fieldTypes(type), [](const relay::Type& field) {
            return asTensor(field) && asTensor(field)->dtype == types::String;
        });
    };
    return std::ranges::any_of(function.params, isOfStrings, &relay::Param::type) ||
           std::ranges::any_of(function.body->bindings,
                               [&](const auto& binding) { return isOfStrings(binding->type); });
}

/// The function with handles for strings.
relay::FunctionPtr ofHandles(const relay::FunctionPtr& function) {
    if (!hasStrings(*function))
        return function;
    auto result = std::make_shared<relay::Function>(*function);
    auto body = std::make_shared<relay::Block>(*function->body);
    for (relay::Param& param : result->params)
        param.type = withHandles(param.type);
    for (relay::BindingPtr& binding : body->bindings) {
        auto changed = std::make_shared<relay::Binding>(*binding);
        changed->type = withHandles(binding->type);
        binding = std::move(changed);
    }
    result->resultType = withHandles(function->resultType);
    result->body = std::move(body);
    return result;
}

class KernelsOfModule {
public:
    KernelsOfModule(const relay::Module& module, const model::ModelGraph* graph) : module_(module), graph_(graph) {}

    Result<void> add(const std::string& name, const relay::Function& function) {
        FunctionPlan plan;
        for (const relay::BindingPtr& binding : function.body->bindings) {
            // Equal constants of the whole model are one, with the nodes of all: they say nothing of this function.
            plan.origins.push_back(binding->as<relay::ConstantRef>() ? model::Span() : binding->span);
            plan.span = module_.spans->join(plan.span, plan.origins.back());
        }
        if (function.body->bindings.size() == 1) {
            const relay::Binding& only = *function.body->bindings.front();
            if (const auto* call = only.as<relay::OpCall>()) {
                if ((call->op == relay::Op::Reshape || call->op == relay::Op::Copy) &&
                    call->args.front() == function.params.front().var) {
                    plan.kind = FunctionPlan::Kind::View;
                    plan.viewOf = 0;
                    result_.plans.emplace(name, std::move(plan));
                    return {};
                }
                std::vector<relay::Type> argTypes = typesOf(function, *call);
                topi::Form form =
                    topi::formOf(call->op, call->attrs, tensorTypes(argTypes), definesSymbols(argTypes, only.type));
                if (form == topi::Form::Kernel || form == topi::Form::Dynamic)
                    return addOpaque(name, function, only, *call, form, std::move(plan));
            }
        }
        return addTensorExpression(name, function, std::move(plan));
    }

    Kernels take() { return std::move(result_); }

private:
    std::vector<relay::Type> typesOf(const relay::Function& function, const relay::OpCall& call) {
        std::vector<relay::Type> types;
        for (relay::Var arg : call.args) {
            relay::Type type;
            for (const relay::Param& param : function.params)
                if (param.var == arg && arg)
                    type = param.type;
            types.push_back(type);
        }
        return types;
    }

    Result<void> addOpaque(const std::string& name, const relay::Function& function, const relay::Binding& binding,
                           const relay::OpCall& call, topi::Form form, FunctionPlan plan) {
        topi::CallContext context{call.op, call.attrs, {}, {}, binding.type, 0};
        std::vector<relay::Type> argTypes = typesOf(function, call);
        context.argTypes = tensorTypes(argTypes);
        for (size_t i = 0; i < argTypes.size(); ++i) {
            const TensorType* type = argTypes[i] ? asTensor(argTypes[i]) : nullptr;
            const auto first =
                std::find(call.args.begin(), call.args.begin() + static_cast<std::ptrdiff_t>(i), call.args[i]);
            if (const auto earlier = static_cast<size_t>(first - call.args.begin()); type && earlier < i) {
                context.args.push_back(context.args[earlier]); // one value given twice
                continue;
            }
            LATHE_ASSERT(!type || !type->layout, "a kernel of its own reads no layouts");
            context.args.push_back(type ? te::placeholder(fmt::format("x{}", i), type->dtype, type->shape) : nullptr);
        }
        if (form == topi::Form::Kernel) {
            tir::PrimFuncPtr computation = topi::buildKernel(name, context);
            plan.kernel = intern(std::move(computation), false, plan.scalars);
        } else {
            topi::DynamicKernel pair = topi::buildDynamic(name, context);
            plan.kind = FunctionPlan::Kind::Dynamic;
            plan.kernel = intern(pair.sizes, false, plan.scalars);
            plan.fill = intern(pair.fill, false, plan.fillScalars);
            plan.state = pair.state;
        }
        result_.plans.emplace(name, std::move(plan));
        return {};
    }

    Result<void> addTensorExpression(const std::string& name, const relay::Function& function, FunctionPlan plan) {
        std::map<uint32_t, std::vector<te::TensorPtr>> values;
        std::map<uint32_t, relay::Type> types;
        std::vector<te::TensorPtr> inputs;
        TensorLayouts layouts;
        for (size_t i = 0; i < function.params.size(); ++i) {
            const relay::Param& param = function.params[i];
            types[param.var.id] = param.type;
            std::vector<te::TensorPtr> fields;
            const TensorType* type = asTensor(param.type);
            LATHE_ASSERT(type, "a parameter of a primitive function is a tensor");
            fields.push_back(te::placeholder(fmt::format("p{}", i), type->dtype, type->shape));
            inputs.push_back(fields.front());
            layouts[fields.front().get()] = type->layout;
            values[param.var.id] = fields;
        }
        int origin = 0;
        for (const relay::BindingPtr& binding : function.body->bindings) {
            types[binding->var.id] = binding->type;
            auto& made = values[binding->var.id];
            if (const auto* constant = binding->as<relay::ConstantRef>()) {
                made = {constantTensor(*constant->constant, fmt::format("c{}", origin),
                                       firstReader(*function.body, static_cast<size_t>(origin)))};
            } else if (const auto* tuple = binding->as<relay::MakeTuple>()) {
                for (relay::Var field : tuple->fields)
                    made.push_back(values.at(field.id).at(0));
            } else if (const auto* projection = binding->as<relay::Projection>()) {
                made = {values.at(projection->tuple.id).at(static_cast<size_t>(projection->index))};
            } else if (const auto* call = binding->as<relay::OpCall>()) {
                topi::CallContext context{call->op, call->attrs, {}, {}, binding->type, origin};
                for (relay::Var arg : call->args) {
                    context.args.push_back(arg ? values.at(arg.id).at(0) : nullptr);
                    context.argTypes.push_back(arg ? asTensor(types.at(arg.id)) : nullptr);
                }
                if (topi::formOf(call->op, call->attrs, context.argTypes, false) != topi::Form::TensorExpression)
                    return Failure(refuse(binding->span, *module_.spans, graph_,
                                          fmt::format("operator {} cannot be lowered inside a fused function",
                                                      relay::info(call->op).name)));
                made = topi::computeTe(context);
                const std::vector<relay::Type> results = relay::fieldTypes(binding->type);
                for (size_t i = 0; i < made.size(); ++i)
                    layouts[made[i].get()] = asTensor(results[i])->layout;
            } else {
                return Failure(refuse(binding->span, *module_.spans, graph_,
                                      "this construct cannot be lowered inside a fused function"));
            }
            ++origin;
        }
        std::vector<te::TensorPtr> outputs = values.at(function.body->result.id);
        std::vector<arith::Var> scalars = symbolsOfTensors(inputs, outputs);
        const te::Dag stored = te::collapseAxes(applyLayouts({inputs, outputs}, layouts));
        tir::PrimFuncPtr computation = te::toTir(name, stored.inputs, stored.outputs, scalars);
        plan.kernel = intern(std::move(computation), true, plan.scalars);
        result_.plans.emplace(name, std::move(plan));
        return {};
    }

    /// The ordinal of the kernel with this structure; scalars: this computation's own symbols, in parameter order.
    int intern(tir::PrimFuncPtr computation, bool schedulable, std::vector<Expr>& scalars) {
        Kernel kernel;
        kernel.name = computation->name;
        kernel.computation = computation;
        kernel.schedulable = schedulable;
        for (const tir::Param& param : computation->params)
            if (!param.buffer) {
                kernel.scalars.push_back(param.scalar);
                scalars.push_back(param.scalar);
            }
        Hash128 hash = tir::structuralHash(*computation);
        auto [first, last] = byHash_.equal_range(hash);
        for (auto it = first; it != last; ++it)
            if (tir::structurallyEqual(*result_.kernels[static_cast<size_t>(it->second)].computation, *computation))
                return it->second;
        int ordinal = static_cast<int>(result_.kernels.size());
        byHash_.emplace(hash, ordinal);
        result_.kernels.push_back(std::move(kernel));
        return ordinal;
    }

    const relay::Module& module_;
    const model::ModelGraph* graph_;
    Kernels result_;
    std::multimap<Hash128, int> byHash_;
};

} // namespace

Result<Kernels> makeKernels(const relay::Module& module, const model::ModelGraph* graph) {
    KernelsOfModule kernels(module, graph);
    for (const auto& [name, function] : module.functions)
        if (function->primitive)
            LATHE_CHECKED(kernels.add(name, *ofHandles(function)));
    return kernels.take();
}

} // namespace lathe::lower
