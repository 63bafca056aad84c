// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores. A vector index that is a ramp of stride 1 is one vector access. Short strides are read as the vectors
// that hold them and picked out; other strides and computed indices lane by lane (hardware gathers are slower on half of
// the machines) unless a mask says which lanes exist.
#include "codegen/llvm/emitter.h"
#include "tir/transform/flatten_buffers.h"

#include <bit>
#include <llvm/IR/Intrinsics.h>
#include <numeric>

namespace lathe::codegen {

Value* FunctionEmitter::address(const arith::Storage& storage) const {
    auto it = addresses.find(&storage);
    LATHE_ASSERT(it != addresses.end(), "buffer " + storage.name + " has no address in " + m_.function.name);
    return it->second;
}

/// The memo knows expressions by address, so one made here has to live as long as the emitter.
Expr FunctionEmitter::accessIndex(const tir::Buffer& buffer, std::span<const Expr> indices) {
    if (indices.size() == 1 && buffer.strides.empty() && !buffer.offset)
        return indices[0];
    made_.push_back(tir::flatIndex(buffer, indices));
    return made_.back();
}

namespace {

std::span<const Expr> indicesOf(const Expr& load) {
    return {load->args.data(), load->args.size() - (load->masked ? 1 : 0)};
}

bool isUnitRamp(const Expr& index) {
    return index.kind() == ExprKind::Ramp && arith::isConst(index->args[1], 1);
}

/// Beyond this stride the vectors to read are more than shuffles save.
constexpr int64_t longestPickedStride = 4;

/// The stride of a ramp that is read as whole vectors of up to `most` lanes; 0: it is not.
int pickedStride(const Expr& index, int lanes, int most) {
    const auto stride = index.kind() == ExprKind::Ramp ? arith::asInt(index->args[1]) : std::nullopt;
    const bool fits = lanes >= 4 && (lanes <= most ||
                                     (lanes % most == 0 && std::has_single_bit(static_cast<unsigned>(lanes / most))));
    return fits && stride && *stride > 1 && *stride <= longestPickedStride ? static_cast<int>(*stride) : 0;
}

} // namespace

Value* FunctionEmitter::addressOf(const Expr& load) {
    Expr index = accessIndex(tir::bufferOf(load), indicesOf(load));
    Value* base = address(*load->storage);
    if (arith::isConst(index, 0))
        return base;
    return b_.CreateInBoundsGEP(m_.storageType(load->storage->dtype.scalar()), base, value(index));
}

Value* FunctionEmitter::toRegister(Value* stored, DataType type) {
    if (type.isBool())
        return b_.CreateICmpNE(stored, llvm::ConstantInt::get(stored->getType(), 0));
    llvm::Type* wanted = m_.registerType(type);
    return stored->getType() == wanted ? stored : b_.CreateTrunc(stored, wanted);
}

Value* FunctionEmitter::toStorage(Value* computed, DataType type) {
    llvm::Type* wanted = m_.storageType(type);
    if (computed->getType() == wanted)
        return computed;
    return type.isSigned() ? b_.CreateSExt(computed, wanted) : b_.CreateZExt(computed, wanted);
}

/// Of one vector register, at least 4.
int FunctionEmitter::registerLanes(const llvm::Type* element) const {
    return std::max(4, static_cast<int>(m_.target.lanes(static_cast<int>(element->getPrimitiveSizeInBits()))));
}

/// Elements 0, stride, 2 * stride … from `pointer`. No byte beyond the last of them is read: the last vector ends there.
Value* FunctionEmitter::pick(Value* pointer, llvm::Type* element, int stride, int lanes, llvm::Align align) {
    if (lanes > registerLanes(element)) { // a power of two times that
        const int half = lanes / 2;
        Value* low = pick(pointer, element, stride, half, align);
        Value* high = pick(b_.CreateConstInBoundsGEP1_64(element, pointer, static_cast<uint64_t>(half * stride)),
                           element, stride, lanes - half, align);
        std::vector<int> order(static_cast<size_t>(lanes));
        std::iota(order.begin(), order.end(), 0);
        return b_.CreateShuffleVector(low, high, order);
    }
    const int last = (lanes - 1) * stride + 1 - lanes; // where the last vector begins
    llvm::Type* vector = llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
    Value* result = nullptr;
    std::vector<int> order(static_cast<size_t>(lanes));
    for (int begin = 0, done = 0; done < lanes; begin = std::min(begin + lanes, last)) {
        Value* part = b_.CreateAlignedLoad(
            vector, b_.CreateConstInBoundsGEP1_64(element, pointer, static_cast<uint64_t>(begin)), align);
        for (int lane = 0; lane < lanes; ++lane) // those picked before stay where they are
            order[static_cast<size_t>(lane)] = lane;
        int next = done;
        for (; next < lanes && next * stride < begin + lanes; ++next)
            order[static_cast<size_t>(next)] = (result ? lanes : 0) + next * stride - begin;
        result = result ? b_.CreateShuffleVector(result, part, order) : b_.CreateShuffleVector(part, order);
        done = next;
    }
    return result;
}

Value* FunctionEmitter::load(const Expr& expr) {
    const tir::Buffer& buffer = tir::bufferOf(expr);
    const DataType type = expr.dtype();
    Expr index = accessIndex(buffer, indicesOf(expr));
    llvm::Type* element = m_.storageType(type.scalar());
    llvm::Type* stored = m_.storageType(type);
    Value* base = address(buffer);
    const llvm::Align align(static_cast<uint64_t>(std::max(1, type.scalar().bytes())));
    Value* mask = expr->masked ? value(expr->args.back()) : nullptr;
    auto at = [&](Value* where) { return b_.CreateInBoundsGEP(element, base, where); };

    if (index.dtype().lanes == 1) {
        if (mask) { // one lane, or one element for all lanes
            Value* any = mask->getType()->isVectorTy() ? b_.CreateOrReduce(mask) : mask;
            Value* one = branches(
                any, [&] { return b_.CreateAlignedLoad(element, at(value(index)), align); },
                [&] { return llvm::Constant::getNullValue(element); });
            Value* wide = splat(one, type.lanes);
            if (mask->getType()->isVectorTy())
                wide = b_.CreateSelect(mask, wide, llvm::Constant::getNullValue(stored));
            return toRegister(wide, type);
        }
        return toRegister(splat(b_.CreateAlignedLoad(element, at(value(index)), align), type.lanes), type);
    }
    if (isUnitRamp(index)) {
        Value* pointer = at(value(index->args[0]));
        Value* loaded = mask ? static_cast<Value*>(b_.CreateMaskedLoad(stored, pointer, align, mask,
                                                                       llvm::Constant::getNullValue(stored)))
                             : b_.CreateAlignedLoad(stored, pointer, align);
        return toRegister(loaded, type);
    }
    if (mask)
        return toRegister(
            b_.CreateMaskedGather(stored, at(value(index)), align, mask, llvm::Constant::getNullValue(stored)), type);
    if (const int stride = pickedStride(index, type.lanes, registerLanes(element)))
        return toRegister(pick(at(value(index->args[0])), element, stride, type.lanes, align), type);
    if (index.kind() == ExprKind::Ramp) {
        Value* pointer = at(value(index->args[0]));
        Value* stride = value(index->args[1]);
        Value* result = llvm::PoisonValue::get(stored);
        for (int i = 0; i < type.lanes; ++i) {
            Value* lane = b_.CreateInBoundsGEP(
                element, pointer,
                b_.CreateNSWMul(stride, llvm::ConstantInt::get(stride->getType(), static_cast<uint64_t>(i))));
            result =
                b_.CreateInsertElement(result, b_.CreateAlignedLoad(element, lane, align), static_cast<uint64_t>(i));
        }
        return toRegister(result, type);
    }
    return toRegister(
        lanewise(type.lanes, element, {value(index)},
                 [&](const std::vector<Value*>& where) { return b_.CreateAlignedLoad(element, at(where[0]), align); }),
        type);
}

void FunctionEmitter::store(const tir::Store& node) {
    memo_.emplace_back();
    const DataType type = node.value.dtype();
    Expr index = accessIndex(*node.buffer, node.indices);
    const DataType stored = node.buffer->dtype.withLanes(type.lanes);
    LATHE_ASSERT(type.scalar() == node.buffer->dtype, "a store to " + node.buffer->name + " of another type");
    llvm::Type* element = m_.storageType(node.buffer->dtype);
    Value* base = address(*node.buffer);
    const llvm::Align align(static_cast<uint64_t>(std::max(1, node.buffer->dtype.bytes())));
    Value* mask = node.mask && !arith::isConst(node.mask, 1) ? value(node.mask) : nullptr;
    Value* data = toStorage(value(node.value), stored);
    auto at = [&](Value* where) { return b_.CreateInBoundsGEP(element, base, where); };
    if (index.dtype().lanes == 1) {
        LATHE_ASSERT(type.lanes == 1 && !mask, "a vector stored to one element of " + node.buffer->name);
        b_.CreateAlignedStore(data, at(value(index)), align);
    } else {
        data = splat(data, index.dtype().lanes);
        if (isUnitRamp(index)) {
            Value* pointer = at(value(index->args[0]));
            if (mask)
                b_.CreateMaskedStore(data, pointer, align, mask);
            else
                b_.CreateAlignedStore(data, pointer, align);
        } else if (mask) {
            b_.CreateMaskedScatter(data, at(value(index)), align, mask);
        } else if (index.kind() == ExprKind::Ramp) {
            Value* pointer = at(value(index->args[0]));
            Value* stride = value(index->args[1]);
            for (int i = 0; i < index.dtype().lanes; ++i) {
                Value* lane = b_.CreateInBoundsGEP(
                    element, pointer,
                    b_.CreateNSWMul(stride, llvm::ConstantInt::get(stride->getType(), static_cast<uint64_t>(i))));
                b_.CreateAlignedStore(b_.CreateExtractElement(data, static_cast<uint64_t>(i)), lane, align);
            }
        } else {
            Value* where = value(index);
            for (int i = 0; i < index.dtype().lanes; ++i)
                b_.CreateAlignedStore(b_.CreateExtractElement(data, static_cast<uint64_t>(i)),
                                      at(b_.CreateExtractElement(where, static_cast<uint64_t>(i))), align);
        }
    }
    memo_.pop_back();
}

} // namespace lathe::codegen
