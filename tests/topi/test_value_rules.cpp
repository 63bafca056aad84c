// SPDX-License-Identifier: Apache-2.0
//
// Value rules give what the computation gives: the elements that a rule derives from known operands are held against the
// operator's computation, interpreted, over random small operands. Once with numbers, and once with a symbol for each
// integer, whose value is put in afterwards.
#include "tests/topi/run.h"

#include "arith/analysis.h"
#include "base/narrow_float.h"
#include "relay/rules.h"
#include "support/program_of_tests.h"

#include <QtTest>
#include <fmt/format.h>
#include <random>

namespace lathe::testing::test_value_rules {

using namespace lathe::relay;
using testing::Value;

namespace {

constexpr unsigned seed = 20240511;

struct Case {
    Op op;
    std::vector<Value> args;
    AttrsPtr attrs;
    double ulps = 0; // how far floats may be apart: functions that the computation approximates, sums in another order
};

template <class A>
AttrsPtr with(auto set) {
    return std::make_shared<A>(attrsWith<A>(set));
}

std::vector<Expr> exprs(const std::vector<int64_t>& values) {
    return {values.begin(), values.end()};
}

/// Elements as a rule gets them: numbers, or symbols for integers, whose values go to `meant`.
std::vector<Expr> elementsOf(const Value& value, bool symbolic, arith::VarMap& meant) {
    std::vector<Expr> elements;
    for (const double x : value.data) {
        if (value.dtype.isFloat()) {
            elements.push_back(arith::floatImm(x, value.dtype));
        } else if (symbolic && !value.dtype.isBool()) {
            const arith::Var symbol = arith::symbol(fmt::format("s{}", meant.size()), -1000, 1000);
            meant[symbol.get()] = Expr(static_cast<int64_t>(x));
            elements.push_back(symbol);
        } else {
            elements.push_back(Expr(static_cast<int64_t>(x)));
        }
    }
    return elements;
}

/// The distance of two floats in units in the last place of `dtype` at the larger one.
double ulpsApart(double a, double b, DataType dtype) {
    if (a == b || (std::isnan(a) && std::isnan(b)))
        return 0;
    if (!std::isfinite(a) || !std::isfinite(b))
        return std::numeric_limits<double>::infinity();
    const int mantissa = dtype == types::Float64 ? 52 : dtype == types::Float32 ? 23 : dtype == types::Float16 ? 10 : 7;
    const double least = dtype == types::Float16 ? 0x1p-14 : 0x1p-126;
    const int exponent = std::ilogb(std::max({std::fabs(a), std::fabs(b), least}));
    return std::fabs(a - b) / std::ldexp(1, exponent - mantissa);
}

std::string show(const Value& value) {
    return fmt::format("{}{}{}", toString(value.dtype), fmt::format("{}", fmt::join(value.shape, "x")),
                       fmt::format("[{}]", fmt::join(value.data, " ")));
}

/// What differs; empty if nothing does, or if either side refuses these operands. `ruled` counts what the rule gave.
std::string check(const Case& one, bool symbolic, int& ruled) {
    const Outcome computed = run(one.op, one.args, one.attrs);
    if (!computed.error.empty())
        return {}; // a zero divisor, an index out of range: there is no value to know
    arith::VarMap meant;
    std::vector<Type> types;
    std::vector<std::vector<Expr>> elements;
    for (const Value& arg : one.args) {
        types.push_back(arg.dtype == types::Void ? Type() : tensorType(arg.dtype, exprs(arg.shape)));
        elements.push_back(elementsOf(arg, symbolic, meant));
    }
    std::vector<const std::vector<Expr>*> known;
    for (size_t i = 0; i < elements.size(); ++i)
        known.push_back(types[i] ? &elements[i] : nullptr);
    const Value& expected = computed[0];
    const AttrsPtr attrs = one.attrs ? one.attrs : info(one.op).makeAttrs ? info(one.op).makeAttrs() : nullptr;
    const auto got = inferValue(one.op, tensorType(expected.dtype, exprs(expected.shape)), types, known, attrs);
    if (!got)
        return {};
    ++ruled;
    std::string operands;
    for (const Value& arg : one.args)
        operands += " " + show(arg);
    if (got->size() != expected.data.size())
        return fmt::format("{}{}: {} elements", info(one.op).name, operands, got->size());
    for (size_t i = 0; i < got->size(); ++i) {
        const Expr value = arith::simplify(arith::substitute((*got)[i], meant));
        const std::optional<double> real = arith::asFloat(value);
        const std::optional<int64_t> integer = arith::asInt(value);
        const double number = real ? *real : integer ? static_cast<double>(*integer) : std::nan("");
        const bool right = expected.dtype.isFloat() ? ulpsApart(number, expected.data[i], expected.dtype) <= one.ulps
                                                    : (real || integer) && number == expected.data[i];
        if (!right)
            return fmt::format("{}{}: element {} is {} by the rule ({}), {} by the computation", info(one.op).name,
                               operands, i, number, toString((*got)[i]), expected.data[i]);
    }
    return {};
}

class Random {
public:
    int64_t integer(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine_); }
    bool coin() { return integer(0, 1) != 0; }
    template <class T>
    const T& of(const std::vector<T>& choices) {
        return choices[static_cast<size_t>(integer(0, static_cast<int64_t>(choices.size()) - 1))];
    }
    std::vector<int64_t> shape(int64_t rank) {
        std::vector<int64_t> dims;
        for (int64_t i = 0; i < rank; ++i)
            dims.push_back(integer(1, 3));
        return dims;
    }
    std::vector<int64_t> shape() { return shape(integer(0, 3)); }

