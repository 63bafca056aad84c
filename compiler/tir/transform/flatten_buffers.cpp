// SPDX-License-Identifier: Apache-2.0
//
// See flatten_buffers.h. One top-down rewrite that knows the loops around; buffers are replaced by identity.
#include "tir/transform/flatten_buffers.h"

#include "arith/analysis.h"
#include "base/cache_lines.h"
#include "base/rounding.h"
#include "tir/structure.h"
#include "tir/transform/loop_facts.h"
#include "tir/transform/parallel_regions.h"
#include "tir/visit.h"

#include <unordered_map>
#include <unordered_set>

namespace lathe::tir {

Expr flatIndex(const Buffer& buffer, std::span<const Expr> indices) {
    LATHE_ASSERT(indices.size() == buffer.shape.size(), "access to " + buffer.name + " with another rank");
    Expr index = buffer.offset ? buffer.offset : Expr(0);
    Expr compact = Expr(1);
    for (size_t i = indices.size(); i-- > 0;) {
        Expr stride = buffer.strides.empty() ? compact : buffer.strides[i];
        Expr at = indices[i];
        if (at.dtype().lanes > 1)
            stride = arith::broadcast(stride, at.dtype().lanes);
        Expr term = at * stride;
        if (term.dtype().lanes != index.dtype().lanes) {
            if (term.dtype().lanes > 1)
                index = arith::broadcast(index, term.dtype().lanes);
            else
                term = arith::broadcast(term, index.dtype().lanes);
        }
        index = index + term;
        if (buffer.strides.empty())
            compact = compact * buffer.shape[i];
    }
    return index;
}

Expr flatExtent(const Buffer& buffer) {
    Expr extent = Expr(1);
    if (buffer.strides.empty()) {
        for (const Expr& dim : buffer.shape)
            extent = extent * dim;
    } else {
        for (size_t i = 0; i < buffer.shape.size(); ++i)
            extent = extent + (buffer.shape[i] - Expr(1)) * buffer.strides[i];
    }
    return arith::simplify(buffer.offset ? extent + buffer.offset : extent);
}

namespace {

/// A Local buffer whose rows are longer than a cache line begins each with one: the vectors that fill it cross no lines, and
/// fewer of those that are read from it do.
Buffer inLines(const Buffer& buffer) {
    const int64_t line = lineBytes / std::max(1, buffer.dtype.bytes());
    const size_t rank = buffer.shape.size();
    const int64_t row = rank < 2 ? 0 : arith::asInt(buffer.shape.back()).value_or(0);
    Buffer result = buffer;
    if (buffer.scope != Scope::Local || !buffer.strides.empty() || row <= line || row % line == 0)
        return result;
    result.strides.assign(rank, Expr(1));
    Expr stride = Expr(ceilDiv(row, line) * line);
    for (size_t i = rank - 1; i-- > 0;) {
        result.strides[i] = stride;
        stride = arith::simplify(stride * buffer.shape[i]);
    }
    return result;
}

class Flattening {
public:
    explicit Flattening(const PrimFunc& function) : function_(function) {
        workspace_ = arith::var("workspace", types::Handle);
        for (const Param& param : function.params)
            if (!param.buffer)
                known_.insert(param.scalar.get());
    }

    Flattened run() {
        auto result = std::make_shared<PrimFunc>(function_);
        for (Param& param : result->params)
            if (param.buffer)
                param.buffer = flat(*param.buffer, flatExtent(*param.buffer));
        result->body = stmt(function_.body);
        if (usesWorkspace_)
            result->params.push_back({nullptr, workspace_});
        // Buffers without elements need no memory, but the parameter is there: it must be given.
        const Expr bytes = arith::simplify(bytes_);
        return {result, usesWorkspace_ && arith::isConst(bytes, 0) ? Expr(64) : bytes};
    }

private:
    const PrimFunc& function_;
    Var workspace_;
    Expr bytes_ = Expr(0);
    bool usesWorkspace_ = false;
    std::unordered_set<const arith::ExprNode*> known_; // scalar parameters
    std::unordered_map<const arith::Storage*, BufferPtr> flat_;
    std::unordered_map<const arith::Storage*, Buffer> placed_; // allocated ones with their strides
    arith::Facts facts_;
    arith::VarMap lets_; // pure values of lets, to say sizes in terms of the parameters
    Expr task_, tasks_;  // of the parallel loop around, if it was split
    bool inParallel_ = false;

