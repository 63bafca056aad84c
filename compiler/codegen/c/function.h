// SPDX-License-Identifier: Apache-2.0
//
// One PrimFunc as a C function. Statements stand in function_stmt.cpp, expressions in function_expr.cpp, what is not one
// operator of C in function_call.cpp.
//
// An expression of the loop IR is a graph, of C a tree: what is used more than once in a statement, or would nest too
// deeply, becomes a constant before it. A side of a select that reads memory may be read only if it is taken; what it needs
// is computed there.
#pragma once

#include "arith/analysis.h"
#include "codegen/c/helpers.h"
#include "codegen/c/names.h"
#include "codegen/c_source.h"

#include <span>
#include <unordered_map>
#include <unordered_set>

namespace lathe::codegen {

using arith::Expr;

/// What a caller needs to know of a kernel.
struct CKernel {
    std::string name;      // of the C function
    bool mayFail = false;  // it returns an int
    bool needsRun = false; // its first argument is the run
};

/// What the functions of a model have in common.
struct CModule {
    const CModel& model;
    CHelpers helpers;
    std::unordered_map<std::string, CKernel> kernels; // by the PrimFunc's name
    std::vector<int> statusOfCall;                    // what is added to the status of a call's kernel
    std::vector<bool> dynamicOutput;                  // its size depends on symbols or data
    int keptPlaces = 0;
};

class CFunction {
public:
    CFunction(CModule& module, const tir::PrimFunc& function);
    /// The definition.
    std::string kernel(const CKernel& kernel);
    std::string entry();
    /// Of the symbols' expressions, for a function that gets their values as `symbols`.
    std::string ofSymbols(const Expr& expr);
    int64_t stackBytes() const { return stackBytes_; }

private:
    /// Text of an expression, and how it binds.
    struct Value {
        std::string text;
        int level = 0; // what it is: see the constants below
        int depth = 1; // of brackets
    };
    static constexpr int primary = 0, unary = 1, product = 2, sum = 3, loose = 4;

    CModule& m_;
    const tir::PrimFunc& f_;
    CNames names_;
    arith::Facts facts_;
    std::string* out_;
    int indent_ = 1;
    int64_t stackBytes_ = 0;
    std::unordered_set<const void*> mentioned_; // Vars and buffers
    std::unordered_set<const void*> loaded_;    // of them, what is not only stored to
    std::unordered_map<const arith::ExprNode*, int> uses_;
    std::vector<std::unordered_map<const arith::ExprNode*, Value>> memo_;
    std::unordered_map<const arith::ExprNode*, bool> reads_;
    std::vector<Expr> made_; // the maps know expressions by address

    // statements
    void findMentioned();
    void line(const std::string& text);
    void open(const std::string& text);
    void close(const std::string& text = "}");
    void emit(const tir::Stmt& stmt);
    void emitFor(const tir::For& loop);
    void emitIf(const tir::If& node);
    void emitWhile(const tir::While& node);
    void emitLet(const tir::Let& node);
    void emitStore(const tir::Store& node);
    void emitCall(const tir::CallKernel& call);
    void emitAllocate(const tir::Buffer& buffer);
    /// Begins a statement of these expressions.
    void begin(std::span<const Expr> roots);
    void begin(const Expr& root) { begin(std::span(&root, 1)); }

    // expressions
    Value value(const Expr& expr);
    Value compute(const Expr& expr);
    Value arithmetic(const Expr& expr);
    Value integerArithmetic(const Expr& expr);
    Value division(const Expr& expr);
    Value minMax(const Expr& expr);
    Value shift(const Expr& expr);
    Value compare(const Expr& expr);
    Value lazily(const Expr& condition, const Expr& taken, const Expr& otherwise);
    Value load(const Expr& expr);
    bool readsMemory(const Expr& expr);
    Value named(const Expr& expr, Value value);

    // casts, intrinsics, calls of the runtime
    Value cast(const Expr& expr);
    Value reinterpret(const Expr& expr);
    Value intrinsic(const Expr& expr);
    Value floatFunction(const Expr& expr);
    Value intPow(const Expr& expr);
    Value runtimeCall(const Expr& expr);
    Value addressOf(const Expr& load);

    // text
    static std::string operand(const Value& value, int level);
    static Value binary(const char* op, const Value& a, const Value& b, int level);
    static Value castTo(const std::string& type, const Value& value);
    static Value wrapped(const Value& value, DataType type);
    Value helper(std::string_view name, const std::vector<Value>& args);
    static Value called(const std::string& function, const std::vector<Value>& args);
    static Value widened(const Value& value, DataType type);
};

} // namespace lathe::codegen
