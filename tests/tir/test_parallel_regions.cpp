// SPDX-License-Identifier: Apache-2.0
//
// Parallel regions: how many chunks a loop gets, that they cover its iterations, each once, and what stays serial. The
// numbers follow from the rule: work of 16,384 units a chunk, 64 chunks and one for each iteration at most.
#include "arith/analysis.h"
#include "support/loop_text.h"
#include "support/program_of_tests.h"
#include "tir/interpret.h"
#include "tir/text.h"
#include "tir/transform/parallel_regions.h"
#include "tir/verify.h"
#include "tir/visit.h"

#include <QTest>

namespace lathe::testing::test_parallel_regions {

using namespace lathe::tir;
using lathe::testing::read;

namespace {

/// Adds one to each of n elements in a parallel loop over rows of `row` elements.
std::string addOne(const std::string& rows, int row) {
    return "primfunc add(A, n) outputs 1 {\n  var n: index[0, 1000000]\n  buffer A: int32[" + rows + " * " +
           std::to_string(row) + "]\n  for i in " + rows + " parallel @0 {\n    for j in " + std::to_string(row) +
           " @0 {\n      A[i * " + std::to_string(row) + " + j] = A[i * " + std::to_string(row) +
           " + j] + 1:int32 @0\n    }\n  }\n}\n";
}

const For* parallelLoop(const PrimFunc& function) {
    const For* found = nullptr;
    visitStmts(function.body, [&](const Stmt& stmt) {
        const auto* loop = stmt->as<For>();
        if (loop && loop->kind == ForKind::Parallel)
            found = loop;
        return true;
    });
    return found;
}

/// The number of chunks at a value of the scalar, through the lets around the loop; 0 without a parallel loop.
int64_t chunksAt(const PrimFunc& function, int64_t n) {
    const For* loop = parallelLoop(function);
    if (!loop)
        return 0;
    std::unordered_map<const arith::ExprNode*, int64_t> values{{function.params.back().scalar.get(), n}};
    visitStmts(function.body, [&](const Stmt& stmt) {
        if (const auto* let = stmt->as<Let>())
            values[let->var.get()] = arith::evaluate(let->value, values).value();
        return true;
    });
    return arith::evaluate(loop->extent, values).value();
}

} // namespace

class TestParallelRegions : public QObject {
    Q_OBJECT

private slots:
    void eachIterationRunsOnce_data() {
        QTest::addColumn<QString>("rows");
        QTest::addColumn<int>("n");
        for (int n : {0, 1, 2, 3, 63, 64, 65, 100, 129})
            QTest::addRow("n = %d", n) << "n" << n;
        QTest::addRow("constant") << "100" << 0;
        QTest::addRow("expression") << "(n + 5)" << 60;
    }
    void eachIterationRunsOnce() {
        QFETCH(QString, rows);
        QFETCH(int, n);
        const PrimFuncPtr before = read(addOne(rows.toStdString(), 5000));
        const PrimFuncPtr after = parallelRegions(before);
        const auto verified = verify(*after, Level::Lowered);
        QVERIFY2(verified, verified ? "" : toString(verified.error()).c_str());
        const int count = rows == "n" ? n : rows == "100" ? 100 : n + 5;
        std::vector<int32_t> values(static_cast<size_t>(count) * 5000, 7);
        const std::vector<Argument> arguments = {{std::as_writable_bytes(std::span(values)), 0}, {{}, n}};
        const auto ran = interpret(*after, arguments);
        QVERIFY2(ran, ran ? "" : toString(ran.error()).c_str());
        QVERIFY(std::ranges::all_of(values, [](int32_t value) { return value == 8; }));
    }

    void chunksFollowFromTheWork() {
        // About six units an element: a chunk is worth it from some thousand elements on.
        const PrimFuncPtr rows = parallelRegions(read(addOne("n", 5000)));
        QCOMPARE(chunksAt(*rows, 0), 1);
        QCOMPARE(chunksAt(*rows, 1), 1);
        const int64_t ten = chunksAt(*rows, 10);
        QVERIFY2(ten >= 5 && ten <= 10, qPrintable(QString::number(ten))); // each row is worth a chunk or nearly so
        QCOMPARE(chunksAt(*rows, 64), 64);
        QCOMPARE(chunksAt(*rows, 1000000), parallelChunks);
        const PrimFuncPtr light = parallelRegions(read(addOne("n", 1)));
        QCOMPARE(chunksAt(*light, 1000), 1);
        QCOMPARE(chunksAt(*light, 1000000), parallelChunks);
        const int64_t some = chunksAt(*light, 16384);
        QVERIFY2(some >= 2 && some <= 16, qPrintable(QString::number(some))); // 2 to 16 units an element
    }

    /// A grain four times as large gives a quarter of the chunks, and stands in none of the loops that are left.
    void aLoopSaysItsGrain() {
        const auto withGrain = [](int64_t grain) {
            std::string text = addOne("n", 1);
            text.insert(text.find("parallel") + 8, " grain " + std::to_string(grain));
            return parallelRegions(read(text));
        };
        const int64_t usual = chunksAt(*parallelRegions(read(addOne("n", 1))), 64000);
        QVERIFY(usual >= 8);
        QCOMPARE(chunksAt(*withGrain(4 * parallelGrain), 64000), usual / 4);
        QCOMPARE(chunksAt(*withGrain(int64_t{1} << 40), 64000), 0); // one chunk at any size: serial
        QVERIFY(print(*withGrain(4 * parallelGrain)).find("grain") == std::string::npos);
    }

    void whatIsTooSmallStaysSerial() {
        const PrimFuncPtr small = parallelRegions(read(addOne("100", 10)));
        QVERIFY(!parallelLoop(*small));
        QVERIFY(parallelRegions(small) == small);
    }

    void nestedRegionsAreSerial() {
        const PrimFuncPtr after = parallelRegions(read(R"(primfunc nest(A) outputs 1 {
  buffer A: int32[4000000]
  for i in 2000 parallel @0 {
    for j in 2000 parallel @0 {
      A[i * 2000 + j] = 1:int32 @0
    }
  }
})"));
        int parallel = 0, loops = 0;
        visitStmts(after->body, [&](const Stmt& stmt) {
            const auto* loop = stmt->as<For>();
            loops += loop != nullptr;
            parallel += loop && loop->kind == ForKind::Parallel;
            return true;
        });
        QCOMPARE(parallel, 1);
        QCOMPARE(loops, 3);
    }

    /// A bound that is read from memory is read before any chunk runs.
    void boundsInMemoryAreReadOnce() {
        const PrimFuncPtr after = parallelRegions(read(R"(primfunc bound(A) outputs 1 {
  buffer A: int64[100000]
  for i in cast:index(A[0]) parallel @0 {
    for j in 1000 @0 {
      A[i * 1000 + j] = 0:int64 @0
    }
  }
})"));
        std::vector<int64_t> values(100000, 100);
        const std::vector<Argument> arguments = {{std::as_writable_bytes(std::span(values)), 0}};
        const auto ran = interpret(*after, arguments);
        QVERIFY2(ran, ran ? "" : toString(ran.error()).c_str());
        QVERIFY(std::ranges::all_of(values, [](int64_t value) { return value == 0; }));
    }
};

Test test() {
    return {makes<TestParallelRegions>};
}

} // namespace lathe::testing::test_parallel_regions

#include "test_parallel_regions.moc"
