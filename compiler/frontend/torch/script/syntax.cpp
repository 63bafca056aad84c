// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/syntax.h"

#include "base/limits.h"
#include "frontend/torch/script/scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace lathe::frontend::torch::script {
namespace {

using Form = Term::Kind;

std::string tooDeep() {
    return fmt::format("values are nested over {} deep", limits::textNesting);
}

/// Descends over the words; after the first fault everything is a no-op.
class Parser {
public:
    Parser(std::vector<Token> tokens, std::string file) : tokens_(std::move(tokens)), file_(std::move(file)) {}

    Result<CodeText> code() {
        CodeText code;
        while (!failed() && !isAt(Token::Kind::End)) {
            if (isWord("class"))
                code.classes.push_back(std::make_shared<const ClassText>(classText()));
            else if (isWord("def"))
                code.functions.push_back(function());
            else if (isWord("import") || isWord("from") || isWord("op_version_set"))
                skipLine();
            else
                fail("a class or a function is expected");
        }
        if (failed())
            return Failure(*fault_);
        return code;
    }

    Result<TermPtr> onlyTerm() {
        TermPtr only = term();
        if (!failed() && isAt(Token::Kind::Line))
            ++at_;
        if (!failed() && !isAt(Token::Kind::End))
            fail("it goes on after a value");
        if (failed())
            return Failure(*fault_);
        return only;
    }

private:
    // ---- words

    const Token& now() const { return tokens_[at_]; }
    bool failed() const { return fault_.has_value(); }
    bool isAt(Token::Kind kind) const { return now().kind == kind; }
    bool isSign(std::string_view sign) const { return isAt(Token::Kind::Sign) && now().text == sign; }
    bool isWord(std::string_view word) const { return isAt(Token::Kind::Name) && now().text == word; }
    void fail(const std::string& what) {
        if (failed())
            return;
        fault_ = error(fmt::format("line {}: {}", now().line, what), "the file is damaged; copy or save it again");
    }
    bool accept(std::string_view text) {
        if (failed() || (!isSign(text) && !isWord(text)))
            return false;
        ++at_;
        return true;
    }
    void expect(std::string_view text) {
        if (!accept(text))
            fail(fmt::format("'{}' is expected", text));
    }
    std::string word() {
        if (!isAt(Token::Kind::Name))
            fail("a name is expected");
        return failed() ? std::string() : tokens_[at_++].text;
    }
    void endLine() {
        if (!failed() && isAt(Token::Kind::Line))
            ++at_;
        else
            fail("the line goes on where it should end");
    }
    void skipLine() {
        while (!isAt(Token::Kind::Line) && !isAt(Token::Kind::End))
            ++at_;
        if (isAt(Token::Kind::Line))
            ++at_;
    }

    // ---- terms

    std::shared_ptr<Term> make(Form kind) {
        auto made = std::make_shared<Term>();
        made->kind = kind;
        made->line = now().line;
        return made;
    }

    /// Whoever walks terms goes down into each of their parts: also what stands on the left lies deep.
    TermPtr measured(const std::shared_ptr<Term>& made) {
        for (const TermPtr& part : made->parts)
            made->height = std::max(made->height, part->height + 1);
        if (made->height > limits::textNesting)
            fail(tooDeep());
        return made;
    }

