// SPDX-License-Identifier: Apache-2.0
//
// Compiled kernels against the interpreter, with and without the optional passes: sizes that divide and that do not,
// constant and symbolic, masks, parallel loops, checks, workspace, local buffers.
// In release alone: what is looked at are values that compiled kernels give, and sanitizers do not see into these.
// Runs: release
#include "build.h"
#include "codegen/codegen.h"
#include "harness.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <sys/mman.h>

namespace lathe::testing::test_kernels {

using namespace lathe::codegen::testing;
using arith::load;
using tir::ForKind;
using tir::Scope;

namespace {

/// out[i] = max(a[i] + b[i], 0), split by 8 with a predicate and vectorized.
tir::PrimFuncPtr addRelu(const Expr& n, std::vector<Var> scalars, ForKind outer) {
    auto a = tir::makeBuffer("a", types::Float32, {n}), b = tir::makeBuffer("b", types::Float32, {n});
    auto out = tir::makeBuffer("out", types::Float32, {n});
    Var i = arith::var("i"), v = arith::var("v");
    Expr at = i * Expr(8) + v;
    tir::Stmt body =
        when(arith::lt(at, n),
             store(out, {at}, arith::max(load(a, {at}) + load(b, {at}), arith::floatImm(0, types::Float32))));
    return kernel("add_relu", {a, b, out}, std::move(scalars),
                  loop(i, arith::ceilDiv(n, Expr(8)), loop(v, Expr(8), body, ForKind::Vectorized), outer));
}

/// C[m, n] = relu(sum_k A[m, k] * B[n / 16, k, n % 16] + bias[n]), tiles of 6 x 16 as the default schedule makes them.
tir::PrimFuncPtr matmul(const Expr& m, int64_t n, int64_t k, std::vector<Var> scalars,
                        ForKind outer = ForKind::Serial) {
    auto a = tir::makeBuffer("a", types::Float32, {m, Expr(k)});
    auto b = tir::makeBuffer("b", types::Float32, {Expr((n + 15) / 16), Expr(k), Expr(16)});
    auto bias = tir::makeBuffer("bias", types::Float32, {Expr(n)});
    auto c = tir::makeBuffer("c", types::Float32, {m, Expr(n)});
    auto acc = tir::makeBuffer("acc", types::Float32, {Expr(6), Expr(16)}, Scope::Local);
    Var f = arith::var("f"), kk = arith::var("k"), mi = arith::var("mi"), ni = arith::var("ni");
    Expr tiles = arith::ceilDiv(m, Expr(6));
    Expr no = arith::floorDiv(f, tiles), mo = arith::floorMod(f, tiles);
    auto tile = [&](const char* suffix, const std::function<tir::Stmt(Expr, Expr)>& body, bool columns) {
        Var mi = arith::var(std::string("mi") + suffix), ni = arith::var(std::string("ni") + suffix);
        tir::Stmt inner = body(mi, ni);
        Expr inside = arith::lt(mo * Expr(6) + mi, m);
        if (columns && n % 16 != 0)
            inside = arith::logicalAnd(inside, arith::lt(no * Expr(16) + ni, Expr(n)));
        return loop(mi, Expr(6), loop(ni, Expr(16), when(inside, inner), ForKind::Vectorized), ForKind::Unrolled);
    };
    auto zero = arith::floatImm(0, types::Float32);
    tir::Stmt init = tile("_init", [&](Expr i, Expr j) { return store(acc, {i, j}, zero); }, false);
    tir::Stmt update = tile(
        "",
        [&](Expr i, Expr j) {
            return store(acc, {i, j}, load(acc, {i, j}) + load(a, {mo * Expr(6) + i, kk}) * load(b, {no, kk, j}));
        },
        false);
    tir::Stmt write = tile(
        "_out",
        [&](Expr i, Expr j) {
            Expr column = no * Expr(16) + j;
            return store(c, {mo * Expr(6) + i, column}, arith::max(load(acc, {i, j}) + load(bias, {column}), zero));
        },
        true);
    tir::Stmt body = allocate(acc, list({init, loop(kk, Expr(k), update), write}));
    return kernel("matmul", {a, b, bias, c}, std::move(scalars), loop(f, Expr((n + 15) / 16) * tiles, body, outer));
}

/// out[i] = a[stride * i] for as many elements as a vector has lanes.
tir::PrimFuncPtr everyFew(int64_t stride, int64_t lanes, DataType dtype) {
    auto a = tir::makeBuffer("a", dtype, {Expr((lanes - 1) * stride + 1)});
    auto out = tir::makeBuffer("out", dtype, {Expr(lanes)});
    Var i = arith::var("i");
    return kernel("every_few", {a, out}, {},
                  loop(i, Expr(lanes), store(out, {i}, load(a, {i * Expr(stride)})), ForKind::Vectorized));
}

/// out[i] = a[i / period + i mod period * distance]: as many streams, taken by turns.
tir::PrimFuncPtr byTurns(int64_t period, int64_t distance, int64_t lanes, DataType dtype) {
    Var i = arith::var("i");
    const Expr at = arith::floorDiv(i, Expr(period)) + arith::floorMod(i, Expr(period)) * Expr(distance);
    auto a = tir::makeBuffer("a", dtype, {Expr((period - 1) * distance + (lanes - 1) / period + 1)});
    auto out = tir::makeBuffer("out", dtype, {Expr(lanes)});
    return kernel("by_turns", {a, out}, {}, loop(i, Expr(lanes), store(out, {i}, load(a, {at})), ForKind::Vectorized));
}

/// out[j, i] = a[i, j + 1], the rows of out as statements in sequence; a[.., 0] is not read.
tir::PrimFuncPtr transposed(int64_t lanes, int64_t columns, DataType dtype, const Expr& width,
                            const std::vector<Var>& scalars = {}) {
    auto a = tir::makeBuffer("a", dtype, {Expr(lanes), width});
    auto out = tir::makeBuffer("out", dtype, {Expr(columns), Expr(lanes)});
    Var i = arith::var("i"), j = arith::var("j");
    return kernel("transposed", {a, out}, scalars,
                  loop(j, Expr(columns),
                       loop(i, Expr(lanes), store(out, {j, i}, load(a, {i, j + Expr(1)})), ForKind::Vectorized),
                       ForKind::Unrolled));
}

/// out[i] = sum_k a[step * i + k], each k a statement.
tir::PrimFuncPtr windowSums(int64_t step, int64_t elements, int64_t lanes, DataType dtype) {
    auto a = tir::makeBuffer("a", dtype, {Expr((lanes - 1) * step + elements)});
    auto out = tir::makeBuffer("out", dtype, {Expr(lanes)});
    auto sum = tir::makeBuffer("sum", dtype, {Expr(lanes)}, Scope::Local);
    Var i = arith::var("i"), j = arith::var("j"), k = arith::var("k");
    tir::Stmt first = loop(i, Expr(lanes), store(sum, {i}, load(a, {i * Expr(step)})), ForKind::Vectorized);
    tir::Stmt next = loop(j, Expr(lanes), store(sum, {j}, load(sum, {j}) + load(a, {j * Expr(step) + k + Expr(1)})),
                          ForKind::Vectorized);
    Var r = arith::var("r");
    return kernel("window_sums", {a, out}, {},
                  allocate(sum, list({first, loop(k, Expr(elements - 1), next, ForKind::Unrolled),
                                      loop(r, Expr(lanes), store(out, {r}, load(sum, {r})), ForKind::Vectorized)})));
}

/// place[0] = from[0], then three columns of a that begin there.
tir::PrimFuncPtr columnsFromPlace(int64_t stride) {
    auto from = tir::makeBuffer("from", types::Int64, {1}), place = tir::makeBuffer("place", types::Int64, {1});
    auto a = tir::makeBuffer("a", types::Float32, {Expr(7 * stride + 12)});
    auto out = tir::makeBuffer("out", types::Float32, {3, 8});
    Var i = arith::var("i"), j = arith::var("j");
    const Expr at = arith::cast(load(place, {0}), types::Index) + i * Expr(stride) + j;
    return kernel("columns_from_place", {from, a, place, out}, {},
                  list({store(place, {0}, load(from, {0})),
                        loop(j, Expr(3), loop(i, Expr(8), store(out, {j, i}, load(a, {at})), ForKind::Vectorized),
                             ForKind::Unrolled)}),
                  2);
}

/// How often the text stands in the LLVM IR of the kernel.
qsizetype countInCode(const tir::PrimFuncPtr& function, const char* target, const char* text) {
    Pipeline pipeline;
    pipeline.target = *codegen::parseTarget(target);
    const Result<codegen::KernelCode> code =
        codegen::compileFunction(*lowered(function, pipeline), {.target = pipeline.target, .keepIr = true});
    return code ? QString::fromStdString(code->llvmIr).count(text) : -1;
}

/// out[j, i] = a[j, i] for `lanes` elements i of three rows.
tir::PrimFuncPtr shortRows(int64_t lanes, DataType dtype) {
    auto a = tir::makeBuffer("a", dtype, {3, Expr(lanes)}), out = tir::makeBuffer("out", dtype, {3, Expr(lanes)});
    Var i = arith::var("i"), j = arith::var("j");
    return kernel("short_rows", {a, out}, {},
                  loop(j, Expr(3), loop(i, Expr(lanes), store(out, {j, i}, load(a, {j, i})), ForKind::Vectorized)));
}

/// Bytes that end where the next page may not be touched.
class BytesBeforeWall {
public:
    explicit BytesBeforeWall(size_t bytes) : bytes_(bytes) {
        memory_ = static_cast<std::byte*>(
            mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(memory_ + page, page, PROT_NONE);
    }
    ~BytesBeforeWall() { munmap(memory_, 2 * page); }
    std::byte* data() const { return memory_ + page - bytes_; }

private:
    static constexpr size_t page = 4096;
    size_t bytes_;
    std::byte* memory_;
};

} // namespace

class TestKernels : public QObject {
    Q_OBJECT

private slots:
    void elementwise_data() {
        QTest::addColumn<int>("n");
        for (int n : {1, 7, 8, 9, 64, 1000, 1003})
            QTest::addRow("%d", n) << n;
    }
    void elementwise() {
        QFETCH(int, n);
        QCOMPARE(compare({addRelu(Expr(n), {}, ForKind::Serial), {}}), std::string());
        Var symbol = arith::symbol("n", 1, 1 << 20);
        QCOMPARE(compare({addRelu(symbol, {symbol}, ForKind::Serial), {n}}), std::string());
        QCOMPARE(compare({addRelu(symbol, {symbol}, ForKind::Parallel), {n}}), std::string());
    }

