// SPDX-License-Identifier: Apache-2.0
//
// Statements. Lets, bindings and allocations in tail position are followed in a loop, so that a model's entry, which is
// one long chain of them, does not recurse over its length.
#include "abi/abi.h"
#include "codegen/c/function.h"
#include "codegen/c/types.h"
#include "tir/transform/flatten_buffers.h"
#include "tir/transform/loop_facts.h"
#include "tir/visit.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace lathe::codegen {

using arith::ExprKind;
using arith::Intrinsic;

namespace {

bool hasEffect(const Expr& expr) {
    bool found = false;
    arith::visit(expr, [&](const Expr& e) {
        found = found || (e.kind() == ExprKind::Call && e->intrinsic == Intrinsic::RtCall);
        return !found;
    });
    return found;
}

/// Of a buffer's parameter, whether anything may be written through it.
bool isWritten(const tir::PrimFunc& function, const tir::Buffer* buffer) {
    bool found = false;
    tir::visitStmts(function.body, [&](const tir::Stmt& stmt) {
        if (const auto* store = stmt->as<tir::Store>())
            found = found || store->buffer.get() == buffer;
        return !found;
    });
    tir::visitExprs(function.body, [&](const Expr& root) {
        if (root && !found)
            arith::visit(root, [&](const Expr& e) {
                found = found || (e.kind() == ExprKind::Call && e->intrinsic == Intrinsic::AddressOf &&
                                  e->args[0]->storage.get() == buffer);
                return !found;
            });
    });
    return found;
}

} // namespace

CFunction::CFunction(CModule& module, const tir::PrimFunc& function) : m_(module), f_(function), out_(nullptr) {
    findMentioned();
}

/// Vars and buffers that anything uses: C compilers warn of others.
void CFunction::findMentioned() {
    const auto see = [&](const Expr& root) {
        if (root)
            arith::visit(root, [&](const Expr& e) {
                if (e.kind() == ExprKind::Var)
                    mentioned_.insert(e.get());
                if (e.kind() == ExprKind::Load) {
                    const tir::Buffer& buffer = tir::bufferOf(e);
                    mentioned_.insert(&buffer);
                    loaded_.insert(&buffer);
                    for (const Expr& part : buffer.strides)
                        for (const arith::Var& var : arith::freeVars(part))
                            mentioned_.insert(var.get());
                    if (buffer.offset)
                        for (const arith::Var& var : arith::freeVars(buffer.offset))
                            mentioned_.insert(var.get());
                }
                return true;
            });
    };
    tir::visitExprs(f_.body, see);
    tir::visitStmts(f_.body, [&](const tir::Stmt& stmt) {
        if (const auto* store = stmt->as<tir::Store>())
            mentioned_.insert(store->buffer.get());
        return true;
    });
}

void CFunction::line(const std::string& text) {
    out_->append(static_cast<size_t>(4 * indent_), ' ');
    *out_ += text;
    *out_ += '\n';
}

void CFunction::open(const std::string& text) {
    line(text);
    ++indent_;
}

void CFunction::close(const std::string& text) {
    --indent_;
    line(text);
}

std::string CFunction::kernel(const CKernel& kernel) {
    std::string params = kernel.needsRun ? "lathe_run *x" : "";
    std::string body;
    out_ = &body;
    for (const tir::Param& param : f_.params) {
        if (!params.empty())
            params += ", ";
        const void* key = param.buffer ? static_cast<const void*>(param.buffer.get()) : param.scalar.get();
        const std::string& name = names_.define(key, param.buffer ? param.buffer->name : param.scalar->name);
        if (param.buffer) {
            params += cPointer(param.buffer->dtype, !isWritten(f_, param.buffer.get())) + name;
        } else {
            const std::string type = cType(param.scalar.dtype());
            params += fmt::format("{}{}{}", type, type.ends_with('*') ? "" : " ", name);
        }
        if (!mentioned_.contains(key))
            line(fmt::format("(void){};", name));
    }
    emit(f_.body);
    if (kernel.mayFail)
        line("return 0;");
    return fmt::format("LATHE_KERNEL {} {}({}) {{\n{}}}\n", kernel.mayFail ? "int" : "void", kernel.name,
                       params.empty() ? "void" : params, body);
}

