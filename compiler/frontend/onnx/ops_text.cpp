// SPDX-License-Identifier: Apache-2.0
//
// Operators on strings. Stop words are looked up, n-grams are compared: what is done with strings is what is done with numbers,
// and few operators of text remain.
#include "frontend/common/emit.h"
#include "frontend/common/regular_expression.h"
#include "frontend/onnx/ops.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

Var inCase(Builder& b, Var x, bool upper) {
    StringCaseAttrs attrs;
    attrs.upper = upper;
    return b.call(Op::StringCase, {x}, attrs);
}

Var indexOf(Builder& b, Var x, Var keys) {
    return b.call(Op::IndexOf, {x, keys});
}

} // namespace

void convertStringConcat(NodeReader& node, Builder& b) {
    node.set(0, b.call(Op::StringConcat, {node.in(0), node.in(1)}));
}

void convertStringSplit(NodeReader& node, Builder& b) {
    StringSplitAttrs attrs;
    if (node.has("maxsplit")) // as Python has it: any negative number is none
        attrs.most = std::max<int64_t>(node.integer("maxsplit", -1), -1);
    const Var delimiter = textConstant(b, {}, {node.text("delimiter", "")});
    const Var both = b.call(Op::StringSplit, {node.in(0), delimiter}, attrs);
    for (size_t i = 0; i < 2; ++i)
        if (node.wants(i))
            node.set(i, b.project(both, static_cast<int>(i)));
}

void convertRegexFullMatch(NodeReader& node, Builder& b) {
    if (!node.has("pattern"))
        return node.fail("attribute 'pattern' is missing");
    const auto program = compileExpression(node.text("pattern", ""));
    if (!program)
        return b.fail(program.error().what, program.error().hint, program.error().kind);
    node.set(0, b.call(Op::RegexFullMatch, {node.in(0), textConstant(b, {}, {*program})}));
}

/// Of one row of words: those that are no stop words, in another case. Where none is left there is an empty one.
void convertStringNormalizer(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    const int64_t rank = b.rank(x);
    if (rank != 1 && rank != 2)
        return node.fail(fmt::format("the input is {}, not of shape [C] or [1,C]", relay::text(b.shape(x))));
    const Dims shape = b.shape(x);
    Var words = rank == 1 ? x : reshape(b, withDims(b, x, {Expr(1), shape[1]}), {shape[1]});
    if (std::vector<std::string> stopwords = node.texts("stopwords"); !stopwords.empty()) {
        const auto none = static_cast<int64_t>(stopwords.size());
        const bool sensitive = node.integer("is_case_sensitive", 0) != 0;
        Var keys = textConstant(b, std::move(stopwords));
        Var compared = words;
        if (!sensitive) {
            keys = inCase(b, keys, false);
            compared = inCase(b, words, false);
        }
        const Var kept = equal(b, indexOf(b, compared, keys), b.scalarInt(none));
        words = b.call(Op::Compress, {words, kept}, AxisAttrs{});
    }
    if (const std::string action = node.text("case_change_action", "NONE"); action != "NONE")
        words = inCase(b, words, action == "UPPER");
    const Expr lacking = arith::max(Expr(1) - dim(b, words, 0), Expr(0));
    words = pad(b, words, "constant", {Expr(0)}, {lacking});
    node.set(0, rank == 1 ? words : reshape(b, words, {Expr(1), dim(b, words, 0)}));
}

namespace {

/// The n-grams of one length of a TfIdfVectorizer's pool.
struct Level {
    int64_t length;
    std::vector<Var> members; // by place in the n-gram: [m]
    int64_t count;            // m
};

constexpr int64_t mostTerms = 4096; // tensors that a vectorizer is composed of

/// Where the pool's n-grams of each length lie; the fault is noted if they do not.
std::vector<std::pair<int64_t, int64_t>> levelRanges(NodeReader& node, int64_t items) {
    const Ints starts = node.integers("ngram_counts");
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (size_t i = 0; i < starts.size(); ++i) {
        const int64_t end = i + 1 < starts.size() ? starts[i + 1] : items;
        const auto length = static_cast<int64_t>(i) + 1;
        if (starts[i] < 0 || end < starts[i] || end > items || (end - starts[i]) % length != 0) {
            node.fail(fmt::format("ngram_counts: n-grams of {} would be items {} to {} of the {} in the pool", length,
                                  starts[i], end, items));
            return {};
        }
        ranges.emplace_back(starts[i], end);
    }
    return ranges;
}

template <class T, class MakeVar>
std::vector<Level> levelsOf(NodeReader& node, const std::vector<T>& pool, MakeVar makeVar) {
    std::vector<Level> levels;
    for (const auto& [first, end] : levelRanges(node, static_cast<int64_t>(pool.size()))) {
        Level level{static_cast<int64_t>(levels.size()) + 1, {}, 0};
        level.count = (end - first) / level.length;
        for (int64_t place = 0; place < level.length && level.count > 0; ++place) {
            std::vector<T> members;
            for (int64_t i = first + place; i < end; i += level.length)
                members.push_back(pool[static_cast<size_t>(i)]);
            level.members.push_back(makeVar(members));
        }
        levels.push_back(std::move(level));
    }
    return levels;
}

/// How often each n-gram stands in each row of x: [N, m]. Its items are `skip` places apart.
Var occurrences(Builder& b, Var x, const Level& level, int64_t skip) {
    const Expr width = dim(b, x, 1);
    const int64_t step = skip + 1, reach = (level.length - 1) * step;
    const Expr windows = arith::simplify(arith::max(width - reach, Expr(0)));
    Var found;
    for (int64_t place = 0; place < level.length; ++place) {
        const Expr begin = arith::simplify(arith::min(Expr(place * step), width));
        const Var items = unsqueeze(b, sliceAxis(b, x, 1, begin, windows), {2});
        const Var same = equal(b, items, level.members[static_cast<size_t>(place)]);
        found = place == 0 ? same : b.call(Op::LogicalAnd, {found, same});
    }
    return reduce(b, "sum", cast(b, found, types::Float32), {1}, false);
}

} // namespace

