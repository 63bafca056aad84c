// SPDX-License-Identifier: Apache-2.0
#include "lower/bench_entry.h"

#include "abi/abi.h"
#include "lower/entry_scope.h"
#include "lower/sizes.h"

#include <fmt/format.h>

namespace lathe::lower {
namespace {

Expr ordinal(size_t value) {
    return arith::intImm(static_cast<int64_t>(value), types::Int32);
}

class Builder {
public:
    explicit Builder(std::span<const Kernel> kernels) : kernels_(kernels), kernel_(kernels.front()) {
        for (const tir::Param& param : kernel_.computation->params)
            if (param.buffer)
                made_.inputs.push_back(param.buffer);
        const auto firstOutput = made_.inputs.end() - kernel_.computation->outputs;
        made_.outputs.assign(firstOutput, made_.inputs.end());
        made_.inputs.erase(firstOutput, made_.inputs.end());
    }

    BenchEntry build() {
        const tir::BufferPtr plan = readPlan();
        if (const Expr holds = computable(scalarIndices(*kernel_.computation)))
            check(holds, tir::CheckKind::InvalidValue, "a size is more than can be computed");
        std::vector<Expr> args;
        for (size_t i = 0; i < made_.inputs.size(); ++i)
            args.push_back(input(i));
        for (size_t i = 0; i < made_.outputs.size(); ++i)
            args.push_back(output(i));
        args.insert(args.end(), kernel_.scalars.begin(), kernel_.scalars.end());
        const Expr which = scope_.let("which", arith::cast(arith::load(plan, {Expr(0)}), types::Index));
        const Expr times = scope_.let("times", arith::cast(arith::load(plan, {Expr(1)}), types::Index));
        check(arith::logicalAnd(arith::ge(which, 0), arith::lt(which, static_cast<int64_t>(kernels_.size()))),
              tir::CheckKind::InvalidValue,
              fmt::format("the plan's first number is none of {} kernels", kernels_.size()));
        for (size_t i = 0; i < kernels_.size(); ++i)
            callKernel(i, arith::select(arith::eq(which, static_cast<int64_t>(i)), times, 0), args);
        auto function = std::make_shared<tir::PrimFunc>();
        function->name = "lathe_entry";
        function->outputs = 0;
        function->isEntry = true;
        function->body = scope_.finish().stmt;
        made_.function = std::move(function);
        return std::move(made_);
    }

private:
    /// So many calls, one after the other.
    void callKernel(size_t i, const Expr& times, std::vector<Expr> args) {
        const Kernel& kernel = kernels_[i];
        if (kernel.workspaceBytes && !arith::isConst(kernel.workspaceBytes, 0)) {
            args.push_back(scope_.allocate(kernel.workspaceBytes, {BufferUse::Kind::Workspace, kernel.name, {}}));
            scope_.release(args.back());
        }
        const auto call = static_cast<int>(i);
        scope_.add(tir::makeStmt(tir::For{arith::var("time"), 0, times, tir::ForKind::Serial,
                                          tir::makeStmt(tir::CallKernel{kernel.name, std::move(args), call}, -1)},
                                 -1));
    }

    void check(const Expr& holds, tir::CheckKind kind, std::string message) {
        scope_.add(tir::makeStmt(tir::Check{holds, kind, std::move(message)}, -1));
    }

    static Expr dimOf(size_t input, size_t axis) {
        return rtCall(LATHE_FN_INPUT_DIM, {ordinal(input), ordinal(axis)}, types::Index);
    }
    static Expr addressOf(size_t input) { return rtCall(LATHE_FN_INPUT_DATA, {ordinal(input)}, types::Handle); }

    /// Defines the scalars; gives the plan's buffer.
    tir::BufferPtr readPlan() {
        const size_t place = made_.inputs.size();
        const tir::BufferPtr plan = tir::makeBuffer(std::string(benchPlanInput), types::Int64,
                                                    {Expr(static_cast<int64_t>(2 + kernel_.scalars.size()))});
        scope_.bind(plan, addressOf(place));
        for (size_t i = 0; i < kernel_.scalars.size(); ++i) {
            const arith::Var& scalar = kernel_.scalars[i];
            scope_.define(scalar, arith::cast(arith::load(plan, {Expr(static_cast<int64_t>(i + 2))}), types::Index));
            check(arith::logicalAnd(arith::ge(scalar, scalar->lower), arith::le(scalar, scalar->upper)),
                  tir::CheckKind::InvalidValue,
                  fmt::format("{} is not within {} … {}", scalar->name, scalar->lower, scalar->upper));
        }
        return plan;
    }

    void checkSize(const tir::Buffer& buffer) {
        if (const auto size = sizeCondition(buffer.dtype, buffer.shape))
            check(size->holds, tir::CheckKind::InvalidValue, buffer.name + ": " + size->message);
    }

    Expr input(size_t i) {
        const tir::Buffer& buffer = *made_.inputs[i];
        checkSize(buffer);
        for (size_t axis = 0; axis < buffer.shape.size(); ++axis)
            check(arith::eq(dimOf(i, axis), buffer.shape[axis]), tir::CheckKind::ShapeMismatch,
                  fmt::format("input '{}': dim {} is not {}", buffer.name, axis, arith::toString(buffer.shape[axis])));
        return addressOf(i);
    }

    Expr output(size_t i) {
        const tir::Buffer& buffer = *made_.outputs[i];
        checkSize(buffer);
        for (size_t axis = 0; axis < buffer.shape.size(); ++axis)
            scope_.add(
                evaluate(rtCall(LATHE_FN_OUTPUT_DIM, {ordinal(i), ordinal(axis), buffer.shape[axis]}, types::Void)));
        const Expr bytes = bytesOf({buffer.dtype, buffer.shape, nullptr});
        const Expr address =
            scope_.let(fmt::format("out{}", i), rtCall(LATHE_FN_OUTPUT_DATA, {ordinal(i), bytes}, types::Handle));
        check(isGiven(address), tir::CheckKind::OutOfMemory,
              fmt::format("not enough memory for output '{}'", buffer.name));
        return address;
    }

    std::span<const Kernel> kernels_;
    const Kernel& kernel_; // the first: all read and write the same
    BenchEntry made_;
    int calls_ = 0; // the clock of the plan of memory stands: one kernel runs at a time
    EntryScope scope_{true, calls_};
};

} // namespace

BenchEntry makeBenchEntry(std::span<const Kernel> kernels) {
    return Builder(kernels).build();
}

} // namespace lathe::lower
