// SPDX-License-Identifier: Apache-2.0
//
// Type rules of products: matrices, einsum, determinants, Fourier transforms.
#include "relay/rule_families.h"

#include "arith/analysis.h"

#include <fmt/format.h>

namespace lathe::relay::rules {

Result<Type> matMul(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* a, tensorArg(context, 0));
    LATHE_TRY(const TensorType* b, tensorArg(context, 1));
    const MatMulAttrs& at = attrs<MatMulAttrs>(context.attrs());
    if (a->shape.size() < 2 || b->shape.size() < 2)
        return failure(fmt::format("operands {} and {} are no matrices", text(a->shape), text(b->shape)));
    if (at.outDtype == types::Void && a->dtype != b->dtype)
        return failure(fmt::format("operands are {} and {}, they must have one data type", toString(a->dtype),
                                   toString(b->dtype)));
    auto dim = [](const TensorType& t, bool transposed, int which) {
        size_t rank = t.shape.size();
        return t.shape[rank - 2 + static_cast<size_t>(transposed ? 1 - which : which)];
    };
    LATHE_CHECKED(equalDim(dim(*a, at.transposeA, 1), dim(*b, at.transposeB, 0), context,
                           fmt::format("inner dims of {} and {}", text(a->shape), text(b->shape))));
    LATHE_TRY(std::vector<Expr> shape, broadcastShapes({a->shape.begin(), a->shape.end() - 2},
                                                       {b->shape.begin(), b->shape.end() - 2}, &context));
    shape.push_back(dim(*a, at.transposeA, 0));
    shape.push_back(dim(*b, at.transposeB, 1));
    return tensorType(at.outDtype == types::Void ? a->dtype : at.outDtype, std::move(shape));
}

namespace {

/// One operand's or the result's labels; '.' stands for the ellipsis.
Result<std::string> labels(std::string_view term) {
    std::string result;
    for (size_t i = 0; i < term.size(); ++i) {
        if (term[i] == ' ')
            continue;
        if (term.substr(i, 3) == "...") {
            if (result.find('.') != std::string::npos)
                return failure("two ellipses in one term of the equation");
            result += '.';
            i += 2;
        } else if (std::isalpha(static_cast<unsigned char>(term[i]))) {
            result += term[i];
        } else {
            return failure(fmt::format("'{}' in the equation", term[i]));
        }
    }
    return result;
}

/// NumPy's implicit result: the ellipsis, then labels that occur once, in alphabetical order.
std::string implicitResult(const std::vector<std::string>& terms) {
    std::map<char, int> count;
    for (const std::string& term : terms)
        for (char label : term)
            ++count[label];
    std::string result;
    for (auto [label, times] : count)
        if (label == '.' || times == 1)
            result += label;
    return result;
}

} // namespace

Result<Type> einsum(Op, RuleContext& context) {
    const std::string& equation = attrs<EinsumAttrs>(context.attrs()).equation;
    size_t arrow = equation.find("->");
    std::vector<std::string> terms;
    std::string_view rest = std::string_view(equation).substr(0, arrow);
    while (true) {
        size_t comma = rest.find(',');
        LATHE_TRY(std::string term, labels(rest.substr(0, comma)));
        terms.push_back(std::move(term));
        if (comma == std::string_view::npos)
            break;
        rest.remove_prefix(comma + 1);
    }
    if (terms.size() != context.args().size())
        return failure(
            fmt::format("equation '{}' has {} terms for {} operands", equation, terms.size(), context.args().size()));
    std::string result = implicitResult(terms);
    if (arrow != std::string::npos) {
        LATHE_TRY(result, labels(std::string_view(equation).substr(arrow + 2)));
    }
    std::map<char, Expr> dims;
    std::vector<Expr> ellipsis;
    DataType dtype;
    for (size_t arg = 0; arg < terms.size(); ++arg) {
        LATHE_TRY(const TensorType* x, tensorArg(context, static_cast<int>(arg)));
        if (arg > 0 && x->dtype != dtype)
            return failure(fmt::format("operands are {} and {}, they must have one data type", toString(dtype),
                                       toString(x->dtype)));
        dtype = x->dtype;
        const std::string& term = terms[arg];
        size_t named = term.size() - (term.find('.') != std::string::npos);
        if (named > x->shape.size() || (named < x->shape.size() && named == term.size()))
            return failure(fmt::format("term '{}' of the equation does not fit {}", term, text(x->shape)));
        size_t at = 0;
        for (char label : term) {
            if (label == '.') {
                size_t count = x->shape.size() - named;
                std::vector<Expr> own(x->shape.begin() + static_cast<long>(at),
                                      x->shape.begin() + static_cast<long>(at + count));
                LATHE_TRY(ellipsis, broadcastShapes(ellipsis, own, &context));
                at += count;
                continue;
            }
            const Expr& dim = x->shape[at++];
            auto [entry, added] = dims.emplace(label, dim);
            if (added || arith::isConst(dim, 1))
                continue;
            if (arith::isConst(entry->second, 1)) {
                entry->second = dim;
                continue;
            }
            LATHE_TRY(entry->second,
                      equalDim(entry->second, dim, context, fmt::format("dims '{}' of the equation", label)));
        }
    }
    std::vector<Expr> shape;
    for (char label : result) {
        if (label == '.') {
            shape.insert(shape.end(), ellipsis.begin(), ellipsis.end());
            continue;
        }
        auto found = dims.find(label);
        if (found == dims.end())
            return failure(fmt::format("'{}' of the result occurs in no operand of '{}'", label, equation));
        shape.push_back(found->second);
    }
    return tensorType(dtype, std::move(shape));
}

Result<Type> det(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    if (x->shape.size() < 2)
        return failure(fmt::format("{} is no matrix", text(x->shape)));
    LATHE_CHECKED(equalDim(x->shape.end()[-2], x->shape.back(), context, "rows and columns"));
    return tensorType(x->dtype, {x->shape.begin(), x->shape.end() - 2});
}

Result<Type> dft(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0));
    const DftAttrs& at = attrs<DftAttrs>(context.attrs());
    auto rank = static_cast<int64_t>(x->shape.size());
    LATHE_CHECKED(checkAxis(at.axis, rank - 1));
    std::optional<int64_t> parts = arith::asInt(x->shape.back());
    if (!parts || *parts < 1 || *parts > 2)
        return failure(fmt::format("the last dim of {} is not 1 or 2", text(x->shape)));
    if (!x->dtype.isFloat())
        return failure(fmt::format("dft of {}", toString(x->dtype)));
    std::vector<Expr> shape = x->shape;
    Expr& dim = shape[static_cast<size_t>(at.axis)];
    bool toReal = at.inverse && at.onesided;
    Expr length = at.length ? at.length : toReal ? (dim - 1) * 2 : dim;
    dim = at.onesided && !at.inverse ? arith::floorDiv(length, Expr(2)) + 1 : length;
    shape.back() = Expr(toReal ? 1 : 2);
    return tensorType(x->dtype, std::move(shape));
}

} // namespace lathe::relay::rules