    void matmulTiles_data() {
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("n");
        QTest::addColumn<int>("k");
        QTest::addRow("exact") << 12 << 32 << 40;
        QTest::addRow("rows") << 13 << 32 << 7;
        QTest::addRow("columns") << 6 << 40 << 9;
        QTest::addRow("both") << 17 << 49 << 31;
        QTest::addRow("one") << 1 << 1 << 1;
    }
    void matmulTiles() {
        QFETCH(int, m);
        QFETCH(int, n);
        QFETCH(int, k);
        QCOMPARE(compare({matmul(Expr(m), n, k, {}), {}, 1e-5}), std::string());
        Var symbol = arith::symbol("m", 1, 4096);
        QCOMPARE(compare({matmul(symbol, n, k, {symbol}), {m}, 1e-5}), std::string());
        QCOMPARE(compare({matmul(symbol, n, k, {symbol}, ForKind::Parallel), {m}, 1e-5}), std::string());
    }

    /// Parts of a register are loaded under masks, and nothing beyond them.
    void shortRowsOfVectors() {
        for (const int lanes : {2, 3, 5, 7, 9, 13, 15})
            for (const DataType dtype : {types::Float32, types::Float64, types::Int32, types::Int8}) {
                const tir::PrimFuncPtr function = shortRows(lanes, dtype);
                QCOMPARE(compare({function, {}}), std::string());
                const auto bytes = static_cast<size_t>(3 * lanes * dtype.bytes());
                const BytesBeforeWall a(bytes), out(bytes);
                const Loaded loaded({lowered(function)});
                QCOMPARE(loaded.call("short_rows",
                                     {reinterpret_cast<int64_t>(a.data()), reinterpret_cast<int64_t>(out.data())}),
                         0);
            }
    }

