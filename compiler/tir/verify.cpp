// SPDX-License-Identifier: Apache-2.0
//
// The executable rules of the loop IR, checked in one walk that keeps what is defined.
#include "tir/verify.h"

#include "arith/analysis.h"
#include "tir/text.h"
#include "tir/transform/flatten_buffers.h"
#include "tir/visit.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace lathe::tir {

using arith::ExprKind;

namespace {

class Verifier {
public:
    Verifier(const PrimFunc& function, Level level) : function_(function), level_(level) {}

    Result<void> run() {
        declareParams();
        check(function_.body);
        if (!problem_)
            return {};
        std::string where = fmt::format("'{}'", function_.name);
        if (current_) {
            std::string text = print(current_);
            where += fmt::format(", at '{}'", text.substr(0, text.find('\n')));
        }
        return failure(fmt::format("{}: {}", where, *problem_));
    }

private:
    void fail(std::string what) {
        if (!problem_)
            problem_ = std::move(what);
    }

    template <class... Args>
    void require(bool condition, fmt::format_string<Args...> text, Args&&... args) {
        if (!condition && !problem_)
            problem_ = fmt::format(text, std::forward<Args>(args)...);
    }

    // Names

    void declareParams() {
        std::vector<const Buffer*> buffers;
        for (const Param& param : function_.params) {
            require(static_cast<bool>(param.buffer) || static_cast<bool>(param.scalar), "a parameter is empty");
            if (param.buffer) {
                declaredBuffers_.insert(param.buffer.get());
                if (param.buffer->scope != Scope::Workspace)
                    buffers.push_back(param.buffer.get());
            } else if (param.scalar) {
                vars_.insert(param.scalar.get());
                everDefined_.insert(param.scalar.get());
            }
        }
        auto outputs = static_cast<size_t>(std::max(function_.outputs, 0));
        require(outputs <= buffers.size(), "it has {} outputs, but {} buffers", outputs, buffers.size());
        if (problem_)
            return;
        for (size_t i = 0; i < buffers.size(); ++i)
            if (i + outputs < buffers.size())
                inputs_.insert(buffers[i]);
        for (size_t i = buffers.size() - outputs; i < buffers.size(); ++i)
            inputs_.erase(buffers[i]);
        for (const Param& param : function_.params)
            if (param.buffer)
                checkShape(*param.buffer);
    }

    /// While blocks stand, a Var is bound in one place of the function: schedules find loops by it. Later, copies of
    /// a body may each bind it, but never within each other.
    void define(const Var& var) {
        bool isNew = everDefined_.insert(var.get()).second;
        bool isFree = vars_.insert(var.get()).second;
        require(isFree && (isNew || level_ != Level::Blocks), "the variable '{}' is defined twice", var->name);
    }

    void undefine(const Var& var) { vars_.erase(var.get()); }

    void checkShape(const Buffer& buffer) {
        for (const Expr& extent : buffer.shape)
            checkIndex(extent);
        for (const Expr& stride : buffer.strides)
            checkIndex(stride);
        if (buffer.offset)
            checkIndex(buffer.offset);
        require(buffer.strides.empty() || buffer.strides.size() == buffer.shape.size(),
                "'{}' has {} dimensions, but {} strides", buffer.name, buffer.shape.size(), buffer.strides.size());
    }

    // Expressions

    void checkIndex(const Expr& expr) {
        require(static_cast<bool>(expr), "an index is missing");
        if (problem_)
            return;
        require(expr.dtype().isInt(), "an index has type {}", toString(expr.dtype()));
        checkExpr(expr);
    }

    void checkCondition(const Expr& expr, const char* what) {
        require(static_cast<bool>(expr) && expr.dtype().isBool(), "{} is no bool", what);
        checkExpr(expr);
    }

    void checkExpr(const Expr& expr) {
        if (problem_)
            return;
        arith::visit(expr, [&](const Expr& node) {
            if (node.kind() == ExprKind::Var)
                require(vars_.contains(node.get()), "the variable '{}' is not defined here", node->name);
            if (node.kind() == ExprKind::Load)
                checkLoad(node);
            return !problem_;
        });
    }

    void checkLoad(const Expr& node) {
        const auto* buffer = dynamic_cast<const Buffer*>(node->storage.get());
        require(buffer != nullptr, "'{}' is read, but is no buffer", node->storage->name);
        if (buffer == nullptr)
            return;
        size_t indices = node->args.size() - (node->masked ? 1 : 0);
        std::span<const Expr> all = node->args;
        checkAccess(*buffer, all.first(indices));
        require(node.dtype().scalar() == buffer->dtype.scalar(), "a load of '{}' has type {} instead of {}",
                buffer->name, toString(node.dtype()), toString(buffer->dtype));
        if (node->masked)
            require(node->args.back().dtype() == types::Bool.withLanes(node.dtype().lanes),
                    "the mask of a load of '{}' has type {}", buffer->name, toString(node->args.back().dtype()));
        require(level_ != Level::Lowered || !buffer->dtype.isIndex(), "'{}' holds elements of type index",
                buffer->name);
    }