    TermPtr term() {
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

    TermPtr postfix() {
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

    TermPtr emptyTuple() {
        at_ += 2;
        return make(Form::Tuple);
    }

    /// One value, or a tuple of several without brackets.
    TermPtr listed(std::string_view end) {
        TermPtr first = term();
        if (!isSign(","))
            return first;
        auto tuple = make(Form::Tuple);
        tuple->parts = {first};
        while (accept(",") && !isSign(end))
            tuple->parts.push_back(term());
        return measured(tuple);
    }

    TermPtr call(const TermPtr& callee) {
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

    TermPtr primary() {
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

    TermPtr negative() {
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

    TermPtr named() {
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

    TermPtr bracketed() {
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

    // ---- statements

    std::vector<Statement> block() {
        std::vector<Statement> statements;
        expect(":");
        if (++blocks_ > limits::blockNesting)
            fail(fmt::format("blocks are nested over {} deep", limits::blockNesting));
        if (!failed() && !isAt(Token::Kind::Line)) { // on the same line
            statement(statements);
            --blocks_;
            return statements;
        }
        endLine();
        if (!isAt(Token::Kind::Indent))
            fail("a block is expected");
        else
            ++at_;
        while (!failed() && !isAt(Token::Kind::Dedent))
            statement(statements);
        if (!failed())
            ++at_;
        --blocks_;
        return statements;
    }

    void statement(std::vector<Statement>& to) {
        if (isWord("pass")) {
            ++at_;
            return endLine();
        }
        Statement made;
        made.line = now().line;
        if (isWord("if"))
            ifStatement(made);
        else if (isWord("for"))
            forStatement(made);
        else if (isWord("while"))
            whileStatement(made);
        else if (isWord("with"))
            withStatement(made);
        else if (isWord("def")) {
            made.kind = Statement::Kind::Function;
            made.function = function();
        } else if (isWord("return")) {
            ++at_;
            made.kind = Statement::Kind::Return;
            if (!isAt(Token::Kind::Line))
                made.value = listed("");
            endLine();
        } else {
            assignment(made);
        }
        if (!failed())
            to.push_back(std::move(made));
    }

    void ifStatement(Statement& made) {
        ++at_;
        made.kind = Statement::Kind::If;
        made.value = term();
        made.body = block();
        if (accept("else"))
            made.otherwise = block();
    }
    void forStatement(Statement& made) {
        ++at_;
        made.kind = Statement::Kind::For;
        made.targets = {postfix()};
        expect("in");
        made.value = term();
        made.body = block();
    }
    void whileStatement(Statement& made) {
        ++at_;
        made.kind = Statement::Kind::While;
        made.value = term();
        made.body = block();
    }
    void withStatement(Statement& made) {
        ++at_;
        made.kind = Statement::Kind::With;
        made.value = term();
        if (accept("as"))
            made.targets = {postfix()};
        made.body = block();
    }

    /// VALUE, x = VALUE, x : T = VALUE, a, b, = VALUE
    void assignment(Statement& made) {
        made.value = term();
        while (!failed() && isSign(",")) {
            made.isUnpacked = true;
            if (made.targets.empty())
                made.targets.push_back(made.value);
            ++at_;
            if (!isSign("="))
                made.targets.push_back(term());
        }
        if (made.targets.empty())
            made.targets.push_back(made.value);
        if (accept(":"))
            made.type = term();
        if (!accept("=")) {
            if (made.isUnpacked)
                fail("'=' is expected");
            made.targets.clear();
            return endLine();
        }
        made.kind = Statement::Kind::Assign;
        made.value = listed("");
        for (const TermPtr& target : made.targets)
            if (target->kind != Form::Name && target->kind != Form::Attribute && target->kind != Form::Element)
                fail("only names, attributes and elements can be assigned to");
        endLine();
    }

    // ---- functions and classes

    FunctionPtr function() {
        auto made = std::make_shared<FunctionText>();
        made->file = file_;
        made->line = now().line;
        expect("def");
        made->name = word();
        expect("(");
        while (!failed() && !accept(")")) {
            Parameter parameter;
            if (accept("*")) { // what follows is passed by name, as everything may be
                expect(",");
                continue;
            }
            parameter.name = word();
            if (accept(":"))
                parameter.type = term();
            if (accept("="))
                parameter.otherwise = term();
            made->parameters.push_back(std::move(parameter));
            if (!isSign(")"))
                expect(",");
        }
        if (accept("->"))
            made->result = term();
        made->body = block();
        return made;
    }

    ClassText classText() {
        ClassText made;
        made.file = file_;
        made.line = now().line;
        expect("class");
        made.name = word();
        if (accept("(")) {
            made.base = word();
            expect(")");
        }
        expect(":");
        endLine();
        if (!failed() && !isAt(Token::Kind::Indent))
            return made; // nothing in it
        if (!failed())
            ++at_;
        while (!failed() && !isAt(Token::Kind::Dedent)) {
            if (isWord("def"))
                made.functions.push_back(function());
            else if (isWord("pass"))
                skipLine();
            else
                attribute(made);
        }
        if (!failed())
            ++at_;
        return made;
    }

    /// x : T, x : Final[T] = 3, A = 3, __annotations__["0"] = T
    void attribute(ClassText& made) {
        const TermPtr target = postfix();
        ClassText::Attribute attribute;
        attribute.name = target->text;
        if (accept(":"))
            attribute.type = term();
        if (accept("="))
            attribute.value = listed("");
        if (!failed() && target->kind == Form::Element && pathOf(*target->parts[0]) == "__annotations__" &&
            target->parts[1]->kind == Form::Text) {
            attribute.name = target->parts[1]->text;
            attribute.type = std::exchange(attribute.value, nullptr);
        } else if (!failed() && target->kind != Form::Name) {
            fail("the name of an attribute is expected");
        }
        endLine();
        const bool isNote = attribute.name == "__parameters__" || attribute.name == "__buffers__";
        if (!failed() && !isNote)
            made.attributes.push_back(std::move(attribute));
    }

    std::vector<Token> tokens_; // ends with End, which nothing steps over
    std::string file_;
    size_t at_ = 0;
    int depth_ = 0, blocks_ = 0;
    std::optional<Diagnostic> fault_;
};

} // namespace

std::optional<double> specialFloat(std::string_view name) {
    if (name == "inf")
        return std::numeric_limits<double>::infinity();
    return name == "nan" ? std::optional(std::numeric_limits<double>::quiet_NaN()) : std::nullopt;
}

std::string pathOf(const Term& term) {
    std::vector<std::string_view> words;
    const Term* at = &term;
    for (; at->kind == Form::Attribute; at = at->parts[0].get())
        words.push_back(at->text);
    if (at->kind != Form::Name)
        return {};
    std::string path = at->text;
    for (size_t i = words.size(); i > 0; --i)
        path.append(".").append(words[i - 1]);
    return path;
}

FunctionPtr ClassText::find(std::string_view function) const {
    const auto found = std::ranges::find_if(functions, [&](const FunctionPtr& one) { return one->name == function; });
    return found == functions.end() ? nullptr : *found;
}

Result<CodeText> parseCode(std::string_view text, const std::string& file) {
    LATHE_TRY(std::vector<Token> tokens, scanCode(text));
    return Parser(std::move(tokens), file).code();
}

Result<TermPtr> parseTerm(std::string_view text) {
    LATHE_TRY(std::vector<Token> tokens, scanCode(text));
    return Parser(std::move(tokens), {}).onlyTerm();
}

} // namespace lathe::frontend::torch::script
