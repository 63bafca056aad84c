// SPDX-License-Identifier: Apache-2.0
//
// The register tile of a matrix product keeps its promise: in the loop with most fused multiply-adds there are at least
// 12 of them and no reference to the stack, in the full tile and in each tail.
#include "build.h"
#include "codegen/codegen.h"
#include "harness.h"
#include "support/hot_loops.h"
#include "support/program_of_tests.h"
#include "tir/text.h"

#include <QTest>
#include <set>

namespace lathe::testing::test_register_tile {

using namespace lathe::codegen;
using namespace lathe::codegen::testing;
using arith::load;
using lathe::testing::hotLoops, lathe::testing::LoopCount;
using tir::ForKind;
using tir::Scope;

namespace {

/// c[m, n] = sum_k a[m, k] * b[n / columns, k, n % columns] in tiles of rows x columns.
tir::PrimFuncPtr product(const Expr& m, int64_t n, int64_t k, int rows, int columns, std::vector<Var> scalars) {
    auto a = tir::makeBuffer("a", types::Float32, {m, Expr(k)});
    auto b = tir::makeBuffer("b", types::Float32, {Expr(n / columns), Expr(k), Expr(columns)});
    auto c = tir::makeBuffer("c", types::Float32, {m, Expr(n)});
    auto acc = tir::makeBuffer("acc", types::Float32, {Expr(rows), Expr(columns)}, Scope::Local);
    Var no = arith::var("no"), mo = arith::var("mo"), kk = arith::var("k");
    auto tile = [&](const std::function<tir::Stmt(Expr, Expr)>& body) {
        Var mi = arith::var("mi"), ni = arith::var("ni");
        Expr inside = arith::lt(mo * Expr(rows) + mi, m);
        return loop(mi, Expr(rows), loop(ni, Expr(columns), when(inside, body(mi, ni)), ForKind::Vectorized),
                    ForKind::Unrolled);
    };
    tir::Stmt body = list({
        tile([&](Expr i, Expr j) { return store(acc, {i, j}, arith::floatImm(0, types::Float32)); }),
        loop(kk, Expr(k), tile([&](Expr i, Expr j) {
                 return store(acc, {i, j},
                              load(acc, {i, j}) + load(a, {mo * Expr(rows) + i, kk}) * load(b, {no, kk, j}));
             })),
        tile(
            [&](Expr i, Expr j) { return store(c, {mo * Expr(rows) + i, no * Expr(columns) + j}, load(acc, {i, j})); }),
    });
    tir::Stmt rowLoop = loop(mo, arith::ceilDiv(m, Expr(rows)), allocate(acc, body));
    return kernel("product", {a, b, c}, std::move(scalars), loop(no, Expr(n / columns), rowLoop));
}

} // namespace

class TestRegisterTile : public QObject {
    Q_OBJECT

private slots:
    void innerLoop_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        QTest::addColumn<int>("expected");
        QTest::addRow("AVX2 6x16") << "x86-64-v3" << 6 << 16 << 12;
        QTest::addRow("AVX2 4x24") << "x86-64-v3" << 4 << 24 << 12;
        QTest::addRow("AVX-512 12x32") << "x86-64-v4" << 12 << 32 << 24;
        QTest::addRow("AVX-512 6x64") << "x86-64-v4" << 6 << 64 << 24;
        QTest::addRow("NEON 12x8") << "cortex-a72" << 12 << 8 << 24;
        QTest::addRow("SVE 12x16") << "aarch64-linux-gnu:neoverse-v1::vector=256" << 12 << 16 << 24;
        QTest::addRow("V 12x8") << "rv64gcv" << 12 << 8 << 12; // two registers at a time
    }
    void innerLoop() {
        QFETCH(QString, target);
        QFETCH(int, rows);
        QFETCH(int, columns);
        QFETCH(int, expected);
        Pipeline pipeline;
        pipeline.target = *codegen::parseTarget(target.toStdString());
        Var m = arith::symbol("m", 1, 4096);
        tir::PrimFuncPtr function = lowered(product(m, 4 * columns, 256, rows, columns, {m}), pipeline);
        CodegenOptions options;
        options.target = pipeline.target;
        Result<KernelCode> code = compileFunction(*function, options);
        QVERIFY(code.has_value());
        auto instructions = disassembleWithLines(code->object);
        QVERIFY(instructions.has_value());
        const std::vector<LoopCount> loops = hotLoops(*instructions, pipeline.target);
        std::set<int> lengths; // rows of the tiles
        for (const LoopCount& count : loops) {
            QCOMPARE(count.stack, 0);
            QCOMPARE(count.wide, count.multiplyAdds);
            QCOMPARE(count.multiplyAdds % (expected / rows), 0);
            lengths.insert(count.multiplyAdds / (expected / rows));
        }
        if (qEnvironmentVariableIsSet("LATHE_SHOW")) {
            puts(tir::print(*function).c_str());
            for (const InstructionOrigin& instruction : *instructions)
                puts(instruction.text.c_str());
        }
        // A tail is a tile, or two of one length that overlap.
        QCOMPARE(lengths.size(), loops.size());
        QCOMPARE(*lengths.begin(), 1);
        QCOMPARE(*lengths.rbegin(), rows);
        for (int tail = 1; tail < rows; ++tail) {
            const int longest = *std::prev(lengths.upper_bound(tail));
            QVERIFY2(tail <= 2 * longest, qPrintable(QString::number(tail)));
        }
    }
};

Test test() {
    return {makes<TestRegisterTile>};
}

} // namespace lathe::testing::test_register_tile

#include "test_register_tile.moc"
