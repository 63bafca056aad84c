// SPDX-License-Identifier: Apache-2.0
//
// Tensor expressions to loop IR with blocks: what schedules start from and what the unscheduled reference computes.
//
// A reduction is one block with an initialisation. Where its domain may be empty (a symbolic extent that may be 0) the
// loop runs at least once, for the initialisation, and the combination stands under a guard; so it does where some
// elements of the domain do not count.
#include "arith/analysis.h"
#include "te/te.h"

#include <algorithm>
#include <unordered_set>

namespace lathe::te {

namespace {

using tir::BufferPtr;
using tir::Stmt;

class ToTir {
public:
    std::unordered_map<const arith::Storage*, BufferPtr> buffers;
    std::vector<Stmt> nests;

    std::string uniqueName(const std::string& name) {
        std::string unique = name.empty() ? "block" : name;
        for (int i = 1; !names_.insert(unique).second; ++i)
            unique = (name.empty() ? "block" : name) + "_" + std::to_string(i);
        return unique;
    }

    Expr lower(const Expr& expr, const arith::VarMap& vars) {
        return arith::rewrite(arith::substitute(expr, vars), [&](const Expr& node) {
            if (node.kind() != arith::ExprKind::Load)
                return node;
            auto it = buffers.find(node->storage.get());
            LATHE_ASSERT(it != buffers.end(), "tensor '" + node->storage->name + "' is read before it is made");
            return arith::load(it->second, node->args);
        });
    }

    void addTensor(const Tensor& tensor) {
        nest_ = {};
        arith::VarMap vars;
        std::vector<Expr> indices;
        for (size_t i = 0; i < tensor.axes.size(); ++i)
            indices.push_back(addIter(tensor.axes[i], tensor.shape[i], tir::IterKind::Spatial, vars));
        std::vector<Expr> guards;
        for (const ReduceAxis& axis : tensor.reduceAxes) {
            bool mayBeEmpty = arith::bounds(axis.extent).lower < 1;
            Expr iter =
                addIter(axis.var, mayBeEmpty ? arith::max(axis.extent, 1) : axis.extent, tir::IterKind::Reduce, vars);
            if (mayBeEmpty)
                guards.push_back(arith::lt(iter, axis.extent));
        }
        if (tensor.counts)
            guards.push_back(arith::substitute(tensor.counts, vars));
        const Expr guard = arith::conjunction(guards);

        BufferPtr buffer = buffers.at(&tensor);
        tir::Block block;
        std::vector<Stmt> body;
        for (const Condition& condition : tensor.conditions)
            body.push_back(tir::makeStmt(tir::Check{lower(condition.holds, vars), condition.kind, condition.message},
                                         tensor.origin));
        Expr value = lower(tensor.body, vars);
        if (tensor.reduce != ReduceKind::None) {
            block.init =
                tir::makeStmt(tir::Store{buffer, indices, identity(tensor.reduce, tensor.dtype), {}}, tensor.origin);
            value = combine(tensor.reduce, arith::load(buffer, indices), value);
        }
        Stmt store = tir::makeStmt(tir::Store{buffer, indices, value, {}}, tensor.origin);
        body.push_back(guard ? tir::makeStmt(tir::If{guard, store, nullptr}, tensor.origin) : store);
        block.body = tir::seq(std::move(body), tensor.origin);
        finish(std::move(block), tensor.name, buffer, std::move(indices), tensor.origin);
    }

    void addCopy(const BufferPtr& from, const BufferPtr& to, int origin) {
        nest_ = {};
        arith::VarMap vars;
        std::vector<Expr> indices;
        for (size_t i = 0; i < to->shape.size(); ++i)
            indices.push_back(addIter(arith::var("i" + std::to_string(i)), to->shape[i], tir::IterKind::Spatial, vars));
        tir::Block block;
        block.body = tir::makeStmt(tir::Store{to, indices, arith::load(from, indices), {}}, origin);
        finish(std::move(block), to->name, to, std::move(indices), origin);
    }

private:
    struct Nest {
        std::vector<tir::IterVar> iters;
        std::vector<tir::For> loops;
    };

    Expr addIter(const Var& axis, const Expr& extent, tir::IterKind kind, arith::VarMap& vars) {
        Var loop = arith::var(axis->name);
        Var iter = arith::var("v" + axis->name);
        nest_.loops.push_back({loop, 0, extent, tir::ForKind::Serial, nullptr});
        nest_.iters.push_back({iter, extent, kind, loop});
        vars[axis.get()] = iter;
        return iter;
    }

