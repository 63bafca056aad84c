// SPDX-License-Identifier: Apache-2.0
//
// What is counted of a scheduled function, against numbers worked out by hand beside each text.
#include "support/loop_text.h"
#include "support/program_of_tests.h"
#include "tune/features.h"

#include <QTest>
#include <cmath>
#include <set>

namespace lathe::testing::test_features {

using namespace lathe::tune;
using lathe::testing::read;

namespace {

/// C (8 x 32) of A (8 x 100) and B (100 x 32), four rows and all columns at once.
std::string productText(const std::string& a = "A") {
    return "primfunc f(" + a + ", B, C) outputs 1 {\n  buffer " + a +
           ": float32[8, 100]\n  buffer B: float32[100, 32]\n  buffer C: float32[8, 32]\n"
           "  for i in 2 parallel @0 {\n    for k in 100 @0 {\n      for r in 4 unrolled @0 {\n"
           "        for j in 32 vectorized @0 {\n"
           "          C[i * 4 + r, j] = C[i * 4 + r, j] + " +
           a + "[i * 4 + r, k] * B[k, j] @0\n        }\n      }\n    }\n  }\n}\n";
}

std::vector<Nest> nestsOfText(const std::string& text, std::vector<int64_t> sizes = {}) {
    return nestsOf(read(text), sizes);
}

/// One loop over `extent` elements of X and Y, which are float32.
Nest elementwise(const std::string& value, const std::string& extent = "16") {
    return nestsOfText("primfunc f(X, Y) outputs 1 {\n  buffer X: float32[16]\n  buffer Y: float32[16]\n  for i in " +
                       extent + " @0 {\n    Y[i] = " + value + " @0\n  }\n}\n")
        .front();
}

std::vector<double> elementsOf(const Access& access) {
    std::vector<double> elements;
    for (const Touched& touched : access.inside)
        elements.push_back(touched.elements);
    return elements;
}
std::vector<double> linesOf(const Access& access) {
    std::vector<double> lines;
    for (const Touched& touched : access.inside)
        lines.push_back(touched.lines);
    return lines;
}

double column(const Features& features, const std::string& name) {
    const auto at = std::ranges::find(featureNames(), name) - featureNames().begin();
    return features.row.at(static_cast<size_t>(at));
}

MachineModel wide() { // 16 lanes of float32
    MachineModel machine;
    machine.target.vectorBits = 512;
    machine.target.vectorRegisters = 32;
    return machine;
}

} // namespace

class TestFeatures : public QObject {
    Q_OBJECT

private slots:
    void touched_data() {
        QTest::addColumn<std::vector<Step>>("steps");
        QTest::addColumn<int>("elements");
        QTest::addColumn<int>("lines");
        const auto row = [](const char* name, std::vector<Step> steps, int elements, int lines) {
            QTest::newRow(name) << std::move(steps) << elements << lines;
        };
        row("one", {}, 1, 1);
        row("not moved", {{0, 9}}, 1, 1);
        row("a run", {{1, 40}}, 40, 3);          // 160 bytes
        row("backwards", {{-1, 40}}, 40, 3);     //
        row("a split", {{8, 5}, {1, 8}}, 40, 3); // the same run
        row("rows", {{100, 5}, {1, 8}}, 40, 5);  // each row in a line of its own
        row("rows that meet", {{8, 5}, {1, 8}, {40, 2}}, 80, 5);
        row("every second", {{2, 10}}, 10, 2); // 19 elements wide: 76 bytes
        row("every eighth", {{8, 8}}, 8, 4);   // 228 bytes
        row("far apart", {{64, 10}}, 10, 10);
        row("a window, stride 2", {{2, 14}, {1, 3}}, 29, 2);                           // up to 13 * 2 + 2
        row("windows of an image", {{16, 14}, {1, 14}, {16, 3}, {1, 3}}, 256, 16);     // 16 x 16, padding included
        row("windows of a wide image", {{50, 14}, {1, 14}, {50, 3}, {1, 3}}, 256, 16); // 16 rows of a line
    }
    void touched() {
        QFETCH(std::vector<Step>, steps);
        QFETCH(int, elements);
        QFETCH(int, lines);
        const Touched found = tune::touched(steps, 4);
        QCOMPARE(found.elements, double(elements));
        QCOMPARE(found.lines, double(lines));
    }

