// SPDX-License-Identifier: Apache-2.0
#include "driver/interpret.h"

#include "arith/analysis.h"
#include "base/limits.h"
#include "lower/lower.h"
#include "relay/element.h"
#include "relay/type_map.h"
#include "tir/interpret.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <set>

namespace lathe::driver {
namespace {

using relay::asTensor;
using relay::ConstantPtr;

constexpr int64_t mostStores = 2'000'000; // that are interpreted: some tenths of a second

/// Bytes of a tensor with these dims; a failure above the limit of one folded value.
Result<size_t> bytesOf(const relay::TensorType& type, const std::vector<int64_t>& dims) {
    int64_t bytes = type.dtype.bytes();
    for (int64_t dim : dims)
        if (__builtin_mul_overflow(bytes, dim, &bytes) || bytes > limits::evaluatorBytes)
            return failure(fmt::format("a folded value takes more than {} bytes", limits::evaluatorBytes));
    return static_cast<size_t>(bytes);
}

Failure unknownSize() {
    return failure("a size depends on the model's inputs");
}

/// A call's operands, each once, and how it is computed.
struct CallToInterpret {
    std::vector<ConstantPtr> operands;
    lower::Kernels kernels;

    const lower::FunctionPlan& plan() const { return kernels.plans.at("call"); }
    Result<void> run(int kernel, const std::vector<tir::Argument>& arguments) const {
        return tir::interpret(*kernels.kernels[static_cast<size_t>(kernel)].computation, arguments, mostStores);
    }
};

/// What the kernels of one call are given: buffers, in their order, then scalars.
struct CallMemory {
    std::vector<std::vector<std::byte>> buffers;
    std::vector<tir::Argument> arguments;

    void add(std::vector<std::byte> bytes) {
        buffers.push_back(std::move(bytes));
        arguments.push_back({std::span(buffers.back()), 0});
    }
    Result<void> add(const relay::TensorType& type, const std::optional<std::vector<int64_t>>& dims) {
        if (!dims)
            return unknownSize();
        LATHE_TRY(const size_t bytes, bytesOf(type, *dims));
        add(std::vector<std::byte>(bytes));
        return {};
    }
};

class Interpretation {
public:
    Interpretation(const relay::Module& module, const relay::Function& function, const std::vector<ConstantPtr>& args)
        : module_(module), function_(function) {
        for (size_t i = 0; i < function.params.size(); ++i)
            values_[function.params[i].var.id] = {args.at(i)};
    }

    Result<std::vector<ConstantPtr>> run() {
        for (const relay::BindingPtr& binding : function_.body->bindings) {
            LATHE_TRY(values_[binding->var.id], valueOf(binding));
        }
        return values_.at(function_.body->result.id);
    }

private:
    using Fields = std::vector<ConstantPtr>; // of a value; of a tensor: the one

    Result<Fields> valueOf(const relay::BindingPtr& binding) {
        if (const auto* constant = binding->as<relay::ConstantRef>())
            return Fields{constant->constant};
        if (const auto* tuple = binding->as<relay::MakeTuple>()) {
            Fields fields;
            for (relay::Var field : tuple->fields)
                fields.push_back(values_.at(field.id).at(0));
            return fields;
        }
        if (const auto* projection = binding->as<relay::Projection>())
            return Fields{values_.at(projection->tuple.id).at(static_cast<size_t>(projection->index))};
        if (!binding->as<relay::OpCall>())
            return failure("only operator calls are evaluated");
        LATHE_TRY(const CallToInterpret call, callOf(binding));
        return call.plan().kind == lower::FunctionPlan::Kind::View ? viewed(*binding, call) : computed(*binding, call);
    }

    Result<CallToInterpret> callOf(const relay::BindingPtr& binding) const {
        CallToInterpret call;
        auto primitive = std::make_shared<relay::Function>();
        primitive->primitive = true;
        primitive->resultType = binding->type;
        std::set<uint32_t> seen;
        for (relay::Var arg : binding->as<relay::OpCall>()->args)
            if (arg && seen.insert(arg.id).second) {
                const ConstantPtr& operand = values_.at(arg.id).at(0);
                // Symbolic dims of a dynamic operator's result are numbers by now.
                const relay::TensorType& type = *asTensor(operand->type);
                primitive->params.push_back({arg, relay::tensorType(type.dtype, type.shape), {}});
                call.operands.push_back(operand);
            }
        primitive->body = std::make_shared<relay::Block>(relay::Block{{binding}, binding->var});
        relay::Module small;
        small.spans = module_.spans;
        small.functions["call"] = primitive;
        LATHE_TRY(call.kernels, lower::makeKernels(small, nullptr));
        return call;
    }

