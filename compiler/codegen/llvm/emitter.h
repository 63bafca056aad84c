// SPDX-License-Identifier: Apache-2.0
//
// Loop IR to LLVM IR. ModuleEmitter owns what one module shares (types, debug info, the table of runtime functions);
// FunctionEmitter makes one LLVM function: the PrimFunc itself or the outlined body of a parallel loop. Its methods stand
// in emit_stmt.cpp, emit_parallel.cpp, emit_expr.cpp, emit_memory.cpp, emit_sequence.cpp, emit_transpose.cpp,
// emit_stretch.cpp, emit_cast.cpp, emit_calls.cpp and emit_math.cpp.
//
// Explicit vector code: a TIR vector becomes an LLVM vector of the same lanes. Floats carry the `contract` flag alone,
// and only when the target has FMA: inside of float functions, and elsewhere where CodegenOptions allow it.
#pragma once

#include "arith/analysis.h"
#include "codegen/codegen.h"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace lathe::codegen {

using arith::Expr;
using arith::ExprKind;
using arith::Intrinsic;
using llvm::Value;

class ModuleEmitter {
public:
    ModuleEmitter(llvm::Module& module, const tir::PrimFunc& function, const CodegenOptions& options);
    void run();

    llvm::LLVMContext& context;
    llvm::Module& module;
    const tir::PrimFunc& function;
    const Target& target;
    const llvm::FastMathFlags floats, floatFunctions; // what may be done to floats, and inside of float functions
    std::vector<LineEntry> lines;
    llvm::GlobalVariable* table; // lathe_functions_table

    /// A value's type in registers: bool i1, int4 i4, types without arithmetic (bfloat16, float8 …) integers of their width.
    llvm::Type* registerType(DataType type) const;
    /// In memory: at least a byte an element.
    llvm::Type* storageType(DataType type) const;
    llvm::Function* makeFunction(const std::string& name, const std::vector<llvm::Type*>& params, bool internal);
    llvm::DebugLoc locationOf(const tir::StmtNode& stmt, int origin, llvm::Function* inside);
    int nextOutlined() { return outlined_++; }

private:
    llvm::DIBuilder debug_;
    llvm::DICompileUnit* unit_;
    int outlined_ = 0;
};

/// The runtime's number of a float function (abi/abi.h); -1: it has none.
int mathOrdinal(Intrinsic which);

class FunctionEmitter {
public:
    FunctionEmitter(ModuleEmitter& module, llvm::Function* function, bool inParallel);

    Value* exec = nullptr;
    std::unordered_map<const arith::ExprNode*, Value*> vars;     // values of Vars in scope
    std::unordered_map<const arith::Storage*, Value*> addresses; // of buffers in scope
    arith::Facts facts;

    void emit(const tir::Stmt& stmt);
    void finish(); // return 0
    llvm::IRBuilder<>& builder() { return b_; }

    static size_t lowHalf(size_t lanes, size_t registerLanes);

    /// The value at the current place; shared subexpressions of one statement are computed once.
    Value* value(const Expr& expr);

private:
    ModuleEmitter& m_;
    llvm::Function* f_;
    llvm::IRBuilder<> b_;
    bool inParallel_;
    Value* table_ = nullptr; // the loaded lathe_functions*
    std::vector<std::unordered_map<const arith::ExprNode*, Value*>> memo_;
    std::unordered_map<const arith::ExprNode*, bool> reads_;
    std::vector<Expr> made_; // expressions that only this emitter owns

    // of stores in sequence
    struct Stretch {
        Value* start; // address of its first element
        llvm::Type* element;
        llvm::Align align;
        int64_t step, size, width;           // elements from lane to lane, in all, and of a register
        std::map<int64_t, Value*> registers; // by their first elements
        struct Picked {
            int64_t first;
            int lanes;
            Value* value;
        };
        std::vector<Picked> picked;

        int64_t registerOf(int64_t at) const;
    };
    std::unordered_map<const arith::ExprNode*, Value*> loaded_; // loads that are done
    std::vector<Stretch> stretches_;
    std::unordered_map<const arith::ExprNode*, std::pair<size_t, int64_t>>
        stretchOf_; // of loads: where they begin in which

    // statements (emit_stmt.cpp)
    void emitFor(const tir::For& loop, int origin);
    void emitLoop(const arith::Var& var, Value* min, Value* extent, const tir::Stmt& body);
    void emitIf(const tir::If& node);
    void emitWhile(const tir::While& node);
    void emitCheck(const tir::Check& check);
    void emitCall(const tir::CallKernel& call);
    void emitAllocate(const tir::Buffer& buffer);
    void fail(Value* condition, std::optional<int32_t> call, Value* status);
    llvm::BasicBlock* block(const char* name);
    Value* alloca(llvm::Type* type);

