// SPDX-License-Identifier: Apache-2.0
//
// Winograd's convolution F(m × m, 3 × 3) (Lavin and Gray, 2015): of each tile of m × m results the operand under it,
// d (a × a, a = m + 2), and the weights g are transformed, multiplied element by element, summed over the channels, and
// transformed back:
//
//   y = Aᵀ [ Σ_c (G g Gᵀ) ⊙ (Bᵀ d B) ] A
//
// The sums over channels are a² products of matrices: (a / m)² multiplications a result in the place of nine. The matrices
// follow from a - 1 points and infinity: Aᵀ has their powers, G those powers over Π (p - q), Bᵀ the coefficients of
// Π (x - q), q all other points. Points lie in pairs ± p, so what two rows share is computed once: it is written alike, and
// code generation finds it. 0, ±3/4, ±3/2 round less than 0, ±1, ±2 (docs/performance.md has the errors).
#include "arith/analysis.h"
#include "topi/families.h"
#include "topi/windows.h"

#include <cmath>

namespace lathe::topi {
namespace {

/// The finite points of a tile of m × m: 0, then pairs.
std::vector<double> pointsOf(int64_t tile) {
    return tile == 2 ? std::vector<double>{0, 1, -1} : std::vector<double>{0, 0.75, -0.75, 1.5, -1.5};
}

/// Coefficients, lowest power first, of the product of (x - q) over all points but `left`; -1: over all.
std::vector<double> factors(const std::vector<double>& points, int left) {
    std::vector<double> product = {1};
    for (size_t q = 0; q < points.size(); ++q) {
        if (static_cast<int>(q) == left)
            continue;
        product.insert(product.begin(), 0);
        for (size_t i = 0; i + 1 < product.size(); ++i)
            product[i] -= points[q] * product[i + 1];
    }
    return product;
}

Expr scaled(double factor, const Expr& value) {
    return factor == 1 ? value : number(factor, value.dtype()) * value;
}

/// Row `row` of Bᵀ times a column of the operand: the even part plus or minus the odd one, which the rows of p and -p share.
Expr operandRow(const std::vector<double>& points, size_t row, const std::function<Expr(int64_t)>& element) {
    const std::vector<double> all = factors(points, row < points.size() ? static_cast<int>(row) : -1);
    Expr parts[2]; // of even and of odd powers, each with a highest one that is positive
    bool minus[2] = {false, false};
    for (size_t power = all.size(); power-- > 0;) {
        if (all[power] == 0)
            continue;
        Expr& part = parts[power % 2];
        bool& negative = minus[power % 2];
        if (!part)
            negative = all[power] < 0;
        const double factor = negative ? -all[power] : all[power];
        const Expr term = scaled(std::abs(factor), element(static_cast<int64_t>(power)));
        part = !part ? term : factor < 0 ? part - term : part + term;
    }
    const size_t highest = parts[0] && !minus[0] ? 0 : 1; // the product's is 1
    const Expr &first = parts[highest], &second = parts[1 - highest];
    return !second ? first : minus[1 - highest] ? first - second : first + second;
}

/// Row `row` of Aᵀ times a column of products: the sums (even powers) or differences of the pairs, scaled.
Expr resultRow(const std::vector<double>& points, int64_t tile, int64_t row,
               const std::function<Expr(int64_t)>& element) {
    Expr sum;
    const auto add = [&](const Expr& term) { sum = sum ? sum + term : term; };
    if (row == 0)
        add(element(0));
    for (size_t i = 1; i < points.size(); i += 2) {
        const auto at = static_cast<int64_t>(i);
        const Expr both = row % 2 == 0 ? element(at) + element(at + 1) : element(at) - element(at + 1);
        add(scaled(std::pow(points[i], static_cast<double>(row)), both));
    }
    if (row == tile - 1)
        add(element(static_cast<int64_t>(points.size())));
    return sum;
}

/// One of `count` expressions by an index.
Expr rowAt(const Expr& index, int64_t count, const std::function<Expr(int64_t)>& row) {
    std::vector<Expr> rows;
    for (int64_t i = 0; i < count; ++i)
        rows.push_back(row(i));
    return selectAt(index, rows);
}

} // namespace

Tensors computeWinogradWeights(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::WinogradAttrs>(call.attrs);
    const TensorPtr& w = call.args[0];
    const Expr &channels = w->shape[1], &results = w->shape[0];
    const std::vector<double> points = pointsOf(attrs.tile);
    const int64_t a = attrs.tile + 2;
    std::vector<Expr> rows; // of G
    for (size_t i = 0; i < points.size(); ++i) {
        double others = 1;
        for (size_t q = 0; q < points.size(); ++q)
            others *= q == i ? 1 : points[i] - points[q];
        for (int k = 0; k < 3; ++k)
            rows.push_back(number(std::pow(points[i], k) / others, types::Float64));
    }
    for (const double last : {0, 0, 1})
        rows.push_back(number(last, types::Float64));
    const TensorPtr matrix = te::compute(
        "winograd_matrix", {Expr(a), Expr(3)},
        [&](const std::vector<Var>& i) { return selectAt(i[0] * 3 + i[1], rows); }, call.origin);
    const TensorPtr half = te::reduce(
        "winograd_weight_rows", {Expr(a), Expr(3), channels, results}, te::ReduceKind::Sum, {Expr(3)},
        [&](const std::vector<Var>& i, const std::vector<Var>& k) {
            return (*matrix)({i[0], k[0]}) * convert((*w)({i[3], i[2], k[0], i[1]}), types::Float64);
        },
        call.origin);
    const TensorPtr whole = te::reduce(
        "winograd_weights", resultTensor(call).shape, te::ReduceKind::Sum, {Expr(3)},
        [&](const std::vector<Var>& i, const std::vector<Var>& l) {
            return (*half)({arith::floorDiv(i[0], a), l[0], i[1], i[2]}) * (*matrix)({arith::floorMod(i[0], a), l[0]});
        },
        call.origin);
    return {converted(whole, w->dtype, "winograd_weights_result", call.origin)};
}

Tensors computeWinogradConv(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::WinogradAttrs>(call.attrs);
    const TensorPtr &x = call.args[0], &u = call.args[1];
    const Shape& shape = resultTensor(call).shape;
    const std::vector<double> points = pointsOf(attrs.tile);
    const int64_t m = attrs.tile, a = m + 2;
    const Expr rows = arith::simplify(arith::ceilDiv(shape[2], m)),
               columns = arith::simplify(arith::ceilDiv(shape[3], m));
    const Expr tiles = arith::simplify(shape[0] * rows * columns), channels = x->shape[1], results = shape[1];
    const TensorPtr input =
        padded("conv_pad", x, {0, 0, attrs.before[0], attrs.before[1]},
               {shape[0], channels, arith::simplify(rows * m + 2), arith::simplify(columns * m + 2)},
               number(0, x->dtype), call.origin);
    // Rows of Bᵀ d, then the whole of it; so for the products.
    const TensorPtr operandRows = te::compute(
        "operand_rows", {Expr(a), Expr(a), channels, tiles},
        [&](const std::vector<Var>& i) {
            const Indices tile = unflatten(i[3], {shape[0], rows, columns});
            return rowAt(i[0], a, [&](int64_t row) {
                return operandRow(points, static_cast<size_t>(row), [&](int64_t p) {
                    return (*input)({tile[0], i[2], tile[1] * m + p, tile[2] * m + i[1]});
                });
            });
        },
        call.origin);
    const TensorPtr operand = te::compute(
        "winograd_operand", {Expr(a * a), channels, tiles},
        [&](const std::vector<Var>& i) {
            return rowAt(arith::floorMod(i[0], a), a, [&](int64_t row) {
                return operandRow(points, static_cast<size_t>(row), [&](int64_t q) {
                    return (*operandRows)({arith::floorDiv(i[0], a), Expr(q), i[1], i[2]});
                });
            });
        },
        call.origin);
    const TensorPtr products = te::reduce(
        "winograd_products", {Expr(a * a), results, tiles}, te::ReduceKind::Sum, {channels},
        [&](const std::vector<Var>& i, const std::vector<Var>& r) {
            return (*operand)({i[0], r[0], i[2]}) * (*u)({i[0], r[0], i[1]});
        },
        call.origin);
    // What the products' accumulators are written to.
    const TensorPtr sums = te::compute(
        "winograd_sums", products->shape, [&](const std::vector<Var>& i) { return (*products)({i[0], i[1], i[2]}); },
        call.origin);
    const TensorPtr resultRows = te::compute(
        "result_rows", {Expr(m), Expr(a), results, tiles},
        [&](const std::vector<Var>& i) {
            return rowAt(i[0], m, [&](int64_t row) {
                return resultRow(points, m, row, [&](int64_t p) { return (*sums)({p * a + i[1], i[2], i[3]}); });
            });
        },
        call.origin);
    return {te::compute(
        "winograd", shape,
        [&](const std::vector<Var>& i) {
            const Expr tile =
                flatten({i[0], arith::floorDiv(i[2], m), arith::floorDiv(i[3], m)}, {shape[0], rows, columns});
            return rowAt(arith::floorMod(i[3], m), m, [&](int64_t row) {
                return resultRow(points, m, row, [&](int64_t q) {
                    return (*resultRows)({arith::floorMod(i[2], m), Expr(q), i[1], tile});
                });
            });
        },
        call.origin)};
}

} // namespace lathe::topi
