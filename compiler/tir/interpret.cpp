// SPDX-License-Identifier: Apache-2.0
//
// The interpreter: a function is prepared once (names to places, expressions to Code), then its statements run over an
// InterpreterState. Failures stick in it and every loop looks at it.
#include "tir/interpret.h"

#include "base/limits.h"
#include "tir/interpret_expr.h"
#include "tir/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::tir {

using arith::Scalar;

namespace {

struct Step;

struct PreparedIter {
    size_t place = 0;
    Code* extent = nullptr;
    Code* binding = nullptr;
    IterKind kind = IterKind::Spatial;
};

struct PreparedBuffer {
    const Buffer* buffer = nullptr;
    size_t place = 0;
    std::vector<Code*> shape;
    std::vector<Code*> strides;
    Code* offset = nullptr;
};

/// One statement, prepared. Which members mean something depends on the statement.
struct Step {
    const StmtNode* stmt = nullptr;
    size_t place = 0;         // For, Let: Var; Store: buffer
    std::vector<Code*> exprs; // in the order that the statement lists them
    Code* mask = nullptr;     // Store; Block: predicate
    std::vector<PreparedIter> iters;
    PreparedBuffer buffer;
    std::vector<Step*> children; // body; then and else; init and body; a null stands for nothing
};

class Interpreter {
public:
    Interpreter(const PrimFunc& function, std::span<const Argument> arguments, int64_t stepLimit)
        : function_(function), arguments_(arguments), stepLimit_(stepLimit) {}

    Result<void> run() {
        if (arguments_.size() != function_.params.size())
            return failure(fmt::format("'{}' takes {} arguments, found {}", function_.name, function_.params.size(),
                                       arguments_.size()));
        std::vector<PreparedBuffer> params;
        for (const Param& param : function_.params)
            if (param.buffer)
                params.push_back(prepareBuffer(*param.buffer));
            else
                maker_.placeOfVar(param.scalar.get());
        Step* body = prepare(function_.body);
        if (maker_.failure())
            return named(*maker_.failure());
        state_.vars.resize(maker_.varCount());
        state_.buffers.resize(maker_.bufferCount());
        bindScalars();
        bindBuffers(params);
        if (body != nullptr && !state_.failure)
            execute(*body);
        if (state_.failure)
            return named(*state_.failure);
        return {};
    }

private:
    Failure named(Diagnostic diagnostic) const {
        std::string where = fmt::format("'{}'", function_.name);
        if (current_ != nullptr) {
            // The statement alone, without what stands in it.
            std::string text = print(std::make_shared<const StmtNode>(*current_));
            where += fmt::format(", at '{}'", text.substr(0, text.find('\n')));
        }
        diagnostic.what = fmt::format("{}: {}", where, diagnostic.what);
        return Failure(std::move(diagnostic));
    }

    // Preparation

    PreparedBuffer prepareBuffer(const Buffer& buffer) {
        PreparedBuffer result{&buffer, maker_.placeOfBuffer(&buffer), {}, {}, nullptr};
        if (buffer.dtype.code == TypeCode::String)
            maker_.refuse("strings are not interpreted");
        if (buffer.dtype.lanes != 1)
            maker_.refuse("vectors are not interpreted");
        for (const Expr& extent : buffer.shape)
            result.shape.push_back(maker_.make(extent));
        for (const Expr& stride : buffer.strides)
            result.strides.push_back(maker_.make(stride));
        result.offset = maker_.make(buffer.offset);
        return result;
    }

    Step* prepare(const Stmt& stmt) {
        if (!stmt || maker_.failure())
            return nullptr;
        current_ = stmt.get();
        Step& step = steps_.emplace_back();
        step.stmt = stmt.get();
        auto add = [&](const Expr& expr) { step.exprs.push_back(maker_.make(expr)); };
        auto child = [&](const Stmt& inner) { step.children.push_back(prepare(inner)); };
        if (const auto* loop = stmt->as<For>()) {
            step.place = maker_.placeOfVar(loop->var.get());
            add(loop->min);
            add(loop->extent);
            child(loop->body);
        } else if (const auto* block = stmt->as<Block>()) {
            for (const IterVar& iter : block->iters)
                step.iters.push_back({maker_.placeOfVar(iter.var.get()), maker_.make(iter.extent),
                                      maker_.make(iter.binding), iter.kind});
            step.mask = maker_.make(block->predicate);
            child(block->init);
            child(block->body);
        } else if (const auto* store = stmt->as<Store>()) {
            step.place = maker_.placeOfBuffer(store->buffer.get());
            for (const Expr& index : store->indices)
                add(index);
            add(store->value);
            step.mask = maker_.make(store->mask);
        } else if (const auto* let = stmt->as<Let>()) {
            step.place = maker_.placeOfVar(let->var.get());
            add(let->value);
            child(let->body);
        } else if (const auto* branch = stmt->as<If>()) {
            add(branch->condition);
            child(branch->thenCase);
            child(branch->elseCase);
        } else if (const auto* whileLoop = stmt->as<While>()) {
            add(whileLoop->condition);
            child(whileLoop->body);
        } else if (const auto* list = stmt->as<Seq>()) {
            for (const Stmt& inner : list->stmts)
                child(inner);
        } else if (const auto* allocate = stmt->as<Allocate>()) {
            step.buffer = prepareBuffer(*allocate->buffer);
            child(allocate->body);
        } else if (const auto* check = stmt->as<Check>()) {
            add(check->condition);
        } else if (const auto* evaluate = stmt->as<Evaluate>()) {
            add(evaluate->value);
        } else {
            maker_.refuse("calls of kernels and bound memory are not interpreted");
        }
        return &step;
    }

