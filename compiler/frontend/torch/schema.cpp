// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace lathe::frontend::torch {
namespace {

/// Descends over the text; after the first fault everything is a no-op.
class SchemaParser {
public:
    explicit SchemaParser(std::string_view text) : text_(text) {}

    Result<Schema> parse() {
        Schema schema;
        schema.name = std::string(word());
        expect("::");
        schema.name += fmt::format(".{}.", word());
        schema.name += accept(".") ? word() : std::string_view("default");
        expect("(");
        bool keywordOnly = false;
        for (bool first = true; !failed_ && !accept(")"); first = false) {
            if (!first)
                expect(",");
            if (accept("*"))
                keywordOnly = true;
            else
                schema.arguments.push_back(argument(keywordOnly));
        }
        expect("->");
        results(schema);
        if (at_ != text_.size())
            failed_ = true;
        if (failed_)
            return failure(fmt::format("no schema of an operator: '{}' at {}", text_, at_));
        return schema;
    }

private:
    void skipSpace() {
        while (at_ < text_.size() && text_[at_] == ' ')
            ++at_;
    }
    bool accept(std::string_view token) {
        skipSpace();
        if (failed_ || !text_.substr(at_).starts_with(token))
            return false;
        at_ += token.size();
        return true;
    }
    void expect(std::string_view token) {
        if (!accept(token))
            failed_ = true;
    }
    std::string_view word() {
        skipSpace();
        const size_t begin = at_;
        const auto isPart = [](char c) {
            return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        };
        while (at_ < text_.size() && isPart(text_[at_]))
            ++at_;
        failed_ = failed_ || begin == at_;
        return text_.substr(begin, at_ - begin);
    }

    SchemaType type() {
        using Kind = SchemaType::Kind;
        struct Name {
            std::string_view text;
            Kind kind;
        };
        static constexpr auto names = std::to_array<Name>({{"Tensor", Kind::Tensor},
                                                           {"SymInt", Kind::Int},
                                                           {"int", Kind::Int},
                                                           {"float", Kind::Float},
                                                           {"bool", Kind::Bool},
                                                           {"Scalar", Kind::Scalar},
                                                           {"str", Kind::Text},
                                                           {"ScalarType", Kind::Type}});
        SchemaType type;
        const std::string_view name = word();
        if (const auto* found = std::ranges::find(names, name, &Name::text); found != names.end())
            type.kind = found->kind;
        if (accept("(")) { // which elements it shares: (a), (a!), (a -> *)
            type.isView = true;
            while (!failed_ && !accept(")")) {
                if (accept("!"))
                    type.isWritten = true;
                else if (!accept("->") && !accept("*") && !accept("|"))
                    word();
            }
        }
        type.isOptional = accept("?");
        if (accept("[")) {
            type.isList = true;
            type.hasOptionalElements = type.isOptional;
            if (!accept("]")) {
                word();
                expect("]");
            }
            type.isOptional = accept("?");
        }
        return type;
    }

    SchemaArgument argument(bool keywordOnly) {
        SchemaArgument argument;
        argument.type = type();
        argument.name = std::string(word());
        argument.isKeywordOnly = keywordOnly;
        if (accept("=")) {
            argument.hasDefault = true;
            argument.otherwise = constant(argument.type);
        }
        return argument;
    }

    TorchValue constant(const SchemaType& type) {
        if (accept("[")) {
            List list;
            for (bool first = true; !failed_ && !accept("]"); first = false) {
                if (!first)
                    expect(",");
                list.push_back(constant(type));
            }
            return list;
        }
        if (accept("\"") || accept("'")) {
            const char quote = text_[at_ - 1];
            const size_t end = std::min(text_.find(quote, at_), text_.size());
            std::string text(text_.substr(at_, end - at_));
            at_ = std::min(end + 1, text_.size());
            return text;
        }
        skipSpace();
        const char c = at_ < text_.size() ? text_[at_] : ' ';
        return c == '-' || (c >= '0' && c <= '9') ? number(type) : named();
    }

    TorchValue number(const SchemaType& type) {
        const size_t end = std::min(text_.find_first_of(",)] ", at_), text_.size());
        const std::string_view digits = text_.substr(at_, end - at_);
        at_ = end;
        if (digits.find_first_of(".e") == std::string_view::npos) {
            int64_t whole = 0;
            const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
            failed_ = failed_ || parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size();
            return type.kind == SchemaType::Kind::Float ? TorchValue(static_cast<double>(whole))
                                                        : TorchValue(Expr(whole));
        }
        double real = 0;
        const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), real);
        failed_ = failed_ || parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size();
        return real;
    }

    /// True, False, None, inf, and constants of PyTorch's own, which stand for what it calls them by.
    TorchValue named() {
        const std::string_view name = word();
        if (name == "None")
            return {};
        if (name == "True" || name == "False")
            return name == "True";
        if (name == "inf")
            return std::numeric_limits<double>::infinity();
        if (name == "Mean") // of the reductions of losses: none, mean, sum
            return Expr(1);
        if (name == "long")
            return types::Int64;
        return std::string(name); // contiguous_format, …
    }

    void results(Schema& schema) {
        if (!accept("(")) {
            schema.results.push_back(type());
            return;
        }
        for (bool first = true; !failed_ && !accept(")"); first = false) {
            if (!first)
                expect(",");
            schema.results.push_back(type());
            skipSpace();
            if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')')
                word(); // its name
        }
    }

    std::string_view text_;
    size_t at_ = 0;
    bool failed_ = false;
};

} // namespace

std::optional<size_t> Schema::find(std::string_view argument) const {
    const auto found = std::ranges::find(arguments, argument, &SchemaArgument::name);
    return found == arguments.end() ? std::nullopt : std::optional(static_cast<size_t>(found - arguments.begin()));
}

Result<Schema> parseSchema(std::string_view text) {
    return SchemaParser(text).parse();
}

} // namespace lathe::frontend::torch
