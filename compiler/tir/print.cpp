// SPDX-License-Identifier: Apache-2.0
//
// Text of the loop IR; docs of the form stand at the parser (parse.cpp). A let, allocate or bind that ends its list
// has its body below it on the same level, without braces, so that chains of them do not nest.
#include "tir/text.h"

#include "arith/print.h"
#include "tir/names.h"
#include "tir/visit.h"

#include <fmt/format.h>
#include <unordered_set>

namespace lathe::tir {

namespace {

/// What a function uses without declaring it in its body: parameters and free names, in order of occurrence.
class FreeNames {
public:
    std::vector<Expr> vars;
    std::vector<arith::StoragePtr> buffers;

    explicit FreeNames(const PrimFunc& function) {
        visitStmts(function.body, [&](const Stmt& stmt) {
            collectDeclared(*stmt);
            return true;
        });
        for (const Param& param : function.params) {
            if (param.buffer)
                useStorage(param.buffer);
            else
                useVar(param.scalar);
        }
        visitStmts(function.body, [&](const Stmt& stmt) {
            collectUsed(*stmt);
            return true;
        });
    }

private:
    void collectDeclared(const StmtNode& stmt) {
        if (const auto* loop = stmt.as<For>())
            known_.insert(loop->var.get());
        else if (const auto* let = stmt.as<Let>())
            known_.insert(let->var.get());
        else if (const auto* allocate = stmt.as<Allocate>())
            known_.insert(allocate->buffer.get());
        else if (const auto* bind = stmt.as<BindBuffer>())
            known_.insert(bind->buffer.get());
        else if (const auto* block = stmt.as<Block>())
            for (const IterVar& iter : block->iters)
                known_.insert(iter.var.get());
    }

    void collectUsed(const StmtNode& stmt) {
        for (const Expr& expr : exprsOf(stmt))
            useExpr(expr);
        if (const auto* store = stmt.as<Store>())
            useStorage(store->buffer);
        if (const auto* block = stmt.as<Block>())
            for (const auto* regions : {&block->reads, &block->writes})
                for (const Region& region : *regions)
                    useStorage(region.buffer);
    }

    void useExpr(const Expr& expr) {
        arith::visit(expr, [&](const Expr& node) {
            if (node.kind() == arith::ExprKind::Var)
                useVar(node);
            else if (node.kind() == arith::ExprKind::Load)
                useStorage(node->storage);
            return true;
        });
    }

    void useVar(const Expr& var) {
        if (known_.insert(var.get()).second)
            vars.push_back(var);
    }

    void useStorage(const arith::StoragePtr& storage) {
        if (!known_.insert(storage.get()).second)
            return;
        buffers.push_back(storage);
        if (const auto* buffer = dynamic_cast<const Buffer*>(storage.get())) {
            for (const auto* exprs : {&buffer->shape, &buffer->strides})
                for (const Expr& expr : *exprs)
                    useExpr(expr);
            if (buffer->offset)
                useExpr(buffer->offset);
        }
    }

    std::unordered_set<const void*> known_;
};

class Printer {
public:
    explicit Printer(const PrintOptions& options) : options_(options) {
        exprNames_.ofVar = [this](const Expr& var) { return nameOfVar(var); };
        exprNames_.ofStorage = [this](const arith::StoragePtr& storage) { return nameOfStorage(*storage); };
    }

    void printFunction(const PrimFunc& function) {
        FreeNames free(function);
        std::string params;
        for (const Param& param : function.params) {
            if (!params.empty())
                params += ", ";
            params += param.buffer ? nameOfStorage(*param.buffer) : nameOfVar(param.scalar);
        }
        line(nullptr, "primfunc {}({}) outputs {}{} {{", options_.names ? quoteName(function.name) : "f", params,
             function.outputs, function.isEntry ? " entry" : "");
        ++depth_;
        for (const Expr& var : free.vars)
            line(nullptr, "var {}", declaration(var));
        for (const arith::StoragePtr& storage : free.buffers)
            if (const auto* buffer = dynamic_cast<const Buffer*>(storage.get()))
                line(nullptr, "buffer {}", declaration(*buffer));
        printBody(function.body);
        --depth_;
        line(nullptr, "}}");
    }

    void printBody(Stmt body) {
        while (body) {
            std::vector<Stmt> alone{body};
            const auto* list = body->as<Seq>();
            const std::vector<Stmt>& stmts = list != nullptr && isImplicit(*body, *list) ? list->stmts : alone;
            for (size_t i = 0; i + 1 < stmts.size(); ++i)
                printStmt(stmts[i], false);
            Stmt last = stmts.back();
            if (printStmt(last, true))
                return;
            body = bodyOfScope(*last);
        }
    }