    // Arguments

    void bindScalars() {
        current_ = nullptr;
        for (size_t i = 0; i < function_.params.size(); ++i) {
            const Var& scalar = function_.params[i].scalar;
            if (!scalar || function_.params[i].buffer)
                continue;
            int64_t value = arguments_[i].scalar;
            if (value < scalar->lower || value > scalar->upper)
                state_.fail(fmt::format("{} is {}, outside its range {} to {}", scalar->name, value, scalar->lower,
                                        scalar->upper));
            Scalar& place = state_.vars[maker_.placeOfVar(scalar.get())];
            if (scalar.dtype().isFloat())
                place.f = static_cast<double>(value);
            else
                place.i = value;
        }
    }

    void bindBuffers(const std::vector<PreparedBuffer>& params) {
        size_t next = 0;
        for (size_t i = 0; i < function_.params.size() && !state_.failure; ++i) {
            if (!function_.params[i].buffer)
                continue;
            const PreparedBuffer& prepared = params[next++];
            BufferMemory& memory = state_.buffers[prepared.place];
            int64_t needed = layOut(prepared, memory);
            int64_t elementBytes = prepared.buffer->dtype.bytes();
            auto given = static_cast<int64_t>(arguments_[i].bytes.size());
            bool fits = prepared.strides.empty() && prepared.offset == nullptr ? given == needed * elementBytes
                                                                               : given >= needed * elementBytes;
            if (!state_.failure && !fits)
                state_.fail(
                    fmt::format("'{}' needs {} bytes, found {}", prepared.buffer->name, needed * elementBytes, given));
            memory.data = arguments_[i].bytes.data();
            static std::byte nothing{};
            if (memory.data == nullptr)
                memory.data = &nothing;
            memory.elements = given / elementBytes;
        }
    }

    /// Computes shape, strides and offset; returns the number of elements that the memory must hold.
    int64_t layOut(const PreparedBuffer& prepared, BufferMemory& memory) {
        ++state_.epoch;
        memory.buffer = prepared.buffer;
        memory.shape.clear();
        memory.strides.clear();
        for (Code* extent : prepared.shape)
            memory.shape.push_back(tir::run(*extent, state_).i);
        for (Code* stride : prepared.strides)
            memory.strides.push_back(tir::run(*stride, state_).i);
        memory.offset = prepared.offset != nullptr ? tir::run(*prepared.offset, state_).i : 0;
        bool compact = memory.strides.size() != memory.shape.size();
        if (compact)
            memory.strides.assign(memory.shape.size(), 1);
        int64_t count = 1;
        int64_t last = memory.offset; // position of the last element
        bool overflow = false;
        for (size_t i = memory.shape.size(); i > 0; --i) {
            int64_t extent = memory.shape[i - 1];
            if (extent < 0) {
                state_.fail(fmt::format("dimension {} of '{}' is {}", i - 1, prepared.buffer->name, extent));
                return 0;
            }
            if (compact)
                memory.strides[i - 1] = count;
            int64_t reach = 0;
            overflow = overflow || __builtin_mul_overflow(extent - 1, memory.strides[i - 1], &reach) ||
                       __builtin_add_overflow(last, std::max<int64_t>(reach, 0), &last) ||
                       __builtin_mul_overflow(count, extent, &count);
        }
        if (overflow || last >= limits::tensorElements) {
            state_.fail(fmt::format("'{}' has more than {} elements", prepared.buffer->name, limits::tensorElements));
            return 0;
        }
        return count == 0 ? 0 : last + 1;
    }

    // Statements

