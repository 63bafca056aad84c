// SPDX-License-Identifier: Apache-2.0
//
// Two profiles of one model compiled in two ways: rows belong together by the nodes that they compute.
#include "inspect/profile_diff.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_profile_diff {

class TestProfileDiff : public QObject {
    Q_OBJECT

    static inspect::ProfileRow row(const char* function, double ms, std::vector<int32_t> nodes, double spread = 0) {
        inspect::ProfileRow result;
        result.function = function;
        result.ms = ms;
        result.nodes = std::move(nodes);
        result.spread = spread;
        return result;
    }

private slots:
    void rowsArePairedByTheirNodes() {
        inspect::Profile before, after;
        // Node 9 is a constant that both functions before read; it pairs nothing.
        before.rows = {row("conv_relu", 4, {1, 2, 9}), row("softmax", 1, {3, 9})};
        after.rows = {row("relu", 1.5, {2}), row("conv", 3, {1, 9}), row("softmax_renamed", 1, {3})};
        const auto changes = inspect::changesOf(before, after);
        QCOMPARE(changes.size(), size_t{2});
        QCOMPARE(changes[0].before, std::vector<int>{0});
        QCOMPARE(changes[0].after, (std::vector<int>{0, 1}));
        QCOMPARE(changes[0].nodes, (std::vector<int32_t>{1, 2, 9}));
        QCOMPARE(changes[0].differenceMs(), 0.5);
        QCOMPARE(changes[1].before, std::vector<int>{1});
        QCOMPARE(changes[1].after, std::vector<int>{2});
        QCOMPARE(changes[1].differenceMs(), 0.0);
    }

    /// One node became a reduction and a copy of its result: each is paired with its like.
    void severalFunctionsOfANodeArePairedByTheirKernels() {
        inspect::Profile before, after;
        before.rows = {row("reduce_1", 3, {4}), row("copy_2", 1, {4})};
        after.rows = {row("copy_7", 1, {4}), row("reduce_8", 2, {4})};
        before.rows[0].kernel = after.rows[1].kernel = "reduce";
        before.rows[1].kernel = after.rows[0].kernel = "copy";
        const auto changes = inspect::changesOf(before, after);
        QCOMPARE(changes.size(), size_t{2});
        QCOMPARE(changes[0].differenceMs(), -1.0);
        QCOMPARE(changes[1].differenceMs(), 0.0);
    }

    void whatHasNoCounterpartStandsAlone() {
        inspect::Profile before, after;
        before.rows = {row("folded_now", 2, {5})};
        after.rows = {row("new", 1, {6})};
        const auto changes = inspect::changesOf(before, after);
        QCOMPARE(changes.size(), size_t{2});
        QVERIFY(changes[0].after.empty() && changes[0].differenceMs() == -2);
        QVERIFY(changes[1].before.empty() && changes[1].differenceMs() == 1);
    }

    void aDifferenceWithinTheSpreadSaysNothing() {
        inspect::Profile before, after;
        before.rows = {row("f", 2.0, {1}, 0.4)};
        after.rows = {row("f", 2.25, {1}, 0.2)};
        QVERIFY(!inspect::changesOf(before, after).front().beyondNoise()); // 0.25 of 0.3
        after.rows.front().ms = 2.35;
        QVERIFY(inspect::changesOf(before, after).front().beyondNoise());
        before.lowMs = 1, before.highMs = 3;
        after.lowMs = 2.5, after.highMs = 4;
        QVERIFY(!inspect::differs(before, after));
        after.lowMs = 3.1;
        QVERIFY(inspect::differs(before, after) && inspect::differs(after, before));
    }
};

Test test() {
    return {makes<TestProfileDiff>};
}

} // namespace lathe::testing::test_profile_diff

#include "test_profile_diff.moc"