    void checkAccess(const Buffer& buffer, std::span<const Expr> indices) {
        bool flat = level_ == Level::Lowered;
        size_t wanted = flat ? 1 : buffer.shape.size();
        // The entry names whole buffers by a load at zeros, of the buffer's own rank.
        bool wholeBuffer = function_.isEntry && indices.size() == buffer.shape.size();
        require(indices.size() == wanted || wholeBuffer, "'{}' is used with {} indices instead of {}", buffer.name,
                indices.size(), wanted);
        for (const Expr& index : indices)
            require(index.dtype().isInt(), "an index of '{}' has type {}", buffer.name, toString(index.dtype()));
        require(function_.isEntry || declaredBuffers_.contains(&buffer), "the buffer '{}' is not declared here",
                buffer.name);
    }

    // Statements

    /// Scopes that end a list follow each other without recursion.
    void check(Stmt stmt) {
        std::vector<Stmt> open;
        Stmt outer = current_;
        while (stmt && !problem_) {
            current_ = stmt;
            require(stmt->origin >= 0 || function_.isEntry || stmt->as<Seq>() != nullptr,
                    "a statement of a kernel has no origin");
            if (const auto* let = stmt->as<Let>()) {
                checkExpr(let->value);
                require(let->value.dtype() == let->var.dtype(), "'{}' has type {}, but its value {}", let->var->name,
                        toString(let->var.dtype()), toString(let->value.dtype()));
                define(let->var);
                open.push_back(stmt);
                stmt = let->body;
            } else if (const auto* allocate = stmt->as<Allocate>()) {
                checkShape(*allocate->buffer);
                checkPlace(*allocate->buffer);
                declare(allocate->buffer);
                open.push_back(stmt);
                stmt = allocate->body;
            } else if (const auto* bind = stmt->as<BindBuffer>()) {
                require(bind->address.dtype() == types::Handle, "an address has type {}",
                        toString(bind->address.dtype()));
                checkExpr(bind->address);
                checkShape(*bind->buffer);
                declare(bind->buffer);
                open.push_back(stmt);
                stmt = bind->body;
            } else {
                checkOther(*stmt);
                break;
            }
        }
        if (problem_)
            return;
        for (const Stmt& scope : open) {
            if (const auto* let = scope->as<Let>())
                undefine(let->var);
            else if (const auto* allocate = scope->as<Allocate>())
                declaredBuffers_.erase(allocate->buffer.get());
            else
                declaredBuffers_.erase(scope->as<BindBuffer>()->buffer.get());
        }
        current_ = outer;
    }

    /// What is allocated when code is generated becomes stack.
    void checkPlace(const Buffer& buffer) {
        if (level_ != Level::Lowered)
            return;
        const std::optional<int64_t> elements = arith::asInt(flatExtent(buffer));
        require(elements.has_value(), "the allocation of '{}' has no constant size", buffer.name);
        require(buffer.scope != Scope::Workspace || function_.isEntry, "'{}' is workspace without a place",
                buffer.name);
        // Narrow floats may have been widened to four bytes since the place was chosen.
        constexpr int64_t most = 4 * localBytes;
        require(!elements || *elements * std::max(1, buffer.dtype.bytes()) <= most,
                "the allocation of '{}' is too large for the stack", buffer.name);
    }

    void declare(const BufferPtr& buffer) {
        require(declaredBuffers_.insert(buffer.get()).second, "the buffer '{}' is declared within itself",
                buffer->name);
    }

    void checkOther(const StmtNode& stmt) {
        if (const auto* list = stmt.as<Seq>()) {
            for (const Stmt& child : list->stmts) {
                require(child != nullptr, "a statement of a list is missing");
                check(child);
            }
        } else if (const auto* store = stmt.as<Store>()) {
            checkStore(*store);
        } else if (const auto* loop = stmt.as<For>()) {
            checkFor(*loop);
        } else if (const auto* block = stmt.as<Block>()) {
            checkBlock(*block);
        } else if (const auto* branch = stmt.as<If>()) {
            checkCondition(branch->condition, "the condition of an if");
            check(branch->thenCase);
            check(branch->elseCase);
        } else if (const auto* whileLoop = stmt.as<While>()) {
            checkCondition(whileLoop->condition, "the condition of a while");
            check(whileLoop->body);
        } else if (const auto* checked = stmt.as<Check>()) {
            checkCondition(checked->condition, "the condition of a check");
            checkOrdinal(*checked, stmt.origin);
        } else if (const auto* evaluate = stmt.as<Evaluate>()) {
            checkExpr(evaluate->value);
        } else if (const auto* call = stmt.as<CallKernel>()) {
            require(function_.isEntry, "a kernel calls another one");
            for (const Expr& arg : call->args)
                checkExpr(arg);
        }
    }

