// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores. A vector index that is a ramp of stride 1 is one vector access. Lanes that stand at known distances
// from each other are read as the few vectors that hold them and picked out; other indices lane by lane (hardware gathers
// are slower on half of the machines) unless a mask says which lanes exist.
#include "codegen/llvm/emitter.h"
#include "tir/transform/flatten_buffers.h"

#include "arith/analysis.h"

#include <algorithm>
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

/// A vector of indices at one lane; null if it is not made of index arithmetic and tables alone.
Expr atLane(const Expr& index, int lane) {
    if (index.dtype().lanes == 1)
        return index;
    switch (index.kind()) {
    case ExprKind::Ramp:
        return index->args[0] + index->args[1] * Expr(lane);
    case ExprKind::Broadcast:
        return index->args[0];
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
    case ExprKind::Min:
    case ExprKind::Max: {
        const Expr a = atLane(index->args[0], lane), b = a ? atLane(index->args[1], lane) : Expr();
        return b ? arith::binary(index.kind(), a, b) : Expr();
    }
    case ExprKind::Cast: {
        const Expr inner = atLane(index->args[0], lane);
        return inner ? arith::cast(inner, index.dtype().scalar()) : Expr();
    }
    case ExprKind::Load: {
        const Expr at = index->masked || index->args.size() != 1 ? Expr() : atLane(index->args[0], lane);
        return at ? arith::load(index->storage, {at}) : Expr();
    }
    default:
        return {};
    }
}

/// How far each lane's element lies from that of the first lane; empty if that is not known.
std::vector<int64_t> distances(const Expr& index, const arith::Facts& facts) {
    std::vector<int64_t> result;
    const Expr first = atLane(index, 0);
    for (int lane = 0; first && lane < index.dtype().lanes; ++lane) {
        const auto distance = arith::asInt(arith::simplify(atLane(index, lane) - first, facts));
        if (!distance)
            return {};
        result.push_back(*distance);
    }
    return result;
}

/// Where vectors of so many lanes begin that hold all these elements. None reaches beyond the first or the last of them.
std::vector<int64_t> windowsOf(std::vector<int64_t> elements, int64_t lanes) {
    std::ranges::sort(elements);
    const int64_t last = std::max(elements.front(), elements.back() + 1 - lanes);
    std::vector<int64_t> windows;
    for (const int64_t element : elements)
        if (windows.empty() || element >= windows.back() + lanes)
            windows.push_back(std::min(element, last));
    return windows;
}

/// The vectors that elements of one register are picked from: how long they are and where they begin.
struct Picking {
    size_t wide;
    std::vector<int64_t> windows;
};

/// None: they are too many.
std::optional<Picking> pickingOf(std::span<const int64_t> at) {
    // Whole registers where the elements are far enough apart: an odd number of lanes is several loads.
    const auto [least, greatest] = std::ranges::minmax(at);
    const auto span = static_cast<size_t>(greatest - least + 1);
    const size_t wide = std::min(std::bit_ceil(at.size()), std::bit_floor(span));
    Picking result{wide, windowsOf({at.begin(), at.end()}, static_cast<int64_t>(wide))};
    return at.size() < 4 || result.windows.size() > at.size() / 2 ? std::nullopt : std::optional(std::move(result));
}

/// Whether elements at these distances are picked from vectors, not loaded one by one.
bool isPicked(std::span<const int64_t> at, size_t registerLanes) {
    if (at.size() <= registerLanes)
        return pickingOf(at).has_value();
    const size_t half = FunctionEmitter::lowHalf(at.size(), registerLanes);
    return isPicked(at.first(half), registerLanes) && isPicked(at.subspan(half), registerLanes);
}

} // namespace

/// Of more lanes than a register has, those that are put together apart from the rest, which are not more.
size_t FunctionEmitter::lowHalf(size_t lanes, size_t registerLanes) {
    size_t half = registerLanes;
    while (2 * half < lanes)
        half *= 2;
    return half;
}

