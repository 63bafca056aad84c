// SPDX-License-Identifier: Apache-2.0
#include "driver/kernel_inputs.h"

#include "arith/analysis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::driver {
namespace {

constexpr int64_t largestInput = int64_t{16} << 30; // bytes

} // namespace

Result<void> setKernelInputs(RunnerClient& runner, const tir::PrimFunc& computation, const std::vector<int64_t>& sizes,
                             const MakeTensor& make) {
    arith::VarMap values;
    for (const tir::Param& param : computation.params)
        if (!param.buffer)
            values[param.scalar.get()] = arith::intImm(sizes[values.size()]);
    std::vector<tir::BufferPtr> buffers;
    for (const tir::Param& param : computation.params)
        if (param.buffer)
            buffers.push_back(param.buffer);
    buffers.resize(buffers.size() - static_cast<size_t>(computation.outputs));
    for (const tir::BufferPtr& buffer : buffers) {
        std::vector<int64_t> shape;
        for (const arith::Expr& dim : buffer->shape)
            shape.push_back(arith::asInt(arith::simplify(arith::substitute(dim, values))).value_or(-1));
        const auto bytes = model::byteSize(buffer->dtype, shape);
        if (!bytes || *bytes > largestInput)
            return failure(fmt::format("input '{}' would be [{}]", buffer->name, fmt::join(shape, ",")),
                           "choose smaller sizes");
        LATHE_CHECKED(runner.setInput(buffer->name, make(buffer->dtype, shape)));
    }
    return {};
}

} // namespace lathe::driver
