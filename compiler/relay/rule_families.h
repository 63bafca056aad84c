// SPDX-License-Identifier: Apache-2.0
//
// The type rules by family, and what they share. A rule looks at operand types, known values and attributes and gives
// the result's type or one sentence that names shapes and data types.
#pragma once

#include "relay/rules.h"

namespace lathe::relay {

using TypeRule = Result<Type> (*)(Op op, RuleContext& context);

namespace rules {

// ---- families
Result<Type> sameAsOperand(Op op, RuleContext& context);
Result<Type> unary(Op op, RuleContext& context);
Result<Type> test(Op op, RuleContext& context); // unary that gives bool
Result<Type> cast(Op op, RuleContext& context);
Result<Type> bitCast(Op op, RuleContext& context);
Result<Type> binary(Op op, RuleContext& context);
Result<Type> compare(Op op, RuleContext& context);
Result<Type> power(Op op, RuleContext& context);
Result<Type> logical(Op op, RuleContext& context);
Result<Type> where(Op op, RuleContext& context);

Result<Type> shapeOf(Op op, RuleContext& context);
Result<Type> reshape(Op op, RuleContext& context);
Result<Type> transpose(Op op, RuleContext& context);
Result<Type> broadcastTo(Op op, RuleContext& context);
Result<Type> concat(Op op, RuleContext& context);
Result<Type> slice(Op op, RuleContext& context);
Result<Type> pad(Op op, RuleContext& context);
Result<Type> tile(Op op, RuleContext& context);
Result<Type> trilu(Op op, RuleContext& context);
Result<Type> reverseSequence(Op op, RuleContext& context);
Result<Type> reverse(Op op, RuleContext& context);
Result<Type> relayout(Op op, RuleContext& context);
Result<Type> depthToSpace(Op op, RuleContext& context);
Result<Type> iota(Op op, RuleContext& context);
Result<Type> full(Op op, RuleContext& context);
Result<Type> randomUniform(Op op, RuleContext& context);

Result<Type> gather(Op op, RuleContext& context);
Result<Type> gatherElements(Op op, RuleContext& context);
Result<Type> gatherNd(Op op, RuleContext& context);
Result<Type> scatterElements(Op op, RuleContext& context);
Result<Type> scatterNd(Op op, RuleContext& context);
Result<Type> oneHot(Op op, RuleContext& context);

Result<Type> reduce(Op op, RuleContext& context);
Result<Type> argReduce(Op op, RuleContext& context);
Result<Type> alongAxis(Op op, RuleContext& context); // cumulative sum, softmax
Result<Type> layerNorm(Op op, RuleContext& context);
Result<Type> batchNorm(Op op, RuleContext& context);
Result<Type> topK(Op op, RuleContext& context);

Result<Type> dynamicSlice(Op op, RuleContext& context);
Result<Type> range(Op op, RuleContext& context);
Result<Type> unique(Op op, RuleContext& context);
Result<Type> nonZero(Op op, RuleContext& context);
Result<Type> compress(Op op, RuleContext& context);
Result<Type> decodeImage(Op op, RuleContext& context);
Result<Type> nonMaxSuppression(Op op, RuleContext& context);
Result<Type> stringConcat(Op op, RuleContext& context);
Result<Type> stringCase(Op op, RuleContext& context);
Result<Type> stringSplit(Op op, RuleContext& context);
Result<Type> regexFullMatch(Op op, RuleContext& context);
Result<Type> formatNumber(Op op, RuleContext& context);
Result<Type> parseNumber(Op op, RuleContext& context);
Result<Type> indexOf(Op op, RuleContext& context);

Result<Type> bindSymbols(Op op, RuleContext& context);
Result<Type> assume(Op op, RuleContext& context);

Result<Type> listLength(Op op, RuleContext& context);
Result<Type> listGet(Op op, RuleContext& context);
Result<Type> listInsert(Op op, RuleContext& context);
Result<Type> listErase(Op op, RuleContext& context);
Result<Type> listJoin(Op op, RuleContext& context); // concat, stack

Result<Type> matMul(Op op, RuleContext& context);
Result<Type> conv(Op op, RuleContext& context);
Result<Type> winogradWeights(Op op, RuleContext& context);
Result<Type> winogradConv(Op op, RuleContext& context);
Result<Type> pool(Op op, RuleContext& context);
Result<Type> einsum(Op op, RuleContext& context);
Result<Type> resize(Op op, RuleContext& context);
Result<Type> gridSample(Op op, RuleContext& context);
Result<Type> roiAlign(Op op, RuleContext& context);
Result<Type> det(Op op, RuleContext& context);
Result<Type> dft(Op op, RuleContext& context);

Result<Type> treeEnsemble(Op op, RuleContext& context);

// ---- shared
/// The tensor type of operand `arg`; with `rank` >= 0 of that rank.
Result<const TensorType*> tensorArg(RuleContext& context, int arg, int rank = -1);
Result<void> checkAxis(int64_t axis, int64_t rank);
/// One dim for two that must be equal: an error if they never are, a requirement if not provably.
Result<Expr> equalDim(const Expr& a, const Expr& b, RuleContext& context, const std::string& what);
/// Every dim of `from` is 1 or that of `to`, from the end: `to` is what a broadcast gives.
Result<void> broadcastsTo(const std::vector<Expr>& from, const std::vector<Expr>& to, RuleContext& context);
Result<void> checkCount(size_t count, size_t rank, const char* what);
/// Fails for a word of an attribute that the operator does not know.
Result<void> checkWord(const char* attribute, const std::string& word, std::initializer_list<std::string_view> known);
Expr product(const std::vector<Expr>& shape);
/// An upper bound for a symbol's range.
int64_t upperBound(const Expr& expr);

} // namespace rules
} // namespace lathe::relay