    /// Copies of a check share its ordinal; the runtime finds one message for it.
    void checkOrdinal(const Check& check, int origin) {
        require(check.ordinal >= 0 || level_ != Level::Lowered, "a check is not numbered");
        if (check.ordinal < 0)
            return;
        auto [known, isNew] = checks_.try_emplace(check.ordinal, &check, origin);
        const auto& [first, firstOrigin] = known->second;
        require(isNew || (first->kind == check.kind && first->message == check.message && firstOrigin == origin),
                "two different checks have the number {}", check.ordinal);
    }

    void checkStore(const Store& store) {
        require(store.buffer != nullptr && static_cast<bool>(store.value), "a store is incomplete");
        if (problem_)
            return;
        const Buffer& buffer = *store.buffer;
        checkAccess(buffer, store.indices);
        require(!inputs_.contains(&buffer), "the input '{}' is written", buffer.name);
        int lanes = buffer.dtype.lanes;
        for (const Expr& index : store.indices) {
            lanes = std::max<int>(lanes, index.dtype().lanes);
            checkExpr(index);
        }
        checkExpr(store.value);
        DataType type = store.value.dtype();
        require(type.scalar() == buffer.dtype.scalar(), "a value of type {} is stored to '{}' of type {}",
                toString(type), buffer.name, toString(buffer.dtype));
        require(type.lanes == lanes || store.mask, "{} lanes are stored to {} places", type.lanes, lanes);
        if (store.mask) {
            checkCondition(store.mask, "the mask of a store");
            require(store.mask.dtype().lanes == type.lanes, "a mask has {} lanes for {} values",
                    store.mask.dtype().lanes, type.lanes);
        }
        require(level_ != Level::Lowered || !buffer.dtype.isIndex(), "'{}' holds elements of type index", buffer.name);
    }

    void checkFor(const For& loop) {
        checkIndex(loop.min);
        checkIndex(loop.extent);
        if (problem_)
            return;
        require(loop.min.dtype() == loop.var.dtype() && loop.extent.dtype() == loop.var.dtype(),
                "the loop over '{}' of type {} has bounds of type {} and {}", loop.var->name,
                toString(loop.var.dtype()), toString(loop.min.dtype()), toString(loop.extent.dtype()));
        require(loop.grain >= 1, "the loop over '{}' has a grain of {}", loop.var->name, loop.grain);
        require(loop.grain == parallelGrain || loop.kind == ForKind::Parallel,
                "the loop over '{}' has a grain, but is not parallel", loop.var->name);
        auto least = arith::asInt(loop.min);
        auto extent = arith::asInt(loop.extent);
        if (least && extent && *extent > 0)
            ranges_[loop.var.get()] = {*least, *least + *extent - 1};
        define(loop.var);
        loops_.push_back(loop.var);
        check(loop.body);
        loops_.pop_back();
        undefine(loop.var);
    }

    void checkBlock(const Block& block) {
        require(level_ == Level::Blocks, "the block '{}' is still there", block.name);
        for (const IterVar& iter : block.iters) {
            checkIndex(iter.extent);
            checkIndex(iter.binding);
            if (problem_)
                return;
            require(iter.binding.dtype() == iter.var.dtype() && iter.extent.dtype() == iter.var.dtype(),
                    "the iteration variable '{}' of type {} is bound to type {}", iter.var->name,
                    toString(iter.var.dtype()), toString(iter.binding.dtype()));
            if (!block.predicate)
                checkDomain(iter);
        }
        if (block.predicate)
            checkCondition(block.predicate, "the predicate of a block");
        for (const IterVar& iter : block.iters)
            define(iter.var);
        for (const auto* regions : {&block.reads, &block.writes})
            for (const Region& region : *regions) {
                require(region.ranges.size() == region.buffer->shape.size(),
                        "a region of '{}' has {} dimensions instead of {}", region.buffer->name, region.ranges.size(),
                        region.buffer->shape.size());
                for (const auto& [start, extent] : region.ranges) {
                    checkIndex(start);
                    checkIndex(extent);
                }
            }
        check(block.init);
        check(block.body);
        checkRegions(block);
        for (const IterVar& iter : block.iters)
            undefine(iter.var);
    }