    void shortStrides_data() {
        QTest::addColumn<int>("stride");
        QTest::addColumn<int>("lanes");
        for (const int stride : {2, 3, 4})
            for (const int lanes : {2, 3, 4, 5, 7, 9, 13, 16, 20, 32, 48})
                QTest::addRow("%d, %d lanes", stride, lanes) << stride << lanes;
    }
    void shortStrides() {
        QFETCH(int, stride);
        QFETCH(int, lanes);
        for (const DataType dtype : {types::Float32, types::Float64, types::Int8}) {
            const tir::PrimFuncPtr function = everyFew(stride, lanes, dtype);
            QCOMPARE(compare({function, {}}), std::string());
            // Nothing beyond the last element is read.
            const auto bytes = static_cast<size_t>(dtype.bytes());
            const BytesBeforeWall a(static_cast<size_t>((lanes - 1) * stride + 1) * bytes);
            const BytesBeforeWall out(static_cast<size_t>(lanes) * bytes);
            const Loaded loaded({lowered(function)});
            QCOMPARE(
                loaded.call("every_few", {reinterpret_cast<int64_t>(a.data()), reinterpret_cast<int64_t>(out.data())}),
                0);
        }
    }

    void knownDistances() {
        for (const DataType dtype : {types::Float32, types::Float64, types::Int8})
            for (const int64_t period : {1, 2, 3, 5})
                for (const int64_t distance : {1, 1000})
                    for (const int64_t lanes : {3, 6, 16, 48})
                        QCOMPARE(compare({byTurns(period, distance, lanes, dtype), {}}), std::string());
        // A few vectors, no element alone.
        QCOMPARE(countInCode(byTurns(2, 1000, 16, types::Float32), "x86-64-v3", "load float,"), 0);
        QCOMPARE(countInCode(byTurns(2, 1000, 16, types::Float32), "x86-64-v3", "load <"), 4);
    }

