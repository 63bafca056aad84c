// SPDX-License-Identifier: Apache-2.0
//
// The analytic estimate against measured shares of peak of register tiles, and against what must hold of any machine.
#include "support/loop_text.h"
#include "support/program_of_tests.h"
#include "tune/prior.h"
#include "tune/quality.h"

#include <QTest>
#include <fmt/format.h>

namespace lathe::testing::test_prior {

using namespace lathe::tune;
using lathe::testing::read;

namespace {

/// A product over 256, in register tiles: accumulators beside the loop over k, operands in rows.
std::string tiled(int rows, int columns, int64_t m, int64_t n) {
    return fmt::format(
        "primfunc f(A, B, C) outputs 1 {{\n  buffer A: float32[{0}, 256]\n  buffer B: float32[256, {1}]\n"
        "  buffer C: float32[{0}, {1}]\n  for i in {2} @0 {{\n    for p in {3} @0 {{\n"
        "      allocate t: float32[{4}, {5}] local @0\n      seq @0 {{\n        for k in 256 @0 {{\n"
        "          for r in {4} unrolled @0 {{\n            for c in {5} vectorized @0 {{\n"
        "              t[r, c] = t[r, c] + A[i * {4} + r, k] * B[k, p * {5} + c] @0\n            }}\n          }}\n"
        "        }}\n        for r in {4} unrolled @0 {{\n          for c in {5} vectorized @0 {{\n"
        "            C[i * {4} + r, p * {5} + c] = t[r, c] @0\n          }}\n        }}\n      }}\n    }}\n  }}\n}}\n",
        m, n, m / rows, n / columns, rows, columns);
}

double usOf(const std::string& text, const MachineModel& machine) {
    const std::vector<Nest> nests = nestsOf(read(text), {});
    return priorUs(nests, costsOf(nests, machine), machine);
}

MachineModel machineOfBits(int bits) {
    MachineModel machine;
    machine.target.vectorBits = bits;
    machine.target.vectorRegisters = bits == 512 ? 32 : 16;
    machine.gflops = 4 * machine.lanes(32); // one gigahertz
    return machine;
}

struct Tile {
    int rows, columns;
    double share; // of peak, measured with operands in L1 and L2, K = 256
};
constexpr Tile avx512[] = {{6, 64, .995}, {4, 96, .994}, {8, 48, .995}, {10, 32, .992}, {12, 32, .992}, {14, 32, .991},
                           {4, 64, .993}, {8, 32, .993}, {8, 16, .87},  {2, 64, .69},   {1, 64, .35},   {1, 16, .12},
                           {16, 16, .93}, {24, 16, .95}, {28, 16, .95}, {7, 64, .78},   {15, 32, .73},  {8, 64, .58}};
constexpr Tile avx2[] = {{6, 16, .992}, {4, 24, .993}, {5, 16, .935}, {4, 16, .91}, {8, 8, .85},
                         {14, 8, .92},  {12, 8, .91},  {7, 16, .54},  {3, 32, .46}, {6, 24, .41}};

} // namespace

class TestPrior : public QObject {
    Q_OBJECT

private slots:
    void ranksTiles_data() {
        QTest::addColumn<std::vector<Tile>>("tiles");
        QTest::addColumn<int>("bits");
        QTest::newRow("512 bits, 32 registers") << std::vector<Tile>(std::begin(avx512), std::end(avx512)) << 512;
        QTest::newRow("256 bits, 16 registers") << std::vector<Tile>(std::begin(avx2), std::end(avx2)) << 256;
    }
    void ranksTiles() {
        QFETCH(std::vector<Tile>, tiles);
        QFETCH(int, bits);
        std::vector<double> scores, times;
        for (const Tile& tile : tiles) {
            const int64_t m = tile.rows * 4, n = tile.columns * 2;
            const double flops = 2.0 * 256 * static_cast<double>(m * n);
            const double us = usOf(tiled(tile.rows, tile.columns, m, n), machineOfBits(bits));
            const double share = flops / us / 1e3 / machineOfBits(bits).gflops;
            qInfo("%d x %d: %.3f, measured %.3f", tile.rows, tile.columns, share, tile.share);
            QVERIFY(share <= 1 && std::abs(share - tile.share) <= 0.3);
            scores.push_back(share);
            times.push_back(1 / tile.share);
        }
        const double rank = spearman(scores, times);
        QVERIFY2(rank >= 0.8, qPrintable(QString::number(rank)));
    }

    /// 1e9 multiply-adds of 8 lanes in two units at one gigahertz; a copy by what memory delivers.
    void roofs() {
        MachineModel machine = machineOfBits(256);
        machine.gbs = 4;
        QCOMPARE(machine.gigahertz(), 1.0);
        const double flops = 2.0 * 96 * 256 * 64, us = usOf(tiled(6, 16, 96, 64), machine);
        QVERIFY(us > flops / machine.gflops / 1e3 && us < 1.1 * flops / machine.gflops / 1e3);
        const std::string copy =
            "primfunc f(X, Y) outputs 1 {\n  buffer X: float32[16777216]\n  buffer Y: float32[16777216]\n"
            "  for i in 2097152 @0 {\n    for j in 8 vectorized @0 {\n      Y[i * 8 + j] = X[i * 8 + j] @0\n    }\n"
            "  }\n}\n";
        const double memory = 2 * 16777216 * 4.0 / 4 / 1e3; // 134 MB
        QVERIFY(std::abs(usOf(copy, machine) - memory) < 1e-6 * memory);
    }

    void threadsShareTheWork() {
        const auto text = [](const char* kind) {
            return fmt::format("primfunc f(X, Y) outputs 1 {{\n  buffer X: float32[256, 64]\n"
                               "  buffer Y: float32[256, 64]\n  for i in 256 {}@0 {{\n    for k in 64 @0 {{\n"
                               "      for j in 64 vectorized @0 {{\n"
                               "        Y[i, j] = Y[i, j] + exp:float32(X[i, j]) @0\n      }}\n    }}\n  }}\n}}\n",
                               kind);
        };
        MachineModel machine = machineOfBits(256);
        const double alone = usOf(text(""), machine);
        QVERIFY(usOf(text("parallel "), machine) > alone);
        machine.threads = 2;
        const double both = usOf(text("parallel "), machine);
        QVERIFY(both > alone / 2 && both < 0.6 * alone);
        machine.threads = 1000; // no more than there are pieces
        QVERIFY(usOf(text("parallel "), machine) >= alone / 64);
    }
};

Test test() {
    return {makes<TestPrior>};
}

} // namespace lathe::testing::test_prior

#include "test_prior.moc"
