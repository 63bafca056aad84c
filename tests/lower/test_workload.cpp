// SPDX-License-Identifier: Apache-2.0
// Workload keys: what they depend on, what they do not, and that the text which is hashed stays what it is.
#include "lower/workload.h"
#include "support/program_of_tests.h"
#include "te/te.h"
#include "tir/text.h"

#include <QTest>

namespace lathe::testing::test_workload {

using arith::Expr;

namespace {

/// Rows of x times a factor, summed; the names and the origin say nothing of what is computed.
tir::PrimFuncPtr function(const std::string& prefix, int origin, const Expr& columns, double factor = 2) {
    auto x = te::placeholder(prefix + "x", types::Float32, {4, columns});
    auto scaled = te::compute(
        prefix + "scaled", {4, columns},
        [&](auto& i) { return (*x)({i[0], i[1]}) * arith::floatImm(factor, types::Float32); }, origin);
    auto sum = te::reduce(
        prefix + "sum", {4}, te::ReduceKind::Sum, {columns}, [&](auto& i, auto& r) { return (*scaled)({i[0], r[0]}); },
        origin);
    return te::toTir(prefix + "function", {x}, {sum}, {});
}

} // namespace

/// Of function("p", 1, 8), below.
const char* agreed = R"(primfunc f(m, m_1) outputs 1 {
  buffer m: float32[4, 8]
  buffer m_1: float32[4]
  allocate m_2: float32[4, 8] workspace
  for v in 4 {
    for v_1 in 8 {
      block b0 {
        iter v_2 spatial 4 = v
        iter v_3 spatial 8 = v_1
        reads m[v_2 for 1, v_3 for 1]
        writes m_2[v_2 for 1, v_3 for 1]
        m_2[v_2, v_3] = m[v_2, v_3] * 2:float32
      }
    }
  }
  for v_4 in 4 {
    for v_5 in 8 {
      block b1 {
        iter v_6 spatial 4 = v_4
        iter v_7 reduce 8 = v_5
        reads m_2[v_6 for 1, v_7 for 1]
        writes m_1[v_6 for 1]
        init {
          m_1[v_6] = 0:float32
        }
        m_1[v_6] = m_1[v_6] + m_2[v_6, v_7]
      }
    }
  }
}
)";

class TestWorkload : public QObject {
    Q_OBJECT

private slots:
    void namesAndOriginsDoNotCount() {
        const Target target;
        QCOMPARE(lower::workloadText(*function("a_", 0, 8)), lower::workloadText(*function("other ", 3, 8)));
        QVERIFY(lower::workloadOf(*function("a_", 0, 8), target) ==
                lower::workloadOf(*function("other ", 3, 8), target));
    }

    void computationAndTargetCountApart() {
        Target target;
        const lower::Workload one = lower::workloadOf(*function("", 0, 8), target);
        const lower::Workload longer = lower::workloadOf(*function("", 0, 9), target);
        const lower::Workload tripled = lower::workloadOf(*function("", 0, 8, 3), target);
        QVERIFY(one.computation != longer.computation && one.computation != tripled.computation);
        QVERIFY(one.target == longer.target);
        for (const auto change : {+[](Target& t) { t.l2Bytes *= 2; }, +[](Target& t) { t.cores += 1; },
                                  +[](Target& t) { t.vectorBits *= 2; }, +[](Target& t) { t.features = "+avx512f"; }}) {
            target = {};
            change(target);
            const lower::Workload there = lower::workloadOf(*function("", 0, 8), target);
            QVERIFY(there.computation == one.computation && there.target != one.target);
        }
        QCOMPARE(toString(one), toString(one.computation) + "-" + toString(one.target));
    }

    void theTextReadsBack() {
        const tir::PrimFuncPtr made = function("p", 1, arith::symbol("n", 1, 64));
        auto read = tir::parsePrimFunc(lower::workloadText(*made));
        QVERIFY2(read, read ? "" : toString(read.error()).c_str());
        QCOMPARE(lower::workloadText(**read), lower::workloadText(*made));
    }

    /// If this text changes, keys of records change with it: raise the format number in lower/workload.cpp.
    void theTextIsWhatWasAgreed() {
        const std::string text = lower::workloadText(*function("p", 1, 8));
        QVERIFY2(text == agreed, text.c_str());
    }
};

Test test() {
    return {makes<TestWorkload>};
}

} // namespace lathe::testing::test_workload

#include "test_workload.moc"