Value* FunctionEmitter::addressOf(const Expr& load) {
    Expr index = accessIndex(tir::bufferOf(load), indicesOf(load));
    Value* base = address(*load->storage);
    if (arith::isConst(index, 0))
        return base;
    return b_.CreateInBoundsGEP(m_.storageType(load->storage->dtype.scalar()), base, value(index));
}

/// To be read, into all levels. The element may lie beyond its buffer.
Value* FunctionEmitter::prefetch(const Expr& load) {
    const Expr index = accessIndex(tir::bufferOf(load), indicesOf(load));
    Value* at = b_.CreateGEP(m_.storageType(load->storage->dtype.scalar()), address(*load->storage), value(index));
    b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                       {at, b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});
    return b_.getInt32(0);
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

/// `lanes` elements of which the first `half` are in one vector; the others are not more.
Value* FunctionEmitter::joined(Value* low, Value* high, size_t half, size_t lanes) {
    std::vector<int> whole(half), order(lanes);
    std::iota(order.begin(), order.end(), 0);
    std::iota(whole.begin(), whole.end(), 0);
    std::fill(whole.begin() + static_cast<std::ptrdiff_t>(lanes - half), whole.end(), llvm::PoisonMaskElem);
    return b_.CreateShuffleVector(low, lanes == 2 * half ? high : b_.CreateShuffleVector(high, whole), order);
}

/// The elements at these distances from `pointer`, by shuffles of the vectors that hold them, which are few (isPicked).
Value* FunctionEmitter::pick(Value* pointer, llvm::Type* element, std::span<const int64_t> at, llvm::Align align) {
    const size_t lanes = at.size(), most = static_cast<size_t>(registerLanes(element));
    if (lanes > most) {
        const size_t half = lowHalf(lanes, most);
        Value* low = pick(pointer, element, at.first(half), align);
        return joined(low, pick(pointer, element, at.subspan(half), align), half, lanes);
    }
    const auto [wide, windows] = pickingOf(at).value();
    const size_t size = std::max(lanes, wide);
    llvm::Type* vector = llvm::FixedVectorType::get(element, static_cast<unsigned>(wide));
    Value* result = nullptr;
    std::vector<bool> done(lanes);
    for (const int64_t begin : windows) {
        Value* part = b_.CreateAlignedLoad(
            vector, b_.CreateConstInBoundsGEP1_64(element, pointer, static_cast<uint64_t>(begin)), align);
        if (wide < size) { // a shuffle's operands are equally long
            std::vector<int> longer(size, llvm::PoisonMaskElem);
            std::iota(longer.begin(), longer.begin() + static_cast<std::ptrdiff_t>(wide), 0);
            part = b_.CreateShuffleVector(part, longer);
        }
        std::vector<int> order(size, llvm::PoisonMaskElem);
        for (size_t lane = 0; lane < lanes; ++lane) {
            if (done[lane]) { // those picked before stay where they are
                order[lane] = static_cast<int>(lane);
            } else if (at[lane] >= begin && at[lane] < begin + static_cast<int64_t>(wide)) {
                order[lane] = static_cast<int>(result ? size : 0) + static_cast<int>(at[lane] - begin);
                done[lane] = true;
            }
        }
        result = result ? b_.CreateShuffleVector(result, part, order) : b_.CreateShuffleVector(part, order);
    }
    std::vector<int> all(lanes);
    std::iota(all.begin(), all.end(), 0);
    return size == lanes ? result : b_.CreateShuffleVector(result, all);
}

/// Whether a vector of so many elements is a register under a mask, which LLVM would load in pieces otherwise. (Not where
/// the index is a constant: a Local buffer that is to become registers is not read under masks.)
bool FunctionEmitter::isLoadedMasked(const llvm::Type* element, int lanes) const {
    return m_.target.vectorBits >= 256 && element->getPrimitiveSizeInBits() >= 32 && lanes < registerLanes(element) &&
           !std::has_single_bit(static_cast<unsigned>(lanes));
}