    BufferPtr flat(const Buffer& buffer, Expr extent) {
        auto result = std::make_shared<Buffer>();
        result->name = buffer.name;
        result->dtype = buffer.dtype;
        result->shape = {std::move(extent)};
        result->scope = buffer.scope;
        result->alignment = buffer.alignment;
        flat_[&buffer] = result;
        return result;
    }

    BufferPtr lookup(const arith::Storage* storage) const {
        auto it = flat_.find(storage);
        LATHE_ASSERT(it != flat_.end(), "buffer " + storage->name + " is used outside of its definition");
        return it->second;
    }

    Expr indexOf(const Buffer& buffer, std::span<const Expr> indices) const {
        const auto found = placed_.find(&buffer);
        return flatIndex(found == placed_.end() ? buffer : found->second, indices);
    }

    Expr expr(const Expr& root) {
        if (!root)
            return root;
        return arith::rewrite(root, [&](const Expr& e) {
            if (e.kind() != arith::ExprKind::Load)
                return e;
            std::span<const Expr> indices(e->args.data(), e->args.size() - (e->masked ? 1 : 0));
            Expr index = simplified(indexOf(bufferOf(e), indices));
            BufferPtr buffer = lookup(e->storage.get());
            if (e->masked)
                return arith::loadMasked(buffer, {index}, e->args.back(), e.dtype());
            return arith::load(buffer, {index});
        });
    }

    Expr simplified(const Expr& e) const { return e.dtype().lanes == 1 ? arith::simplify(e, facts_) : e; }

    /// Could this statement need workspace memory?
    bool needsWorkspace(const Stmt& root) {
        bool found = false;
        visitStmts(root, [&](const Stmt& s) {
            if (const Allocate* allocate = s->as<Allocate>()) {
                const std::optional<int64_t> extent = arith::asInt(flatExtent(inLines(*allocate->buffer)));
                found = found || allocate->buffer->scope != Scope::Local || !extent ||
                        *extent * allocate->buffer->dtype.bytes() > localBytes;
            }
            return !found;
        });
        return found;
    }

    /// The size in terms of the scalar parameters; loop variables give way to their bounds.
    Expr sizeOverParams(const Buffer& buffer) {
        Expr extent = arith::simplify(arith::substitute(flatExtent(buffer), lets_), facts_);
        for (const Var& var : arith::freeVars(extent))
            if (!known_.contains(var.get())) {
                int64_t upper = arith::bounds(extent, facts_).upper;
                LATHE_ASSERT(upper < (int64_t{1} << 40), "the size of " + buffer.name + " is not known where " +
                                                             function_.name + " is called: " + arith::toString(extent));
                return Expr(upper);
            }
        return extent;
    }

    Stmt allocate(const Allocate& node, int origin) {
        const Buffer& buffer = *node.buffer;
        const Buffer& placed = placed_.emplace(&buffer, inLines(buffer)).first->second;
        if (function_.isEntry || buffer.scope == Scope::Local) {
            Expr extent = arith::simplify(flatExtent(placed), facts_);
            int64_t upper = arith::bounds(extent, facts_).upper;
            if (upper <= localBytes / std::max(1, buffer.dtype.bytes())) {
                BufferPtr flattened = flat(buffer, Expr(std::max<int64_t>(upper, 1)));
                return makeStmt(Allocate{flattened, stmt(node.body)}, origin);
            }
        }
        LATHE_ASSERT(!function_.isEntry, "the entry allocates only small buffers, not " + buffer.name);
        LATHE_ASSERT(!inParallel_ || task_, "workspace in a parallel loop that was not split");
        usesWorkspace_ = true;
        Expr elements = sizeOverParams(placed);
        Expr bytes =
            arith::simplify(arith::ceilDiv(elements * Expr(std::max(1, buffer.dtype.bytes())), Expr(64)) * Expr(64));
        Expr offset = task_ ? bytes_ + task_ * bytes : bytes_;
        bytes_ = arith::simplify(task_ ? bytes_ + tasks_ * bytes : bytes_ + bytes);
        auto flattened = std::make_shared<Buffer>(*flat(buffer, elements));
        flattened->scope = Scope::Workspace;
        flat_[&buffer] = flattened;
        Expr address = arith::call(arith::Intrinsic::PtrOffset, {workspace_, arith::simplify(offset)}, types::Handle);
        return makeStmt(BindBuffer{flattened, address, stmt(node.body)}, origin);
    }

