// SPDX-License-Identifier: Apache-2.0
//
// Attributes of operators: one small struct an operator, typed. Each lists its fields once (fields()); printing, parsing,
// equality, hashing and rewriting of symbols all go through that list.
#pragma once

#include "arith/expr.h"
#include "relay/op.h"

#include <memory>
#include <string>
#include <vector>

namespace lathe::relay {

using arith::Expr;
struct Layout;

/// Visits fields in order; const for reading, mutable for parsing and rewriting.
class AttrReader {
public:
    virtual ~AttrReader() = default;
    virtual void field(const char* name, const bool& value) = 0;
    virtual void field(const char* name, const int64_t& value) = 0;
    virtual void field(const char* name, const double& value) = 0;
    virtual void field(const char* name, const std::string& value) = 0;
    virtual void field(const char* name, const DataType& value) = 0;
    virtual void field(const char* name, const std::vector<int64_t>& value) = 0;
    virtual void field(const char* name, const std::vector<double>& value) = 0;
    virtual void field(const char* name, const Expr& value) = 0; // may be null
    virtual void field(const char* name, const std::vector<Expr>& value) = 0;
    virtual void field(const char* name, const std::shared_ptr<const Layout>& value) = 0;
};
class AttrWriter {
public:
    virtual ~AttrWriter() = default;
    virtual void field(const char* name, bool& value) = 0;
    virtual void field(const char* name, int64_t& value) = 0;
    virtual void field(const char* name, double& value) = 0;
    virtual void field(const char* name, std::string& value) = 0;
    virtual void field(const char* name, DataType& value) = 0;
    virtual void field(const char* name, std::vector<int64_t>& value) = 0;
    virtual void field(const char* name, std::vector<double>& value) = 0;
    virtual void field(const char* name, Expr& value) = 0;
    virtual void field(const char* name, std::vector<Expr>& value) = 0;
    virtual void field(const char* name, std::shared_ptr<const Layout>& value) = 0;
};

struct Attrs {
    virtual ~Attrs() = default;
    virtual void read(AttrReader& reader) const = 0;
    virtual void write(AttrWriter& writer) = 0;
    virtual std::shared_ptr<Attrs> clone() const = 0;
};

template <class Self>
struct AttrsOf : Attrs {
    void read(AttrReader& reader) const override { Self::fields(static_cast<const Self&>(*this), reader); }
    void write(AttrWriter& writer) override { Self::fields(static_cast<Self&>(*this), writer); }
    std::shared_ptr<Attrs> clone() const override { return std::make_shared<Self>(static_cast<const Self&>(*this)); }
};

#define LATHE_FIELDS(...)                                                                                              \
    static void fields(auto& self, auto& visitor) {                                                                    \
        __VA_ARGS__                                                                                                    \
    }
#define LATHE_FIELD(name) visitor.field(#name, self.name);

struct IsInfAttrs : AttrsOf<IsInfAttrs> {
    bool positive = true, negative = true;
    LATHE_FIELDS(LATHE_FIELD(positive) LATHE_FIELD(negative))
};
struct CastAttrs : AttrsOf<CastAttrs> {
    DataType dtype;
    bool saturate = true;       // for float8 targets
    std::string round = "even"; // float8_e8m0: "up", "down", "nearest"
    LATHE_FIELDS(LATHE_FIELD(dtype) LATHE_FIELD(saturate) LATHE_FIELD(round))
};
struct StringCaseAttrs : AttrsOf<StringCaseAttrs> {
    bool upper = false;
    bool ascii = false; // letters of ASCII alone; else those of UTF-8
    LATHE_FIELDS(LATHE_FIELD(upper) LATHE_FIELD(ascii))
};
struct StringSplitAttrs : AttrsOf<StringSplitAttrs> {
    int64_t most = -1; // splits of a string; -1: any number
    LATHE_FIELDS(LATHE_FIELD(most))
};
struct ModAttrs : AttrsOf<ModAttrs> {
    bool fmod = false;
    LATHE_FIELDS(LATHE_FIELD(fmod))
};
struct AxisAttrs : AttrsOf<AxisAttrs> {
    int64_t axis = 0;
    LATHE_FIELDS(LATHE_FIELD(axis))
};
struct AxesAttrs : AttrsOf<AxesAttrs> {
    std::vector<int64_t> axes;
    LATHE_FIELDS(LATHE_FIELD(axes))
};
struct ReshapeAttrs : AttrsOf<ReshapeAttrs> {
    std::vector<Expr> shape;
    LATHE_FIELDS(LATHE_FIELD(shape))
};
struct BroadcastAttrs : AttrsOf<BroadcastAttrs> {
    std::vector<Expr> shape;
    LATHE_FIELDS(LATHE_FIELD(shape))
};
struct TransposeAttrs : AttrsOf<TransposeAttrs> {
    std::vector<int64_t> axes;
    LATHE_FIELDS(LATHE_FIELD(axes))
};
struct SliceAttrs : AttrsOf<SliceAttrs> {
    std::vector<Expr> begin, size;
    std::vector<int64_t> step;
    LATHE_FIELDS(LATHE_FIELD(begin) LATHE_FIELD(size) LATHE_FIELD(step))
};
struct PadAttrs : AttrsOf<PadAttrs> {
    std::string mode = "constant"; // constant, reflect, symmetric, edge, wrap
    std::vector<Expr> before, after;
    std::vector<int64_t> interior; // zeros between neighbours along each dim; empty: none
    LATHE_FIELDS(LATHE_FIELD(mode) LATHE_FIELD(before) LATHE_FIELD(after) LATHE_FIELD(interior))
};
struct TileAttrs : AttrsOf<TileAttrs> {
    std::vector<Expr> repeats;
    LATHE_FIELDS(LATHE_FIELD(repeats))
};
struct GatherNdAttrs : AttrsOf<GatherNdAttrs> {
    int64_t batchDims = 0;
    LATHE_FIELDS(LATHE_FIELD(batchDims))
};
struct ScatterAttrs : AttrsOf<ScatterAttrs> {
    int64_t axis = 0;
    std::string reduction = "none"; // none, add, mul, max, min
    LATHE_FIELDS(LATHE_FIELD(axis) LATHE_FIELD(reduction))
};
struct IotaAttrs : AttrsOf<IotaAttrs> {
    std::vector<Expr> shape;
    int64_t axis = 0;
    DataType dtype = types::Int64;
    LATHE_FIELDS(LATHE_FIELD(shape) LATHE_FIELD(axis) LATHE_FIELD(dtype))
};
struct OneHotAttrs : AttrsOf<OneHotAttrs> {
    int64_t axis = -1;
    Expr depth;
    LATHE_FIELDS(LATHE_FIELD(axis) LATHE_FIELD(depth))
};
struct TriluAttrs : AttrsOf<TriluAttrs> {
    bool upper = true;
    Expr k;
    LATHE_FIELDS(LATHE_FIELD(upper) LATHE_FIELD(k))
};
struct ReverseAttrs : AttrsOf<ReverseAttrs> {
    int64_t timeAxis = 0, batchAxis = 1;
    LATHE_FIELDS(LATHE_FIELD(timeAxis) LATHE_FIELD(batchAxis))
};
struct RelayoutAttrs : AttrsOf<RelayoutAttrs> {
    std::shared_ptr<const Layout> layout;
    LATHE_FIELDS(LATHE_FIELD(layout))
};
struct ReduceAttrs : AttrsOf<ReduceAttrs> {
    std::string kind = "sum"; // sum, prod, max, min, mean, and, or
    std::vector<int64_t> axes;
    bool keepDims = false;
    LATHE_FIELDS(LATHE_FIELD(kind) LATHE_FIELD(axes) LATHE_FIELD(keepDims))
};
struct ArgReduceAttrs : AttrsOf<ArgReduceAttrs> {
    bool max = true;
    int64_t axis = 0;
    bool keepDims = false, selectLast = false;
    LATHE_FIELDS(LATHE_FIELD(max) LATHE_FIELD(axis) LATHE_FIELD(keepDims) LATHE_FIELD(selectLast))
};
struct CumAttrs : AttrsOf<CumAttrs> {
    int64_t axis = 0;
    bool exclusive = false, reverse = false, product = false;
    LATHE_FIELDS(LATHE_FIELD(axis) LATHE_FIELD(exclusive) LATHE_FIELD(reverse) LATHE_FIELD(product))
};
struct NormAttrs : AttrsOf<NormAttrs> {
    int64_t axis = 1;
    double epsilon = 1e-5;
    LATHE_FIELDS(LATHE_FIELD(axis) LATHE_FIELD(epsilon))
};
struct TopKAttrs : AttrsOf<TopKAttrs> {
    Expr k;
    int64_t axis = -1;
    bool largest = true, sorted = true;
    LATHE_FIELDS(LATHE_FIELD(k) LATHE_FIELD(axis) LATHE_FIELD(largest) LATHE_FIELD(sorted))
};
struct UniqueAttrs : AttrsOf<UniqueAttrs> {
    int64_t axis = -1;
    bool sorted = true;
    LATHE_FIELDS(LATHE_FIELD(axis) LATHE_FIELD(sorted))
};
inline constexpr int64_t mostImageSide = 1 << 20; // abi/images.h has the same
struct ImageAttrs : AttrsOf<ImageAttrs> {
    std::string pixels = "RGB"; // RGB, BGR, Grayscale
    LATHE_FIELDS(LATHE_FIELD(pixels))
};
struct NmsAttrs : AttrsOf<NmsAttrs> {
    bool centerBox = false;
    LATHE_FIELDS(LATHE_FIELD(centerBox))
};
struct MatMulAttrs : AttrsOf<MatMulAttrs> {
    bool transposeA = false, transposeB = false;
    DataType outDtype; // Void: that of the operands
    LATHE_FIELDS(LATHE_FIELD(transposeA) LATHE_FIELD(transposeB) LATHE_FIELD(outDtype))
};
struct ConvAttrs : AttrsOf<ConvAttrs> {
    std::vector<int64_t> strides, dilations;
    std::vector<Expr> before, after;
    int64_t groups = 1;
    DataType outDtype;
    LATHE_FIELDS(LATHE_FIELD(strides) LATHE_FIELD(dilations) LATHE_FIELD(before) LATHE_FIELD(after) LATHE_FIELD(groups)
                     LATHE_FIELD(outDtype))
};
struct WinogradAttrs : AttrsOf<WinogradAttrs> {
    int64_t tile = 2; // results of a tile along height and width: 2 or 4
    std::vector<Expr> before, after;
    LATHE_FIELDS(LATHE_FIELD(tile) LATHE_FIELD(before) LATHE_FIELD(after))
};
struct PoolAttrs : AttrsOf<PoolAttrs> {
    std::vector<int64_t> kernel, strides, dilations;
    std::vector<Expr> before, after;
    bool ceilMode = false, countPadding = false;
    bool columnMajor = false; // MaxPoolWithIndex: storage order of the flat index
    LATHE_FIELDS(LATHE_FIELD(kernel) LATHE_FIELD(strides) LATHE_FIELD(dilations) LATHE_FIELD(before) LATHE_FIELD(after)
                     LATHE_FIELD(ceilMode) LATHE_FIELD(countPadding) LATHE_FIELD(columnMajor))
};
struct EinsumAttrs : AttrsOf<EinsumAttrs> {
    std::string equation;
    LATHE_FIELDS(LATHE_FIELD(equation))
};
struct ResizeAttrs : AttrsOf<ResizeAttrs> {
    std::vector<Expr> sizes;      // all dims
    std::vector<double> scales;   // all dims, as the model gives them; empty: an operand, or sizes / dims
    std::vector<double> roi;      // starts then ends, for tf_crop_and_resize; empty: an operand, or the whole
    std::string mode = "nearest"; // nearest, linear, cubic
    std::string coordinate = "half_pixel";
    std::string nearest = "round_prefer_floor";
    double cubicCoefficient = -0.75;
    bool excludeOutside = false, antialias = false;
    double extrapolation = 0;
    LATHE_FIELDS(LATHE_FIELD(sizes) LATHE_FIELD(scales) LATHE_FIELD(roi) LATHE_FIELD(mode) LATHE_FIELD(coordinate)
                     LATHE_FIELD(nearest) LATHE_FIELD(cubicCoefficient) LATHE_FIELD(excludeOutside)
                         LATHE_FIELD(antialias) LATHE_FIELD(extrapolation))
};
struct GridSampleAttrs : AttrsOf<GridSampleAttrs> {
    std::string mode = "linear", padding = "zeros"; // nearest, linear, cubic; zeros, border, reflection
    bool alignCorners = false;
    bool elements = false; // the grid counts elements, from 0 on; else from -1 to 1
    LATHE_FIELDS(LATHE_FIELD(mode) LATHE_FIELD(padding) LATHE_FIELD(alignCorners) LATHE_FIELD(elements))
};
struct RoiAlignAttrs : AttrsOf<RoiAlignAttrs> {
    std::string mode = "avg", coordinate = "half_pixel";
    int64_t height = 1, width = 1, samplingRatio = 0;
    double spatialScale = 1;
    LATHE_FIELDS(LATHE_FIELD(mode) LATHE_FIELD(coordinate) LATHE_FIELD(height) LATHE_FIELD(width)
                     LATHE_FIELD(samplingRatio) LATHE_FIELD(spatialScale))
};
struct BlockAttrs : AttrsOf<BlockAttrs> {
    int64_t block = 1;
    std::string mode = "DCR";
    LATHE_FIELDS(LATHE_FIELD(block) LATHE_FIELD(mode))
};
struct DftAttrs : AttrsOf<DftAttrs> {
    int64_t axis = 1;
    bool inverse = false, onesided = false;
    Expr length;
    LATHE_FIELDS(LATHE_FIELD(axis) LATHE_FIELD(inverse) LATHE_FIELD(onesided) LATHE_FIELD(length))
};
struct TreeAttrs : AttrsOf<TreeAttrs> {
    std::string aggregate = "sum"; // of the votes for a target: sum, min, max
    int64_t targets = 1;
    LATHE_FIELDS(LATHE_FIELD(aggregate) LATHE_FIELD(targets))
};
struct RandomAttrs : AttrsOf<RandomAttrs> {
    std::vector<Expr> shape;
    DataType dtype = types::Float32;
    double low = 0, high = 1, seed = 0;
    bool hasSeed = false;
    int64_t call = 0; // counts random calls of the model
    LATHE_FIELDS(LATHE_FIELD(shape) LATHE_FIELD(dtype) LATHE_FIELD(low) LATHE_FIELD(high) LATHE_FIELD(seed)
                     LATHE_FIELD(hasSeed) LATHE_FIELD(call))
};
struct BindSymbolsAttrs : AttrsOf<BindSymbolsAttrs> {
    std::vector<Expr> symbols; // one an element, row-major; null: not bound
    LATHE_FIELDS(LATHE_FIELD(symbols))
};
struct AssumeAttrs : AttrsOf<AssumeAttrs> {
    Expr condition;
    std::string message;
    LATHE_FIELDS(LATHE_FIELD(condition) LATHE_FIELD(message))
};

/// Attributes with some fields set: attrsWith<AxisAttrs>([&](AxisAttrs& a) { a.axis = 1; }).
template <class T>
T attrsWith(auto set) {
    T result;
    set(result);
    return result;
}
template <class T>
const T& attrs(const AttrsPtr& pointer) {
    return static_cast<const T&>(*pointer);
}
bool equalAttrs(const AttrsPtr& a, const AttrsPtr& b);

} // namespace lathe::relay
