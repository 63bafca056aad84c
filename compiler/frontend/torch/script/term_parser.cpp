// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/term_parser.h"

#include "base/limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch::script {
namespace {

using Form = Term::Kind;

std::string tooDeep() {
    return fmt::format("values are nested over {} deep", limits::textNesting);
}

} // namespace

void TermParser::fail(const std::string& what) {
    if (failed())
        return;
    fault_ = error(fmt::format("line {}: {}", now().line, what), "the file is damaged; copy or save it again");
}

Result<TermPtr> TermParser::onlyTerm() {
    TermPtr only = term();
    if (!failed() && isAt(Token::Kind::Line))
        ++at_;
    if (!failed() && !isAt(Token::Kind::End))
        fail("it goes on after a value");
    if (failed())
        return Failure(*fault_);
    return only;
}

std::shared_ptr<Term> TermParser::make(Term::Kind kind) {
    auto made = std::make_shared<Term>();
    made->kind = kind;
    made->line = now().line;
    return made;
}

TermPtr TermParser::measured(const std::shared_ptr<Term>& made) {
    for (const TermPtr& part : made->parts)
        made->height = std::max(made->height, part->height + 1);
    if (made->height > limits::textNesting)
        fail(tooDeep());
    return made;
}

TermPtr TermParser::term() {
    if (++depth_ > limits::textNesting)
        fail(tooDeep());
    TermPtr value = failed() ? make(Form::None) : postfix();
    if (!failed() && isWord("if")) {
        auto choice = make(Form::Choice);
        ++at_;
        choice->parts = {value, term()};
        expect("else");
        choice->parts.push_back(failed() ? value : term());
        value = measured(choice);
    }
    --depth_;
    return value;
}

TermPtr TermParser::postfix() {
    TermPtr value = primary();
    while (!failed()) {
        if (isSign(".")) {
            auto attribute = make(Form::Attribute);
            ++at_;
            attribute->text = word();
            attribute->parts = {value};
            value = measured(attribute);
        } else if (isSign("[")) {
            auto element = make(Form::Element);
            ++at_;
            const bool isEmpty = isSign("(") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].text == ")";
            element->parts = {value, isEmpty ? emptyTuple() : listed("]")};
            expect("]");
            value = measured(element);
        } else if (isSign("(")) {
            value = call(value);
        } else {
            break;
        }
    }
    return value;
}

TermPtr TermParser::emptyTuple() {
    at_ += 2;
    return make(Form::Tuple);
}

TermPtr TermParser::listed(std::string_view end) {
    TermPtr first = term();
    if (!isSign(","))
        return first;
    auto tuple = make(Form::Tuple);
    tuple->parts = {first};
    while (accept(",") && !isSign(end))
        tuple->parts.push_back(term());
    return measured(tuple);
}

TermPtr TermParser::call(const TermPtr& callee) {
    auto made = make(Form::Call);
    made->parts = {callee};
    made->keywords = {""};
    expect("(");
    while (!failed() && !accept(")")) {
        const bool isNamed =
            isAt(Token::Kind::Name) && tokens_[at_ + 1].kind == Token::Kind::Sign && tokens_[at_ + 1].text == "=";
        made->keywords.push_back(isNamed ? word() : std::string());
        if (isNamed)
            expect("=");
        made->parts.push_back(term());
        if (!isSign(")"))
            expect(",");
    }
    return measured(made);
}

TermPtr TermParser::primary() {
    if (isSign("-"))
        return negative();
    const Token& token = now();
    auto made = make(Form::None);
    switch (token.kind) {
    case Token::Kind::Int:
    case Token::Kind::Float:
        made->kind = token.kind == Token::Kind::Int ? Form::Int : Form::Float;
        made->whole = token.whole;
        made->real = token.real;
        ++at_;
        return made;
    case Token::Kind::Text:
        made->kind = Form::Text;
        made->text = token.text;
        ++at_;
        return made;
    case Token::Kind::Name:
        return named();
    default:
        break;
    }
    if (isSign("(") || isSign("[") || isSign("{"))
        return bracketed();
    fail("a value is expected");
    return made;
}

TermPtr TermParser::negative() {
    ++at_;
    if (++depth_ > limits::textNesting)
        fail("too many signs follow each other");
    const TermPtr value = failed() ? make(Form::None) : primary();
    --depth_;
    auto made = std::make_shared<Term>(*value);
    if (const std::optional<double> special = specialFloat(value->text); special && value->kind == Form::Name) {
        made->kind = Form::Float;
        made->real = -*special;
        return made;
    }
    made->whole = static_cast<int64_t>(-static_cast<uint64_t>(value->whole));
    made->real = -value->real;
    if (!failed() && value->kind != Form::Int && value->kind != Form::Float)
        fail("only numbers have a sign");
    return made;
}

TermPtr TermParser::named() {
    auto made = make(Form::Name);
    made->text = word();
    if (made->text == "None") {
        made->kind = Form::None;
    } else if (made->text == "True" || made->text == "False") {
        made->kind = Form::Bool;
        made->whole = made->text == "True" ? 1 : 0;
    }
    return made;
}

TermPtr TermParser::bracketed() {
    const bool isTuple = isSign("("), isDict = isSign("{");
    auto made = make(isTuple ? Form::Tuple : isDict ? Form::Dict : Form::List);
    const std::string_view end = isTuple ? ")" : isDict ? "}" : "]";
    ++at_;
    bool hasComma = false;
    while (!failed() && !accept(end)) {
        made->parts.push_back(term());
        if (isDict) {
            expect(":");
            made->parts.push_back(term());
        }
        hasComma = isSign(",");
        if (!isSign(end))
            expect(",");
        hasComma = hasComma || made->parts.size() > 1;
    }
    return isTuple && made->parts.size() == 1 && !hasComma ? made->parts[0] : measured(made);
}

} // namespace lathe::frontend::torch::script