    /// Schedules see what a block touches by its regions alone: they name the buffers that its statements read and write,
    /// no others. What a block allocates is its own; its result, which a reduction reads too, stands in `writes`.
    void checkRegions(const Block& block) {
        std::unordered_set<const Buffer*> own, read, written;
        for (const Stmt& part : {block.init, block.body})
            visitStmts(part, [&](const Stmt& stmt) {
                if (const auto* allocate = stmt->as<Allocate>())
                    own.insert(allocate->buffer.get());
                if (const auto* store = stmt->as<Store>())
                    written.insert(store->buffer.get());
                for (const Expr& expr : exprsOf(*stmt))
                    addLoads(expr, read);
                return true;
            });
        addLoads(block.predicate, read);
        auto named = [](const std::vector<Region>& regions, const Buffer* buffer) {
            return std::ranges::any_of(regions, [&](const Region& region) { return region.buffer.get() == buffer; });
        };
        for (const Buffer* buffer : written)
            require(own.contains(buffer) || named(block.writes, buffer), "'{}' is written, but no region says so",
                    buffer->name);
        for (const Buffer* buffer : read)
            require(own.contains(buffer) || named(block.reads, buffer) || named(block.writes, buffer),
                    "'{}' is read, but no region says so", buffer->name);
        for (const Region& region : block.writes)
            require(written.contains(region.buffer.get()), "a region says that '{}' is written, which it is not",
                    region.buffer->name);
        for (const Region& region : block.reads)
            require(read.contains(region.buffer.get()), "a region says that '{}' is read, which it is not",
                    region.buffer->name);
    }

    static void addLoads(const Expr& expr, std::unordered_set<const Buffer*>& read) {
        if (expr)
            arith::visit(expr, [&](const Expr& node) {
                if (node.kind() == ExprKind::Load)
                    read.insert(&bufferOf(node));
                return true;
            });
    }

    /// Only what is certain: a binding affine in loops of constant extent takes the ends of its interval.
    void checkDomain(const IterVar& iter) {
        auto extent = arith::asInt(iter.extent);
        auto form = extent ? arith::asAffine(iter.binding, loops_) : std::nullopt;
        auto base = form ? arith::asInt(form->base) : std::nullopt;
        if (!base)
            return;
        arith::Facts facts;
        for (size_t i = 0; i < loops_.size(); ++i) {
            if (arith::isConst(form->coefficients[i], 0))
                continue;
            auto range = ranges_.find(loops_[i].get());
            if (!arith::asInt(form->coefficients[i]) || range == ranges_.end())
                return;
            facts.bind(loops_[i], range->second);
        }
        arith::Interval interval = arith::bounds(iter.binding, facts);
        require(interval.lower >= 0 && interval.upper < *extent,
                "the iteration variable '{}' of extent {} takes the values {} to {}", iter.var->name, *extent,
                interval.lower, interval.upper);
    }

    const PrimFunc& function_;
    Level level_;
    std::optional<std::string> problem_;
    Stmt current_;
    std::unordered_set<const arith::ExprNode*> vars_;
    std::unordered_set<const arith::ExprNode*> everDefined_;
    std::unordered_set<const Buffer*> declaredBuffers_;
    std::unordered_set<const Buffer*> inputs_;
    std::vector<Var> loops_;
    std::unordered_map<const arith::ExprNode*, arith::Interval> ranges_;
    std::unordered_map<int, std::pair<const Check*, int>> checks_; // by ordinal: the first, its origin
};

} // namespace

Result<void> verify(const PrimFunc& function, Level level) {
    return Verifier(function, level).run();
}

Result<void> verifyCalls(const PrimFunc& entry, const std::unordered_map<std::string, PrimFuncPtr>& kernels) {
    std::optional<std::string> problem;
    visitStmts(entry.body, [&](const Stmt& stmt) {
        const auto* call = stmt->as<CallKernel>();
        if (!call || problem)
            return !problem;
        auto found = kernels.find(call->callee);
        if (found == kernels.end()) {
            problem = fmt::format("there is no kernel '{}'", call->callee);
            return false;
        }
        const std::vector<Param>& params = found->second->params;
        if (params.size() != call->args.size())
            problem = fmt::format("a call of '{}' has {} arguments for {} parameters", call->callee, call->args.size(),
                                  params.size());
        for (size_t i = 0; i < params.size() && !problem; ++i) {
            DataType type = call->args[i].dtype(), wanted = params[i].buffer ? types::Handle : params[i].scalar.dtype();
            bool wholeBuffer = params[i].buffer && call->args[i].kind() == ExprKind::Load;
            if (!wholeBuffer && type != wanted)
                problem = fmt::format("argument {} of a call of '{}' has type {} instead of {}", i + 1, call->callee,
                                      toString(type), toString(wanted));
        }
        return !problem;
    });
    return problem ? Result<void>(failure(fmt::format("'{}': {}", entry.name, *problem))) : Result<void>();
}

} // namespace lathe::tir
