// SPDX-License-Identifier: Apache-2.0
//
// The rows of the operator table.
//
// Fusion kinds where the choice is not plain: softmax and normalisations, pools and resampling take an elementwise
// epilogue but no prologue (they read an element more than once), so they are OutFusable. Operators that scan, sort,
// scatter, give several results or define symbols are Opaque.
#include "relay/attrs.h"
#include "relay/op.h"
#include "relay/operator_flops.h"
#include "relay/operator_layouts.h"
#include "relay/operator_orders.h"
#include "relay/operator_steps.h"

#include <array>
#include <string>
#include <unordered_map>

namespace lathe::relay {
namespace {

using enum FusionKind;

template <class T>
AttrsPtr make() {
    return std::make_shared<T>();
}

constexpr bool fails = true;
constexpr auto none = nullptr;

constexpr OpInfo row(Op op, std::string_view name, int minArgs, int maxArgs, AttrsPtr (*attrs)(), FusionKind fusion,
                     Numerics numerics = Numerics::Exact, bool mayFail = false, bool pure = true) {
    const auto flops = fusion == Injective ? flops::perElement<0> : flops::perElement<1>;
    const auto steps = fusion <= Reduction ? steps::perElement<1>
                       : fusion == Opaque  ? steps::perElement<4>
                                           : steps::perElement<64>;
    LayoutColumns layouts;
    if (fusion <= Broadcast)
        layouts.carries = layouts::elements;
    const auto orders = fusion <= Broadcast ? orders::elements : nullptr;
    return {op, name, minArgs, maxArgs, attrs, fusion, pure, mayFail, numerics, flops, steps, layouts, orders, false};
}
/// What is other in a row than its kind has it.
struct RowColumns {
    decltype(OpInfo::flops) flops = nullptr;
    decltype(OpInfo::steps) steps = nullptr;
    std::optional<LayoutColumns> layouts = {};
    std::optional<decltype(OpInfo::orders)> orders = {};
};
constexpr OpInfo with(OpInfo row, const RowColumns& columns) {
    row.flops = columns.flops ? columns.flops : row.flops;
    row.steps = columns.steps ? columns.steps : row.steps;
    row.layouts = columns.layouts.value_or(row.layouts);
    row.orders = columns.orders.value_or(row.orders);
    return row;
}
constexpr OpInfo ofStrings(OpInfo row) {
    row.strings = true;
    return row;
}
constexpr OpInfo unary(Op op, std::string_view name, Numerics numerics) {
    return row(op, name, 1, 1, none, Elementwise, numerics);
}
constexpr OpInfo binary(Op op, std::string_view name, Numerics numerics = Numerics::Exact, bool mayFail = false) {
    return row(op, name, 2, 2, none, Broadcast, numerics, mayFail);
}

constexpr auto exact = Numerics::Exact, rounding = Numerics::Rounding, transcendental = Numerics::Transcendental,
               accumulating = Numerics::Accumulating;

constexpr OpInfo rows[] = {
    unary(Op::Negative, "negative", exact),
    unary(Op::Abs, "abs", exact),
    unary(Op::Sign, "sign", exact),
    unary(Op::Floor, "floor", exact),
    unary(Op::Ceil, "ceil", exact),
    unary(Op::Round, "round", exact),
    unary(Op::Sqrt, "sqrt", rounding),
    unary(Op::Exp, "exp", transcendental),
    unary(Op::Log, "log", transcendental),
    unary(Op::Sin, "sin", transcendental),
    unary(Op::Cos, "cos", transcendental),
    unary(Op::Tan, "tan", transcendental),
    unary(Op::Asin, "asin", transcendental),
    unary(Op::Acos, "acos", transcendental),
    unary(Op::Atan, "atan", transcendental),
    unary(Op::Sinh, "sinh", transcendental),
    unary(Op::Cosh, "cosh", transcendental),
    unary(Op::Tanh, "tanh", transcendental),
    unary(Op::Asinh, "asinh", transcendental),
    unary(Op::Acosh, "acosh", transcendental),
    unary(Op::Atanh, "atanh", transcendental),
    unary(Op::Erf, "erf", transcendental),
    with(unary(Op::Sigmoid, "sigmoid", transcendental), {.flops = flops::perElement<4>}), // 1 / (1 + exp(-x))
    unary(Op::Reciprocal, "reciprocal", rounding),
    unary(Op::Relu, "relu", exact),
    unary(Op::LogicalNot, "logical_not", exact),
    unary(Op::BitwiseNot, "bitwise_not", exact),
    unary(Op::IsNan, "is_nan", exact),
    row(Op::IsInf, "is_inf", 1, 1, make<IsInfAttrs>, Elementwise),
    with(row(Op::Cast, "cast", 1, 1, make<CastAttrs>, Elementwise, rounding), {.flops = flops::perElement<0>}),
    with(row(Op::BitCast, "bit_cast", 1, 1, make<CastAttrs>, Elementwise), {.flops = flops::perElement<0>}),
    ofStrings(with(unary(Op::Copy, "copy", exact), {.flops = flops::perElement<0>})),
    binary(Op::Add, "add", rounding),
    binary(Op::Subtract, "subtract", rounding),
    binary(Op::Multiply, "multiply", rounding),
    binary(Op::Divide, "divide", rounding, fails),
    row(Op::Mod, "mod", 2, 2, make<ModAttrs>, Broadcast, exact, fails),
    binary(Op::Power, "power", transcendental),
    binary(Op::Maximum, "maximum"),
    binary(Op::Minimum, "minimum"),
    ofStrings(binary(Op::Equal, "equal")),
    ofStrings(binary(Op::NotEqual, "not_equal")),
    binary(Op::Less, "less"),
    binary(Op::LessEqual, "less_equal"),
    binary(Op::Greater, "greater"),
    binary(Op::GreaterEqual, "greater_equal"),
    binary(Op::LogicalAnd, "logical_and"),
    binary(Op::LogicalOr, "logical_or"),
    binary(Op::LogicalXor, "logical_xor"),
    binary(Op::BitwiseAnd, "bitwise_and"),
    binary(Op::BitwiseOr, "bitwise_or"),
    binary(Op::BitwiseXor, "bitwise_xor"),
    binary(Op::LeftShift, "left_shift"),
    binary(Op::RightShift, "right_shift"),
    ofStrings(with(row(Op::Where, "where", 3, 3, none, Broadcast), {.flops = flops::perElement<0>})),
    ofStrings(row(Op::ShapeOf, "shape_of", 1, 1, none, Injective)),
    ofStrings(with(row(Op::Reshape, "reshape", 1, 1, make<ReshapeAttrs>, Injective), {.orders = orders::reshape})),
    ofStrings(row(Op::Transpose, "transpose", 1, 1, make<TransposeAttrs>, Injective)),
    ofStrings(with(row(Op::BroadcastTo, "broadcast_to", 1, 1, make<BroadcastAttrs>, Broadcast),
                   {.flops = flops::perElement<0>, .orders = orders::broadcastTo})),
    ofStrings(with(row(Op::Concat, "concat", 1, -1, make<AxisAttrs>, Injective),
                   {.layouts = LayoutColumns{.carries = layouts::concat}, .orders = orders::concat})),
    ofStrings(with(row(Op::Slice, "slice", 1, 1, make<SliceAttrs>, Injective), {.orders = orders::slice})),
    ofStrings(with(row(Op::DynamicSlice, "dynamic_slice", 4, 4, make<AxesAttrs>, Opaque, exact, fails),
                   {.flops = flops::perElement<0>})),
    ofStrings(with(row(Op::Pad, "pad", 1, 2, make<PadAttrs>, Injective), {.orders = orders::pad})),
    ofStrings(with(row(Op::Tile, "tile", 1, 1, make<TileAttrs>, Injective), {.orders = orders::tile})),
    ofStrings(row(Op::Gather, "gather", 2, 2, make<AxisAttrs>, Injective, exact, fails)),
    ofStrings(row(Op::GatherElements, "gather_elements", 2, 2, make<AxisAttrs>, Injective, exact, fails)),
    ofStrings(row(Op::GatherNd, "gather_nd", 2, 2, make<GatherNdAttrs>, Injective, exact, fails)),
    ofStrings(row(Op::ScatterElements, "scatter_elements", 3, 3, make<ScatterAttrs>, Opaque, accumulating, fails)),
    ofStrings(row(Op::ScatterNd, "scatter_nd", 3, 3, make<ScatterAttrs>, Opaque, accumulating, fails)),
    row(Op::Range, "range", 3, 3, none, Injective, rounding, fails),
    row(Op::Iota, "iota", 0, 0, make<IotaAttrs>, Injective),
    ofStrings(with(row(Op::Full, "full", 1, 1, make<BroadcastAttrs>, Broadcast),
                   {.flops = flops::perElement<0>, .orders = none})),
    row(Op::OneHot, "one_hot", 2, 2, make<OneHotAttrs>, Injective),
    row(Op::Trilu, "trilu", 1, 1, make<TriluAttrs>, Injective),
    ofStrings(row(Op::ReverseSequence, "reverse_sequence", 2, 2, make<ReverseAttrs>, Injective, exact, fails)),
    ofStrings(with(row(Op::Reverse, "reverse", 1, 1, make<AxesAttrs>, Injective), {.orders = orders::reverse})),
    ofStrings(with(row(Op::Relayout, "relayout", 1, 1, make<RelayoutAttrs>, Injective),
                   {.layouts = LayoutColumns{.converts = true}})),
    with(row(Op::Reduce, "reduce", 1, 1, make<ReduceAttrs>, Reduction, accumulating),
         {.flops = flops::reduce, .layouts = LayoutColumns{.carries = layouts::reduce}, .orders = orders::reduce}),
    with(row(Op::ArgReduce, "arg_reduce", 1, 1, make<ArgReduceAttrs>, Reduction), {.orders = orders::argReduce}),
    with(row(Op::CumSum, "cum_sum", 1, 1, make<CumAttrs>, Opaque, accumulating), {.orders = orders::cumSum}),
    with(row(Op::Softmax, "softmax", 1, 1, make<AxisAttrs>, OutFusable, accumulating),
         {.flops = flops::perElement<5>, .orders = orders::softmax}), // largest, difference, exp, sum, quotient
    with(row(Op::LogSoftmax, "log_softmax", 1, 1, make<AxisAttrs>, OutFusable, accumulating),
         {.flops = flops::perElement<5>, .orders = orders::softmax}),
    with(row(Op::LayerNorm, "layer_norm", 2, 3, make<NormAttrs>, OutFusable, accumulating),
         {.flops = flops::perElement<7>}), // mean, difference, square, sum, product, scale, bias
    with(row(Op::BatchNorm, "batch_norm", 5, 5, make<NormAttrs>, Broadcast, rounding),
         {.flops = flops::perElement<4>,
          .layouts = LayoutColumns{.carries = layouts::batchNorm},
          .orders = orders::batchNorm}),
    ofStrings(with(unary(Op::Dropout, "dropout", exact), {.flops = flops::perElement<0>})),
    row(Op::TopK, "top_k", 1, 1, make<TopKAttrs>, Opaque),
    ofStrings(row(Op::Unique, "unique", 1, 1, make<UniqueAttrs>, Opaque)),
    row(Op::NonZero, "non_zero", 1, 1, none, Opaque),
    ofStrings(with(row(Op::Compress, "compress", 2, 2, make<AxisAttrs>, Opaque, exact, fails),
                   {.flops = flops::perElement<0>})),
    row(Op::DecodeImage, "decode_image", 1, 1, make<ImageAttrs>, Opaque, exact, fails, false),
    with(row(Op::NonMaxSuppression, "non_max_suppression", 2, 5, make<NmsAttrs>, Opaque, rounding),
         {.steps = steps::anyWithAny}),
    with(row(Op::MatMul, "matmul", 2, 2, make<MatMulAttrs>, OutFusable, accumulating),
         {.flops = flops::matMul,
          .steps = steps::matMul,
          .layouts = LayoutColumns{.panels = layouts::matMulPanels},
          .orders = orders::matMul}),
    with(row(Op::Conv, "conv", 2, 2, make<ConvAttrs>, OutFusable, accumulating),
         {.flops = flops::conv,
          .steps = steps::conv,
          .layouts = LayoutColumns{.panels = layouts::convPanels,
                                   .makes = layouts::convBlocks,
                                   .carries = layouts::depthwise}}),
    with(row(Op::WinogradWeights, "winograd_weights", 1, 1, make<WinogradAttrs>, Opaque, accumulating),
         {.flops = flops::perElement<18>, .steps = steps::perElement<9>}),
    with(row(Op::WinogradConv, "winograd_conv", 2, 2, make<WinogradAttrs>, OutFusable, accumulating),
         {.flops = flops::winogradConv,
          .steps = steps::winogradConv,
          .layouts =
              LayoutColumns{.panels = layouts::winogradPanels, .blocks = {0, 1}, .makes = layouts::winogradBlocks}}),
    with(row(Op::MaxPool, "max_pool", 1, 1, make<PoolAttrs>, OutFusable),
         {.flops = flops::pool, .steps = steps::pool, .layouts = LayoutColumns{.carries = layouts::pool}}),
    with(row(Op::MaxPoolWithIndex, "max_pool_with_index", 1, 1, make<PoolAttrs>, Opaque),
         {.flops = flops::pool, .steps = steps::pool}),
    with(row(Op::AvgPool, "avg_pool", 1, 1, make<PoolAttrs>, OutFusable, accumulating),
         {.flops = flops::pool, .steps = steps::pool, .layouts = LayoutColumns{.carries = layouts::pool}}),
    with(row(Op::Einsum, "einsum", 1, -1, make<EinsumAttrs>, OutFusable, accumulating),
         {.flops = flops::einsum, .steps = steps::anyWithAny}),
    with(row(Op::Resize, "resize", 1, 3, make<ResizeAttrs>, OutFusable, rounding),
         {.layouts = LayoutColumns{.carries = layouts::resize}, .orders = orders::resize}),
    row(Op::GridSample, "grid_sample", 2, 2, make<GridSampleAttrs>, OutFusable, rounding),
    with(row(Op::RoiAlign, "roi_align", 3, 3, make<RoiAlignAttrs>, Opaque, accumulating, fails),
         {.steps = steps::roiAlign}),
    ofStrings(row(Op::DepthToSpace, "depth_to_space", 1, 1, make<BlockAttrs>, Injective)),
    ofStrings(row(Op::SpaceToDepth, "space_to_depth", 1, 1, make<BlockAttrs>, Injective)),
    with(row(Op::Det, "det", 1, 1, none, Opaque, accumulating), {.steps = steps::anyWithAny}),
    with(row(Op::Dft, "dft", 1, 1, make<DftAttrs>, Opaque, accumulating), {.flops = flops::dft, .steps = steps::dft}),
    with(row(Op::TreeEnsemble, "tree_ensemble", 7, 7, make<TreeAttrs>, Opaque, accumulating, fails),
         {.steps = steps::anyWithAny}),
    row(Op::RandomUniform, "random_uniform", 0, 0, make<RandomAttrs>, Opaque, Numerics::Random, false, false),
    ofStrings(row(Op::StringConcat, "string_concat", 2, 2, none, Opaque)),
    ofStrings(row(Op::StringCase, "string_case", 1, 1, make<StringCaseAttrs>, Opaque)),
    ofStrings(row(Op::StringSplit, "string_split", 2, 2, make<StringSplitAttrs>, Opaque)),
    ofStrings(row(Op::RegexFullMatch, "regex_full_match", 2, 2, none, Opaque)),
    row(Op::FormatNumber, "format_number", 1, 1, none, Opaque),
    ofStrings(row(Op::ParseNumber, "parse_number", 1, 1, make<CastAttrs>, Opaque, rounding, fails)),
    ofStrings(row(Op::IndexOf, "index_of", 2, 2, none, Opaque)),
    with(row(Op::BindSymbols, "bind_symbols", 1, 1, make<BindSymbolsAttrs>, Opaque, exact, fails, false),
         {.flops = flops::perElement<0>}),
    ofStrings(with(row(Op::Assume, "assume", 1, 1, make<AssumeAttrs>, Opaque, exact, fails, false),
                   {.flops = flops::perElement<0>})),
    with(row(Op::ListLength, "list_length", 1, 1, none, Opaque), {.flops = flops::perElement<0>}),
    with(row(Op::ListGet, "list_get", 2, 2, none, Opaque, exact, fails), {.flops = flops::perElement<0>}),
    ofStrings(
        with(row(Op::ListInsert, "list_insert", 3, 3, none, Opaque, exact, fails), {.flops = flops::perElement<0>})),
    with(row(Op::ListErase, "list_erase", 2, 2, none, Opaque, exact, fails), {.flops = flops::perElement<0>}),
    with(row(Op::ListConcat, "list_concat", 1, 1, make<AxisAttrs>, Opaque, exact, fails),
         {.flops = flops::perElement<0>}),
    with(row(Op::ListStack, "list_stack", 1, 1, make<AxisAttrs>, Opaque, exact, fails),
         {.flops = flops::perElement<0>}),
};

constexpr bool hasAllOperators() {
    if (std::size(rows) != static_cast<size_t>(Op::Count_))
        return false;
    for (size_t i = 0; i < std::size(rows); ++i)
        if (rows[i].op != static_cast<Op>(i))
            return false;
    return true;
}
static_assert(hasAllOperators(), "one row an operator, in the order of the enumeration");

} // namespace

const OpInfo& info(Op op) {
    return rows[static_cast<size_t>(op)];
}

const OpInfo* findOp(std::string_view name) {
    static const auto byName = [] {
        std::unordered_map<std::string_view, const OpInfo*> map;
        for (const OpInfo& row : rows)
            map.emplace(row.name, &row);
        return map;
    }();
    auto found = byName.find(name);
    return found == byName.end() ? nullptr : found->second;
}

} // namespace lathe::relay