    /// Small numbers, and at times the ends of the type and what is special in it.
    Value value(DataType dtype, const std::vector<int64_t>& dims) {
        Value result{dtype, dims, {}};
        int64_t count = 1;
        for (const int64_t dim : dims)
            count *= dim;
        const int bits = std::min<int>(dtype.bits, 53); // a double is exact up to there
        const double top = std::ldexp(1, dtype.isSigned() ? bits - 1 : bits);
        for (int64_t i = 0; i < count; ++i) {
            double x = 0;
            if (dtype.isBool())
                x = static_cast<double>(coin());
            else if (dtype.isFloat())
                x = roundToType(integer(0, 9) == 0 ? of(special) : static_cast<double>(integer(-64, 64)) / of(parts),
                                dtype, Overflow::Special);
            else if (extremes && dtype.bits < 53 && integer(0, 7) == 0)
                x = coin() ? top - 1 : dtype.isSigned() ? -top : 0;
            else
                x = static_cast<double>(integer(dtype.isSigned() ? -9 : 0, 9));
            result.data.push_back(x);
        }
        return result;
    }

    bool extremes = true; // ends of integer types too, where arithmetic wraps

private:
    std::vector<double> special{0.0,
                                -0.0,
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN(),
                                1e-30,
                                3e4};
    std::vector<double> parts{1, 1, 2, 8, 3, 7};
    std::mt19937_64 engine_{seed};
};

const std::vector<DataType> floats{types::Float32, types::Float64, types::Float16, types::BFloat16};
const std::vector<DataType> integers{types::Int64, types::Int32,  types::Int16, types::Int8,
                                     types::UInt8, types::UInt16, types::UInt32};

std::vector<DataType> both(bool floatToo, bool integerToo) {
    std::vector<DataType> all;
    if (floatToo)
        all.insert(all.end(), floats.begin(), floats.end());
    if (integerToo)
        all.insert(all.end(), integers.begin(), integers.end());
    return all;
}

} // namespace

class TestValueRules : public QObject {
    Q_OBJECT

    Random random_;