    Result<Fields> viewed(const relay::Binding& binding, const CallToInterpret& call) const {
        const relay::TensorType& type = *asTensor(binding.type);
        const auto dims = dimsOf(type, symbols_);
        if (!dims)
            return unknownSize();
        const relay::Constant& from = *call.operands.at(0);
        return Fields{from.splat ? relay::splatOf(type.dtype, *dims, from.bytes.view.data())
                                 : relay::makeConstant(type.dtype, *dims, from.bytes)};
    }

    Result<Fields> computed(const relay::Binding& binding, const CallToInterpret& call) {
        const lower::FunctionPlan& plan = call.plan();
        const bool dynamic = plan.kind == lower::FunctionPlan::Kind::Dynamic;
        const std::vector<relay::Type> fields = relay::fieldTypes(binding.type);
        CallMemory memory;
        for (const ConstantPtr& operand : call.operands)
            memory.add(relay::copyElements(*operand));
        if (dynamic)
            LATHE_CHECKED(defineSizes(fields, call, memory));
        const size_t firstResult = memory.buffers.size();
        for (const relay::Type& field : fields)
            LATHE_CHECKED(memory.add(*asTensor(field), dimsOf(*asTensor(field), symbols_)));
        for (const arith::Expr& scalar : dynamic ? plan.fillScalars : plan.scalars) {
            const auto value = arith::asInt(arith::simplify(arith::substitute(scalar, symbols_)));
            if (!value)
                return unknownSize();
            memory.arguments.push_back({{}, *value});
        }
        LATHE_CHECKED(call.run(dynamic ? plan.fill : plan.kernel, memory.arguments));
        Fields made;
        for (size_t i = 0; i < fields.size(); ++i) {
            const relay::TensorType& type = *asTensor(fields[i]);
            made.push_back(
                constantOf(type, dimsOf(type, symbols_).value(), std::move(memory.buffers[firstResult + i])));
        }
        return made;
    }

    /// By the first kernel of a dynamic operator, which gives the symbols that are new in the result, and the state for
    /// the second.
    Result<void> defineSizes(const std::vector<relay::Type>& fields, const CallToInterpret& call, CallMemory& memory) {
        arith::VarCollector used;
        for (const relay::Type& field : fields)
            for (const arith::Expr& dim : asTensor(field)->shape)
                used.add(dim);
        std::vector<arith::Var> fresh = used.vars();
        std::erase_if(fresh, [&](const arith::Var& var) { return symbols_.contains(var.get()); });
        for (const tir::BufferPtr& buffer : call.plan().state) {
            const relay::TensorType state{buffer->dtype, buffer->shape, nullptr};
            LATHE_CHECKED(memory.add(state, dimsOf(state, {})));
        }
        std::vector<std::byte> sizes(8 * std::max<size_t>(1, fresh.size()));
        std::vector<tir::Argument> arguments = memory.arguments;
        arguments.push_back({std::span(sizes), 0});
        LATHE_CHECKED(call.run(call.plan().kernel, arguments));
        for (size_t i = 0; i < fresh.size(); ++i) {
            int64_t value;
            std::memcpy(&value, sizes.data() + 8 * i, 8);
            symbols_[fresh[i].get()] = arith::intImm(value);
        }
        return {};
    }

    const relay::Module& module_;
    const relay::Function& function_;
    std::map<uint32_t, Fields> values_; // by Var
    arith::VarMap symbols_;             // sizes that dynamic operators gave so far
};

} // namespace

std::optional<std::vector<int64_t>> dimsOf(const relay::TensorType& type, const arith::VarMap& symbols) {
    std::vector<int64_t> dims;
    for (const arith::Expr& dim : relay::storedShape(type.shape, type.layout)) {
        auto value = arith::asInt(arith::simplify(arith::substitute(dim, symbols)));
        if (!value)
            return std::nullopt;
        dims.push_back(*value);
    }
    return dims;
}

ConstantPtr constantOf(const relay::TensorType& type, const std::vector<int64_t>& dims, std::vector<std::byte> bytes) {
    auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
    return relay::makeConstant(type.dtype, dims, {owner, std::span<const std::byte>(*owner)});
}

Result<std::vector<ConstantPtr>> interpret(const relay::Module& module, const relay::Function& function,
                                           const std::vector<ConstantPtr>& args) {
    return Interpretation(module, function, args).run();
}

} // namespace lathe::driver