    void product() {
        const std::vector<Nest> nests = nestsOfText(productText());
        QCOMPARE(nests.size(), size_t(1));
        const Nest& nest = nests.front();
        QCOMPARE(nest.iterations(), 2.0 * 100 * 4 * 32);
        QVERIFY((nest.operations == Operations{.fused = 1}));
        QVERIFY(nest.accumulates());
        QCOMPARE(nest.accesses.size(), size_t(3));
        const Access &c = nest.accesses[0], &a = nest.accesses[1], &b = nest.accesses[2];
        QVERIFY(c.reads && c.writes && !a.writes && !b.writes);
        QCOMPARE(c.strides, (std::vector<int64_t>{128, 0, 32, 1}));
        QCOMPARE(a.strides, (std::vector<int64_t>{400, 1, 100, 0}));
        QCOMPARE(b.strides, (std::vector<int64_t>{0, 32, 0, 1}));
        QCOMPARE(elementsOf(c), (std::vector<double>{256, 128, 128, 32, 1}));
        QCOMPARE(linesOf(c), (std::vector<double>{16, 8, 8, 2, 1}));
        QCOMPARE(elementsOf(a), (std::vector<double>{800, 400, 4, 1, 1}));
        QCOMPARE(linesOf(a), (std::vector<double>{50, 25, 4, 1, 1}));
        QCOMPARE(elementsOf(b), (std::vector<double>{3200, 3200, 32, 32, 1}));
        QCOMPARE(linesOf(b), (std::vector<double>{200, 200, 2, 2, 1}));
        QCOMPARE(footprintOf(nests), 266.0 * 64);
    }

    void productCosts() {
        MachineModel machine = wide();
        NestCost cost = costsOf(nestsOfText(productText()), machine).front();
        QCOMPARE(cost.accumulators, 8.0); // 4 rows of 2 vectors
        QCOMPARE(cost.operands, 3.0);     // a row of B, an element of A
        QCOMPARE(cost.chains, 8.0);
        QCOMPARE(cost.lanesUsed, 1.0);
        QCOMPARE(cost.bodies, 200.0);
        QCOMPARE(cost.arithmetic, 200.0 * 8);
        QCOMPARE(cost.stores, 200.0 * 8);                  // C is memory
        QCOMPARE(cost.loads, 200.0 * (8 + 4 + 2));         // C, A, B
        QCOMPARE(cost.traffic, (std::array<double, 3>{})); // 17 KB lie in the first cache
        QCOMPARE(cost.chunks, 1.0);                        // 1600 + 2800 + 1600 units are less than a piece

        // 7168 bytes hold an iteration of k (14 lines), not all of them (233): k finds C again each time, i does not find B.
        machine.target.l1Bytes = 8192;
        machine.target.l2Bytes = 1'000'000;
        machine.target.l3Bytes = 10'000'000;
        cost = costsOf(nestsOfText(productText()), machine).front();
        QCOMPARE(cost.traffic[0], 2.0 * 233 * 64);
        QCOMPARE(cost.traffic[1], 0.0);

        machine.target.vectorBits = 256; // 4 vectors a row
        machine.target.vectorRegisters = 16;
        cost = costsOf(nestsOfText(productText()), machine).front();
        QCOMPARE(cost.accumulators, 16.0);
        QCOMPARE(cost.excess(machine), 5.0); // 16 + 4 + 1 - 16
    }