    /// `times` random cases that `make` gives, each with numbers and with symbols; at least one must have been ruled on.
    void holds(const char* name, int times, const std::function<Case(Random&)>& make) {
        int ruled = 0;
        for (int i = 0; i < times; ++i)
            for (const bool symbolic : {false, true}) {
                random_.extremes = !symbolic; // symbolic values are assumed not to wrap
                const std::string wrong = check(make(random_), symbolic, ruled);
                QVERIFY2(wrong.empty(), wrong.c_str());
            }
        QVERIFY2(ruled > 0, name);
    }

private slots:
    void unary_data() {
        QTest::addColumn<int>("op");
        for (int op = 0; op < static_cast<int>(Op::Add); ++op)
            if (Op(op) != Op::Cast && Op(op) != Op::BitCast && Op(op) != Op::Copy)
                QTest::newRow(std::string(info(Op(op)).name).c_str()) << op;
    }
    void unary() {
        QFETCH(int, op);
        const Op which = Op(op);
        const bool exact = info(which).numerics == Numerics::Exact || which == Op::Sqrt || which == Op::Reciprocal;
        const bool logical = which == Op::LogicalNot, bitwise = which == Op::BitwiseNot;
        const bool both_ = which <= Op::Round || which == Op::Relu;
        holds(info(which).name.data(), 60, [&](Random& random) {
            const DataType dtype = logical ? types::Bool : random.of(both(!bitwise, bitwise || both_));
            return Case{which, {random.value(dtype, random.shape())}, nullptr, exact ? 0.0 : 16.0};
        });
    }

    void binary_data() {
        QTest::addColumn<int>("op");
        for (int op = static_cast<int>(Op::Add); op < static_cast<int>(Op::Where); ++op)
            QTest::newRow(std::string(info(Op(op)).name).c_str()) << op;
    }
    void binary() {
        QFETCH(int, op);
        const Op which = Op(op);
        const bool logical = which >= Op::LogicalAnd && which <= Op::LogicalXor;
        const bool bitwise = which >= Op::BitwiseAnd && which <= Op::RightShift;
        const bool shift = which == Op::LeftShift || which == Op::RightShift;
        holds(info(which).name.data(), 100, [&](Random& random) {
            const DataType dtype = logical ? types::Bool : random.of(both(!bitwise, true));
            std::vector<int64_t> left = random.shape(), right = left;
            for (int64_t& dim : right)
                dim = random.coin() ? dim : 1;
            Value b = random.value(dtype, right);
            for (double& x : b.data)
                if (shift || (which == Op::Power && !dtype.isFloat()))
                    x = std::fabs(x) > 20 ? 1 : std::fabs(x);
            AttrsPtr attrs;
            if (which == Op::Mod)
                attrs = with<ModAttrs>([&](auto& a) { a.fmod = dtype.isFloat() || random.coin(); });
            return Case{which, {random.value(dtype, left), b}, attrs, which == Op::Power ? 64.0 : 0.0};
        });
    }

    void choice() {
        holds("where", 100, [](Random& random) {
            const auto shape = random.shape();
            const DataType dtype = random.of(both(true, true));
            return Case{
                Op::Where, {random.value(types::Bool, shape), random.value(dtype, shape), random.value(dtype, {})}, {}};
        });
    }

    void casts() {
        holds("cast", 400, [](Random& random) {
            std::vector<DataType> all = both(true, true);
            all.push_back(types::Bool);
            const DataType from = random.of(all);
            for (const TypeCode eight : {TypeCode::Float8E4M3FN, TypeCode::Float8E5M2, TypeCode::Float8E4M3FNUZ})
                all.push_back({eight, 8, 1});
            const DataType to = random.of(all);
            Value x = random.value(from, random.shape());
            if (from.isFloat() && to.isInt()) // what does not fit is not defined
                for (double& element : x.data)
                    element = std::fabs(element) <= 100 ? std::fabs(element) : 1;
            return Case{Op::Cast, {x}, with<CastAttrs>([&](auto& a) {
                            a.dtype = to;
                            a.saturate = random.coin();
                        })};
        });
    }

