// SPDX-License-Identifier: Apache-2.0
//
// Parameters of operators that are inputs of the model: axes, scales, shapes of a length that only running tells. Values
// by the operators' definitions; ONNX's own tests have more parameters, each of a known length.
// Needs: lathe-runner
// Links: onnx
#include "support/model_result.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <array>
#include <fmt/format.h>
#include <set>

namespace lathe::testing::test_parameter_operands {

namespace {

using Ints = std::vector<int64_t>;

constexpr std::array<int64_t, 3> sizes = {2, 3, 4};

/// 0, 1, … of shape [2, 3, 4].
model::HostTensor counting() {
    Values x(24);
    for (size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i);
    return tensorOf(types::Float32, {2, 3, 4}, x);
}

model::HostTensor integers(const Ints& values) {
    return tensorOf(types::Int64, {static_cast<int64_t>(values.size())}, values);
}

/// Its sums over axes, from the definition.
Values sumsOver(const std::set<int64_t>& axes) {
    const auto kept = [&](int64_t axis) { return axes.contains(axis) ? 1 : sizes[static_cast<size_t>(axis)]; };
    Values sums(static_cast<size_t>(kept(0) * kept(1) * kept(2)));
    for (int64_t i = 0; i < 24; ++i) {
        const Ints at = {i / 12, i / 4 % 3, i % 4};
        int64_t place = 0;
        for (int64_t axis = 0; axis < 3; ++axis)
            place = place * kept(axis) + (axes.contains(axis) ? 0 : at[static_cast<size_t>(axis)]);
        sums[static_cast<size_t>(place)] += static_cast<float>(i);
    }
    return sums;
}

} // namespace

class TestParameterOperands : public QObject {
    Q_OBJECT

private slots:
    void axesOfReductions_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<Ints>("axes");
        QTest::addColumn<Ints>("reduced");
        QTest::addColumn<Ints>("shape");
        const QString kept = "g (float[2,3,4] x, int64[n] a) => (float[p,q,r] y) { y = ReduceSum (x, a) }";
        QTest::newRow("one") << kept << Ints{-2} << Ints{1} << Ints{2, 1, 4};
        QTest::newRow("two, not in order") << kept << Ints{2, 0} << Ints{0, 2} << Ints{1, 3, 1};
        QTest::newRow("none are all") << kept << Ints{} << Ints{0, 1, 2} << Ints{1, 1, 1};
        QTest::newRow("none are none")
            << "g (float[2,3,4] x, int64[n] a) => (float[p,q,r] y) { y = ReduceSum <noop_with_empty_axes = 1> (x, a) }"
            << Ints{} << Ints{} << Ints{2, 3, 4};
        QTest::newRow("as many as are declared")
            << "g (float[2,3,4] x, int64[n] a) => (float[p] y) { y = ReduceSum <keepdims = 0> (x, a) }" << Ints{0, -1}
            << Ints{0, 2} << Ints{3};
        QTest::newRow("one, dropped")
            << "g (float[2,3,4] x, int64[1] a) => (float[p,q] y) { y = ReduceSum <keepdims = 0> (x, a) }" << Ints{1}
            << Ints{1} << Ints{2, 4};
    }
    void axesOfReductions() {
        QFETCH(QString, graph);
        QFETCH(Ints, axes);
        QFETCH(Ints, reduced);
        QFETCH(Ints, shape);
        std::string problem;
        const auto result = resultOf(graph.toStdString(), {{"x", counting()}, {"a", integers(axes)}}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(result.shape, shape);
        QCOMPARE(valuesOf<float>(result), sumsOver({reduced.begin(), reduced.end()}));
    }

    void axesThatAreNone_data() {
        QTest::addColumn<Ints>("axes");
        QTest::newRow("beyond the dims") << Ints{0, 3};
        QTest::newRow("twice") << Ints{1, -2};
    }
    void axesThatAreNone() {
        QFETCH(Ints, axes);
        std::string problem;
        resultOf("g (float[2,3,4] x, int64[2] a) => (float[p,q,r] y) { y = ReduceMax (x, a) }",
                 {{"x", counting()}, {"a", integers(axes)}}, problem);
        QVERIFY2(problem.contains("the axes are dims of the operand"), problem.c_str());
    }

    /// Which rank the result has nobody says.
    void ranksThatNothingTells() {
        std::string problem;
        resultOf("g (float[2,3,4] x, int64[n] a) => (float y) { z = ReduceSum <keepdims = 0> (x, a) "
                 "y = ReduceSum <keepdims = 0> (z) }",
                 {}, problem);
        QVERIFY2(problem.contains("declare the result's rank"), problem.c_str());
    }

    /// By a scale that is not constant sizes follow, and positions by the scale itself: 4 by 0.6 are 2.
    void scales() {
        Values x(16);
        for (size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<float>(i + 1);
        std::string problem;
        const auto result = resultOf(
            "g (float[1,1,h,w] x, float[n] s) => (float[a,b,c,d] y) { y = Resize <mode = \"linear\"> (x, , s) }",
            {{"x", tensorOf(types::Float32, {1, 1, 4, 4}, x)},
             {"s", tensorOf(types::Float32, {4}, Values{1, 1, 0.6F, 0.6F})}},
            problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(result.shape, (Ints{1, 1, 2, 2}));
        const Values y = valuesOf<float>(result), expected = {2.6666667F, 4.3333333F, 9.3333333F, 11};
        for (size_t i = 0; i < expected.size(); ++i)
            QVERIFY2(std::abs(y[i] - expected[i]) < 1e-5F, qPrintable(QString::number(y[i])));
    }

    void listsOfUnknownLength_data() {
        QTest::addColumn<QString>("node");
        QTest::addColumn<Ints>("list");
        QTest::addColumn<Ints>("shape");
        QTest::newRow("reshape") << "Reshape (x, a)" << Ints{4, -1, 2} << Ints{4, 3, 2};
        QTest::newRow("expand by fewer dims") << "Expand (x, a)" << Ints{1, 4} << Ints{2, 3, 4};
        QTest::newRow("tile") << "Tile (x, a)" << Ints{2, 1, 1} << Ints{4, 3, 4};
        QTest::newRow("pad") << "Pad (x, a)" << Ints{0, 1, 0, 0, 0, 2} << Ints{2, 4, 6};
        QTest::newRow("slice the first dims") << "Slice (x, a, a2)" << Ints{1, 1} << Ints{1, 2, 4};
    }
    void listsOfUnknownLength() {
        QFETCH(QString, node);
        QFETCH(Ints, list);
        QFETCH(Ints, shape);
        std::string problem;
        const auto result = resultOf(fmt::format("g (float[2,3,4] x, int64[n] a) => (float[p,q,r] y) {{ "
                                                 "c = Constant <value = int64 {{100}}> () a2 = Add (a, c) y = {} }}",
                                                 node.toStdString()),
                                     {{"x", counting()}, {"a", integers(list)}}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(result.shape, shape);
    }

    /// The last window holds one element: 5 of it alone.
    void normsInCeilMode() {
        std::string problem;
        const auto result = resultOf("g (float[1,1,5] x) => (float[1,1,3] y) "
                                     "{ y = LpPool <kernel_shape = [2], strides = [2], ceil_mode = 1> (x) }",
                                     {1, 1, 5}, {3, 4, 0, 0, 5}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(valuesOf<float>(result), (Values{5, 0, 5}));
    }

    /// What is not trained is whole, whatever the ratio.
    void modesOfDropout() {
        for (const bool trains : {false, true}) {
            std::string problem;
            const auto result = resultOf("g (float[2,3,4] x, float r, bool t) => (float[2,3,4] y) "
                                         "{ y = Dropout <seed = 1> (x, r, t) }",
                                         {{"x", counting()},
                                          {"r", tensorOf(types::Float32, {}, Values{0.5F})},
                                          {"t", tensorOf(types::Bool, {}, std::vector<uint8_t>{trains})}},
                                         problem);
            QVERIFY2(problem.empty(), problem.c_str());
            const Values x = valuesOf<float>(counting()), y = valuesOf<float>(result);
            int dropped = 0;
            for (size_t i = 1; i < x.size(); ++i) {
                dropped += y[i] == 0;
                QVERIFY(y[i] == (trains ? 2 * x[i] : x[i]) || (trains && y[i] == 0));
            }
            QCOMPARE(dropped > 0 && dropped < 23, trains);
        }
    }
};

Test test() {
    return {makes<TestParameterOperands>};
}

} // namespace lathe::testing::test_parameter_operands

#include "test_parameter_operands.moc"