Value* FunctionEmitter::loadPart(Value* pointer, llvm::Type* element, int lanes, llvm::Align align) {
    const unsigned width = std::bit_ceil(static_cast<unsigned>(lanes));
    auto* whole = llvm::FixedVectorType::get(element, width);
    std::vector<llvm::Constant*> wanted;
    for (unsigned lane = 0; lane < width; ++lane)
        wanted.push_back(b_.getInt1(lane < static_cast<unsigned>(lanes)));
    Value* loaded = b_.CreateMaskedLoad(whole, pointer, align, llvm::ConstantVector::get(wanted),
                                        llvm::Constant::getNullValue(whole));
    std::vector<int> order(static_cast<size_t>(lanes));
    std::iota(order.begin(), order.end(), 0);
    return b_.CreateShuffleVector(loaded, order);
}

/// A vector of elements, each loaded from its own address.
Value* FunctionEmitter::loadLanes(llvm::Type* element, int lanes, llvm::Align align,
                                  const std::function<Value*(int)>& addressOfLane) {
    Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes)));
    for (int lane = 0; lane < lanes; ++lane)
        result = b_.CreateInsertElement(result, b_.CreateAlignedLoad(element, addressOfLane(lane), align),
                                        static_cast<uint64_t>(lane));
    return result;
}

Value* FunctionEmitter::load(const Expr& expr) {
    const tir::Buffer& buffer = tir::bufferOf(expr);
    const DataType type = expr.dtype();
    if (const auto column = loaded_.find(expr.get()); column != loaded_.end())
        return toRegister(column->second, type);
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
        if (!mask && isLoadedMasked(element, type.lanes) && !arith::asInt(index->args[0]))
            return toRegister(loadPart(pointer, element, type.lanes, align), type);
        Value* loaded = mask ? static_cast<Value*>(b_.CreateMaskedLoad(stored, pointer, align, mask,
                                                                       llvm::Constant::getNullValue(stored)))
                             : b_.CreateAlignedLoad(stored, pointer, align);
        return toRegister(loaded, type);
    }
    if (mask)
        return toRegister(
            b_.CreateMaskedGather(stored, at(value(index)), align, mask, llvm::Constant::getNullValue(stored)), type);
    if (const std::vector<int64_t> distance = distances(index, facts); !distance.empty()) {
        made_.push_back(arith::simplify(atLane(index, 0), facts));
        Value* pointer = at(value(made_.back()));
        if (isPicked(distance, static_cast<size_t>(registerLanes(element))))
            return toRegister(pick(pointer, element, distance, align), type);
        return toRegister(loadLanes(element, type.lanes, align,
                                    [&](int lane) {
                                        return b_.CreateConstInBoundsGEP1_64(
                                            element, pointer,
                                            static_cast<uint64_t>(distance[static_cast<size_t>(lane)]));
                                    }),
                          type);
    }
    if (index.kind() == ExprKind::Ramp) {
        Value* pointer = at(value(index->args[0]));
        Value* stride = value(index->args[1]);
        return toRegister(
            loadLanes(element, type.lanes, align,
                      [&](int lane) {
                          return b_.CreateInBoundsGEP(
                              element, pointer,
                              b_.CreateNSWMul(stride,
                                              llvm::ConstantInt::get(stride->getType(), static_cast<uint64_t>(lane))));
                      }),
            type);
    }
    if (atLane(index, 0)) // positions from a table: a scalar load each is less than to take a vector of them apart
        return toRegister(loadLanes(element, type.lanes, align,
                                    [&](int lane) {
                                        made_.push_back(arith::simplify(atLane(index, lane), facts));
                                        return at(value(made_.back()));
                                    }),
                          type);
    Value* where = value(index);
    return toRegister(
        loadLanes(element, type.lanes, align,
                  [&](int lane) { return at(b_.CreateExtractElement(where, static_cast<uint64_t>(lane))); }),
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