    /// What is local and only the tile goes through costs no loads and stores.
    void accumulatorsAreRegisters() {
        const std::vector<Nest> nests = nestsOfText(
            "primfunc f(X, Y) outputs 1 {\n  buffer X: float32[8, 100, 16]\n  buffer Y: float32[8, 16]\n"
            "  for i in 8 @0 {\n    allocate t: float32[16] local @0\n    seq @0 {\n"
            "      for j in 16 vectorized @0 {\n        t[j] = 0:float32 @0\n      }\n"
            "      for k in 100 @0 {\n        for j in 16 vectorized @0 {\n          t[j] = t[j] + X[i, k, j] @0\n"
            "        }\n      }\n      for j in 16 vectorized @0 {\n        Y[i, j] = t[j] @0\n      }\n    }\n  "
            "}\n}\n");
        QCOMPARE(nests.size(), size_t(3));
        const std::vector<NestCost> costs = costsOf(nests, wide());
        QCOMPARE(costs[0].stores, 0.0);
        QCOMPARE(costs[1].loads, 800.0);
        QCOMPARE(costs[1].stores, 0.0);
        QCOMPARE(costs[1].accumulators, 1.0);
        QCOMPARE(costs[1].chains, 1.0);
        QCOMPARE(costs[2].loads, 0.0);
        QCOMPARE(costs[2].stores, 8.0);
        QCOMPARE(footprintOf(nests), (8 * 100 + 8) * 64.0);
    }

    void operations_data() {
        QTest::addColumn<QString>("value");
        QTest::addColumn<Operations>("operations");
        const auto row = [](const char* value, Operations operations) { QTest::newRow(value) << value << operations; };
        row("X[i]", {});
        row("X[i + 1 - 1]", {}); // what an index is made of is free
        row("X[i] + 2:float32", {.added = 1});
        row("X[i] * X[i] - X[i]", {.fused = 1});
        row("max(exp:float32(X[i]) - 1:float32, 0:float32)", {.added = 2, .call = 1});
        row("X[i] / (X[i] * X[i] + 2:float32)", {.fused = 1, .division = 1});
        row("select(X[i] < 0:float32, X[i] * 3:float32, X[i])", {.product = 1, .logic = 2});
        row("cast:float32(cast:int32(X[i]) * 3:int32)", {.integer = 1, .cast = 2});
    }
    void operations() {
        QFETCH(QString, value);
        QFETCH(Operations, operations);
        QVERIFY(elementwise(value.toStdString()).operations == operations);
    }

    void conditions_data() {
        QTest::addColumn<QString>("condition");
        QTest::addColumn<double>("share");
        QTest::newRow("guard of a split") << "i * 4 + j < 13" << 13.0 / 16;
        QTest::newRow("up to") << "i * 4 + j <= 13" << 14.0 / 16;
        QTest::newRow("from") << "i >= 1" << 3.0 / 4;
        QTest::newRow("beyond") << "i > 1" << 2.0 / 4;
        QTest::newRow("first") << "i == 0" << 1.0 / 4;
        QTest::newRow("not first") << "i != 0" << 3.0 / 4;
        QTest::newRow("both") << "i < 2 && j < 1" << 1.0 / 8;
        QTest::newRow("unknown") << "Y[i] > 0:float32" << 0.5;
    }
    void conditions() {
        QFETCH(QString, condition);
        QFETCH(double, share);
        const auto nests = nestsOfText("primfunc f(Y) outputs 1 {\n  buffer Y: float32[16]\n  for i in 4 @0 {\n"
                                       "    for j in 4 @0 {\n      if " +
                                       condition.toStdString() +
                                       " @0 {\n        Y[i * 4 + j] = 1:float32 @0\n      }\n    }\n  }\n}\n");
        QCOMPARE(nests.size(), size_t(1));
        QCOMPARE(nests.front().share, share);
        QCOMPARE(nests.front().iterations(), 16 * share);
    }

    /// At the edge an index is clamped; what counts is how it moves within.
    void clampedIndices() {
        const Nest nest = elementwise("X[min(max(i - 1, 0), 15)]");
        QCOMPARE(nest.accesses[1].strides, (std::vector<int64_t>{1}));
    }

