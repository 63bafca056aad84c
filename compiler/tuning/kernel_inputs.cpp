// SPDX-License-Identifier: Apache-2.0
#include "tuning/kernel_inputs.h"

#include "arith/analysis.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::tuning {
namespace {

constexpr int64_t largestOperand = int64_t{16} << 30; // bytes

struct Operand {
    tir::BufferPtr buffer;
    std::vector<int64_t> shape;
    int64_t bytes = 0;
};

/// All buffers of the computation at these sizes: inputs, then outputs.
Result<std::vector<Operand>> operandsOf(const tir::PrimFunc& computation, const std::vector<int64_t>& sizes) {
    arith::VarMap values;
    const auto scalars =
        std::ranges::count_if(computation.params, [](const tir::Param& param) { return !param.buffer; });
    if (scalars != std::ssize(sizes))
        return failure(
            fmt::format("'{}' has {} open sizes, of which {} are given", computation.name, scalars, sizes.size()));
    for (const tir::Param& param : computation.params)
        if (!param.buffer)
            values[param.scalar.get()] = arith::intImm(sizes[values.size()]);
    std::vector<Operand> operands;
    for (const tir::Param& param : computation.params) {
        if (!param.buffer)
            continue;
        Operand& operand = operands.emplace_back(param.buffer);
        for (const arith::Expr& dim : param.buffer->shape)
            operand.shape.push_back(arith::asInt(arith::simplify(arith::substitute(dim, values))).value_or(-1));
        const auto bytes = model::byteSize(param.buffer->dtype, operand.shape);
        if (!bytes || *bytes > largestOperand)
            return failure(fmt::format("'{}' would be [{}]", param.buffer->name, fmt::join(operand.shape, ",")),
                           "choose smaller sizes");
        operand.bytes = static_cast<int64_t>(*bytes);
    }
    return operands;
}

} // namespace

Result<void> setKernelInputs(device::RunnerClient& runner, const tir::PrimFunc& computation,
                             const std::vector<int64_t>& sizes, const MakeTensor& make) {
    LATHE_TRY(std::vector<Operand> operands, operandsOf(computation, sizes));
    operands.resize(operands.size() - static_cast<size_t>(computation.outputs));
    for (const Operand& operand : operands)
        LATHE_CHECKED(runner.setInput(operand.buffer->name, make(operand.buffer->dtype, operand.shape)));
    return {};
}

Result<int64_t> operandBytes(const tir::PrimFunc& computation, const std::vector<int64_t>& sizes) {
    LATHE_TRY(const std::vector<Operand> operands, operandsOf(computation, sizes));
    int64_t bytes = 0;
    for (const Operand& operand : operands)
        bytes += operand.bytes;
    return bytes;
}

} // namespace lathe::tuning
