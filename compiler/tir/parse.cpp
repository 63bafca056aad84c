// SPDX-License-Identifier: Apache-2.0
//
// Reads the text that print.cpp writes:
//
//   primfunc NAME(A, B, n) outputs 1 [entry] {
//     var n: index[0, 4096]                                  symbols and scalars, with their range
//     buffer A: float32[n, 64] [strides [..]] [offset e] [workspace|local] [align 16]
//     for i in EXTENT [from MIN] [parallel|vectorized|unrolled|thread "NAME"] @ORIGIN { … }
//     block NAME @ORIGIN { iter i spatial EXTENT = BINDING · where e · reads A[START for EXTENT, …] · init { … } · … }
//     A[i, j; MASK] = VALUE @ORIGIN          let x: float32 = e         if e { … } else { … }      while e { … }
//     allocate BUFFER     bind BUFFER = ADDRESS     check KIND ORDINAL "message": e     eval e     call F(args) id 3
//     seq { … }                              a list that does not have its first statement's origin, or is nested
//   }
//
// let, allocate and bind hold what follows up to the end of the list, or what stands in their braces. `same` before a
// declared name says that it is the object declared before under that name.
#include "base/limits.h"
#include "tir/names.h"
#include "tir/parse_expr.h"
#include "tir/text.h"

#include <fmt/format.h>

namespace lathe::tir {
namespace {

class Parser : ExprParser {
public:
    using ExprParser::diagnostic;
    using ExprParser::ExprParser;
    using ExprParser::ok;

    void expectEnd() {
        if (!atEnd())
            failAtToken(fmt::format("expected the end, found '{}'", token().text));
    }

    PrimFuncPtr primFunc() {
        auto function = std::make_shared<PrimFunc>();
        expect("primfunc");
        function->name = name();
        std::vector<std::string> params;
        expect("(");
        if (!accept(")")) {
            do
                params.push_back(name());
            while (accept(","));
            expect(")");
        }
        expect("outputs");
        function->outputs = smallInteger();
        function->isEntry = accept("entry");
        size_t mark = scopeMark();
        expect("{");
        declarations();
        for (const std::string& id : params) {
            const Named* object = ok() ? find(id) : nullptr;
            if (object == nullptr) {
                fail(fmt::format("the parameter '{}' is not declared", id));
                break;
            }
            function->params.push_back({object->buffer, object->var ? Var(object->var.node()) : Var()});
        }
        function->body = list();
        expect("}");
        leaveScopes(mark);
        return function;
    }

private:
    int smallInteger() {
        int64_t value = integer();
        if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
            fail(fmt::format("{} is out of range", value));
        return ok() ? static_cast<int>(value) : 0;
    }

    void declareNew(const std::string& id, Named object) {
        if (find(id) != nullptr)
            fail(fmt::format("'{}' is declared twice", id));
        declare(id, std::move(object));
    }

    void declarations() {
        while (accept("var")) {
            Expr var = varDeclaration();
            declareNew(var->name, {var, nullptr});
        }
        while (accept("buffer")) {
            BufferPtr buffer = bufferDeclaration();
            std::string id = buffer->name;
            declareNew(id, {{}, std::move(buffer)});
        }
    }

    int origin() { return accept("@") ? smallInteger() : -1; }

    static Stmt fold(std::vector<Stmt> stmts) {
        if (stmts.empty())
            return nullptr;
        if (stmts.size() == 1)
            return stmts.front();
        int origin = stmts.front()->origin;
        return makeStmt(Seq{std::move(stmts)}, origin);
    }

    struct Scoped {
        std::variant<Let, Allocate, BindBuffer> value;
        int origin = -1;
    };

    static Stmt finish(Scoped scoped, const Stmt& body) {
        return std::visit(
            [&](auto& value) {
                value.body = body;
                return makeStmt(std::move(value), scoped.origin);
            },
            scoped.value);
    }

    bool atScoped() const { return at("let") || at("allocate") || at("bind"); }

    Scoped scopedHead() {
        Scoped result;
        if (accept("let")) {
            Expr var = varDeclaration();
            expect("=");
            Expr value = expr();
            declare(var->name, {var, nullptr});
            result.value = Let{Var(var.node()), value, nullptr};
        } else if (accept("allocate")) {
            BufferPtr buffer = bufferDeclaration();
            declare(buffer->name, {{}, buffer});
            result.value = Allocate{buffer, nullptr};
        } else {
            expect("bind");
            BufferPtr buffer = bufferDeclaration();
            expect("=");
            Expr address = expr();
            declare(buffer->name, {{}, buffer});
            result.value = BindBuffer{buffer, address, nullptr};
        }
        result.origin = origin();
        return result;
    }

    /// Statements up to a closing brace, which stays. Scopes without braces nest by a list of frames, not by recursion.
    std::vector<Stmt> elements() {
        struct Frame {
            std::vector<Stmt> before;
            Scoped head;
        };
        std::vector<Frame> frames;
        std::vector<Stmt> current;
        size_t mark = scopeMark();
        if (!enter())
            return current;
        while (ok() && !at("}") && !atEnd()) {
            if (!atScoped()) {
                if (Stmt stmt = statement())
                    current.push_back(std::move(stmt));
                continue;
            }
            size_t inner = scopeMark();
            Scoped head = scopedHead();
            if (accept("{")) {
                Stmt body = list();
                expect("}");
                leaveScopes(inner);
                current.push_back(finish(std::move(head), body));
            } else {
                frames.push_back({std::move(current), std::move(head)});
                current.clear();
                // Lets without braces cost no stack here, but whoever destroys or rewrites them recurses.
                if (++openScopes_ > limits::textScopes)
                    fail(fmt::format("more than {} scopes within each other", limits::textScopes));
            }
        }
        openScopes_ -= frames.size();
        while (!frames.empty()) {
            std::vector<Stmt> before = std::move(frames.back().before);
            before.push_back(finish(std::move(frames.back().head), fold(std::move(current))));
            current = std::move(before);
            frames.pop_back();
        }
        leaveScopes(mark);
        leave();
        return current;
    }

