// SPDX-License-Identifier: Apache-2.0
//
// Operators of float16 and bfloat16 compute in float32 and round once: parts of what fits may be beyond the type, or lie
// between its values. Values by hand and by formula.
// Needs: lathe-runner
// Links: onnx
#include "support/model_result.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace lathe::testing::test_narrow_operators {

class TestNarrowOperators : public QObject {
    Q_OBJECT

private slots:
    /// Nodes from h, which is x in a narrow type (%1 is its number), to r.
    void narrowOperatorsRoundOnce_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QString>("dims");
        QTest::addColumn<QList<float>>("x");
        QTest::addColumn<QList<float>>("expected");
        constexpr int float16 = 10, bfloat16 = 16;
        const auto constants = [](const std::vector<std::array<const char*, 3>>& each) {
            std::string nodes;
            for (const auto& [name, dims, values] : each)
                nodes += fmt::format("{0}f = Constant <value = float[{1}] {{{2}}}> () {0} = Cast <to = %1> ({0}f) ",
                                     name, dims, values);
            return QString::fromStdString(nodes);
        };
        QTest::newRow("Gemm, alpha") << float16
                                     << constants({{"v", "2,1", "500, 500"}}) + "r = Gemm <alpha = 0.01> (h, v)"
                                     << "1,2" << QList<float>{500, 500} << QList<float>{5000};
        QTest::newRow("Gemm, beta") << float16
                                    << constants({{"v", "2,1", "100, 100"}, {"c", "1", "30000"}}) +
                                           "r = Gemm <beta = 3.0> (h, v, c)"
                                    << "1,2" << QList<float>{-250, -250} << QList<float>{40000};
        QTest::newRow("Gemm, sum") << float16
                                   << constants({{"v", "2,1", "100, 100"}, {"c", "1", "60000"}}) + "r = Gemm (h, v, c)"
                                   << "1,2" << QList<float>{-400, -400} << QList<float>{-20000};
        // 2049 and 257 lie between two values, and go to the even one.
        QTest::newRow("Gemm, float16 rounds once")
            << float16 << constants({{"v", "2,1", "1, 1"}, {"c", "1", "0.5"}}) + "r = Gemm (h, v, c)" << "1,2"
            << QList<float>{2048, 1} << QList<float>{2050};
        QTest::newRow("Gemm, bfloat16 rounds once")
            << bfloat16 << constants({{"v", "2,1", "1, 1"}, {"c", "1", "0.5"}}) + "r = Gemm (h, v, c)" << "1,2"
            << QList<float>{256, 1} << QList<float>{258};
        QTest::newRow("Conv") << float16
                              << constants({{"v", "1,2,1", "100, 100"}, {"c", "1", "60000"}}) + "r = Conv (h, v, c)"
                              << "1,2,1" << QList<float>{-500, -500} << QList<float>{-40000};
        QTest::newRow("ConvTranspose") << float16
                                       << constants({{"v", "2,1,1", "100, 100"}, {"c", "1", "60000"}}) +
                                              "r = ConvTranspose (h, v, c)"
                                       << "1,2,1" << QList<float>{-500, -500} << QList<float>{-40000};
        QTest::newRow("ConvTranspose, by phases")
            << float16
            << constants({{"v", "2,1,2", "100, 90, 100, 90"}, {"c", "1", "60000"}}) +
                   "r = ConvTranspose <strides = [2]> (h, v, c)"
            << "1,2,1" << QList<float>{-500, -500} << QList<float>{-40000, -30000};
        const QString normalized = "r = BatchNormalization <epsilon = 0.0> (h, s, b, m, v)";
        QTest::newRow("BatchNormalization")
            << float16
            << constants({{"s", "1", "100"}, {"b", "1", "0"}, {"m", "1", "59968"}, {"v", "1", "1"}}) + normalized
            << "1,1,1" << QList<float>{60000} << QList<float>{3200};
        QTest::newRow("BatchNormalization, variance beyond float16")
            << float16
            << constants({{"s", "1", "1000"}, {"b", "1", "0"}}) +
                   "m = Constant <value = float[1] {0}> () v = Constant <value = float[1] {1000000}> () " + normalized
            << "1,1,1" << QList<float>{2000} << QList<float>{2000};
        QTest::newRow("RNN") << float16
                             << constants({{"w", "1,1,1", "250"}, {"q", "1,1,1", "0"}, {"b", "1,2", "-60000, 0"}}) +
                                    "r = RNN <hidden_size = 1, activations = [\"Relu\"]> (h, w, q, b)"
                             << "2,1,1" << QList<float>{400, 300} << QList<float>{40000, 15000};
        // 3 x = 1 + 2^-11 lies between two values, and goes to 1.
        QTest::newRow("HardSigmoid") << float16 << "r = HardSigmoid <alpha = 3.0, beta = -1.0> (h)"
                                     << "1" << QList<float>{1366 / 4096.0F} << QList<float>{0x1p-11F};
        const QString zero = "z = Constant <value = float16[1] {0}> () ";
        QTest::newRow("ScatterElements") << float16
                                         << zero + "d = Constant <value = int64[1] {3000}> () "
                                                   "i = ConstantOfShape <value = int64[1] {0}> (d) "
                                                   "r = ScatterElements <reduction = \"add\"> (z, i, h)"
                                         << "3000" << QList<float>(3000, 1) << QList<float>{3000};
        QTest::newRow("ScatterND") << float16
                                   << zero + "d = Constant <value = int64[2] {3000, 1}> () "
                                             "i = ConstantOfShape <value = int64[1] {0}> (d) "
                                             "r = ScatterND <reduction = \"add\"> (z, i, h)"
                                   << "3000" << QList<float>(3000, 1) << QList<float>{3000};
    }
    void narrowOperatorsRoundOnce() {
        QFETCH(int, type);
        QFETCH(QString, nodes);
        QFETCH(QString, dims);
        QFETCH(QList<float>, x);
        QFETCH(QList<float>, expected);
        std::vector<int64_t> shape;
        for (const QString& dim : dims.split(','))
            shape.push_back(dim.toLongLong());
        for (const auto numerics : {driver::NumericsLevel::Default, driver::NumericsLevel::Strict}) {
            std::string problem;
            const auto result = resultOf(fmt::format("g (float[{0}] x) => (float[n] y) {{ h = Cast <to = {1}> (x) {2} "
                                                     "k = Constant <value = int64[1] {{-1}}> () e = Reshape (r, k) "
                                                     "y = Cast <to = 1> (e) }}",
                                                     dims.toStdString(), type,
                                                     QString(nodes).replace("%1", QString::number(type)).toStdString()),
                                         shape, Values(x.begin(), x.end()), problem, 21, numerics);
            QVERIFY2(problem.empty(), problem.c_str());
            QCOMPARE(valuesOf<float>(result), Values(expected.begin(), expected.end()));
        }
    }

    void narrowSquaresDoNotOverflow_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QList<float>>("x");
        QTest::addColumn<QList<float>>("expected");
        const auto many = [](float value, int count) { return QList<float>(count, value); };
        QTest::newRow("ReduceL2") << "ReduceL2" << many(100, 4096) << QList<float>{6400};
        QTest::newRow("LpNormalization") << "LpNormalization" << QList<float>{300, 400} << QList<float>{0.6F, 0.8F};
        QTest::newRow("GlobalLpPool") << "GlobalLpPool" << QList<float>{3000, 4000} << QList<float>{5000};
        QTest::newRow("LpPool") << "LpPool <kernel_shape = [2]>" << QList<float>{3000, 4000} << QList<float>{5000};
        QTest::newRow("Sum") << "Sum" << QList<float>{40000} << QList<float>{40000};
        QTest::newRow("Mean") << "Mean" << QList<float>{40000} << QList<float>{40000 / 3.0F};
        QTest::newRow("ReduceLogSum") << "ReduceLogSum" << many(30000, 4) << QList<float>{11.6953F}; // log(120000)
        QTest::newRow("ReduceLogSumExp") << "ReduceLogSumExp" << many(0, 70000) << QList<float>{11.1563F}; // log(70000)
        QTest::newRow("InstanceNormalization")
            << "InstanceNormalization" << QList<float>{30000, -30000} << QList<float>{1, -1};
        QTest::newRow("InstanceNormalization, of one element")
            << "InstanceNormalization" << QList<float>{30000} << QList<float>{0};
        QTest::newRow("MeanVarianceNormalization")
            << "MeanVarianceNormalization <axes = [2]>" << QList<float>{30000, -30000} << QList<float>{1, -1};
        QTest::newRow("MeanVarianceNormalization, far from zero")
            << "MeanVarianceNormalization <axes = [-1]>" << QList<float>{40000, 40032} << QList<float>{-1, 1};
        QTest::newRow("GroupNormalization")
            << "GroupNormalization <num_groups = 1>" << QList<float>{30000, -30000} << QList<float>{1, -1};
        QTest::newRow("GroupNormalization, of one element")
            << "GroupNormalization <num_groups = 1>" << QList<float>{30000} << QList<float>{0};
        QTest::newRow("GroupNormalization, far from zero")
            << "GroupNormalization <num_groups = 1>" << QList<float>{40000, 40032} << QList<float>{-1, 1};
        // 1000 / sqrt(0 + 1 · 1000² / 1)
        QTest::newRow("LRN") << "LRN <size = 1, alpha = 1.0, beta = 0.5, bias = 0.0>" << QList<float>{1000}
                             << QList<float>{1};
    }
    void narrowSquaresDoNotOverflow() {
        QFETCH(QString, call);
        QFETCH(QList<float>, x);
        QFETCH(QList<float>, expected);
        const std::string op = call.toStdString();
        // The text of a float16 constant is its bits: 15360 are those of 1.
        const bool hasScale = op == "InstanceNormalization" || op.starts_with("Group");
        const std::string more = hasScale ? ", one, none" : op == "Sum" || op == "Mean" ? ", h, negative" : "";
        std::string problem;
        const auto result = resultOf(fmt::format("g (float[1,1,{0}] x) => (float[a,b,c] y) {{ h = Cast <to = 10> (x) "
                                                 "negative = Neg (h) one = Constant <value = float16[1] {{15360}}> () "
                                                 "none = Constant <value = float16[1] {{0}}> () "
                                                 "r = {1} (h{2}) y = Cast <to = 1> (r) }}",
                                                 x.size(), op, more),
                                     {1, 1, x.size()}, Values(x.begin(), x.end()), problem);
        QVERIFY2(problem.empty(), problem.c_str());
        const Values y = valuesOf<float>(result);
        QCOMPARE(y.size(), size_t(expected.size()));
        for (size_t i = 0; i < y.size(); ++i)
            QVERIFY2(std::abs(y[i] - expected[qsizetype(i)]) <= 1e-3F * std::abs(expected[qsizetype(i)]),
                     fmt::format("{} is {}, not {}", op, y[i], expected[qsizetype(i)]).c_str());
    }
};

Test test() {
    return {makes<TestNarrowOperators>};
}

} // namespace lathe::testing::test_narrow_operators

#include "test_narrow_operators.moc"
