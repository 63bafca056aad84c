// SPDX-License-Identifier: Apache-2.0
//
// Expressions prepared for the interpreter: Vars and buffers are resolved to places, shared nodes are computed once a
// statement. The state of a run is an InterpreterState.
#pragma once

#include "arith/scalar.h"
#include "tir/ir.h"

#include <deque>
#include <span>

namespace lathe::tir {

/// Memory of one buffer while the function runs.
struct BufferMemory {
    const Buffer* buffer = nullptr;
    std::vector<int64_t> shape;
    std::vector<int64_t> strides; // in elements
    int64_t offset = 0;
    std::byte* data = nullptr; // null while not declared
    int64_t elements = 0;      // that data has room for
    std::vector<std::byte> owned;
};

struct InterpreterState {
    std::vector<arith::Scalar> vars;
    std::vector<BufferMemory> buffers;
    uint64_t epoch = 0; // grows with each statement: values remembered before it are stale
    std::optional<Diagnostic> failure;

    void fail(std::string what) {
        if (!failure)
            failure = error(std::move(what));
    }
};

/// A node of a prepared expression.
struct Code {
    arith::ExprKind kind = arith::ExprKind::IntImm;
    arith::Intrinsic intrinsic = arith::Intrinsic::None;
    DataType dtype;
    DataType operandType;
    arith::Scalar value{.i = 0}; // constants
    size_t place = 0;            // of the Var or the buffer
    std::vector<Code*> args;
    bool isShared = false;
    bool isMasked = false;
    uint64_t epoch = 0; // of `value`, if shared
};

class CodeMaker {
public:
    /// Null, and `failure()` set, for what the interpreter does not compute: vectors, strings, addresses.
    Code* make(const Expr& expr);
    size_t placeOfVar(const arith::ExprNode* var);
    size_t placeOfBuffer(const arith::Storage* storage);
    size_t varCount() const { return vars_.size(); }
    size_t bufferCount() const { return buffers_.size(); }
    const std::optional<Diagnostic>& failure() const { return failure_; }
    void refuse(std::string what);

private:
    Code* makeNode(const Expr& expr);

    std::deque<Code> nodes_;
    std::unordered_map<const arith::ExprNode*, Code*> known_; // within one expression
    std::unordered_map<const arith::ExprNode*, size_t> vars_;
    std::unordered_map<const arith::Storage*, size_t> buffers_;
    std::optional<Diagnostic> failure_;
};

/// The value of `code`; after a failure anything.
arith::Scalar run(Code& code, InterpreterState& state);

/// Where the element at indices lies; null (and failed) if it is out of bounds.
std::byte* elementAt(InterpreterState& state, const BufferMemory& memory, std::span<Code* const> indices);
arith::Scalar readElement(const std::byte* from, DataType type);
void writeElement(std::byte* to, DataType type, arith::Scalar value);

} // namespace lathe::tir