    void movement() {
        const auto any = [](Random& random, const std::vector<int64_t>& shape) {
            return random.value(random.of(both(true, true)), shape);
        };
        holds("transpose", 40, [&](Random& random) {
            std::vector<int64_t> axes{0, 1, 2};
            for (size_t i = 2; i > 0; --i)
                std::swap(axes[i], axes[static_cast<size_t>(random.integer(0, static_cast<int64_t>(i)))]);
            return Case{
                Op::Transpose, {any(random, random.shape(3))}, with<TransposeAttrs>([&](auto& a) { a.axes = axes; })};
        });
        holds("reshape", 20, [&](Random& random) {
            const auto shape = random.shape(2);
            return Case{Op::Reshape, {any(random, shape)}, with<ReshapeAttrs>([&](auto& a) {
                            a.shape = {Expr(shape[0] * shape[1]), Expr(1)};
                        })};
        });
        holds("broadcast", 40, [&](Random& random) {
            const auto shape = random.shape(3);
            return Case{Op::BroadcastTo, {any(random, {shape[1], 1})}, with<BroadcastAttrs>([&](auto& a) {
                            a.shape = exprs(shape);
                        })};
        });
        holds("concat", 40, [&](Random& random) {
            auto shape = random.shape(2), other = shape;
            const int64_t axis = random.integer(0, 1);
            other[static_cast<size_t>(axis)] = random.integer(0, 3);
            const DataType dtype = random.of(both(true, true));
            return Case{Op::Concat,
                        {random.value(dtype, shape), random.value(dtype, other)},
                        with<AxisAttrs>([&](auto& a) { a.axis = axis; })};
        });
        holds("slice", 80, [&](Random& random) {
            const int64_t size = random.integer(1, 6), step = random.of(std::vector<int64_t>{1, 2, -1, -2});
            const int64_t begin = random.integer(0, size - 1);
            const int64_t room = step > 0 ? (size - 1 - begin) / step : begin / -step;
            return Case{Op::Slice, {any(random, {size, 2})}, with<SliceAttrs>([&](auto& a) {
                            a.begin = {Expr(begin), Expr(0)};
                            a.size = {Expr(random.integer(0, room + 1)), Expr(2)};
                            a.step = {step, 1};
                        })};
        });
        holds("pad", 80, [&](Random& random) {
            const DataType dtype = random.of(both(true, true));
            return Case{Op::Pad,
                        {random.value(dtype, {3, 2}), random.coin() ? random.value(dtype, {}) : absent()},
                        with<PadAttrs>([&](auto& a) {
                            a.before = {Expr(random.integer(-1, 2)), Expr(random.integer(0, 2))};
                            a.after = {Expr(random.integer(-1, 2)), Expr(random.integer(-1, 1))};
                        })};
        });
        holds("tile", 40, [&](Random& random) {
            return Case{Op::Tile, {any(random, random.shape(2))}, with<TileAttrs>([&](auto& a) {
                            a.repeats = {Expr(random.integer(0, 3)), Expr(random.integer(1, 2))};
                        })};
        });
        holds("reverse", 40, [&](Random& random) {
            return Case{Op::Reverse, {any(random, random.shape(3))}, with<AxesAttrs>([&](auto& a) {
                            a.axes = {random.integer(0, 2)};
                        })};
        });
        holds("full", 20, [&](Random& random) {
            return Case{
                Op::Full, {any(random, {})}, with<BroadcastAttrs>([&](auto& a) { a.shape = exprs(random.shape(2)); })};
        });
        holds("iota", 40, [&](Random& random) {
            return Case{Op::Iota, {}, with<IotaAttrs>([&](auto& a) {
                            a.shape = exprs(random.shape(2));
                            a.axis = random.integer(0, 1);
                            a.dtype = random.of(both(true, true));
                        })};
        });
    }

