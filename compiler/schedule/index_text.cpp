// SPDX-License-Identifier: Apache-2.0
//
// A recursive-descent parser: sum := product {(+|-) product}; product := atom {(*|//|%) atom}.
#include "schedule/index_text.h"
#include "base/limits.h"

#include <charconv>

namespace lathe::schedule {

namespace {

using arith::Expr;

class IndexParser {
public:
    IndexParser(std::string_view text, const std::map<std::string, Expr>& names) : text_(text), names_(names) {}

    Result<Expr> run() {
        LATHE_TRY(Expr result, sum());
        skipSpace();
        if (at_ != text_.size())
            return wrong();
        return result;
    }

private:
    Failure wrong() const { return failure("index expression '" + std::string(text_) + "' is malformed"); }

    void skipSpace() {
        while (at_ < text_.size() && text_[at_] == ' ')
            ++at_;
    }
    bool take(std::string_view token) {
        skipSpace();
        if (!text_.substr(at_).starts_with(token))
            return false;
        at_ += token.size();
        return true;
    }

    Result<Expr> sum() {
        if (++depth_ > limits::textNesting)
            return failure("index expression is nested too deeply");
        LATHE_TRY(Expr result, product());
        for (;;) {
            if (take("+")) {
                LATHE_TRY(Expr right, product());
                result = result + right;
            } else if (take("-")) {
                LATHE_TRY(Expr right, product());
                result = result - right;
            } else {
                --depth_;
                return result;
            }
        }
    }

    Result<Expr> product() {
        LATHE_TRY(Expr result, atom());
        while (take("*")) {
            LATHE_TRY(Expr right, atom());
            result = result * right;
        }
        return result;
    }

    Result<Expr> function(const std::string& name) {
        LATHE_TRY(Expr a, sum());
        if (!take(","))
            return wrong();
        LATHE_TRY(Expr b, sum());
        if (!take(")"))
            return wrong();
        if (name == "floordiv")
            return arith::floorDiv(a, b);
        if (name == "floormod")
            return arith::floorMod(a, b);
        if (name == "min")
            return arith::min(a, b);
        if (name == "max")
            return arith::max(a, b);
        return failure("there is no function '" + name + "' of indices");
    }

    Result<Expr> atom() {
        if (take("(")) {
            LATHE_TRY(Expr inner, sum());
            if (!take(")"))
                return wrong();
            return inner;
        }
        skipSpace();
        size_t start = at_;
        if (at_ < text_.size() && text_[at_] == '-')
            ++at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
            ++at_;
        std::string word(text_.substr(start, at_ - start));
        int64_t number = 0;
        auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (!word.empty() && status == std::errc() && end == word.data() + word.size())
            return Expr(number);
        if (auto it = names_.find(word); it != names_.end())
            return it->second;
        if (!word.empty() && take("("))
            return function(word);
        return word.empty() ? wrong() : failure("unknown name '" + word + "' in an index expression");
    }

    std::string_view text_;
    const std::map<std::string, Expr>& names_;
    size_t at_ = 0;
    int depth_ = 0;
};

} // namespace

Result<Expr> parseIndex(std::string_view text, const std::map<std::string, Expr>& names) {
    return IndexParser(text, names).run();
}

std::vector<arith::Var> scalarsOf(const tir::PrimFunc& function) {
    std::vector<arith::Var> scalars;
    for (const tir::Param& param : function.params)
        if (param.scalar)
            scalars.push_back(param.scalar);
    return scalars;
}

} // namespace lathe::schedule
