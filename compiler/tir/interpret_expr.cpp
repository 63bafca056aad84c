// SPDX-License-Identifier: Apache-2.0
//
// Preparing and computing expressions for the interpreter.
#include "tir/interpret_expr.h"

#include "base/narrow_float.h"

#include <cstring>
#include <fmt/format.h>

namespace lathe::tir {

using arith::ExprKind;
using arith::Intrinsic;
using arith::Scalar;

size_t CodeMaker::placeOfVar(const arith::ExprNode* var) {
    return vars_.try_emplace(var, vars_.size()).first->second;
}

size_t CodeMaker::placeOfBuffer(const arith::Storage* storage) {
    return buffers_.try_emplace(storage, buffers_.size()).first->second;
}

void CodeMaker::refuse(std::string what) {
    if (!failure_)
        failure_ = error(std::move(what));
}

Code* CodeMaker::make(const Expr& expr) {
    known_.clear();
    return expr ? makeNode(expr) : nullptr;
}

Code* CodeMaker::makeNode(const Expr& expr) {
    auto known = known_.find(expr.get());
    if (known != known_.end()) {
        known->second->isShared = !known->second->args.empty();
        return known->second;
    }
    const arith::ExprNode& node = *expr;
    if (node.dtype.lanes != 1 || node.kind == ExprKind::Ramp || node.kind == ExprKind::Broadcast)
        refuse("vectors are not interpreted");
    if (node.dtype.code == TypeCode::String)
        refuse("strings are not interpreted");
    if (node.kind == ExprKind::Call && node.intrinsic == Intrinsic::Prefetch)
        return makeNode(arith::zero(node.dtype)); // a hint: what it names may not exist
    bool isAddress = node.kind == ExprKind::Call && node.intrinsic >= Intrinsic::AddressOf;
    if (isAddress)
        refuse(fmt::format("{} is not interpreted", arith::nameOf(node.intrinsic)));
    if (node.kind == ExprKind::Load && dynamic_cast<const Buffer*>(node.storage.get()) == nullptr)
        refuse(fmt::format("'{}' is read, but is no buffer", node.storage->name));
    Code& code = nodes_.emplace_back();
    code.kind = node.kind;
    code.intrinsic = node.intrinsic;
    code.dtype = node.dtype;
    code.operandType = node.args.empty() ? node.dtype : node.args[0].dtype();
    code.isMasked = node.masked;
    if (node.kind == ExprKind::FloatImm)
        code.value.f = node.floatValue;
    else
        code.value.i = node.intValue;
    if (node.kind == ExprKind::Var)
        code.place = placeOfVar(&node);
    if (node.kind == ExprKind::Load)
        code.place = placeOfBuffer(node.storage.get());
    for (const Expr& arg : node.args)
        code.args.push_back(makeNode(arg));
    known_.emplace(expr.get(), &code);
    return &code;
}

namespace {

Scalar ofInt(int64_t value) {
    return {.i = value};
}

Scalar ofFloat(double value) {
    Scalar result;
    result.f = value;
    return result;
}

bool isFloat32(DataType type) {
    return type.code == TypeCode::Float && type.bits == 32;
}

Scalar runBinary(const Code& code, Scalar a, Scalar b, InterpreterState& state) {
    if (isFloat32(code.dtype)) {
        auto x = static_cast<float>(a.f);
        auto y = static_cast<float>(b.f);
        if (code.kind == ExprKind::Add)
            return ofFloat(x + y);
        if (code.kind == ExprKind::Sub)
            return ofFloat(x - y);
        if (code.kind == ExprKind::Mul)
            return ofFloat(x * y);
    }
    auto result = arith::applyBinary(code.kind, code.dtype, a, b);
    if (result)
        return *result;
    state.fail(code.kind == ExprKind::Add || code.kind == ExprKind::Sub || code.kind == ExprKind::Mul
                   ? "an index goes beyond 64 bits"
                   : "an integer is divided by zero");
    return ofInt(0);
}

Scalar runCall(const Code& code, InterpreterState& state) {
    std::vector<Scalar> args;
    args.reserve(code.args.size());
    for (Code* arg : code.args)
        args.push_back(run(*arg, state));
    auto result = arith::applyIntrinsic(code.intrinsic, code.dtype, code.operandType, args);
    if (result)
        return *result;
    state.fail(fmt::format("{} is not interpreted", arith::nameOf(code.intrinsic)));
    return ofInt(0);
}

Scalar runLoad(const Code& code, InterpreterState& state) {
    std::span<Code* const> indices = code.args;
    if (code.isMasked) {
        if (run(*indices.back(), state).i == 0)
            return code.dtype.isFloat() ? ofFloat(0) : ofInt(0);
        indices = indices.first(indices.size() - 1);
    }
    const std::byte* element = elementAt(state, state.buffers[code.place], indices);
    return element == nullptr ? ofInt(0) : readElement(element, code.dtype);
}

Scalar compute(Code& code, InterpreterState& state) {
    auto arg = [&](size_t i) { return run(*code.args[i], state); };
    switch (code.kind) {
    case ExprKind::Load:
        return runLoad(code, state);
    case ExprKind::Select:
        return arg(arg(0).i != 0 ? 1 : 2);
    case ExprKind::Cast:
        return arith::applyCast(arg(0), code.operandType, code.dtype);
    case ExprKind::Call:
        return runCall(code, state);
    case ExprKind::Not:
        return ofInt(arg(0).i == 0 ? 1 : 0);
    case ExprKind::BitNot: {
        int64_t value = arg(0).i;
        return ofInt(code.dtype.isBool() ? (value == 0 ? 1 : 0) : arith::wrapToType(~value, code.dtype));
    }
    case ExprKind::And:
        return ofInt(arg(0).i != 0 && arg(1).i != 0 ? 1 : 0);
    case ExprKind::Or:
        return ofInt(arg(0).i != 0 || arg(1).i != 0 ? 1 : 0);
    case ExprKind::Eq:
    case ExprKind::Ne:
    case ExprKind::Lt:
    case ExprKind::Le:
    case ExprKind::Gt:
    case ExprKind::Ge:
        return ofInt(arith::applyCompare(code.kind, code.operandType, arg(0), arg(1)) ? 1 : 0);
    default: {
        Scalar a = arg(0);
        return runBinary(code, a, arg(1), state);
    }
    }
}

} // namespace

Scalar run(Code& code, InterpreterState& state) {
    if (code.kind == ExprKind::IntImm || code.kind == ExprKind::FloatImm)
        return code.value;
    if (code.kind == ExprKind::Var)
        return state.vars[code.place];
    if (code.isShared && code.epoch == state.epoch)
        return code.value;
    Scalar result = compute(code, state);
    if (code.isShared) {
        code.value = result;
        code.epoch = state.epoch;
    }
    return result;
}

std::byte* elementAt(InterpreterState& state, const BufferMemory& memory, std::span<Code* const> indices) {
    if (memory.data == nullptr) {
        state.fail("a buffer is used where it has no memory");
        return nullptr;
    }
    bool isFlat = indices.size() == 1 && memory.shape.size() != 1;
    if (!isFlat && indices.size() != memory.shape.size()) {
        state.fail(fmt::format("'{}' has {} dimensions, but is used with {} indices", memory.buffer->name,
                               memory.shape.size(), indices.size()));
        return nullptr;
    }
    int64_t position = memory.offset;
    for (size_t i = 0; i < indices.size(); ++i) {
        int64_t index = run(*indices[i], state).i;
        int64_t extent = isFlat ? memory.elements : memory.shape[i];
        if (index < 0 || index >= extent) {
            state.fail(
                fmt::format("index {} of '{}' is {}, outside 0 to {}", i, memory.buffer->name, index, extent - 1));
            return nullptr;
        }
        position += isFlat ? index : index * memory.strides[i];
    }
    if (position < 0 || position >= memory.elements) {
        state.fail(fmt::format("'{}' is used outside its memory", memory.buffer->name));
        return nullptr;
    }
    return memory.data + position * memory.buffer->dtype.bytes();
}

namespace {

template <class T>
T readAs(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

template <class T>
void writeAs(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof(T));
}

uint64_t readBits(const std::byte* from, int bytes) {
    uint64_t bits = 0;
    std::memcpy(&bits, from, static_cast<size_t>(bytes)); // little-endian, as every supported host
    return bits;
}

} // namespace

Scalar readElement(const std::byte* from, DataType type) {
    if (isFloat32(type))
        return ofFloat(readAs<float>(from));
    if (type.isFloat())
        return ofFloat(bitsToFloat(readBits(from, type.bytes()), type));
    return ofInt(arith::wrapToType(static_cast<int64_t>(readBits(from, type.bytes())), type));
}

void writeElement(std::byte* to, DataType type, Scalar value) {
    if (isFloat32(type))
        return writeAs(to, static_cast<float>(value.f));
    uint64_t bits = type.isFloat() ? floatToBits(value.f, type, Overflow::Special) : static_cast<uint64_t>(value.i);
    if (type.isBool())
        bits = bits != 0 ? 1 : 0;
    std::memcpy(to, &bits, static_cast<size_t>(type.bytes()));
}

} // namespace lathe::tir
