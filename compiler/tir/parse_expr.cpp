// SPDX-License-Identifier: Apache-2.0
//
// Operands of expressions and declarations of loop IR text. Types are checked before a node is made: text may be wrong,
// but the expressions that come of it are not.
#include "tir/parse_expr.h"

#include "arith/scalar.h"
#include "base/limits.h"
#include "tir/names.h"

#include <charconv>
#include <fmt/format.h>

namespace lathe::tir {

using arith::Intrinsic;

namespace {

bool takesSameType(Intrinsic intrinsic) {
    return (intrinsic >= Intrinsic::Exp && intrinsic <= Intrinsic::CopySign) || intrinsic == Intrinsic::Log1p ||
           intrinsic == Intrinsic::Expm1;
}

} // namespace

int arityOf(Intrinsic intrinsic) {
    switch (intrinsic) {
    case Intrinsic::Pow:
    case Intrinsic::CopySign:
    case Intrinsic::IntPow:
    case Intrinsic::RandomBits:
    case Intrinsic::PtrOffset:
        return 2;
    case Intrinsic::Fma:
        return 3;
    case Intrinsic::RtCall:
        return -1;
    default:
        return 1;
    }
}

ExprParser::ExprParser(std::string_view source) : in_(source, tokenBlanks) {
    advance();
}

void ExprParser::failAt(std::string what, int line) {
    in_.fail(std::move(what), line);
    stop();
}

void ExprParser::stop() {
    token_.kind = TokenKind::End;
    token_.text.clear();
}

void ExprParser::advance() {
    if (!ok())
        return;
    lastLine_ = token_.line;
    token_ = nextToken(in_);
    if (token_.kind == TokenKind::Bad)
        failAtToken(fmt::format("unexpected text near '{}'", quoteText(token_.text)));
}

std::string_view ExprParser::punctuation() {
    return token_.kind == TokenKind::Punct ? token_.text : std::string_view();
}

bool ExprParser::at(std::string_view text) const {
    return (token_.kind == TokenKind::Word || token_.kind == TokenKind::Punct) && token_.text == text;
}

bool ExprParser::accept(std::string_view text) {
    if (!at(text))
        return false;
    advance();
    return true;
}

void ExprParser::expect(std::string_view text) {
    if (!accept(text))
        failAtToken(fmt::format("expected '{}', found '{}'", text, atEnd() ? "the end" : token_.text));
}

std::string ExprParser::name() {
    bool isName = token_.kind == TokenKind::Name || (token_.kind == TokenKind::Word && !isReserved(token_.text));
    if (!isName) {
        failAtToken(fmt::format("expected a name, found '{}'", atEnd() ? "the end" : token_.text));
        return {};
    }
    std::string result = token_.text;
    advance();
    return result;
}

std::string ExprParser::text() {
    if (token_.kind != TokenKind::Text) {
        failAtToken("expected a text in double quotes");
        return {};
    }
    std::string result = token_.text;
    advance();
    return result;
}

int64_t ExprParser::integer() {
    std::string digits = accept("-") ? "-" : "";
    digits += token_.text;
    int64_t value = 0;
    auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (token_.kind != TokenKind::Number || status != std::errc() || end != digits.data() + digits.size())
        fail(fmt::format("expected an integer of 64 bits, found '{}'", token_.text));
    advance();
    return value;
}

DataType ExprParser::dataType() {
    auto type = token_.kind == TokenKind::Word ? parseDataType(token_.text) : std::nullopt;
    if (!type) {
        failAtToken(fmt::format("expected a data type, found '{}'", token_.text));
        return types::Index;
    }
    advance();
    return *type;
}

bool ExprParser::enter() {
    if (!in_.enter(lastLine_))
        stop();
    return ok();
}

const ExprParser::Named* ExprParser::find(const std::string& name) const {
    auto found = scopes_.find(name);
    return found == scopes_.end() || found->second.empty() ? nullptr : &found->second.back();
}

void ExprParser::declare(const std::string& name, Named object) {
    last_[name] = object;
    scopes_[name].push_back(std::move(object));
    undo_.push_back(name);
}

void ExprParser::leaveScopes(size_t mark) {
    while (undo_.size() > mark) {
        scopes_[undo_.back()].pop_back();
        undo_.pop_back();
    }
}

BufferPtr ExprParser::bufferNamed(const std::string& name) {
    const Named* object = find(name);
    if (object == nullptr || !object->buffer) {
        fail(fmt::format("'{}' is no buffer that is known here", name));
        return nullptr;
    }
    return object->buffer;
}

Expr ExprParser::literal(bool negative) {
    std::string digits = negative ? "-" : "";
    digits += token_.text;
    bool isNumber = token_.kind == TokenKind::Number;
    advance();
    DataType type = accept(":") ? dataType() : types::Index;
    const char* begin = digits.data();
    const char* end = begin + digits.size();
    if (type.lanes != 1 || type.isBool() || type.code == TypeCode::String || type.code == TypeCode::Void) {
        fail(fmt::format("there are no constants of type {}", toString(type)));
    } else if (type.isFloat()) {
        double value = 0;
        auto [stop, status] = std::from_chars(begin, end, value);
        if (stop != end || (status != std::errc() && status != std::errc::result_out_of_range))
            fail(fmt::format("'{}' is no number", digits));
        return arith::floatImm(value, type);
    } else if (type.code == TypeCode::UInt) {
        uint64_t value = 0;
        auto [stop, status] = std::from_chars(begin, end, value);
        if (stop != end || status != std::errc())
            fail(fmt::format("'{}' is no unsigned integer of 64 bits", digits));
        return arith::intImm(static_cast<int64_t>(value), type);
    } else {
        int64_t value = 0;
        auto [stop, status] = std::from_chars(begin, end, value);
        if (!isNumber || stop != end || status != std::errc())
            fail(fmt::format("'{}' is no integer of 64 bits", digits));
        return arith::intImm(value, type);
    }
    return Expr(0);
}

Expr ExprParser::operand() {
    if (accept("-")) {
        if (token_.kind == TokenKind::Number || at("inf") || at("nan"))
            return literal(true);
        Expr result = unary();
        return ok() ? limited(-result) : result;
    }
    if (token_.kind == TokenKind::Number || at("inf") || at("nan"))
        return literal(false);
    if (accept("true"))
        return arith::boolImm(true);
    if (accept("false"))
        return arith::boolImm(false);
    if (token_.kind == TokenKind::Word && isReserved(token_.text)) {
        std::string word = token_.text;
        advance();
        return call(word);
    }
    std::string id = name();
    return ok() ? loadOrVar(id) : Expr(0);
}

Expr ExprParser::call(const std::string& word) {
    if (Expr known = function(word))
        return known;
    if (word == "cast") {
        expect(":");
        DataType type = dataType();
        std::vector<Expr> args = arguments(1);
        if (ok() && type.lanes != args[0].dtype().lanes)
            fail("a cast keeps the number of lanes");
        if (ok() && type == args[0].dtype())
            fail("a cast to the operand's own type");
        return ok() ? limited(arith::cast(args[0], type)) : args[0];
    }
    if (word == "ramp" || word == "broadcast")
        return vectorFunction(word == "ramp");
    if (arith::intrinsicOf(word) != Intrinsic::None)
        return intrinsic(word);
    fail(fmt::format("'{}' is no expression", word));
    return Expr(0);
}

Expr ExprParser::vectorFunction(bool isRamp) {
    std::vector<Expr> args = arguments(isRamp ? 3 : 2);
    auto lanes = arith::asInt(args.back());
    if (ok() && (!lanes || *lanes < 2 || *lanes > limits::vectorLanes))
        fail(fmt::format("a vector has 2 to {} lanes", limits::vectorLanes));
    if (ok() && (args[0].dtype().lanes != 1 || (isRamp && args[1].dtype() != args[0].dtype())))
        fail("a vector is made of scalars of one type");
    if (!ok())
        return Expr(0);
    int count = static_cast<int>(*lanes);
    return limited(isRamp ? arith::ramp(args[0], args[1], count) : arith::broadcast(args[0], count));
}

Expr ExprParser::intrinsic(const std::string& word) {
    Intrinsic intrinsic = arith::intrinsicOf(word);
    expect(":");
    DataType type = dataType();
    expect("(");
    std::vector<Expr> args = exprList(")");
    int arity = arityOf(intrinsic);
    if (ok() && (arity < 0 ? args.empty() : args.size() != static_cast<size_t>(arity)))
        fail(fmt::format("{} takes {} arguments, found {}", word, arity < 0 ? 1 : arity, args.size()));
    if (!ok())
        return Expr(0);
    for (const Expr& arg : args)
        if (takesSameType(intrinsic) && arg.dtype() != type)
            fail(fmt::format("{} of type {} has an argument of type {}", word, toString(type), toString(arg.dtype())));
    if (!ok())
        return Expr(0);
    return limited(arith::call(intrinsic, std::move(args), type));
}

Expr ExprParser::loadOrVar(const std::string& id) {
    if (!accept("[")) {
        const Named* object = find(id);
        if (object == nullptr || !object->var) {
            fail(fmt::format("'{}' is no variable that is known here", id));
            return Expr(0);
        }
        return object->var;
    }
    BufferPtr buffer = bufferNamed(id);
    std::vector<Expr> indices;
    if (!at("]") && !at(";"))
        do
            indices.push_back(expr());
        while (accept(","));
    Expr mask;
    if (accept(";"))
        mask = expr();
    expect("]");
    if (!mask)
        return ok() ? limited(arith::load(buffer, std::move(indices))) : Expr(0);
    expect(":");
    DataType type = dataType();
    if (ok() && (!mask.dtype().isBool() || mask.dtype().lanes != type.lanes))
        fail("a mask has a bool for each lane");
    return ok() ? limited(arith::loadMasked(buffer, std::move(indices), mask, type)) : Expr(0);
}

Expr ExprParser::varDeclaration() {
    bool same = accept("same");
    std::string id = name();
    DataType type = types::Index;
    int64_t lower = std::numeric_limits<int64_t>::min();
    int64_t upper = std::numeric_limits<int64_t>::max();
    if (accept(":")) {
        type = dataType();
        if (accept("[")) {
            lower = integer();
            expect(",");
            upper = integer();
            expect("]");
        }
    }
    if (!ok())
        return Expr(0);
    if (!same)
        return arith::var(id, type, lower, upper);
    auto known = last_.find(id);
    if (known == last_.end() || !known->second.var || known->second.var.dtype() != type)
        fail(fmt::format("there is no variable '{}' to be the same", id));
    return ok() ? known->second.var : Expr(0);
}

BufferPtr ExprParser::bufferDeclaration() {
    auto buffer = std::make_shared<Buffer>();
    bool same = accept("same");
    buffer->name = name();
    expect(":");
    buffer->dtype = dataType();
    expect("[");
    buffer->shape = exprList("]");
    if (accept("strides")) {
        expect("[");
        buffer->strides = exprList("]");
    }
    if (accept("offset"))
        buffer->offset = expr();
    for (Scope scope : {Scope::Global, Scope::Workspace, Scope::Local})
        if (accept(nameOf(scope)))
            buffer->scope = scope;
    if (accept("align")) {
        int64_t alignment = integer();
        if (alignment < 1 || alignment > (1 << 20))
            fail("an alignment is 1 to 1048576 bytes");
        buffer->alignment = static_cast<int>(alignment);
    }
    if (!same || !ok())
        return buffer;
    auto known = last_.find(buffer->name);
    if (known == last_.end() || !known->second.buffer || known->second.buffer->dtype != buffer->dtype) {
        fail(fmt::format("there is no buffer '{}' to be the same", buffer->name));
        return buffer;
    }
    return known->second.buffer;
}

} // namespace lathe::tir
