// SPDX-License-Identifier: Apache-2.0
//
// The operator table: one row an operator, constexpr, no registration at start-up. The set is small on purpose: frontends
// compose (Gelu, LSTM, ConvTranspose's padding …), fusion makes one kernel of the composition.
//
// Notation below: x: tensor of any numeric type; [..] optional operand; attributes in braces (relay/attrs.h).
#pragma once

#include "base/data_type.h"
#include "relay/layout_columns.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace lathe::relay {

enum class Op : uint16_t {
    // ---- unary, elementwise: same shape and dtype; compare-like give bool
    Negative,
    Abs,
    Sign,
    Floor,
    Ceil,
    Round /* half to even */,
    Sqrt,
    Exp,
    Log,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Erf,
    Sigmoid,
    Reciprocal,
    Relu,
    LogicalNot,
    BitwiseNot,
    IsNan,
    IsInf,   // {IsInfAttrs: positive, negative} -> bool
    Cast,    // {CastAttrs: dtype, saturate, round}
    BitCast, // {CastAttrs: dtype}: same width, same bits
    Copy,    // the same value
    // ---- binary with NumPy broadcasting, operands of one dtype
    Add,
    Subtract,
    Multiply,
    Divide /* integers truncate, zero divisor fails */,
    Mod /* {ModAttrs: fmod: sign of dividend, else of divisor} */,
    Power /* exponent may have another dtype; result has base's */,
    Maximum,
    Minimum,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    LeftShift,
    RightShift,
    Where, // condition bool, a, b: broadcast
    // ---- shape and movement
    ShapeOf,     // x -> int64[rank]
    Reshape,     // x {ReshapeAttrs: shape of Exprs}: elements in order; a run-time check if not provably the same count
    Transpose,   // x {TransposeAttrs: axes}
    BroadcastTo, // x {BroadcastAttrs: shape}
    Concat,      // x1 … xn {AxisAttrs: axis >= 0}
    Slice,       // x {SliceAttrs: begin, size, step per dim; begin + step*(size-1) in range}: already normalised
    DynamicSlice, // x, starts int64[r], ends int64[r], steps int64[r] {AxesAttrs}: run-time bounds; result dims are new symbols
    Pad,    // x, [value] {PadAttrs: mode, before, after per dim as Exprs (may be negative for constant mode), interior}
    Tile,   // x {TileAttrs: repeats of Exprs}
    Gather, // x, indices int {AxisAttrs: axis}: negative indices count from the end; out of range fails
    GatherElements,  // x, indices {AxisAttrs}
    GatherNd,        // x, indices {GatherNdAttrs: batchDims}
    ScatterElements, // x, indices, updates {ScatterAttrs: axis, reduction}
    ScatterNd,       // x, indices, updates {ScatterAttrs: reduction}
    Range,           // start, limit, delta scalars -> 1-D; length is known or a new symbol
    Iota,            // {IotaAttrs: shape, axis, dtype}: the index along axis
    Full,            // value scalar {BroadcastAttrs: shape}
    OneHot,          // indices, values[2] {OneHotAttrs: axis, depth Expr}
    Trilu,           // x {TriluAttrs: upper, k Expr}
    ReverseSequence, // x, lengths {ReverseAttrs: timeAxis, batchAxis}
    Reverse,         // x {AxesAttrs}
    Relayout,        // x {RelayoutAttrs: layout}: the one operator that changes a layout
    // ---- reductions
    Reduce,     // x {ReduceAttrs: kind sum|prod|max|min|mean|and|or, axes, keepDims}
    ArgReduce,  // x {ArgReduceAttrs: max?, axis, keepDims, selectLast} -> int64
    CumSum,     // x {CumAttrs: axis, exclusive, reverse, product}
    Softmax,    // x {AxisAttrs}
    LogSoftmax, // x {AxisAttrs}
    LayerNorm,  // x, scale, [bias] {NormAttrs: axis (first normalised), epsilon}: over axes axis…rank-1
    BatchNorm,  // x, scale, bias, mean, variance {NormAttrs: axis = channel, epsilon}: inference
    Dropout,    // x: inference, the identity
    TopK,       // x {TopKAttrs: k Expr, axis, largest, sorted} -> (values, int64 indices)
    Unique,     // x {UniqueAttrs: axis (-1: flatten), sorted} -> (y, indices, inverse, counts): new symbol
    NonZero,    // x -> int64[rank, n]: new symbol n
    Compress,   // x, condition bool[m] {AxisAttrs: axis, -1: flatten}: new symbol
    DecodeImage, // file uint8[n] {ImageAttrs: pixels} -> uint8[height, width, 3 | 1]: new symbols, 0 if it is no image; abi/images.h
    NonMaxSuppression, // boxes[b,n,4], scores[b,c,n], max int64[], iou float[], score float[] {NmsAttrs} -> int64[m,3]: new symbol
    // ---- linear algebra and windows
    MatMul, // a[..,m,k], b[..,k,n] {MatMulAttrs: transposeA, transposeB, outDtype}: rank >= 2, batch dims broadcast
    Conv,   // x[n,c,spatial..], w[o,c/g,k..] {ConvAttrs: strides, dilations, before, after, groups, outDtype}
    WinogradWeights,  // w[o,c,3,3] {WinogradAttrs: tile} -> u[(tile+2)^2,c,o]: G w Gᵀ, in float64 and rounded once
    WinogradConv,     // x[n,c,h,w], u {WinogradAttrs: tile, before, after}: the 3×3 convolution, step 1, that u is of
    MaxPool,          // x {PoolAttrs}
    MaxPoolWithIndex, // x {PoolAttrs} -> (y, int64 flat indices)
    AvgPool,          // x {PoolAttrs: countPadding}
    Einsum,           // x1 … xn {EinsumAttrs: equation}
    Resize, // x, [scales f64[rank]], [region f64[2*rank]] {ResizeAttrs}: operands are what is data of what attributes else say
    GridSample, // x, grid {GridSampleAttrs}
    RoiAlign,   // x, rois, batch indices {RoiAlignAttrs}
    DepthToSpace,
    SpaceToDepth, // {BlockAttrs: block, mode}
    Det,          // x[.., n, n]
    Dft,          // x[.., n, .., 1|2] {DftAttrs: axis, inverse, onesided, length Expr}
    // ---- decision trees
    TreeEnsemble, // x[n,f], nodes int32[m,4], splits[m] of x's type, roots int32[t], votes int32[l+1], targets int32[v], weights[v]
    // {TreeAttrs: aggregate, targets} -> [n,targets] of the weights' type; topi/trees.cpp says what the tables hold
    // ---- random (counter-based; never merged, folded or duplicated)
    RandomUniform, // {RandomAttrs: shape, dtype, low, high, seed, hasSeed}
    // ---- strings
    StringConcat, // a, b: broadcast: b behind a
    StringCase,   // x {StringCaseAttrs: upper, ascii}: of each letter
    StringSplit, // x[..], delimiter[] {StringSplitAttrs: most} -> (pieces[.., n], int64 counts[..]): new symbol; "" fills
    RegexFullMatch, // x, program[] -> bool: whether abi/match_program.h matches all of it
    FormatNumber,   // x number or bool -> string: the shortest that is read as it
    ParseNumber,    // x string {CastAttrs: dtype float32, float64, int64 or uint64}: fails where it is none
    IndexOf,        // x, keys[k] -> int64: the place of the first key that is equal, k where none is
    // ---- symbols and checks
    BindSymbols, // x int64/int32 of known small shape {BindSymbolsAttrs: one Expr (a fresh symbol or null) an element}: defines them; gives x
    Assume,      // x {AssumeAttrs: condition Expr, message}: gives x, or fails when running
    // ---- lists; a place is int64[], negative ones count from the end, out of range fails. The entry does them
    ListLength, // list or optional -> int64[]
    ListGet,    // list or optional, place -> the element; a dim that elements have of their own is a new symbol
    ListInsert, // list, place, element -> the list with the element before what was at the place
    ListErase,  // list, place -> the list without that element
    ListConcat, // list of tensors {AxisAttrs}: Concat of all; fails if there is none
    ListStack,  // list of tensors {AxisAttrs}: all along a new axis; fails if there is none
    Count_
};

