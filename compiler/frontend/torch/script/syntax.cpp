// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/syntax.h"

#include "base/limits.h"
#include "frontend/torch/script/term_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace lathe::frontend::torch::script {
namespace {

using Form = Term::Kind;

/// Statements, functions and classes.
class CodeParser : private TermParser {
public:
    CodeParser(std::vector<Token> tokens, std::string file) : TermParser(std::move(tokens)), file_(std::move(file)) {}

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

private:
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

    std::string file_;
    int blocks_ = 0;
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
    return CodeParser(std::move(tokens), file).code();
}

Result<TermPtr> parseTerm(std::string_view text) {
    LATHE_TRY(std::vector<Token> tokens, scanCode(text));
    return TermParser(std::move(tokens)).onlyTerm();
}

} // namespace lathe::frontend::torch::script
