// SPDX-License-Identifier: Apache-2.0
//
// Extents of tiles: each is known as far out as its variables are, and no farther.
#include "support/loop_text.h"
#include "support/program_of_tests.h"
#include "tir/transform/dynamic_extents.h"

#include <QTest>

namespace lathe::testing::test_dynamic_extents {

using namespace lathe::tir;
using lathe::testing::read;

namespace {

/// "min(n, 8) vectorized, …"
std::string listOf(const std::vector<DynamicExtent>& extents) {
    std::string text;
    for (const DynamicExtent& extent : extents)
        text += (text.empty() ? "" : ", ") + arith::toString(extent.extent) +
                (extent.unrolled ? " unrolled" : " vectorized");
    return text;
}

} // namespace

class TestDynamicExtents : public QObject {
    Q_OBJECT

private slots:
    void eachIsKnownWhereItsVariablesAre() {
        const PrimFuncPtr function = read(R"(primfunc f(X, Y, n) outputs 1 {
  var n: index[1, 64]
  buffer X: float32[n]
  buffer Y: float32[n]
  for t in n @0 {
    let rest = n - t @0
    seq @0 {
      for i in min(rest, 12) vectorized @0 {
        Y[t + i] = X[t + i] @0
      }
      for j in min(n, 8) vectorized @0 {
        Y[j] = X[j] @0
      }
      for k in min(rest, 12) unrolled @0 {
        Y[t + k] = X[t + k] @0
      }
      for four in 4 unrolled @0 {
        Y[0] = X[0] @0
      }
      for last in rest @0 {
        Y[t + last] = X[t + last] @0
      }
    }
  }
}
)");
        DynamicExtents extents;
        const For* tiles = function->body->as<For>();
        const Let* let = tiles->body->as<Let>();
        QCOMPARE(listOf(extents.of(function->body)).c_str(), "min(n, 8) vectorized");
        QCOMPARE(listOf(extents.of(tiles->body)).c_str(), "min(n, 8) vectorized");
        QCOMPARE(listOf(extents.of(let->body)).c_str(), "min(rest, 12) unrolled, min(n, 8) vectorized");
        QCOMPARE(listOf(extents.of(let->body->as<Seq>()->stmts[1])).c_str(), "min(n, 8) vectorized");
        QCOMPARE(listOf(extents.of(let->body->as<Seq>()->stmts[4])).c_str(), "");
    }
};

Test test() {
    return {makes<TestDynamicExtents>};
}

} // namespace lathe::testing::test_dynamic_extents

#include "test_dynamic_extents.moc"