    std::string take() { return std::move(out_); }

private:
    bool isImplicit(const StmtNode& stmt, const Seq& list) const {
        if (list.stmts.size() < 2)
            return false;
        return !options_.origins || list.stmts.front()->origin == stmt.origin;
    }

    static const Stmt& bodyOfScope(const StmtNode& stmt) {
        if (const auto* let = stmt.as<Let>())
            return let->body;
        if (const auto* allocate = stmt.as<Allocate>())
            return allocate->body;
        return stmt.as<BindBuffer>()->body;
    }

    template <class... Args>
    void line(const StmtNode* stmt, fmt::format_string<Args...> format, Args&&... args) {
        size_t start = out_.size();
        out_.append(static_cast<size_t>(depth_) * 2, ' ');
        fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
        if (out_.size() == start + static_cast<size_t>(depth_) * 2)
            out_.resize(start);
        out_ += '\n';
        if (options_.lines != nullptr)
            options_.lines->push_back(stmt);
    }

    std::string text(const Expr& expr) {
        if (!expr)
            return "null";
        std::string out;
        arith::print(out, expr, exprNames_);
        return out;
    }

    std::string list(const std::vector<Expr>& exprs) {
        std::string out;
        for (size_t i = 0; i < exprs.size(); ++i) {
            if (i > 0)
                out += ", ";
            out += text(exprs[i]);
        }
        return out;
    }

    const std::string& nameOfVar(const Expr& var) { return names_.nameOf(var.get(), options_.names ? var->name : "v"); }
    const std::string& nameOfStorage(const arith::Storage& storage) {
        return names_.nameOf(&storage, options_.names ? storage.name : "m");
    }
    std::string nameOfBlock(const Block& block) {
        return options_.names ? quoteName(block.name) : fmt::format("b{}", blocks_++);
    }

    /// "same " if the object was declared before: it is the same one, not another of that name.
    const char* again(const void* object) { return declared_.insert(object).second ? "" : "same "; }

    std::string declaration(const Expr& var) {
        std::string out = nameOfVar(var);
        constexpr int64_t least = std::numeric_limits<int64_t>::min();
        constexpr int64_t greatest = std::numeric_limits<int64_t>::max();
        bool ranged = var->lower != least || var->upper != greatest;
        if (ranged || !var.dtype().isIndex())
            out += ": " + lathe::toString(var.dtype());
        if (ranged)
            out += fmt::format("[{}, {}]", var->lower, var->upper);
        return out;
    }

    std::string declaration(const Buffer& buffer) {
        std::string out =
            fmt::format("{}: {}[{}]", nameOfStorage(buffer), lathe::toString(buffer.dtype), list(buffer.shape));
        if (!buffer.strides.empty())
            out += fmt::format(" strides [{}]", list(buffer.strides));
        if (buffer.offset)
            out += fmt::format(" offset {}", text(buffer.offset));
        if (buffer.scope != Scope::Global)
            out += fmt::format(" {}", nameOf(buffer.scope));
        if (buffer.alignment != 64)
            out += fmt::format(" align {}", buffer.alignment);
        return out;
    }

    std::string origin(const StmtNode& stmt) const {
        return options_.origins && stmt.origin != -1 ? fmt::format(" @{}", stmt.origin) : std::string();
    }

    void braces(const Stmt& body) {
        ++depth_;
        printBody(body);
        --depth_;
        line(nullptr, "}}");
    }

    /// The first line of a let, allocate or bind; with its body in braces unless it ends its list.
    bool scope(const StmtNode& stmt, const Stmt& body, bool isLast, const std::string& head) {
        line(&stmt, "{}{}{}", head, origin(stmt), isLast ? "" : " {");
        if (!isLast)
            braces(body);
        return !isLast;
    }

    /// False if the body of the statement (which is the last of its list) is still to be printed below it.
    bool printStmt(const Stmt& pointer, bool isLast) {
        const StmtNode& stmt = *pointer;
        if (const auto* let = stmt.as<Let>()) {
            std::string value = text(let->value);
            const char* same = again(let->var.get());
            return scope(stmt, let->body, isLast, fmt::format("let {}{} = {}", same, declaration(let->var), value));
        }
        if (const auto* allocate = stmt.as<Allocate>()) {
            const char* same = again(allocate->buffer.get());
            return scope(stmt, allocate->body, isLast,
                         fmt::format("allocate {}{}", same, declaration(*allocate->buffer)));
        }
        if (const auto* bind = stmt.as<BindBuffer>()) {
            std::string address = text(bind->address);
            const char* same = again(bind->buffer.get());
            return scope(stmt, bind->body, isLast,
                         fmt::format("bind {}{} = {}", same, declaration(*bind->buffer), address));
        }
        if (const auto* loop = stmt.as<For>())
            printFor(stmt, *loop);
        else if (const auto* block = stmt.as<Block>())
            printBlock(stmt, *block);
        else if (const auto* branch = stmt.as<If>())
            printIf(stmt, *branch);
        else
            printSimple(stmt);
        return true;
    }

