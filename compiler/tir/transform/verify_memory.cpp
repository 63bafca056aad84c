// SPDX-License-Identifier: Apache-2.0
//
// See verify_memory.h.
#include "tir/transform/verify_memory.h"

#include "tir/transform/flatten_buffers.h"
#include "tir/visit.h"

#include <unordered_set>

namespace lathe::tir {
namespace {

class Checking {
public:
    explicit Checking(const PrimFunc& function) : name_(function.name) {
        size_t buffers = 0, seen = 0;
        for (const Param& param : function.params)
            buffers += param.buffer != nullptr;
        for (const Param& param : function.params)
            if (param.buffer) {
                placed_.insert(param.buffer.get());
                if (++seen + static_cast<size_t>(function.outputs) <= buffers)
                    inputs_.insert(param.buffer.get());
            }
    }

    void run(const Stmt& root) {
        visitStmts(root, [&](const Stmt& stmt) {
            if (const Allocate* allocate = stmt->as<Allocate>()) {
                std::optional<int64_t> size = arith::asInt(flatExtent(*allocate->buffer));
                require(size && allocate->buffer->scope != Scope::Workspace, *allocate->buffer, "has no constant size");
                require(*size * std::max(1, allocate->buffer->dtype.bytes()) <= localBytes * 2, *allocate->buffer,
                        "is too large for the stack");
                placed_.insert(allocate->buffer.get());
            } else if (const BindBuffer* bind = stmt->as<BindBuffer>()) {
                placed_.insert(bind->buffer.get());
            } else if (const Store* store = stmt->as<Store>()) {
                require(!inputs_.contains(store->buffer.get()), *store->buffer, "is an input and is written");
                access(*store->buffer, store->indices);
            }
            if (!stmt->as<CallKernel>())
                for (const Expr& expr : exprsOf(*stmt))
                    loads(expr);
            return true;
        });
    }

private:
    std::string name_;
    std::unordered_set<const arith::Storage*> placed_, inputs_;

    void require(bool holds, const Buffer& buffer, const char* what) const {
        LATHE_ASSERT(holds, "in " + name_ + ", buffer " + buffer.name + " " + what);
    }

    void loads(const Expr& root) {
        arith::visit(root, [&](const Expr& e) {
            if (e.kind() == arith::ExprKind::Load)
                access(bufferOf(e), {e->args.begin(), e->args.end() - (e->masked ? 1 : 0)});
            return true;
        });
    }

    void access(const Buffer& buffer, const std::vector<Expr>& indices) {
        require(placed_.contains(&buffer), buffer, "has no place where it is used");
        require(indices.size() == 1, buffer, "is not flat");
    }
};

} // namespace

void verifyMemory(const PrimFunc& function) {
    Checking(function).run(function.body);
}

} // namespace lathe::tir