    Stmt loop(const For& node, int origin) {
        For result = node;
        result.min = expr(node.min);
        result.extent = expr(node.extent);
        bindLoop(facts_, node);
        if (node.kind != ForKind::Parallel || inParallel_) {
            result.body = stmt(node.body);
            return makeStmt(std::move(result), origin);
        }
        inParallel_ = true;
        bool overParams = true;
        for (const Var& var : arith::freeVars(arith::substitute(result.extent, lets_)))
            overParams = overParams && known_.contains(var.get());
        if (needsWorkspace(node.body)) {
            Expr extent = arith::substitute(result.extent, lets_);
            Var task = arith::var(node.var->name + "_task");
            task_ = task;
            tasks_ = overParams ? arith::simplify(arith::min(extent, Expr(parallelChunks))) : Expr(parallelChunks);
            facts_.bind(task, {0, parallelChunks - 1});
            Expr begin = arith::floorDiv(task * extent, tasks_),
                 end = arith::floorDiv((task + Expr(1)) * extent, tasks_);
            result.kind = ForKind::Serial;
            result.grain = parallelGrain;
            result.min = arith::simplify(result.min + begin);
            result.extent = arith::simplify(end - begin);
            result.body = stmt(node.body);
            For outer{task, Expr(0), tasks_, ForKind::Parallel, makeStmt(std::move(result), origin), node.grain};
            task_ = tasks_ = Expr();
            inParallel_ = false;
            return makeStmt(std::move(outer), origin);
        }
        result.body = stmt(node.body);
        inParallel_ = false;
        return makeStmt(std::move(result), origin);
    }

    Stmt stmt(const Stmt& node) {
        if (!node)
            return node;
        const int origin = node->origin;
        return std::visit([&](const auto& value) { return lower(value, origin); }, node->value);
    }

    Stmt lower(const For& node, int origin) { return loop(node, origin); }
    Stmt lower(const Block& node, int) {
        internalError(__FILE__, __LINE__, "no Block", "block " + node.name + " is not lowered");
    }
    Stmt lower(const Store& node, int origin) {
        Expr index = simplified(expr(indexOf(*node.buffer, node.indices)));
        return makeStmt(Store{lookup(node.buffer.get()), {index}, expr(node.value), expr(node.mask)}, origin);
    }
    Stmt lower(const Let& node, int origin) {
        Expr value = expr(node.value);
        bool pure = node.var.dtype().isIndex();
        arith::visit(node.value, [&](const Expr& e) {
            pure = pure && e.kind() != arith::ExprKind::Load && e.kind() != arith::ExprKind::Call;
            return pure;
        });
        if (pure)
            lets_[node.var.get()] = arith::substitute(node.value, lets_);
        return makeStmt(Let{node.var, value, stmt(node.body)}, origin);
    }
    Stmt lower(const If& node, int origin) {
        arith::Facts saved = facts_;
        Expr condition = expr(node.condition);
        assume(facts_, node.condition);
        Stmt thenCase = stmt(node.thenCase);
        facts_ = std::move(saved);
        return makeStmt(If{condition, thenCase, stmt(node.elseCase)}, origin);
    }
    Stmt lower(const While& node, int origin) { return makeStmt(While{expr(node.condition), stmt(node.body)}, origin); }
    Stmt lower(const Seq& node, int origin) {
        std::vector<Stmt> stmts;
        for (const Stmt& s : node.stmts)
            stmts.push_back(stmt(s));
        return seq(std::move(stmts), origin);
    }
    Stmt lower(const Allocate& node, int origin) { return allocate(node, origin); }
    Stmt lower(const Check& node, int origin) {
        Check check = node;
        check.condition = expr(node.condition);
        return makeStmt(std::move(check), origin);
    }
    Stmt lower(const Evaluate& node, int origin) { return makeStmt(Evaluate{expr(node.value)}, origin); }
    Stmt lower(const CallKernel& node, int origin) {
        CallKernel call = node;
        for (Expr& arg : call.args)
            arg = expr(arg);
        return makeStmt(std::move(call), origin);
    }
    Stmt lower(const BindBuffer& node, int origin) {
        Expr address = expr(node.address);
        BufferPtr buffer = flat(*node.buffer, flatExtent(*node.buffer));
        return makeStmt(BindBuffer{buffer, address, stmt(node.body)}, origin);
    }
};

} // namespace

Flattened flattenBuffers(const PrimFuncPtr& function) {
    Flattened flattened = Flattening(*function).run();
    flattened.function = unlessIdentical(function, std::move(flattened.function));
    return flattened;
}

} // namespace lathe::tir