enum class FusionKind : uint8_t { Elementwise, Broadcast, Injective, Reduction, OutFusable, Opaque };
enum class Numerics : uint8_t { Exact, Rounding, Transcendental, Accumulating, Random };

struct Attrs; // relay/attrs.h
using AttrsPtr = std::shared_ptr<const Attrs>;

struct OpCall;    // relay/ir.h
struct AxisOrder; // relay/axis_order.h
struct OrderedCall;
struct TypeNode;
using Type = std::shared_ptr<const TypeNode>;

/// What a column that depends on the call is asked about.
struct TypedCall {
    const OpCall& call;
    std::span<const Type> args; // null for an absent operand
    const Type& result;
};

struct OpInfo {
    Op op;
    std::string_view name;   // "matmul": as printed
    int minArgs, maxArgs;    // maxArgs -1: any number
    AttrsPtr (*makeAttrs)(); // default attributes, for the parser; null: none
    FusionKind fusion;
    bool pure;    // false: never merged, folded or duplicated
    bool mayFail; // has a run-time check; never hoisted out of an `if`
    Numerics numerics;
    /// Floating-point operations of a call whose result is floating, a multiply-add as two; nothing where a size is not constant
    /// (relay/operator_flops.h). Never null.
    std::optional<double> (*flops)(const TypedCall& call);
    /// Elements read and summed on the way for an element of the result (relay/operator_steps.h). Never null.
    double (*steps)(const TypedCall& call);
    LayoutColumns layouts; // rules in relay/operator_layouts.h
    /// How a call is written if operand `at`, or the result, stands in that order of axes (relay/operator_orders.h);
    /// nothing if it cannot be. Null: never.
    std::optional<OrderedCall> (*orders)(const TypedCall& call, int at, const AxisOrder& order);
    bool strings; // operands may be strings: what only moves them, and what compares them
};

/// Whether its first operand is a list or an optional.
constexpr bool worksOnList(Op op) {
    return op >= Op::ListLength && op <= Op::ListStack;
}

/// Row of an operator. Type rules and value rules stand beside it in relay/rules.h (they need the Builder's context).
const OpInfo& info(Op op);
/// By printed name; null if there is none.
const OpInfo* findOp(std::string_view name);

} // namespace lathe::relay