    void indexing() {
        const auto indices = [](Random& random, std::vector<int64_t> shape, int64_t dim) {
            Value index = random.value(types::Int64, shape);
            for (double& x : index.data)
                x = static_cast<double>(random.integer(-dim, dim - 1));
            return index;
        };
        const auto axis = [](int64_t which) { return with<AxisAttrs>([&](auto& a) { a.axis = which; }); };
        for (const Op op : {Op::Gather, Op::GatherElements})
            holds(info(op).name.data(), 60, [&](Random& random) {
                const auto shape = random.shape(2);
                const int64_t along = random.integer(0, 1);
                const auto rows = op == Op::Gather ? random.shape(random.integer(0, 2)) : std::vector<int64_t>{1, 1};
                return Case{op,
                            {random.value(random.of(both(true, true)), shape),
                             indices(random, rows, shape[static_cast<size_t>(along)])},
                            axis(along)};
            });
        for (const Op op : {Op::ScatterElements, Op::ScatterNd})
            holds(info(op).name.data(), 100, [&](Random& random) {
                const DataType dtype = random.of(both(true, true));
                const bool nd = op == Op::ScatterNd;
                return Case{op,
                            {random.value(dtype, {3, 2}), indices(random, {2, 1}, nd ? 3 : 2),
                             random.value(dtype, nd ? std::vector<int64_t>{2, 2} : std::vector<int64_t>{2, 1})},
                            with<ScatterAttrs>([&](auto& a) {
                                a.axis = nd ? 0 : 1;
                                a.reduction = random.of(std::vector<std::string>{"none", "add", "mul", "max", "min"});
                            })};
            });
        holds("one_hot", 60, [&](Random& random) {
            const DataType dtype = random.of(both(true, true));
            Value index = random.value(types::Int64, {3});
            for (double& x : index.data)
                x = static_cast<double>(random.integer(-6, 6)); // out of range: nothing is hot
            return Case{Op::OneHot, {index, random.value(dtype, {2})}, with<OneHotAttrs>([&](auto& a) {
                            a.axis = random.integer(0, 1);
                            a.depth = Expr(4);
                        })};
        });
        holds("non_zero", 40, [&](Random& random) {
            Value x = random.value(random.of(both(true, true)), random.shape(2));
            for (double& element : x.data)
                element = random.coin() ? 0 : element;
            return Case{Op::NonZero, {x}, nullptr};
        });
    }

    void folds() {
        holds("reduce", 200, [](Random& random) {
            const std::string kind =
                random.of(std::vector<std::string>{"sum", "prod", "max", "min", "mean", "and", "or"});
            const bool logical = kind == "and" || kind == "or";
            const DataType dtype = logical ? types::Bool : random.of(both(true, true));
            return Case{Op::Reduce,
                        {random.value(dtype, random.shape(2))},
                        with<ReduceAttrs>([&](auto& a) {
                            a.kind = kind;
                            a.axes =
                                random.coin() ? std::vector<int64_t>{random.integer(0, 1)} : std::vector<int64_t>{0, 1};
                            a.keepDims = random.coin();
                        }),
                        8};
        });
        holds("cum_sum", 100, [](Random& random) {
            return Case{Op::CumSum,
                        {random.value(random.of(both(true, true)), random.shape(2))},
                        with<CumAttrs>([&](auto& a) {
                            a.axis = random.integer(0, 1);
                            a.exclusive = random.coin();
                            a.reverse = random.coin();
                            a.product = random.coin();
                        }),
                        8};
        });
        holds("range", 60, [](Random& random) {
            const DataType dtype =
                random.of(std::vector<DataType>{types::Int64, types::Int32, types::Float32, types::Float64});
            const double step = static_cast<double>(random.integer(1, 4)) / (dtype.isFloat() ? 3 : 1);
            const double first = static_cast<double>(random.integer(-9, 9));
            return Case{
                Op::Range,
                {typed(dtype, {}, {first}),
                 typed(dtype, {}, {first + static_cast<double>(random.integer(0, 5)) * step + 0.5 * dtype.isFloat()}),
                 typed(dtype, {}, {dtype.isFloat() ? roundToType(step, dtype, Overflow::Special) : step})},
                nullptr};
        });
    }
};

Test test() {
    return {makes<TestValueRules>};
}

} // namespace lathe::testing::test_value_rules

#include "test_value_rules.moc"
