// SPDX-License-Identifier: Apache-2.0
//
// Interpreting functions on random inputs.
#include "harness.h"

#include "arith/analysis.h"
#include "schedule/schedule.h"
#include "te/te.h"
#include "tir/interpret.h"
#include "tir/text.h"
#include "tir/verify.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <random>

namespace lathe::testing {

using arith::Expr;

std::vector<float> run(const tir::PrimFunc& function, const std::vector<int64_t>& scalars) {
    std::unordered_map<const arith::ExprNode*, int64_t> values;
    size_t next = 0, buffers = 0;
    for (const tir::Param& param : function.params) {
        buffers += param.buffer != nullptr;
        if (!param.buffer)
            values[param.scalar.get()] = scalars.at(next++);
    }
    std::mt19937 random(7);
    std::vector<std::vector<float>> memory;
    for (const tir::Param& param : function.params) {
        if (!param.buffer)
            continue;
        int64_t elements = 1;
        for (const Expr& dim : param.buffer->shape)
            elements *= arith::evaluate(dim, values).value();
        bool output = memory.size() + static_cast<size_t>(function.outputs) >= buffers;
        std::vector<float> data(static_cast<size_t>(elements), -12345.0f);
        for (float& element : data)
            if (!output)
                element = static_cast<float>(static_cast<int>(random() % 9) - 4);
        memory.push_back(std::move(data));
    }
    std::vector<tir::Argument> arguments;
    size_t buffer = 0;
    for (const tir::Param& param : function.params) {
        tir::Argument argument;
        if (param.buffer)
            argument.bytes = std::as_writable_bytes(std::span(memory[buffer++]));
        else
            argument.scalar = values.at(param.scalar.get());
        arguments.push_back(argument);
    }
    if (auto result = tir::interpret(function, arguments); !result)
        throw std::runtime_error(toString(result.error()));
    std::vector<float> outputs;
    for (size_t i = buffers - static_cast<size_t>(function.outputs); i < buffers; ++i)
        outputs.insert(outputs.end(), memory[i].begin(), memory[i].end());
    return outputs;
}

std::string difference(const tir::PrimFunc& before, const tir::PrimFunc& after,
                       const std::vector<std::vector<int64_t>>& scalars) {
    for (const tir::PrimFunc* function : {&before, &after})
        if (auto verified = tir::verify(*function, tir::Level::Blocks); !verified)
            return toString(verified.error()) + "\n" + tir::print(*function);
    for (const std::vector<int64_t>& values : scalars) {
        try {
            std::vector<float> expected = run(before, values), actual = run(after, values);
            for (size_t i = 0; i < expected.size(); ++i)
                if (std::memcmp(&expected[i], &actual[i], sizeof(float)) != 0 && expected[i] != actual[i])
                    return fmt::format("scalars {}: element {} is {}, not {}\n{}", values.empty() ? 0 : values[0], i,
                                       actual[i], expected[i], tir::print(after));
        } catch (const std::exception& failure) {
            return fmt::format("{}\n{}", failure.what(), tir::print(after));
        }
    }
    return {};
}

std::string refusal(schedule::Schedule& schedule, const std::function<void(schedule::Schedule&)>& fn) {
    auto before = schedule.function();
    size_t steps = schedule.trace().steps.size();
    auto result = schedule::apply(schedule, fn);
    if (result)
        return "it was applied";
    if (schedule.function() != before || schedule.trace().steps.size() != steps)
        return "it was refused, and changed the schedule all the same";
    return result.error().what;
}

tir::PrimFuncPtr matmul(const Expr& m, const Expr& n, const Expr& k, bool post,
                        const std::vector<arith::Var>& scalars) {
    auto a = te::placeholder("A", types::Float32, {m, k});
    auto b = te::placeholder("B", types::Float32, {k, n});
    auto c = te::reduce(
        "C", {m, n}, te::ReduceKind::Sum, {k},
        [&](auto& i, auto& r) { return (*a)({i[0], r[0]}) * (*b)({r[0], i[1]}); }, 0);
    if (!post)
        return te::toTir("matmul", {a, b}, {c}, scalars);
    auto bias = te::placeholder("bias", types::Float32, {n});
    auto d = te::compute(
        "D", {m, n},
        [&](auto& i) { return arith::max((*c)({i[0], i[1]}) + (*bias)({i[1]}), arith::zero(types::Float32)); }, 1);
    return te::toTir("matmul_relu", {a, b, bias}, {d}, scalars);
}

tir::PrimFuncPtr dense(const arith::Expr& m, int64_t n, int64_t k, const std::vector<arith::Var>& scalars) {
    auto x = te::placeholder("x", types::Float32, {m, k});
    auto w = te::placeholder("w", types::Float32, {ceilDiv(Expr(n), 16), k, 16});
    auto sum = te::reduce(
        "sum", {m, Expr(n)}, te::ReduceKind::Sum, {Expr(k)},
        [&](auto& i, auto& r) { return (*x)({i[0], r[0]}) * (*w)({floorDiv(i[1], 16), r[0], floorMod(i[1], 16)}); }, 0);
    auto y =
        te::compute("y", {m, Expr(n)}, [&](auto& i) { return (*sum)({i[0], i[1]}) + arith::one(types::Float32); }, 1);
    return te::toTir("dense", {x, w}, {y}, scalars);
}

tir::PrimFuncPtr chain(const Expr& rows, const Expr& columns, const std::vector<arith::Var>& scalars) {
    auto a = te::placeholder("A", types::Float32, {rows, columns});
    auto b =
        te::compute("B", {rows, columns}, [&](auto& i) { return (*a)({i[0], i[1]}) + arith::one(types::Float32); }, 0);
    auto c = te::compute(
        "C", {rows, columns}, [&](auto& i) { return (*b)({i[0], i[1]}) * arith::floatImm(2, types::Float32); }, 1);
    return te::toTir("chain", {a}, {c}, scalars);
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace lathe::testing
