// SPDX-License-Identifier: Apache-2.0
//
// The walk down decision trees: each outcome of a comparison, votes by target, the three ways to join them, and tables that
// lead out of themselves, worked out by hand.
#include "support/program_of_tests.h"
#include "tests/topi/run.h"

#include <QtTest>

#include <limits>

namespace lathe::testing::test_trees {

using relay::Op;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

Value i32(std::vector<int64_t> shape, std::vector<double> data) {
    return typed(types::Int32, std::move(shape), std::move(data));
}

/// One node that compares column 0 with 2, under a set of outcomes: leaf 0 votes 10, leaf 1 votes 20.
std::vector<Value> stump(int outcomes) {
    return {f32({4, 1}, {1, 2, 3, nan}),
            i32({1, 4}, {0, double(outcomes), -1, -2}),
            f32({1}, {2}),
            i32({1}, {0}),
            i32({3}, {0, 1, 2}),
            i32({2}, {0, 0}),
            f32({2}, {10, 20})};
}

/// Two trees over two columns, the second a leaf alone; leaf 1 has two votes, leaf 2 none.
std::vector<Value> ensemble() {
    return {f32({3, 2}, {0, 0, 5, 0, 5, 9}),
            i32({2, 4}, {0, 3, -1, 1, 1, 1, -2, -3}),
            f32({2}, {4, 7}),
            i32({2}, {0, -4}),
            i32({5}, {0, 1, 3, 3, 4}),
            i32({4}, {0, 0, 1, 0}),
            f32({4}, {1, 2, 4, 8})};
}

relay::TreeAttrs attrsOf(const char* aggregate, int64_t targets) {
    relay::TreeAttrs attrs;
    attrs.aggregate = aggregate;
    attrs.targets = targets;
    return attrs;
}

} // namespace

class TestTrees : public QObject {
    Q_OBJECT
private slots:
    void outcomes() {
        for (int outcomes = 0; outcomes < 16; ++outcomes) {
            std::vector<double> expected;
            for (int row = 0; row < 4; ++row)
                expected.push_back((outcomes >> row & 1) != 0 ? 10 : 20);
            EXPECT(run(Op::TreeEnsemble, stump(outcomes), attrsOf("sum", 1)), ({4, 1}), expected);
        }
    }

    void votes() {
        for (const Dims dims : {Dims::Constant, Dims::Symbolic, Dims::Unknown}) {
            EXPECT(run(Op::TreeEnsemble, ensemble(), attrsOf("sum", 2), dims), ({3, 2}), {9, 0, 10, 4, 8, 0});
            EXPECT(run(Op::TreeEnsemble, ensemble(), attrsOf("min", 2), dims), ({3, 2}),
                   {1, infinity, 2, 4, 8, infinity});
            EXPECT(run(Op::TreeEnsemble, ensemble(), attrsOf("max", 2), dims), ({3, 2}),
                   {8, -infinity, 8, 4, 8, -infinity});
        }
    }

    void nothing() {
        std::vector<Value> noRows = ensemble(), noTrees = ensemble();
        noRows[0] = f32({0, 2}, {});
        EXPECT(run(Op::TreeEnsemble, noRows, attrsOf("sum", 2)), ({0, 2}), {});
        noTrees[3] = i32({0}, {});
        EXPECT(run(Op::TreeEnsemble, noTrees, attrsOf("sum", 1)), ({3, 1}), {0, 0, 0});
    }

    /// Each would read outside of a table, or never end.
    void tablesThatLeadNowhere() {
        struct Fault {
            size_t table, place;
            double entry;
        };
        const Fault faults[] = {{1, 0, 2},  {1, 0, -1}, {1, 3, 0}, {1, 3, 2}, {1, 2, -6}, {3, 0, 2},
                                {3, 1, -6}, {4, 0, -1}, {4, 1, 5}, {4, 1, 4}, {5, 0, 2},  {5, 0, -1}};
        for (const Fault& fault : faults) {
            std::vector<Value> args = ensemble();
            args[fault.table].data[fault.place] = fault.entry;
            QVERIFY2(!run(Op::TreeEnsemble, args, attrsOf("sum", 2)).error.empty(),
                     qPrintable(QString("%1[%2] = %3").arg(fault.table).arg(fault.place).arg(fault.entry)));
        }
    }
};

Test test() {
    return {makes<TestTrees>};
}

} // namespace lathe::testing::test_trees

#include "test_trees.moc"