std::string CFunction::entry() {
    std::string body;
    out_ = &body;
    emit(f_.body);
    const bool calls = std::ranges::any_of(m_.kernels, [](const auto& kernel) { return kernel.second.mayFail; });
    return fmt::format("static int run(lathe_run *x) {{\n{}    (void)x;\n{}    return 0;\n}}\n",
                       calls ? "    int status = 0;\n    (void)status;\n" : "", body);
}

std::string CFunction::ofSymbols(const Expr& expr) {
    std::string body;
    out_ = &body;
    for (size_t i = 0; i < m_.model.symbols.size(); ++i) {
        const arith::Var& symbol = m_.model.symbols[i];
        if (arith::mentions(expr, symbol))
            line(fmt::format("const int64_t {} = symbols[{}];", names_.define(symbol.get(), symbol->name), i));
    }
    begin(expr);
    const Value result = value(expr);
    line(fmt::format("return {};", castTo("size_t", result).text));
    return body;
}

void CFunction::emit(const tir::Stmt& root) {
    const tir::StmtNode* stmt = root.get();
    while (stmt) {
        if (const auto* node = stmt->as<tir::Seq>()) {
            if (node->stmts.empty())
                return;
            for (size_t i = 0; i + 1 < node->stmts.size(); ++i) {
                const bool scoped = node->stmts[i] && node->stmts[i]->as<tir::Allocate>();
                if (scoped)
                    open("{");
                emit(node->stmts[i]);
                if (scoped)
                    close();
            }
            stmt = node->stmts.back().get();
            continue;
        }
        if (const auto* node = stmt->as<tir::Let>()) {
            emitLet(*node);
            stmt = node->body.get();
        } else if (const auto* node = stmt->as<tir::BindBuffer>()) {
            begin(node->address);
            const Value address = value(node->address);
            if (mentioned_.contains(node->buffer.get()))
                line(fmt::format("{}const {} = {};", cPointer(node->buffer->dtype),
                                 names_.define(node->buffer.get(), node->buffer->name), address.text));
            else
                line(fmt::format("(void){};", operand(address, unary)));
            stmt = node->body.get();
        } else if (const auto* node = stmt->as<tir::Allocate>()) {
            emitAllocate(*node->buffer);
            stmt = node->body.get();
        } else {
            if (const auto* node = stmt->as<tir::Store>())
                emitStore(*node);
            else if (const auto* node = stmt->as<tir::For>())
                emitFor(*node);
            else if (const auto* node = stmt->as<tir::If>())
                emitIf(*node);
            else if (const auto* node = stmt->as<tir::While>())
                emitWhile(*node);
            else if (const auto* node = stmt->as<tir::CallKernel>())
                emitCall(*node);
            else if (const auto* node = stmt->as<tir::Check>()) {
                LATHE_ASSERT(node->ordinal >= 0, "checks of " + f_.name + " are not numbered");
                if (!arith::isConst(node->condition, 1)) {
                    begin(node->condition);
                    open(fmt::format("if (!({})) {{", value(node->condition).text));
                    line(fmt::format("return {}; /* {} */", node->ordinal + 1, cComment(node->message)));
                    close();
                }
            } else if (const auto* node = stmt->as<tir::Evaluate>()) {
                begin(node->value);
                if (hasEffect(node->value))
                    if (const std::string text = value(node->value).text; !text.empty())
                        line(text + ";");
            } else {
                internalError(__FILE__, __LINE__, "lowered", "a block reached code generation in " + f_.name);
            }
            return;
        }
    }
}

void CFunction::emitLet(const tir::Let& node) {
    begin(node.value);
    if (!mentioned_.contains(node.var.get())) {
        line(fmt::format("(void){};", operand(value(node.value), unary)));
        return;
    }
    const std::string text = value(node.value).text, type = cType(node.var.dtype());
    line(fmt::format("{}{}const {} = {};", type, type.ends_with('*') ? "" : " ",
                     names_.define(node.var.get(), node.var->name), text));
}

