// SPDX-License-Identifier: Apache-2.0
//
// The harness of the operator tests; run.h says what it gives.
#include "tests/topi/run.h"

#include "arith/analysis.h"
#include "base/narrow_float.h"
#include "relay/rules.h"
#include "te/te.h"
#include "tir/interpret.h"
#include "tir/verify.h"
#include "topi/topi.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace lathe::testing {

namespace {

using Assignment = std::unordered_map<const arith::ExprNode*, int64_t>;

int64_t elements(const std::vector<int64_t>& shape) {
    int64_t count = 1;
    for (int64_t dim : shape)
        count *= dim;
    return count;
}

std::vector<std::byte> encode(const Value& value) {
    const auto width = static_cast<size_t>(value.dtype.bytes());
    std::vector<std::byte> bytes(value.data.size() * width);
    for (size_t i = 0; i < value.data.size(); ++i) {
        uint64_t bits = value.dtype.isFloat() ? floatToBits(value.data[i], value.dtype)
                                              : static_cast<uint64_t>(static_cast<int64_t>(value.data[i]));
        std::memcpy(bytes.data() + i * width, &bits, width);
    }
    return bytes;
}

Value decode(DataType dtype, std::vector<int64_t> shape, const std::vector<std::byte>& bytes) {
    Value value{dtype, std::move(shape), {}};
    const auto width = static_cast<size_t>(dtype.bytes());
    for (size_t i = 0; i < bytes.size() / width; ++i) {
        uint64_t bits = 0;
        std::memcpy(&bits, bytes.data() + i * width, width);
        if (dtype.isFloat()) {
            value.data.push_back(bitsToFloat(bits, dtype));
            continue;
        }
        const int unused = 64 - static_cast<int>(width) * 8;
        const auto wide = static_cast<int64_t>(bits << unused);
        value.data.push_back(dtype.isSigned() ? static_cast<double>(wide >> unused) : static_cast<double>(bits));
    }
    return value;
}

/// Sizes of the operands as the test wants them, and what the symbols stand for.
struct Symbols {
    Dims mode;
    Assignment values;
    std::map<int64_t, arith::Var> bySize;

    arith::Expr dim(int64_t size) {
        if (mode == Dims::Constant || (mode == Dims::Symbolic && size <= 1))
            return arith::Expr(size);
        if (mode == Dims::Symbolic && bySize.contains(size))
            return bySize.at(size);
        const arith::Var symbol = arith::symbol("n" + std::to_string(values.size()));
        values[symbol.get()] = size;
        bySize.emplace(size, symbol);
        return symbol;
    }
};

class Rules : public relay::RuleContext {
public:
    Rules(std::vector<relay::Type> args, relay::AttrsPtr attrs) : args_(std::move(args)), attrs_(std::move(attrs)) {}
    const std::vector<relay::Type>& args() const override { return args_; }
    const std::vector<arith::Expr>* known(int) const override { return nullptr; }
    relay::AttrsPtr attrs() const override { return attrs_; }
    arith::Expr freshSymbol(const std::string& hint, int64_t lower, int64_t upper) override {
        const arith::Var symbol = arith::symbol(hint, lower, upper);
        fresh.push_back(symbol);
        return symbol;
    }
    void require(const arith::Expr&, const std::string&) override {}

    std::vector<arith::Var> fresh;

private:
    std::vector<relay::Type> args_;
    relay::AttrsPtr attrs_;
};

std::vector<int64_t> concrete(const std::vector<arith::Expr>& shape, const Assignment& symbols) {
    std::vector<int64_t> result;
    for (const arith::Expr& dim : shape)
        result.push_back(arith::evaluate(dim, symbols).value_or(-1));
    return result;
}

class Call {
public:
    Call(relay::Op op, const std::vector<Value>& args, relay::AttrsPtr attrs, Dims dims) : symbols_{dims, {}, {}} {
        call_.op = op;
        call_.attrs = std::move(attrs);
        for (const Value& arg : args) {
            relay::Type type;
            if (arg.dtype != types::Void) {
                std::vector<arith::Expr> shape;
                for (int64_t dim : arg.shape)
                    shape.push_back(symbols_.dim(dim));
                type = relay::tensorType(arg.dtype, shape);
                inputs_.push_back(encode(arg));
            }
            types_.push_back(type);
        }
    }

    Outcome run() {
        Rules rules(types_, call_.attrs);
        Result<relay::Type> type = relay::inferType(call_.op, rules);
        if (!type)
            return {{}, type.error().what};
        call_.resultType = *type;
        for (const relay::Type& arg : types_) {
            call_.argTypes.push_back(relay::asTensor(arg));
            call_.args.push_back(arg ? te::placeholder("x" + std::to_string(call_.args.size()),
                                                       relay::asTensor(arg)->dtype, relay::asTensor(arg)->shape)
                                     : nullptr);
        }
        switch (topi::formOf(call_.op, call_.attrs, call_.argTypes, !rules.fresh.empty())) {
        case topi::Form::TensorExpression:
            return finish(execute(*tensorFunction(), inputs_));
        case topi::Form::Kernel:
            return finish(execute(*topi::buildKernel("kernel", call_), inputs_));
        case topi::Form::Dynamic:
            return runDynamic();
        case topi::Form::Structural:
            break;
        }
        return {{}, "nothing to run"};
    }

private:
    std::vector<const relay::TensorType*> fields() const {
        const relay::TupleType* tuple = relay::asTuple(call_.resultType);
        if (!tuple)
            return {relay::asTensor(call_.resultType)};
        std::vector<const relay::TensorType*> result;
        for (const relay::Type& field : tuple->fields)
            result.push_back(relay::asTensor(field));
        return result;
    }

