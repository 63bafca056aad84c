// SPDX-License-Identifier: Apache-2.0
//
// Small constructors and look-ups of the loop IR.
#include "tir/ir.h"

namespace lathe::tir {

BufferPtr makeBuffer(std::string name, DataType dtype, std::vector<Expr> shape, Scope scope) {
    auto buffer = std::make_shared<Buffer>();
    buffer->name = std::move(name);
    buffer->dtype = dtype;
    buffer->shape = std::move(shape);
    buffer->scope = scope;
    return buffer;
}

const Buffer& bufferOf(const Expr& load) {
    const auto* buffer = dynamic_cast<const Buffer*>(load->storage.get());
    LATHE_ASSERT(buffer != nullptr, "a load that does not read a buffer");
    return *buffer;
}

namespace {

/// Moves those statements directly inside `node` to the end of `out` that nobody else holds: the others outlive it anyway.
void takeOwn(StmtNode& node, std::vector<Stmt>& out) {
    auto take = [&](Stmt& child) {
        if (child.use_count() == 1)
            out.push_back(std::move(child));
    };
    std::visit(
        [&](auto& value) {
            if constexpr (requires { value.init; })
                take(value.init);
            if constexpr (requires { value.body; })
                take(value.body);
            if constexpr (requires { value.thenCase; }) {
                take(value.thenCase);
                take(value.elseCase);
            }
            if constexpr (requires { value.stmts; })
                for (Stmt& child : value.stmts)
                    take(child);
        },
        node.value);
}

} // namespace

StmtNode::~StmtNode() {
    std::vector<Stmt> below;
    takeOwn(*this, below);
    while (!below.empty()) {
        const Stmt stmt = std::move(below.back());
        below.pop_back();
        takeOwn(const_cast<StmtNode&>(*stmt), below);
    }
}

Stmt seq(std::vector<Stmt> stmts, int origin) {
    Seq result;
    std::vector<Stmt> pending(stmts.rbegin(), stmts.rend());
    while (!pending.empty()) {
        Stmt stmt = std::move(pending.back());
        pending.pop_back();
        if (!stmt)
            continue;
        if (const Seq* inner = stmt->as<Seq>())
            pending.insert(pending.end(), inner->stmts.rbegin(), inner->stmts.rend());
        else
            result.stmts.push_back(std::move(stmt));
    }
    if (result.stmts.size() == 1)
        return result.stmts.front();
    return makeStmt(std::move(result), origin);
}

} // namespace lathe::tir