void CFunction::emitFor(const tir::For& loop) {
    tir::bindLoop(facts_, loop);
    made_.push_back(arith::simplify(loop.min + loop.extent, facts_));
    const Expr end = made_.back();
    begin(std::array{loop.min, end});
    const std::string type = cType(loop.var.dtype());
    if (arith::isConst(loop.extent, 1)) {
        const std::string min = value(loop.min).text;
        open("{");
        if (mentioned_.contains(loop.var.get()))
            line(fmt::format("const {} {} = {};", type, names_.define(loop.var.get(), loop.var->name), min));
    } else {
        const std::string min = value(loop.min).text;
        const Value last = arith::isConst(end) || end.kind() == ExprKind::Var ? value(end) : named(end, value(end));
        const std::string& name = names_.define(loop.var.get(), loop.var->name);
        open(fmt::format("for ({} {} = {}; {} < {}; ++{}) {{", type, name, min, name, last.text, name));
    }
    emit(loop.body);
    close();
}

void CFunction::emitIf(const tir::If& node) {
    begin(node.condition);
    open(fmt::format("if ({}) {{", value(node.condition).text));
    arith::Facts saved = facts_;
    tir::assume(facts_, node.condition);
    emit(node.thenCase);
    facts_ = std::move(saved);
    if (node.elseCase) {
        close("} else {");
        ++indent_;
        emit(node.elseCase);
    }
    close();
}

void CFunction::emitWhile(const tir::While& node) {
    begin(node.condition);
    std::string before;
    std::string* const out = std::exchange(out_, &before);
    ++indent_;
    const Value condition = value(node.condition);
    --indent_;
    out_ = out;
    if (before.empty()) {
        open(fmt::format("while ({}) {{", condition.text));
    } else {
        open("for (;;) {");
        *out_ += before;
        open(fmt::format("if (!({})) {{", condition.text));
        line("break;");
        close();
    }
    emit(node.body);
    close();
}

void CFunction::emitStore(const tir::Store& node) {
    const tir::Buffer& buffer = *node.buffer;
    LATHE_ASSERT(node.value.dtype() == buffer.dtype, "a store to " + buffer.name + " of another type");
    const bool plain = node.indices.size() == 1 && buffer.strides.empty() && !buffer.offset;
    if (!plain)
        made_.push_back(tir::flatIndex(buffer, node.indices));
    const Expr index = plain ? node.indices[0] : made_.back();
    const bool masked = node.mask && !arith::isConst(node.mask, 1);
    if (masked) {
        begin(node.mask);
        open(fmt::format("if ({}) {{", value(node.mask).text));
    }
    begin(std::array{index, node.value});
    const std::string* name = names_.find(&buffer);
    LATHE_ASSERT(name, "buffer " + buffer.name + " has no address in " + f_.name);
    const std::string data = value(node.value).text;
    line(fmt::format("{}[{}] = {};", *name, value(index).text, data));
    if (masked)
        close();
}

void CFunction::emitCall(const tir::CallKernel& call) {
    const CKernel& callee = m_.kernels.at(call.callee);
    std::vector<Value> args;
    if (callee.needsRun)
        args.push_back({"x", primary, 1});
    begin(call.args);
    for (const Expr& arg : call.args)
        args.push_back(arg.kind() == ExprKind::Load ? addressOf(arg) : value(arg));
    const std::string text = called(callee.name, args).text;
    if (!callee.mayFail) {
        line(text + ";");
        return;
    }
    line(fmt::format("status = {};", text));
    open("if (status != 0) {");
    line(fmt::format("return {} + status;", m_.statusOfCall.at(static_cast<size_t>(call.callId))));
    close();
}

void CFunction::emitAllocate(const tir::Buffer& buffer) {
    const std::optional<int64_t> elements = arith::asInt(tir::flatExtent(buffer));
    LATHE_ASSERT(elements && buffer.scope != tir::Scope::Workspace,
                 "buffer " + buffer.name + " has no place: flatten buffers places workspace and unbounded sizes");
    const int64_t count = std::max<int64_t>(*elements, 1);
    stackBytes_ += count * buffer.dtype.bytes();
    if (!mentioned_.contains(&buffer))
        return;
    const std::string type = cStorage(buffer.dtype);
    line(fmt::format("{}{}{}[{}];", type, type.ends_with('*') ? "" : " ", names_.define(&buffer, buffer.name), count));
    if (!loaded_.contains(&buffer))
        line(fmt::format("(void){};", *names_.find(&buffer)));
}

} // namespace lathe::codegen
