// SPDX-License-Identifier: Apache-2.0
//
// Operators without a converter, which are expanded into ONNX's body for them. The bodies broadcast and infer dims as
// their operators do, in both directions; what the definitions say of operands besides is made to hold here.
#include "frontend/common/emit.h"
#include "frontend/onnx/ops.h"

#include <fmt/format.h>

namespace lathe::frontend::onnx {
namespace {

/// One batch, one number of keys and values, and a mask that widens nothing but the number of keys, where the body pads.
void fitAttention(NodeReader& node, Builder& b, std::vector<Value>& operands) {
    constexpr size_t queries = 0, keys = 1, values = 2, mask = 3, lengths = 6;
    const auto given = [&](size_t i) { return i < operands.size() && operands[i].var; };
    if (!given(queries) || !given(keys) || !given(values))
        return;
    const Dims query = b.shape(operands[queries].var);
    Dims key = b.shape(operands[keys].var), value = b.shape(operands[values].var);
    const size_t rank = query.size();
    if ((rank != 3 && rank != 4) || key.size() != rank || value.size() != rank)
        return node.fail(fmt::format("queries {}, keys {} and values {} must all have 3 dims, or 4", text(query),
                                     text(key), text(value)));
    key[0] = query[0];
    operands[keys].var = withDims(b, operands[keys].var, key);
    std::copy(key.begin(), key.end() - 1, value.begin());
    operands[values].var = withDims(b, operands[values].var, value);
    if (given(lengths))
        operands[lengths].var = withDims(b, operands[lengths].var, {query[0]});
    if (!given(mask) || b.failed())
        return;
    const Dims own = b.shape(operands[mask].var);
    if (own.empty())
        return node.fail("the mask has no dims");
    const Expr heads = rank == 4 ? query[1] : Expr(node.integer("q_num_heads", 0));
    operands[mask].var = fitted(b, operands[mask].var, {query[0], heads, query[rank - 2], own.back()});
}

void fitScale(Builder& b, std::vector<Value>& operands) {
    if (operands.size() == 2 && operands[0].var && operands[1].var)
        operands[1].var = fitted(b, operands[1].var, b.shape(operands[0].var));
}

} // namespace

void fitBodyOperands(NodeReader& node, Builder& b, std::vector<Value>& operands) {
    if (node.node.domain != standardDomain)
        return;
    if (node.node.op == "Attention")
        fitAttention(node, b, operands);
    else if (node.node.op == "RMSNormalization")
        fitScale(b, operands);
}

} // namespace lathe::frontend::onnx