    /// An index that is read may be anywhere: each access is a line of its own, and no vector is loaded at once.
    void gathers() {
        const auto nests =
            nestsOfText("primfunc f(X, I, Y) outputs 1 {\n  buffer X: float32[1000]\n  buffer I: int64[32]\n"
                        "  buffer Y: float32[32]\n  for i in 32 vectorized @0 {\n"
                        "    Y[i] = X[cast:index(I[i])] @0\n  }\n}\n");
        const Nest& nest = nests.front();
        QCOMPARE(nest.accesses.size(), size_t(3));
        QVERIFY(!nest.accesses[1].regular && nest.accesses[2].regular);
        QCOMPARE(nest.accesses[1].inside.front(), (Touched{32, 32}));
        QCOMPARE(nest.bits, 64);
        const NestCost cost = costsOf(nests, wide()).front();
        QCOMPARE(cost.gathers, 32.0);
        QCOMPARE(cost.loads, 4.0); // of indices, 8 lanes each
    }

    void openSizesAreThoseGiven() {
        const std::string text = "primfunc f(X, Y, n) outputs 1 {\n  var n: index[0, 1000]\n  buffer X: float32[n]\n"
                                 "  buffer Y: float32[n]\n  for i in n @0 {\n    Y[i] = X[i] @0\n  }\n}\n";
        QCOMPARE(nestsOfText(text, {70}).front().iterations(), 70.0);
        QCOMPARE(nestsOfText(text, {700}).front().accesses[1].inside.front(), (Touched{700, 44}));
        QVERIFY(nestsOfText(text, {0}).empty());
    }

    /// 4096 x 64 elements, a load, a store and an addition for each 16 of them: 49,152 units, 3 pieces.
    void pieces() {
        const auto nests =
            nestsOfText("primfunc f(X, Y) outputs 1 {\n  buffer X: float32[4096, 64]\n  buffer Y: float32[4096, 64]\n"
                        "  for i in 4096 parallel @0 {\n    for j in 64 vectorized @0 {\n"
                        "      Y[i, j] = X[i, j] + 1:float32 @0\n    }\n  }\n}\n");
        QCOMPARE(costsOf(nests, wide()).front().chunks, 3.0);
    }

    void rows() {
        const Features features = featuresOf(nestsOfText(productText()), wide());
        const std::vector<std::string>& names = featureNames();
        QCOMPARE(features.row.size(), names.size());
        QCOMPARE(std::set<std::string>(names.begin(), names.end()).size(), names.size());
        for (const float value : features.row)
            QVERIFY(std::isfinite(value));
        const auto is = [&](const char* name, double value) {
            const double found = column(features, name);
            QVERIFY2(std::abs(found - value) < 1e-4 * (1 + value), qPrintable(QString("%1: %2").arg(name).arg(found)));
        };
        is("all.flops", std::log2(1 + 51200.0));
        is("loops.vectorized", std::log2(33.0));
        is("loops.parallelNumber", 1);
        is("written.lines", std::log2(17.0));
        is("read1.lines", std::log2(201.0));  // B, which has most
        is("read2.stride", std::log2(101.0)); // A: r moves it by a row
        // B meets itself in r: after 32 iterations of j, which touch 32 of C, 1 of A, 32 of B.
        is("read1.reuse", std::log2(5.0));
        is("read1.reuseIterations", std::log2(33.0));
        is("read1.reuseBytes", std::log2(261.0));
        // All of it: 51,200 FLOPs on 256 + 800 + 3200 elements.
        is("intensity10", std::log2(1 + 51200 / (4256 * 4.0)));
        is("asked.registers", 11.0 / 32);
        is("read3.lines", 0);
    }

    void namesDoNotCount() {
        const Features one = featuresOf(nestsOfText(productText("A")), wide()),
                       other = featuresOf(nestsOfText(productText("weights")), wide());
        QCOMPARE(one.row, other.row);
    }
};

Test test() {
    return {makes<TestFeatures>};
}

} // namespace lathe::testing::test_features

#include "test_features.moc"