    Stmt list() { return fold(elements()); }

    Stmt braces() {
        expect("{");
        Stmt body = list();
        expect("}");
        return body;
    }

    Stmt statement() {
        if (accept("for"))
            return forLoop();
        if (accept("block"))
            return block();
        if (accept("if")) {
            Expr condition = expr();
            int from = origin();
            Stmt thenCase = braces();
            Stmt elseCase = accept("else") ? braces() : nullptr;
            return makeStmt(If{condition, thenCase, elseCase}, from);
        }
        if (accept("while")) {
            Expr condition = expr();
            int from = origin();
            return makeStmt(While{condition, braces()}, from);
        }
        if (accept("seq")) {
            int from = origin();
            expect("{");
            Seq result{elements()};
            expect("}");
            return makeStmt(std::move(result), from);
        }
        if (accept("check"))
            return check();
        if (accept("eval")) {
            Expr value = expr();
            return makeStmt(Evaluate{value}, origin());
        }
        if (accept("call")) {
            std::string callee = name();
            expect("(");
            std::vector<Expr> args = exprList(")");
            int id = accept("id") ? smallInteger() : -1;
            return makeStmt(CallKernel{std::move(callee), std::move(args), id}, origin());
        }
        return store();
    }

    Stmt store() {
        std::string id = name();
        BufferPtr buffer = ok() ? bufferNamed(id) : nullptr;
        expect("[");
        std::vector<Expr> indices;
        if (!at("]") && !at(";"))
            do
                indices.push_back(expr());
            while (accept(","));
        Expr mask = accept(";") ? expr() : Expr();
        expect("]");
        expect("=");
        Expr value = expr();
        return makeStmt(Store{buffer, std::move(indices), value, mask}, origin());
    }

    Stmt forLoop() {
        Expr var = varDeclaration();
        expect("in");
        For loop;
        loop.var = Var(var.node());
        loop.extent = expr();
        bool isNumber = var.dtype().isInt() && var.dtype().lanes == 1;
        if (!isNumber)
            fail("a loop variable is an integer");
        loop.min = accept("from") ? expr() : isNumber ? arith::zero(var.dtype()) : Expr(0);
        for (ForKind kind : {ForKind::Parallel, ForKind::Vectorized, ForKind::Unrolled})
            if (accept(nameOf(kind))) {
                loop.kind = kind;
                break;
            }
        if (accept("grain"))
            loop.grain = integer();
        int from = origin();
        size_t mark = scopeMark();
        declare(var->name, {var, nullptr});
        loop.body = braces();
        leaveScopes(mark);
        return makeStmt(std::move(loop), from);
    }

    IterVar iter() {
        IterVar result;
        Expr var = varDeclaration();
        result.var = Var(var.node());
        bool known = false;
        for (IterKind kind : {IterKind::Spatial, IterKind::Reduce, IterKind::Opaque})
            if (!known && accept(nameOf(kind))) {
                result.kind = kind;
                known = true;
            }
        if (!known)
            fail("expected spatial, reduce or opaque");
        result.extent = expr();
        expect("=");
        if (!accept("null"))
            result.binding = expr();
        declare(var->name, {var, nullptr});
        return result;
    }

    Region region() {
        Region result;
        std::string id = name();
        result.buffer = ok() ? bufferNamed(id) : nullptr;
        expect("[");
        if (accept("]"))
            return result;
        do {
            Expr start = expr();
            expect("for");
            result.ranges.emplace_back(start, expr());
        } while (accept(","));
        expect("]");
        return result;
    }

    Stmt block() {
        Block result;
        result.name = name();
        int from = origin();
        expect("{");
        size_t mark = scopeMark();
        while (accept("iter"))
            result.iters.push_back(iter());
        if (accept("where"))
            result.predicate = expr();
        while (accept("reads"))
            result.reads.push_back(region());
        while (accept("writes"))
            result.writes.push_back(region());
        if (accept("init"))
            result.init = braces();
        result.body = list();
        expect("}");
        leaveScopes(mark);
        return makeStmt(std::move(result), from);
    }

    Stmt check() {
        Check result;
        bool known = false;
        for (CheckKind kind : {CheckKind::IndexOutOfRange, CheckKind::DivisionByZero, CheckKind::ShapeMismatch,
                               CheckKind::OutOfMemory, CheckKind::InvalidValue})
            if (!known && accept(nameOf(kind))) {
                result.kind = kind;
                known = true;
            }
        if (!known)
            fail("expected the kind of the check, such as index_out_of_range");
        if (token().kind == TokenKind::Number)
            result.ordinal = smallInteger();
        result.message = text();
        expect(":");
        result.condition = expr();
        return makeStmt(std::move(result), origin());
    }

    size_t openScopes_ = 0;
};

} // namespace

Result<PrimFuncPtr> parsePrimFunc(std::string_view text) {
    Parser parser(text);
    PrimFuncPtr function = parser.primFunc();
    parser.expectEnd();
    if (!parser.ok())
        return Failure(parser.diagnostic());
    return function;
}

} // namespace lathe::tir
