// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/symbols.h"

#include "frontend/torch/size_expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::frontend::torch {
namespace {

std::string declaredText(const TensorMeta& meta) {
    std::vector<std::string> sizes;
    for (const ProgramSize& size : meta.sizes)
        sizes.push_back(std::holds_alternative<int64_t>(size) ? fmt::format("{}", std::get<int64_t>(size)) : "?");
    return fmt::format("{}[{}]{}", toString(meta.dtype), fmt::join(sizes, ","),
                       meta.isComplex ? " of complex numbers" : "");
}

} // namespace

Expr Symbols::find(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? Expr() : found->second;
}

Expr Symbols::valueOf(const ProgramSize& size) const {
    if (const int64_t* number = std::get_if<int64_t>(&size))
        return *number;
    const Result<Expr> parsed =
        parseSize(std::get<std::string>(size), [&](const std::string& name) { return find(name); });
    if (parsed)
        return *parsed;
    b_.fail(parsed.error().what, parsed.error().hint, parsed.error().kind);
    return {};
}

Expr Symbols::learn(const ProgramSize& declared, const Expr& value) {
    const std::string* text = std::get_if<std::string>(&declared);
    if (!text || b_.failed())
        return {};
    const std::optional<Solved> solved = solve(*text, value, [&](const std::string& name) { return find(name); });
    if (!solved)
        return {};
    values_.emplace(solved->symbol, solved->value);
    return solved->condition;
}

Expr Symbols::holds(const SizeRange& range) const {
    const Result<Expr> value = parseSize(range.expression, [&](const std::string& name) { return find(name); });
    if (!value || !*value || !(*value)->dtype.isIndex())
        return {};
    Expr all = arith::boolImm(true);
    if (range.least)
        all = arith::logicalAnd(all, arith::ge(*value, *range.least));
    if (range.greatest)
        all = arith::logicalAnd(all, arith::le(*value, *range.greatest));
    return all;
}

void checkDeclared(const std::string& name, const TensorMeta& meta, Var value, bool isComplex, Symbols& symbols,
                   Builder& b) {
    if (b.failed() || meta.dtype == types::Void || !b.isTensor(value))
        return;
    Dims dims = b.shape(value);
    if (isComplex && !dims.empty())
        dims.pop_back();
    bool fits = b.dtype(value) == meta.dtype && isComplex == meta.isComplex && dims.size() == meta.sizes.size();
    for (size_t i = 0; i < dims.size() && fits && !b.failed(); ++i) {
        const Expr condition = symbols.learn(meta.sizes[i], dims[i]);
        const Expr declared = symbols.valueOf(meta.sizes[i]);
        fits = !(condition && arith::provablyFalse(condition)) &&
               !(declared && declared.dtype().isIndex() && arith::provablyFalse(arith::eq(declared, dims[i])));
    }
    if (!fits && !b.failed())
        b.fail(fmt::format("the program declares '{}' as {}, but {}{} is computed", name, declaredText(meta),
                           toString(b.type(value)), isComplex ? " (of complex numbers, by parts)" : ""),
               "the program is malformed; export it again");
}

} // namespace lathe::frontend::torch
