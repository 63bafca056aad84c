// SPDX-License-Identifier: Apache-2.0
//
// Of the grammar of expressions: sums, products and the functions of integers, over given names.
#include "schedule/index_text.h"

#include "arith/parse.h"

#include <fmt/format.h>

namespace lathe::schedule {

namespace {

using arith::Expr;
using arith::ExprKind;

class IndexParser : arith::ScannedExprParser {
public:
    IndexParser(arith::Scanner& in, const std::map<std::string, Expr>& names) : ScannedExprParser(in), names_(names) {}

    Expr run() {
        Expr result = expr();
        if (!in_.atEnd())
            fail("expected the end");
        return result;
    }

private:
    const std::map<std::string, Expr>& names_;

    bool has(ExprKind kind) const override {
        return kind == ExprKind::Add || kind == ExprKind::Sub || kind == ExprKind::Mul || kind == ExprKind::FloorDiv ||
               kind == ExprKind::FloorMod || kind == ExprKind::Min || kind == ExprKind::Max;
    }

    Expr named(const std::string& word) override {
        if (auto it = names_.find(word); it != names_.end())
            return it->second;
        Expr result = in_.at("(") ? function(word) : Expr();
        if (!result)
            fail(fmt::format("there is no '{}' here", word));
        return result ? result : Expr(0);
    }
};

} // namespace

Result<Expr> parseIndex(std::string_view text, const std::map<std::string, Expr>& names) {
    arith::Scanner in(text, {.characters = " "});
    Expr result = IndexParser(in, names).run();
    if (in.failed())
        return failure(fmt::format("index expression '{}' is malformed: {}", text, in.error().what));
    return result;
}

std::vector<arith::Var> scalarsOf(const tir::PrimFunc& function) {
    std::vector<arith::Var> scalars;
    for (const tir::Param& param : function.params)
        if (param.scalar)
            scalars.push_back(param.scalar);
    return scalars;
}

} // namespace lathe::schedule