    // parallel loops (emit_parallel.cpp)
    void emitParallel(const tir::For& loop);

    // expressions (emit_expr.cpp)
    Value* compute(const Expr& expr);
    Value* arithmetic(const Expr& expr);
    Value* integerDivision(const Expr& expr, Value* a, Value* b);
    Value* minMax(bool maximum, const Expr& expr, Value* a, Value* b);
    Value* compare(const Expr& expr);
    Value* shift(const Expr& expr, Value* a, Value* b);
    Value* select(const Expr& condition, const Expr& a, const Expr& b);
    Value* branches(Value* condition, const std::function<Value*()>& a, const std::function<Value*()>& b);
    bool readsMemory(const Expr& expr);
    Value* constant(const Expr& expr);
    Value* reduce(const Expr& expr);
    Value* intPow(const Expr& expr);
    Value* randomBits(const Expr& expr);
    Value* splat(Value* scalar, int lanes);
    Value* lanewise(int lanes, llvm::Type* resultElement, const std::vector<Value*>& args,
                    const std::function<Value*(const std::vector<Value*>&)>& fn);

    // memory (emit_memory.cpp)
    Value* address(const arith::Storage& storage) const;
    Expr accessIndex(const tir::Buffer& buffer, std::span<const Expr> indices);
    Value* addressOf(const Expr& load);
    Value* prefetch(const Expr& load);
    Value* load(const Expr& expr);
    int registerLanes(const llvm::Type* element) const;
    bool isLoadedMasked(const llvm::Type* element, int lanes) const;
    Value* loadLanes(llvm::Type* element, int lanes, llvm::Align align,
                     const std::function<Value*(int)>& addressOfLane);
    Value* loadPart(Value* pointer, llvm::Type* element, int lanes, llvm::Align align);
    Value* pick(Value* pointer, llvm::Type* element, std::span<const int64_t> at, llvm::Align align);
    void store(const tir::Store& store);

    Value* joined(Value* low, Value* high, size_t half, size_t lanes);
    Value* toRegister(Value* value, DataType type);
    Value* toStorage(Value* value, DataType type);

    // loads of stores in sequence (emit_sequence.cpp)
    void prepareLoads(std::span<const tir::Stmt> stores);

    // columns of a tile that is transposed (emit_transpose.cpp)
    void loadTiles(const Expr& base, const Expr& stride, std::map<int64_t, std::vector<Expr>> loads);
    void loadTile(const Expr& base, const Expr& stride, const std::map<int64_t, std::vector<Expr>>& loads);

    // vectors that step through one stretch of memory (emit_stretch.cpp)
    void findStretches(const Expr& base, int64_t step, const std::map<int64_t, std::vector<Expr>>& loads);
    void pickFromStretches(const Expr& expr);
    Value* pickFrom(Stretch& stretch, int64_t first, size_t lanes);

    // conversions (emit_cast.cpp)
    Value* cast(Value* value, DataType from, DataType to);
    Value* saturated(Value* value, unsigned bits, bool isSigned);
    Value* saturatedAny(Value* value, llvm::Type* type, unsigned bits, bool isSigned);
    Value* reinterpret(Value* value, DataType from, DataType to);

    // calls of the runtime (emit_math.cpp has the float functions)
    Value* runtimeTable();
    Value* runtimeFunction(int ordinal);
    Value* runtimeCall(int ordinal, const std::vector<Value*>& args);
    Value* intrinsic(const Expr& expr);
    Value* floatFunction(Intrinsic which, const std::vector<Value*>& args, DataType type);
    Value* scalarMath(int ordinal, const std::vector<Value*>& args, DataType type);

    Value* exp32(Value* x);
    Value* exp32Within(Value* x, double low, double high);
    Value* scaledByPower(Value* x, Value* n);
    Value* log32(Value* x);
    Value* log32Of(Value* f, Value* exponent);
    Value* log1p32(Value* x);
    Value* tanh32(Value* x);
    Value* erf32(Value* x);
    Value* sigmoid32(Value* x);
    Value* trigonometric32(Intrinsic which, Value* x, DataType type);
    Value* pow32(const Expr& exponent, Value* x, Value* y, DataType type);
    Value* fma(Value* a, Value* b, Value* c);
    Value* polynomial(Value* x, std::initializer_list<double> highestFirst);
    Value* polynomial(Value* x, Value* square, std::span<const double> highestFirst);
    Value* atMost(Value* x, double bound); // NaN stays
    Value* atLeast(Value* x, double bound);
    Value* withSignOf(Value* positive, Value* x);
    Value* bitsOf(Value* x);
    Value* exceptNormal(Value* x, int limit);
    Value* anyOf(Value* lanes);
    Value* number(Value* like, double value);
    Value* integer(Value* like, int64_t value); // a constant of the integer type with `like`'s lanes and 32 bits
};

} // namespace lathe::codegen