    int64_t integer(Code* code) { return tir::run(*code, state_).i; }

    void execute(Step& step) {
        const StmtNode& stmt = *step.stmt;
        if (const auto* list = stmt.as<Seq>()) {
            (void)list;
            for (Step* child : step.children)
                runChild(child);
            return;
        }
        current_ = &stmt;
        ++state_.epoch;
        if (stmt.as<Store>())
            executeStore(step);
        else if (stmt.as<For>())
            executeFor(step);
        else if (stmt.as<Block>())
            executeBlock(step);
        else if (stmt.as<Let>()) {
            state_.vars[step.place] = tir::run(*step.exprs[0], state_);
            runChild(step.children[0]);
        } else if (stmt.as<If>()) {
            runChild(step.children[integer(step.exprs[0]) != 0 ? 0 : 1]);
        } else if (stmt.as<While>()) {
            while (!state_.failure && integer(step.exprs[0]) != 0) {
                countIteration();
                runChild(step.children[0]);
                current_ = &stmt;
                ++state_.epoch;
            }
        } else if (stmt.as<Allocate>()) {
            executeAllocate(step);
        } else if (const auto* check = stmt.as<Check>()) {
            if (integer(step.exprs[0]) == 0)
                state_.fail(check->message);
        } else if (!step.exprs.empty()) {
            tir::run(*step.exprs[0], state_);
        }
    }

    void runChild(Step* child) {
        if (child != nullptr && !state_.failure)
            execute(*child);
    }

    void countIteration() {
        if (++iterations_ > stepLimit_)
            state_.fail(fmt::format("it runs longer than {} steps", stepLimit_));
    }

    void executeStore(Step& step) {
        if (++stores_ > stepLimit_)
            state_.fail(fmt::format("it runs longer than {} steps", stepLimit_));
        if (step.mask != nullptr && integer(step.mask) == 0)
            return;
        std::span<Code* const> indices(step.exprs.data(), step.exprs.size() - 1);
        Scalar value = tir::run(*step.exprs.back(), state_);
        BufferMemory& memory = state_.buffers[step.place];
        std::byte* element = elementAt(state_, memory, indices);
        if (element != nullptr && !state_.failure)
            writeElement(element, memory.buffer->dtype, value);
    }

    void executeFor(Step& step) {
        int64_t least = integer(step.exprs[0]);
        int64_t extent = integer(step.exprs[1]);
        for (int64_t i = 0; i < extent && !state_.failure; ++i) {
            countIteration();
            state_.vars[step.place].i = least + i;
            runChild(step.children[0]);
        }
    }

    void executeBlock(Step& step) {
        if (step.mask != nullptr && integer(step.mask) == 0)
            return;
        bool isFirst = true;
        for (const PreparedIter& iter : step.iters) {
            int64_t value = iter.binding != nullptr ? integer(iter.binding) : 0;
            int64_t extent = integer(iter.extent);
            if (value < 0 || value >= extent) {
                state_.fail(fmt::format("an iteration variable is {}, outside 0 to {}", value, extent - 1));
                return;
            }
            state_.vars[iter.place].i = value;
            isFirst = isFirst && (iter.kind != IterKind::Reduce || value == 0);
        }
        if (isFirst)
            runChild(step.children[0]);
        runChild(step.children[1]);
    }

    void executeAllocate(Step& step) {
        BufferMemory& memory = state_.buffers[step.buffer.place];
        int64_t elements = layOut(step.buffer, memory);
        if (state_.failure)
            return;
        int64_t bytes = elements * step.buffer.buffer->dtype.bytes();
        if (bytes > limits::evaluatorBytes) {
            state_.fail(fmt::format("'{}' takes {} bytes, more than {}", step.buffer.buffer->name, bytes,
                                    limits::evaluatorBytes));
            return;
        }
        // Memory starts with bytes that show up in results, if something is read before it is written.
        memory.owned.assign(static_cast<size_t>(std::max<int64_t>(bytes, 1)), std::byte{0xcb});
        memory.data = memory.owned.data();
        memory.elements = elements;
        runChild(step.children[0]);
        memory.data = nullptr;
    }

    const PrimFunc& function_;
    std::span<const Argument> arguments_;
    int64_t stepLimit_;
    int64_t stores_ = 0;
    int64_t iterations_ = 0;
    CodeMaker maker_;
    std::deque<Step> steps_;
    InterpreterState state_;
    const StmtNode* current_ = nullptr;
};

} // namespace

Result<void> interpret(const PrimFunc& function, std::span<const Argument> arguments, int64_t stepLimit) {
    return Interpreter(function, arguments, stepLimit).run();
}

} // namespace lathe::tir
