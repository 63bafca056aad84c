// SPDX-License-Identifier: Apache-2.0
//
// Ensembles of decision trees: each row of x goes from each root down to a leaf, and the leaf's votes are summed, or the
// least or largest of them kept, by target; rows in parallel.
//
// Tables. A node is a feature, a set of outcomes of comparing the feature with the node's split (1: less, 2: equal, 4:
// greater, 8: no number) and two children: that of those outcomes, and that of the others. A child, or a root, is a node,
// and one behind its parent, so a walk ends; or, as -1 - leaf, a leaf. Leaf i has votes[i] … votes[i + 1] - 1, each a
// target and a weight. What is out of these bounds fails.
#include "topi/families.h"
#include "topi/loops.h"

namespace lathe::topi {

namespace {

constexpr int64_t feature = 0, outcomes = 1, whenTrue = 2, whenFalse = 3; // columns of the nodes

class TreeWalk {
public:
    explicit TreeWalk(const CallContext& call)
        : buffers_(call), l_(call.origin), x_(buffers_.args[0]), nodes_(buffers_.args[1]), splits_(buffers_.args[2]),
          roots_(buffers_.args[3]), votes_(buffers_.args[4]), targets_(buffers_.args[5]), weights_(buffers_.args[6]),
          y_(buffers_.results[0]), at_("at", types::Int64) {
        const std::string& aggregate = relay::attrs<relay::TreeAttrs>(call.attrs).aggregate;
        kind_ = aggregate == "min"   ? te::ReduceKind::Min
                : aggregate == "max" ? te::ReduceKind::Max
                                     : te::ReduceKind::Sum;
    }

    tir::PrimFuncPtr kernel(const std::string& name) const {
        const auto row = [&](const Var& r) {
            const Stmt clear = l_.loop(
                "t", y_->shape[1], [&](const Var& t) { return l_.store(y_, {r, t}, te::identity(kind_, y_->dtype)); });
            const Stmt trees = l_.loop("tree", roots_->shape[0], [&](const Var& tree) {
                const Stmt down = l_.repeat(arith::ge(at_(), int64(0)), step(r));
                return l_.all({l_.set(at_, convert(load(roots_, {tree}), types::Int64)), down, vote(r)});
            });
            return l_.with({at_}, l_.all({clear, trees}));
        };
        return buffers_.kernel(name, l_.loop("r", x_->shape[0], row, ForKind::Parallel));
    }

private:
    KernelBuffers buffers_;
    Loops l_;
    BufferPtr x_, nodes_, splits_, roots_, votes_, targets_, weights_, y_;
    Cell at_; // a node; or, as -1 - leaf, a leaf
    te::ReduceKind kind_ = te::ReduceKind::Sum;

    Stmt need(const Expr& condition) const {
        return l_.check(condition, tir::CheckKind::IndexOutOfRange, "index in the tables of trees out of range");
    }
    static Expr isInside(const Expr& index, const Expr& size) {
        return arith::logicalAnd(arith::ge(index, 0), arith::lt(index, size));
    }

    /// From a node to its child.
    Stmt step(const Expr& row) const {
        return l_.let("node", toIndex(at_()), [&](const Var& node) {
            const auto field = [&](int64_t which) { return load(nodes_, {node, which}); };
            const auto go = [&](const Var& column) {
                return l_.let("value", load(x_, {row, column}), [&](const Var& value) {
                    return l_.let("split", load(splits_, {node}), [&](const Var& split) {
                        const auto outcome = [](int64_t bit) { return arith::intImm(bit, types::Int32); };
                        const Expr found = arith::select(
                            arith::lt(value, split), outcome(1),
                            arith::select(arith::eq(value, split), outcome(2),
                                          arith::select(arith::gt(value, split), outcome(4), outcome(8))));
                        const Expr holds =
                            arith::ne(arith::binary(arith::ExprKind::BitAnd, field(outcomes), found), outcome(0));
                        const Expr child = toIndex(arith::select(holds, field(whenTrue), field(whenFalse)));
                        return l_.let("child", child, [&](const Var& next) {
                            return l_.all({need(arith::logicalOr(arith::lt(next, 0), arith::gt(next, node))),
                                           l_.set(at_, arith::cast(next, types::Int64))});
                        });
                    });
                });
            };
            return l_.all({need(arith::lt(node, nodes_->shape[0])),
                           l_.let("feature", toIndex(field(feature)), [&](const Var& column) {
                               return l_.all({need(isInside(column, x_->shape[1])), go(column)});
                           })});
        });
    }

    /// Those of the leaf that was reached.
    Stmt vote(const Expr& row) const {
        return l_.let("leaf", toIndex(int64(-1) - at_()), [&](const Var& leaf) {
            const auto all = [&](const Var& begin, const Var& end) {
                return l_.loop("vote", end - begin, [&](const Var& v) {
                    return l_.let("target", toIndex(load(targets_, {begin + v})), [&](const Var& target) {
                        const Expr weight = convert(load(weights_, {begin + v}), y_->dtype);
                        return l_.all(
                            {need(isInside(target, y_->shape[1])),
                             l_.store(y_, {row, target}, te::combine(kind_, load(y_, {row, target}), weight))});
                    });
                });
            };
            const auto between = [&](const Var& begin) {
                return l_.let("end", toIndex(load(votes_, {leaf + 1})), [&](const Var& end) {
                    const Expr ascending = arith::logicalAnd(arith::ge(begin, 0), arith::ge(end, begin));
                    return l_.all(
                        {need(arith::logicalAnd(ascending, arith::le(end, targets_->shape[0]))), all(begin, end)});
                });
            };
            return l_.all(
                {need(arith::lt(leaf, votes_->shape[0] - 1)), l_.let("begin", toIndex(load(votes_, {leaf})), between)});
        });
    }
};

} // namespace

tir::PrimFuncPtr buildTreeEnsemble(const std::string& name, const CallContext& call) {
    return TreeWalk(call).kernel(name);
}

} // namespace lathe::topi