/// Counts of n-grams, each weighted: by comparing all windows of a row with all n-grams of their length.
void convertTfIdfVectorizer(NodeReader& node, Builder& b) {
    Var x = node.in(0);
    if (b.failed())
        return;
    const int64_t rank = b.rank(x);
    if (rank != 1 && rank != 2)
        return node.fail(fmt::format("the input is {}, not of shape [C] or [N,C]", relay::text(b.shape(x))));
    const bool ofStrings = b.dtype(x) == types::String;
    x = ofStrings ? x : cast(b, x, types::Int64);
    x = rank == 1 ? unsqueeze(b, x, {0}) : x;
    const auto levels =
        ofStrings ? levelsOf(node, node.texts("pool_strings"), [&](auto& items) { return textConstant(b, items); })
                  : levelsOf(node, node.integers("pool_int64s"), [&](auto& items) {
                        return listConstant(b, types::Int64, {static_cast<int64_t>(items.size())}, items);
                    });
    const Ints indexes = node.integers("ngram_indexes");
    const int64_t least = node.integer("min_gram_length", 1), most = node.integer("max_gram_length", 1),
                  skips = node.integer("max_skip_count", 0);
    if (b.failed())
        return;
    if (least < 1 || most < least || most > static_cast<int64_t>(levels.size()) || indexes.empty())
        return node.fail(
            fmt::format("n-grams of {} to {} items, where the pool has them up to {}", least, most, levels.size()));
    if (most * most > mostTerms || skips < 0 || skips > mostTerms / (most * most))
        return node.refuse(fmt::format("n-grams up to {} items with {} skips between them are too many", most, skips),
                           "ask for shorter ones");
    std::vector<Var> parts; // [N, m] of each level
    int64_t grams = 0;
    for (const Level& level : levels) {
        grams += level.count;
        if (level.count == 0)
            continue;
        const bool counts = level.length >= least && level.length <= most;
        Var sum;
        for (int64_t skip = 0; counts && skip <= (level.length == 1 ? 0 : skips); ++skip) {
            const Var found = occurrences(b, x, level, skip);
            sum = skip == 0 ? found : add(b, sum, found);
        }
        const Var zero = cast(b, b.scalarInt(0), types::Float32);
        parts.push_back(counts ? sum : full(b, zero, {dim(b, x, 0), Expr(level.count)}));
    }
    if (grams != static_cast<int64_t>(indexes.size()))
        return node.fail(fmt::format("the pool has {} n-grams, and ngram_indexes {} entries", grams, indexes.size()));
    const auto [low, high] = std::ranges::minmax(indexes);
    if (low < 0 || high >= limits::tensorElements)
        return node.fail(fmt::format("ngram_indexes has {}", low < 0 ? low : high));
    Var counts = concat(b, parts, 1);
    const std::string mode = node.text("mode", "TF");
    const Var zero = cast(b, b.scalarInt(0), types::Float32);
    if (mode == "IDF")
        counts = cast(b, b.call(Op::Greater, {counts, zero}), types::Float32);
    if (const std::vector<double> weights = node.reals("weights"); mode != "TF" && !weights.empty()) {
        if (weights.size() != indexes.size())
            return node.fail(fmt::format("it has {} weights for {} n-grams", weights.size(), grams));
        counts = mul(b, counts, realConstant(b, types::Float32, {grams}, weights));
    }
    const Dims shape{dim(b, x, 0), Expr(high + 1)};
    if (!mayFill(b, shape))
        return;
    ScatterAttrs scatter;
    scatter.axis = 1;
    scatter.reduction = "add";
    const Var places = expand(b, listConstant(b, types::Int64, {grams}, indexes), {dim(b, x, 0), Expr(grams)});
    const Var y = b.call(Op::ScatterElements, {full(b, zero, shape), places, counts}, scatter);
    node.set(0, rank == 1 ? squeeze(b, y, {0}) : y);
}

} // namespace lathe::frontend::onnx
