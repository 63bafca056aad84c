// SPDX-License-Identifier: Apache-2.0
// What loops cost: counted by hand for a product of matrices.
#include "lower/loop_nest.h"
#include "support/program_of_tests.h"
#include "tir/text.h"

#include <QTest>

namespace lathe::testing::test_loop_nest {

class TestLoopNest : public QObject {
    Q_OBJECT

    static const lower::LoopCost& find(const lower::LoopCost& cost, const std::string& name) {
        static const lower::LoopCost none;
        if (cost.name == name)
            return cost;
        for (const lower::LoopCost& each : cost.inside)
            if (const lower::LoopCost& found = find(each, name); !found.name.empty())
                return found;
        return none;
    }

private slots:
    void aProductIsCounted() {
        const auto function = tir::parsePrimFunc(R"(primfunc matmul(A, B, C) outputs 1 {
  buffer A: float32[8, 32]
  buffer B: float32[32, 16]
  buffer C: float32[8, 16]
  for i in 8 parallel @1 {
    for j in 16 @1 {
      for k in 32 @1 {
        block matmul @1 {
          iter vi spatial 8 = i
          iter vj spatial 16 = j
          iter vk reduce 32 = k
          reads A[vi for 1, vk for 1]
          reads B[vk for 1, vj for 1]
          writes C[vi for 1, vj for 1]
          init {
            C[vi, vj] = 0:float32 @1
          }
          C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj] @1
        }
      }
    }
  }
}
)");
        QVERIFY2(function, function ? "" : toString(function.error()).c_str());
        const lower::LoopCost cost = lower::loopCosts(**function);
        QCOMPARE(cost.runs, std::optional<int64_t>(1));
        QCOMPARE(cost.flops, std::optional(2.0 * 8 * 16 * 32));
        QCOMPARE(cost.touched, std::optional<int64_t>(4 * (8 * 32 + 32 * 16 + 8 * 16)));
        const lower::LoopCost& rows = find(cost, "i");
        QCOMPARE(rows.trips, std::optional<int64_t>(8));
        QCOMPARE(rows.touched, cost.touched);
        const lower::LoopCost& columns = find(cost, "j"); // one row of a, all of b, one row of the result
        QCOMPARE(columns.trips, std::optional<int64_t>(16));
        QCOMPARE(columns.runs, std::optional<int64_t>(8 * 16));
        QCOMPARE(columns.touched, std::optional<int64_t>(4 * (32 + 32 * 16 + 16)));
        const lower::LoopCost& sum = find(cost, "k"); // a row of a, a column of b, one element
        QCOMPARE(sum.runs, std::optional<int64_t>(8 * 16 * 32));
        QCOMPARE(sum.touched, std::optional<int64_t>(4 * (32 + 32 + 1)));
        QCOMPARE(sum.accessed, std::optional(4.0 * 4 * 8 * 16 * 32)); // a, b, the sum read and written
    }

    /// A window that overlaps with the next one: the whole box counts once. A size that is not known leaves gaps.
    void windowsAndOpenSizes() {
        const auto function = tir::parsePrimFunc(R"(primfunc sums(X, Y, n) outputs 1 {
  var n: index[0, 1048576]
  buffer X: float32[n]
  buffer Y: float32[64]
  for i in 64 @0 {
    for j in 3 @0 {
      Y[i] = Y[i] + X[i * 2 + j] @0
    }
  }
  for l in n @1 {
    Y[0] = X[l] @1
  }
}
)");
        QVERIFY2(function, function ? "" : toString(function.error()).c_str());
        const lower::LoopCost cost = lower::loopCosts(**function);
        QCOMPARE(find(cost, "j").touched, std::optional<int64_t>(4 * (3 + 1)));
        QCOMPARE(find(cost, "i").touched, std::optional<int64_t>(4 * (63 * 2 + 3 + 64)));
        QCOMPARE(find(cost, "i").flops, std::optional(64.0 * 3));
        QVERIFY(!find(cost, "l").trips && !find(cost, "l").runs);
        QVERIFY(!cost.flops);
        QVERIFY(!find(cost, "l").touched && !cost.touched); // and not what 1048576 elements would be
        const arith::ExprNode* size = (*function)->params[2].scalar.get();
        const lower::LoopCost known = lower::loopCosts(**function, {{size, 1000}});
        QCOMPARE(find(known, "l").trips, std::optional<int64_t>(1000));
        QCOMPARE(find(known, "l").touched, std::optional<int64_t>(4 * (1000 + 1)));
        QCOMPARE(known.flops, std::optional(64.0 * 3));
        QCOMPARE(known.touched, std::optional<int64_t>(4 * (1000 + 64)));
    }

    /// In one turn of a loop without a known end stands what is known of it, and what data says where is within its buffer.
    void insideOfOpenLoops() {
        const auto function = tir::parsePrimFunc(R"(primfunc rows(X, I, T, Y, n) outputs 1 {
  var n: index[0, 1048576]
  buffer X: float32[n, 8]
  buffer I: int32[8]
  buffer T: float32[32]
  buffer Y: float32[n, 8]
  for i in n @0 {
    for j in 8 @0 {
      Y[i, j] = X[i, j] + T[cast:index(I[j])] @0
    }
  }
  for k in 8 @1 {
    Y[0, k] = X[cast:index(I[k]), k] @1
  }
}
)");
        QVERIFY2(function, function ? "" : toString(function.error()).c_str());
        const lower::LoopCost cost = lower::loopCosts(**function);
        QCOMPARE(find(cost, "j").touched, std::optional<int64_t>(4 * (8 + 8 + 8 + 32)));
        QVERIFY(!find(cost, "i").touched);
        QVERIFY(!find(cost, "k").touched); // rows of X, but how many are there?
        const lower::LoopCost known = lower::loopCosts(**function, {{(*function)->params[4].scalar.get(), 5}});
        QCOMPARE(find(known, "i").touched, std::optional<int64_t>(4 * (5 * 8 + 5 * 8 + 8 + 32)));
        QCOMPARE(find(known, "k").touched, std::optional<int64_t>(4 * (8 + 5 * 8 + 8)));
    }

    /// Tails of split loops, branches and triangles: what does not run does not count. 28 rows are 4 times 6 and a 4.
    void conditionsAreCounted() {
        const auto function = tir::parsePrimFunc(R"(primfunc guarded(X, Y) outputs 1 {
  buffer X: float32[64, 28]
  buffer Y: float32[64, 28]
  for x in 320 parallel @0 {
    for r in 6 @0 {
      block tail @0 {
        iter vi spatial 64 = floordiv(x, 5)
        iter vj spatial 28 = floormod(x, 5) * 6 + r
        where floormod(x, 5) * 6 + r < 28
        reads X[vi for 1, vj for 1]
        writes Y[vi for 1, vj for 1]
        Y[vi, vj] = X[vi, vj] + X[vi, vj] @0
      }
    }
  }
  for i in 10 @1 {
    if i < 3 @1 {
      Y[0, i] = X[0, i] @1
    } else {
      Y[1, i] = X[0, i] @1
    }
  }
  for k in 8 @2 {
    for l in k + 1 @2 {
      Y[k, l] = X[k, l] * X[l, k] @2
    }
  }
}
)");
        QVERIFY2(function, function ? "" : toString(function.error()).c_str());
        const lower::LoopCost cost = lower::loopCosts(**function);
        QVERIFY(!cost.workAtMost);
        QCOMPARE(find(cost, "r").runs, std::optional<int64_t>(320 * 6)); // of its body, which then asks
        QCOMPARE(find(cost, "tail").runs, std::optional<int64_t>(64 * 28));
        QCOMPARE(find(cost, "x").flops, std::optional(64.0 * 28));
        QCOMPARE(find(cost, "x").accessed, std::optional(64.0 * 28 * 3 * 4));
        const lower::LoopCost& branches = find(cost, "i");
        QCOMPARE(branches.inside.size(), size_t(2));
        QCOMPARE(branches.inside[0].runs, std::optional<int64_t>(3));
        QCOMPARE(branches.inside[1].runs, std::optional<int64_t>(7));
        QCOMPARE(find(cost, "l").runs, std::optional<int64_t>(36));
        QCOMPARE(cost.flops, std::optional(64.0 * 28 + 36));
    }

    /// What data decides is an upper bound, and says so.
    void conditionsOnDataAreBounds() {
        const auto function = tir::parsePrimFunc(R"(primfunc data(X, Y) outputs 1 {
  buffer X: float32[64]
  buffer Y: float32[64]
  for i in 64 @0 {
    if X[i] < 0:float32 @0 {
      Y[i] = X[i] + X[i] @0
    }
  }
}
)");
        QVERIFY2(function, function ? "" : toString(function.error()).c_str());
        const lower::LoopCost cost = lower::loopCosts(**function);
        QVERIFY(cost.workAtMost && !cost.runsAtMost);
        QCOMPARE(cost.flops, std::optional(64.0));
        QVERIFY(!cost.inside.empty() && cost.inside[0].runs == 64 && !cost.inside[0].runsAtMost);
        QVERIFY(find(cost, "Y").runsAtMost);
    }
};

Test test() {
    return {makes<TestLoopNest>};
}

} // namespace lathe::testing::test_loop_nest

#include "test_loop_nest.moc"
