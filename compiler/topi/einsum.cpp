// SPDX-License-Identifier: Apache-2.0
//
// Einsum: each label is an index, labels that the result lacks are summed over. Repeated labels take diagonals, an
// ellipsis stands for dims that broadcast, and without "->" the result has the labels that occur once, in alphabetical
// order.
#include "topi/expressions.h"
#include "topi/families.h"

#include <algorithm>
#include <map>

namespace lathe::topi {

namespace {

/// A label: a letter, or the k-th ellipsis dim counted from the last ("0", "1" …).
using Label = char;
constexpr Label ellipsisLabel(size_t fromLast) {
    return static_cast<Label>(1 + fromLast); // below all letters
}

struct Equation {
    std::vector<std::string> operands;
    std::string result;
};

/// Labels of one term; an ellipsis covers what `rank` leaves to it.
std::string labelsOf(const std::string& term, size_t rank) {
    std::string labels;
    const size_t letters = static_cast<size_t>(std::ranges::count_if(term, [](char c) { return c != '.'; }));
    for (size_t i = 0; i < term.size(); ++i) {
        if (term[i] != '.') {
            labels += term[i];
            continue;
        }
        for (size_t k = rank - letters; k-- > 0;)
            labels += ellipsisLabel(k);
        i += 2;
    }
    return labels;
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts(1);
    for (char c : text)
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

Equation parse(std::string text, const CallContext& call) {
    std::erase(text, ' ');
    const size_t arrow = text.find("->");
    const std::vector<std::string> terms = split(text.substr(0, arrow), ',');
    LATHE_ASSERT(terms.size() == call.args.size(), "an einsum equation has another number of terms than operands");
    Equation equation;
    std::map<Label, int> counts;
    for (size_t i = 0; i < terms.size(); ++i) {
        equation.operands.push_back(labelsOf(terms[i], call.args[i]->shape.size()));
        for (Label label : equation.operands.back())
            ++counts[label];
    }
    if (arrow != std::string::npos) {
        equation.result = labelsOf(text.substr(arrow + 2), resultTensor(call).shape.size());
        return equation;
    }
    std::string ellipsis;
    for (const auto& [label, count] : counts)
        if (label < ' ')
            ellipsis.insert(ellipsis.begin(), label);
        else if (count == 1)
            equation.result += label;
    equation.result = ellipsis + equation.result;
    return equation;
}

} // namespace

Tensors computeEinsum(const CallContext& call) {
    const Equation equation = parse(relay::attrs<relay::EinsumAttrs>(call.attrs).equation, call);
    const relay::TensorType& result = resultTensor(call);
    std::map<Label, Expr> extents;
    for (size_t a = 0; a < call.args.size(); ++a)
        for (size_t d = 0; d < equation.operands[a].size(); ++d) {
            Expr& extent = extents[equation.operands[a][d]];
            if (!extent || arith::isConst(extent, 1))
                extent = call.args[a]->shape[d];
        }
    std::string summed;
    Shape summedExtents;
    for (const auto& [label, extent] : extents)
        if (equation.result.find(label) == std::string::npos) {
            summed += label;
            summedExtents.push_back(extent);
        }
    const DataType dtype = computeType(result.dtype);
    const auto element = [&](const std::vector<Var>& i, const std::vector<Var>& k) {
        std::map<Label, Expr> index;
        for (size_t d = 0; d < equation.result.size(); ++d)
            index[equation.result[d]] = i[d];
        for (size_t d = 0; d < summed.size(); ++d)
            index[summed[d]] = k[d];
        Expr value;
        for (size_t a = 0; a < call.args.size(); ++a) {
            Indices at;
            for (size_t d = 0; d < equation.operands[a].size(); ++d) {
                const bool repeats = arith::isConst(call.args[a]->shape[d], 1);
                at.push_back(repeats ? Expr(0) : index.at(equation.operands[a][d]));
            }
            const Expr factor = convert((*call.args[a])(at), dtype);
            value = value ? value * factor : factor;
        }
        return value;
    };
    const TensorPtr sum =
        summed.empty()
            ? te::compute(
                  "einsum", result.shape, [&](const std::vector<Var>& i) { return element(i, {}); }, call.origin)
            : te::reduce("einsum", result.shape, te::ReduceKind::Sum, summedExtents, element, call.origin);
    return {converted(sum, result.dtype, "einsum_result", call.origin)};
}

} // namespace lathe::topi