    void neighbouringWindows_data() {
        QTest::addColumn<int>("step");
        QTest::addColumn<int>("lanes");
        for (const int step : {1, 2, 3, 4})
            for (const int lanes : {2, 4, 5, 8, 14, 16, 20, 32})
                QTest::addRow("step %d, %d lanes", step, lanes) << step << lanes;
    }
    void neighbouringWindows() {
        QFETCH(int, step);
        QFETCH(int, lanes);
        for (const DataType dtype : {types::Float32, types::Float64, types::Int8})
            for (const int elements : {2, 3, 4, 7}) {
                const tir::PrimFuncPtr function = windowSums(step, elements, lanes, dtype);
                QCOMPARE(compare({function, {}}), std::string());
                const auto bytes = static_cast<size_t>(dtype.bytes());
                const BytesBeforeWall a(static_cast<size_t>((lanes - 1) * step + elements) * bytes);
                const BytesBeforeWall out(static_cast<size_t>(lanes) * bytes);
                const Loaded loaded({lowered(function)});
                QCOMPARE(loaded.call("window_sums",
                                     {reinterpret_cast<int64_t>(a.data()), reinterpret_cast<int64_t>(out.data())}),
                         0);
            }
    }
    /// What the elements of windows read together is loaded once.
    void windowsShareLoads() {
        QCOMPARE(countInCode(windowSums(2, 2, 16, types::Float32), "x86-64-v4", "load <"), 2);
        QCOMPARE(countInCode(windowSums(2, 5, 16, types::Float32), "x86-64-v4", "load <"), 3);
        QCOMPARE(countInCode(windowSums(3, 3, 16, types::Float32), "x86-64-v4", "load <"), 3);
        QCOMPARE(countInCode(windowSums(2, 2, 8, types::Float32), "x86-64-v3", "load <"), 2);
    }

    void placesAreReadAfterTheirStores() {
        for (const int stride : {2, 8}) {
            Case test{columnsFromPlace(stride), {}};
            test.lowInt = 0;
            test.highInt = 9;
            QCOMPARE(compare(test), std::string());
        }
    }

    void columnsAsRows() {
        const Var width = arith::symbol("width", 20, 4096);
        for (const DataType dtype : {types::Float32, types::Float64, types::Bool})
            for (const int lanes : {3, 8, 12})
                for (const int columns : {3, 8, 19}) {
                    const tir::PrimFuncPtr function = transposed(lanes, columns, dtype, Expr(columns + 1));
                    QCOMPARE(compare({function, {}}), std::string());
                    QCOMPARE(compare({transposed(lanes, columns, dtype, width, {width}), {23}}), std::string());
                    const auto bytes = static_cast<size_t>(dtype.bytes());
                    const BytesBeforeWall a(static_cast<size_t>(lanes * (columns + 1)) * bytes);
                    const BytesBeforeWall out(static_cast<size_t>(lanes * columns) * bytes);
                    const Loaded loaded({lowered(function)});
                    QCOMPARE(loaded.call("transposed",
                                         {reinterpret_cast<int64_t>(a.data()), reinterpret_cast<int64_t>(out.data())}),
                             0);
                }
        // As many rows as there are lanes, no element alone.
        QCOMPARE(countInCode(transposed(8, 8, types::Float32, width, {width}), "x86-64-v3", "load float,"), 0);
        QCOMPARE(countInCode(transposed(8, 8, types::Float32, width, {width}), "x86-64-v3", "load <8 x float>"), 8);
    }
};

Test test() {
    return {makes<TestKernels>};
}

} // namespace lathe::testing::test_kernels

#include "test_kernels.moc"