    /// One region a distinct access: its point, or, where an index depends on data, all of that dimension.
    static std::vector<tir::Region> readsOf(const tir::Block& block, const BufferPtr& written) {
        std::vector<tir::Region> reads;
        std::vector<Expr> seen;
        auto scan = [&](const Expr& expr) {
            arith::visit(expr, [&](const Expr& node) {
                if (node.kind() != arith::ExprKind::Load)
                    return true;
                bool known = std::ranges::any_of(seen, [&](const Expr& e) { return structurallyEqual(e, node); });
                if (known || node->storage == written)
                    return true;
                seen.push_back(node);
                auto buffer = std::static_pointer_cast<const tir::Buffer>(node->storage);
                tir::Region region{buffer, {}};
                for (size_t i = 0; i < node->args.size(); ++i) {
                    bool fixed = true;
                    arith::visit(node->args[i], [&](const Expr& e) {
                        fixed = fixed && e.kind() != arith::ExprKind::Load;
                        return fixed;
                    });
                    region.ranges.push_back(fixed ? std::pair<Expr, Expr>{node->args[i], 1}
                                                  : std::pair<Expr, Expr>{0, buffer->shape[i]});
                }
                reads.push_back(std::move(region));
                return true;
            });
        };
        std::vector<Stmt> stmts{block.body};
        if (const auto* all = block.body->as<tir::Seq>())
            stmts = all->stmts;
        for (const Stmt& stmt : stmts) {
            const tir::StmtNode* node = stmt.get();
            if (const auto* guard = node->as<tir::If>())
                node = guard->thenCase.get();
            if (const auto* check = node->as<tir::Check>())
                scan(check->condition);
            if (const auto* store = node->as<tir::Store>())
                scan(store->value);
        }
        return reads;
    }

    void finish(tir::Block block, const std::string& name, const BufferPtr& buffer, std::vector<Expr> indices,
                int origin) {
        block.name = uniqueName(name);
        block.iters = nest_.iters;
        block.reads = readsOf(block, buffer);
        tir::Region written{buffer, {}};
        for (const Expr& index : indices)
            written.ranges.emplace_back(index, 1);
        block.writes.push_back(std::move(written));
        Stmt stmt = tir::makeStmt(std::move(block), origin);
        for (size_t i = nest_.loops.size(); i-- > 0;) {
            nest_.loops[i].body = std::move(stmt);
            stmt = tir::makeStmt(std::move(nest_.loops[i]), origin);
        }
        nests.push_back(std::move(stmt));
    }

    std::unordered_set<std::string> names_;
    Nest nest_;
};

} // namespace

tir::PrimFuncPtr toTir(std::string name, const std::vector<TensorPtr>& inputs, const std::vector<TensorPtr>& outputs,
                       const std::vector<Var>& scalars) {
    ToTir lowering;
    auto function = std::make_shared<tir::PrimFunc>();
    function->name = std::move(name);
    function->outputs = static_cast<int>(outputs.size());
    for (const TensorPtr& input : inputs) {
        LATHE_ASSERT(!input->body, "input '" + input->name + "' is not a placeholder");
        BufferPtr buffer = tir::makeBuffer(input->name, input->dtype, input->shape);
        function->params.push_back({buffer, {}});
        lowering.buffers[input.get()] = buffer;
    }

    struct Copy {
        const Tensor* from;
        BufferPtr to;
    };
    std::vector<Copy> copies;
    for (const TensorPtr& output : outputs) {
        BufferPtr buffer = tir::makeBuffer(output->name, output->dtype, output->shape);
        function->params.push_back({buffer, {}});
        if (!output->body || lowering.buffers.contains(output.get()))
            copies.push_back({output.get(), buffer});
        else
            lowering.buffers[output.get()] = buffer;
    }
    for (const Var& scalar : scalars)
        function->params.push_back({nullptr, scalar});

    std::vector<BufferPtr> workspaces;
    for (const TensorPtr& tensor : topologicalOrder(outputs)) {
        if (!tensor->body) {
            LATHE_ASSERT(lowering.buffers.contains(tensor.get()),
                         "placeholder '" + tensor->name + "' is not among the inputs");
            continue;
        }
        if (!lowering.buffers.contains(tensor.get())) {
            BufferPtr buffer = tir::makeBuffer(tensor->name, tensor->dtype, tensor->shape, tir::Scope::Workspace);
            lowering.buffers[tensor.get()] = buffer;
            workspaces.push_back(buffer);
        }
        lowering.addTensor(*tensor);
    }
    for (const Copy& copy : copies)
        lowering.addCopy(lowering.buffers.at(copy.from), copy.to, copy.from->origin);

    int origin = outputs.empty() ? 0 : outputs.back()->origin;
    Stmt body = tir::seq(std::move(lowering.nests), origin);
    for (size_t i = workspaces.size(); i-- > 0;)
        body = tir::makeStmt(tir::Allocate{workspaces[i], std::move(body)}, origin);
    function->body = std::move(body);
    return function;
}

} // namespace lathe::te