    void printFor(const StmtNode& stmt, const For& loop) {
        std::string extent = text(loop.extent);
        bool fromZero = arith::isConst(loop.min, 0) && loop.min.dtype() == loop.var.dtype();
        std::string start = fromZero ? std::string() : " from " + text(loop.min);
        std::string kind;
        if (loop.kind != ForKind::Serial)
            kind = fmt::format(" {}", nameOf(loop.kind));
        if (loop.grain != parallelGrain)
            kind += fmt::format(" grain {}", loop.grain);
        const char* same = again(loop.var.get());
        line(&stmt, "for {}{} in {}{}{}{} {{", same, declaration(loop.var), extent, start, kind, origin(stmt));
        braces(loop.body);
    }

    void printRegions(const char* word, const std::vector<Region>& regions) {
        for (const Region& region : regions) {
            std::string ranges;
            for (const auto& [start, extent] : region.ranges) {
                if (!ranges.empty())
                    ranges += ", ";
                ranges += fmt::format("{} for {}", text(start), text(extent));
            }
            line(nullptr, "{} {}[{}]", word, nameOfStorage(*region.buffer), ranges);
        }
    }

    void printBlock(const StmtNode& stmt, const Block& block) {
        line(&stmt, "block {}{} {{", nameOfBlock(block), origin(stmt));
        ++depth_;
        for (const IterVar& iter : block.iters) {
            std::string extent = text(iter.extent);
            std::string binding = text(iter.binding);
            const char* same = again(iter.var.get());
            line(nullptr, "iter {}{} {} {} = {}", same, declaration(iter.var), nameOf(iter.kind), extent, binding);
        }
        if (block.predicate)
            line(nullptr, "where {}", text(block.predicate));
        printRegions("reads", block.reads);
        printRegions("writes", block.writes);
        if (block.init) {
            line(nullptr, "init {{");
            braces(block.init);
        }
        printBody(block.body);
        --depth_;
        line(nullptr, "}}");
    }

    void printIf(const StmtNode& stmt, const If& branch) {
        line(&stmt, "if {}{} {{", text(branch.condition), origin(stmt));
        ++depth_;
        printBody(branch.thenCase);
        --depth_;
        if (branch.elseCase) {
            line(nullptr, "}} else {{");
            braces(branch.elseCase);
        } else {
            line(nullptr, "}}");
        }
    }

    void printSimple(const StmtNode& stmt) {
        if (const auto* store = stmt.as<Store>()) {
            std::string mask = store->mask ? "; " + text(store->mask) : std::string();
            line(&stmt, "{}[{}{}] = {}{}", nameOfStorage(*store->buffer), list(store->indices), mask,
                 text(store->value), origin(stmt));
        } else if (const auto* loop = stmt.as<While>()) {
            line(&stmt, "while {}{} {{", text(loop->condition), origin(stmt));
            braces(loop->body);
        } else if (const auto* check = stmt.as<Check>()) {
            std::string ordinal = check->ordinal == -1 ? std::string() : fmt::format(" {}", check->ordinal);
            line(&stmt, "check {}{} {}: {}{}", nameOf(check->kind), ordinal, quoteText(check->message),
                 text(check->condition), origin(stmt));
        } else if (const auto* evaluate = stmt.as<Evaluate>()) {
            line(&stmt, "eval {}{}", text(evaluate->value), origin(stmt));
        } else if (const auto* call = stmt.as<CallKernel>()) {
            std::string id = call->callId == -1 ? std::string() : fmt::format(" id {}", call->callId);
            line(&stmt, "call {}({}){}{}", quoteName(call->callee), list(call->args), id, origin(stmt));
        } else if (const auto* stmts = stmt.as<Seq>()) {
            line(&stmt, "seq{} {{", origin(stmt));
            ++depth_;
            for (const Stmt& child : stmts->stmts)
                printElement(child);
            --depth_;
            line(nullptr, "}}");
        }
    }

    /// In an explicit seq each element stands for itself: a scope keeps its braces.
    void printElement(const Stmt& stmt) { printStmt(stmt, false); }

    const PrintOptions& options_;
    std::string out_;
    int depth_ = 0, blocks_ = 0;
    NameTable names_;
    std::unordered_set<const void*> declared_;
    arith::Names exprNames_;
};

} // namespace

std::string print(const PrimFunc& function, const PrintOptions& options) {
    Printer printer(options);
    printer.printFunction(function);
    return printer.take();
}

std::string print(const Stmt& stmt, const PrintOptions& options) {
    Printer printer(options);
    printer.printBody(stmt);
    return printer.take();
}

} // namespace lathe::tir