    tir::PrimFuncPtr tensorFunction() {
        std::vector<te::TensorPtr> inputs;
        std::vector<std::vector<arith::Expr>> shapes;
        for (const te::TensorPtr& arg : call_.args)
            if (arg) {
                inputs.push_back(arg);
                shapes.push_back(arg->shape);
            }
        const std::vector<te::TensorPtr> results = topi::computeTe(call_);
        for (const te::TensorPtr& result : results)
            shapes.push_back(result->shape);
        return te::toTir("kernel", inputs, results, topi::symbolsOf(shapes));
    }

    /// Parameters get `given` in order, then zeros; gives the memory of all buffers, or the error.
    Result<std::vector<std::vector<std::byte>>> execute(const tir::PrimFunc& function,
                                                        const std::vector<std::vector<std::byte>>& given) {
        std::vector<std::vector<std::byte>> memory(function.params.size());
        std::vector<tir::Argument> arguments;
        for (size_t i = 0; i < function.params.size(); ++i) {
            const tir::Param& param = function.params[i];
            if (!param.buffer) {
                arguments.push_back({{}, symbols_.values.at(param.scalar.get())});
                continue;
            }
            const auto shape = concrete(param.buffer->shape, symbols_.values);
            memory[i] =
                i < given.size()
                    ? given[i]
                    : std::vector<std::byte>(static_cast<size_t>(elements(shape) * param.buffer->dtype.bytes()));
            arguments.push_back({memory[i], 0});
        }
        LATHE_CHECKED(tir::verify(function, tir::Level::Blocks));
        Result<void> done = tir::interpret(function, arguments);
        if (!done)
            return std::unexpected(done.error());
        std::vector<std::vector<std::byte>> buffers;
        for (size_t i = 0; i < function.params.size(); ++i)
            if (function.params[i].buffer)
                buffers.push_back(memory[i]);
        return buffers;
    }

    Outcome finish(const Result<std::vector<std::vector<std::byte>>>& buffers) {
        if (!buffers)
            return {{}, buffers.error().what};
        Outcome outcome;
        const auto results = fields();
        const size_t first = buffers->size() - results.size();
        for (size_t i = 0; i < results.size(); ++i)
            outcome.results.push_back(
                decode(results[i]->dtype, concrete(results[i]->shape, symbols_.values), (*buffers)[first + i]));
        return outcome;
    }

    Outcome runDynamic() {
        std::vector<std::vector<arith::Expr>> shapes;
        for (const relay::TensorType* field : fields())
            shapes.push_back(field->shape);
        std::vector<arith::Var> fresh = topi::symbolsOf(shapes);
        std::erase_if(fresh, [&](const arith::Var& symbol) { return symbols_.values.contains(symbol.get()); });
        const topi::DynamicKernel kernel = topi::buildDynamic("dynamic", call_);
        auto measured = execute(*kernel.sizes, inputs_);
        if (!measured)
            return {{}, measured.error().what};
        const Value sizes = decode(types::Int64, {}, measured->back());
        if (sizes.data.size() != fresh.size())
            return {{}, "the kernel gives another number of sizes"};
        for (size_t i = 0; i < fresh.size(); ++i)
            symbols_.values[fresh[i].get()] = static_cast<int64_t>(sizes.data[i]);
        measured->pop_back();
        return finish(execute(*kernel.fill, *measured));
    }

    topi::CallContext call_;
    Symbols symbols_;
    std::vector<relay::Type> types_;
    std::vector<std::vector<std::byte>> inputs_;
};

} // namespace

Value typed(DataType dtype, std::vector<int64_t> shape, std::vector<double> data) {
    return {dtype, std::move(shape), std::move(data)};
}
Value f32(std::vector<int64_t> shape, std::vector<double> data) {
    return typed(types::Float32, std::move(shape), std::move(data));
}
Value i64(std::vector<int64_t> shape, std::vector<double> data) {
    return typed(types::Int64, std::move(shape), std::move(data));
}
Value counting(std::vector<int64_t> shape, double start) {
    std::vector<double> data;
    for (int64_t i = 0; i < elements(shape); ++i)
        data.push_back(start + static_cast<double>(i));
    return f32(std::move(shape), std::move(data));
}
Value absent() {
    return {};
}

Outcome run(relay::Op op, const std::vector<Value>& args, relay::AttrsPtr attrs, Dims dims) {
    if (!attrs && relay::info(op).makeAttrs)
        attrs = relay::info(op).makeAttrs();
    return Call(op, args, std::move(attrs), dims).run();
}

std::string difference(const Value& actual, const std::vector<int64_t>& shape, const std::vector<double>& expected,
                       double tolerance) {
    if (actual.shape != shape)
        return fmt::format("shape {} instead of {}", actual.shape, shape);
    if (actual.data.size() != expected.size())
        return fmt::format("{} elements instead of {}", actual.data.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
        const double a = actual.data[i], e = expected[i];
        const bool same =
            (std::isnan(a) && std::isnan(e)) || a == e || std::abs(a - e) <= tolerance * (1 + std::abs(e));
        if (!same)
            return fmt::format("element {} is {} instead of {} (all: {})", i, a, e, fmt::join(actual.data, ", "));
    }
    return {};
}

} // namespace lathe::testing
