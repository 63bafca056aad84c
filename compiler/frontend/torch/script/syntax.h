// SPDX-License-Identifier: Apache-2.0
//
// The text of a TorchScript program: the part of Python that PyTorch writes its compiled functions in (PythonPrint). What names
// stand for is found out when the text is evaluated.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::frontend::torch::script {

struct Term;
using TermPtr = std::shared_ptr<const Term>;

/// A value, or a type, as it is written.
struct Term {
    enum class Kind : uint8_t {
        None,
        Bool,      // whole
        Int,       // whole
        Float,     // real
        Text,      // text
        Name,      // text
        List,      // parts
        Tuple,     // parts
        Dict,      // parts: key, value, key, value …
        Attribute, // text of parts[0]
        Element,   // parts[1] of parts[0]
        Call,      // parts[0] called with the others
        Choice,    // parts[1] ? parts[0] : parts[2]
    } kind = Kind::None;
    int32_t line = 0;
    int height = 1; // of the terms in it
    std::string text{};
    int64_t whole = 0;
    double real = 0;
    std::vector<TermPtr> parts{};
    std::vector<std::string> keywords{}; // Call: one for each part; empty: by place
};

/// What "inf" and "nan" stand for where they name nothing else.
std::optional<double> specialFloat(std::string_view name);
/// "a.b.c" of names and attributes; empty for anything else.
std::string pathOf(const Term& term);

struct FunctionText;

struct Statement {
    enum class Kind : uint8_t {
        Assign,   // value to targets; isUnpacked: one element to each
        Evaluate, // value
        If,       // value ? body : otherwise
        For,      // body for each of value, which targets[0] is
        While,    // body as long as value
        With,     // body within value
        Return,   // value; null: None
        Function, // defines one within another
    } kind = Kind::Evaluate;
    int32_t line = 0;
    bool isUnpacked = false;
    std::vector<TermPtr> targets{};
    TermPtr type{}; // Assign: as declared; null: it is not
    TermPtr value{};
    std::vector<Statement> body{}, otherwise{};
    std::shared_ptr<const FunctionText> function{};
};

struct Parameter {
    std::string name;
    TermPtr type, otherwise; // null: none
};

struct FunctionText {
    std::string name;
    std::string file; // that it stands in: "code/__torch__.py"
    int32_t line = 0;
    std::vector<Parameter> parameters;
    TermPtr result; // type; null: not declared
    std::vector<Statement> body;
};
using FunctionPtr = std::shared_ptr<const FunctionText>;

struct ClassText {
    std::string name, base; // "Module", "NamedTuple", "Enum", "ModuleInterface", "Interface"; or none
    std::string file;
    int32_t line = 0;
    struct Attribute {
        std::string name;
        TermPtr type, value; // null: none
    };
    std::vector<Attribute> attributes;
    std::vector<FunctionPtr> functions;
    /// Null if there is none.
    FunctionPtr find(std::string_view function) const;
};

struct CodeText {
    std::vector<std::shared_ptr<const ClassText>> classes;
    std::vector<FunctionPtr> functions;
};

/// file: for diagnostics, which name it and a line. Fails for what is no such text, and for what is nested deeper than
/// limits::textNesting, or in blocks deeper than limits::blockNesting.
Result<CodeText> parseCode(std::string_view text, const std::string& file);
/// One value: 3, "a", [1, 2].
Result<TermPtr> parseTerm(std::string_view text);

} // namespace lathe::frontend::torch::script
