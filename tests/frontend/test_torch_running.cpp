// SPDX-License-Identifier: Apache-2.0
//
// Operators of torch.export that run along a dim or look at numbers' bits, and losses: values of NumPy and SciPy, or by
// the definition, counted out.
// Links: onnx
#include "support/program_of_tests.h"
#include "support/torch_operator.h"

#include <QTest>
#include <limits>

namespace lathe::testing::test_torch_running {

using frontend::torch::TorchValue;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr double exact = 1e-11;

TorchValue whole(int64_t value) {
    return arith::Expr(value);
}
TorchValue words(const char* text) {
    return std::string(text);
}
TorchValue list(std::initializer_list<int64_t> values) {
    frontend::torch::List all;
    for (const int64_t value : values)
        all.emplace_back(arith::Expr(value));
    return all;
}

} // namespace

class TestTorchRunning : public QObject {
    Q_OBJECT

private slots:
    /// Of equals the last; a NaN stays.
    void extremes() {
        const Numbers x = f64({4, 3}, {1, 3, 2, nan, 0, 2, 5, -1, 2, 4, 7, -3});
        const TorchResults most = ranTorch("aten.cummax.default", {{"self", x}, {"dim", whole(0)}});
        EXPECT_TORCH(most, 0, f64({4, 3}, {1, 3, 2, nan, 3, 2, nan, 3, 2, nan, 7, 2}), 0);
        EXPECT_TORCH(most, 1, i64({4, 3}, {0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 3, 2}), 0);
        const TorchResults least = ranTorch("aten.cummin.default", {{"self", x}, {"dim", whole(0)}});
        EXPECT_TORCH(least, 0, f64({4, 3}, {1, 3, 2, nan, 0, 2, nan, -1, 2, nan, -1, -3}), 0);
        EXPECT_TORCH(least, 1, i64({4, 3}, {0, 0, 0, 1, 1, 1, 1, 2, 2, 1, 2, 3}), 0);
    }

    void logarithmsOfSums() {
        EXPECT_TORCH(
            ranTorch("aten.logcumsumexp.default", {{"self", f64({-3, -inf, 2, 700, 701, -5})}, {"dim", whole(0)}}), 0,
            f64({-3, -3, 2.0067153484891183, 700, 701.3132616875182, 701.3132616875182}), exact);
    }

    void hashes() {
        const Numbers x{types::Float32, {2}, {-8.478373527526855, -1.765825867652893}};
        const TorchResults hash = ranTorch("aten.hash_tensor.default", {{"self", x}});
        // What PyTorch gives of these two.
        EXPECT_TORCH(hash, 0, (Numbers{types::UInt64, {}, {9213437123590356992.0}}), 0);
    }

    /// Of several the least value, at the last of its places.
    void modes() {
        const TorchResults both =
            ranTorch("aten.mode.default", {{"self", f64({3, 5}, {3, 1, 3, 1, 2, 5, 5, 4, 4, 4, 7, 6, 5, 4, 3})}});
        EXPECT_TORCH(both, 0, f64({1, 4, 3}), 0);
        EXPECT_TORCH(both, 1, i64({3}, {3, 4, 4}), 0);
    }

    void medians() {
        const TorchResults both =
            ranTorch("aten.nanmedian.dim", {{"self", f64({2, 4}, {3, -1, 2.5, 8, nan, 1, 4, 0})}, {"dim", whole(1)}});
        EXPECT_TORCH(both, 0, f64({2.5, 1}), 0);
        EXPECT_TORCH(both, 1, i64({2}, {2, 1}), 0);
    }

    void quantiles_data() {
        QTest::addColumn<QString>("way");
        QTest::addColumn<std::vector<double>>("expected"); // of q, then of both rows
        QTest::newRow("linear") << QString("linear")
                                << std::vector<double>{-1, 0, 2.1499999999999995, 0.6, 2.75, 1, 8, 4};
        QTest::newRow("lower") << QString("lower") << std::vector<double>{-1, 0, -1, 0, 2.5, 1, 8, 4};
        QTest::newRow("higher") << QString("higher") << std::vector<double>{-1, 0, 2.5, 1, 3, 1, 8, 4};
        QTest::newRow("midpoint") << QString("midpoint") << std::vector<double>{-1, 0, 0.75, 0.5, 2.75, 1, 8, 4};
        QTest::newRow("nearest") << QString("nearest") << std::vector<double>{-1, 0, 2.5, 1, 3, 1, 8, 4};
    }
    void quantiles() {
        QFETCH(QString, way);
        QFETCH(std::vector<double>, expected);
        const Numbers x = f64({2, 4}, {3, -1, 2.5, 8, nan, 1, 4, 0}), q = f64({0, 0.3, 0.5, 1});
        const std::vector<NamedTorchArgument> given = {
            {"self", x}, {"q", q}, {"dim", whole(1)}, {"interpolation", words(way.toUtf8().constData())}};
        EXPECT_TORCH(ranTorch("aten.nanquantile.default", given), 0, f64({4, 2}, expected), exact);
        for (size_t i = 1; i < expected.size(); i += 2)
            expected[i] = nan; // the second row has one
        EXPECT_TORCH(ranTorch("aten.quantile.default", given), 0, f64({4, 2}, expected), exact);
    }

    void partsOfFloats() {
        const TorchResults parts =
            ranTorch("aten.frexp.Tensor", {{"self", f64({0, -0.0, 1, -8.5, 1e-310, 3e+300, inf})}});
        EXPECT_TORCH(parts, 0, f64({0, -0.0, 0.5, -0.53125, 0.5752618031559393, 0.5599581711019314, inf}), 0);
        EXPECT_TORCH(parts, 1, (Numbers{types::Int32, {7}, {0, 0, 1, 4, -1029, 999, 0}}), 0);
        EXPECT_TORCH(ranTorch("aten.nextafter.default", {{"self", f64({1, 1, 0, -0.0, inf, 5e-324, -2})},
                                                         {"other", f64({2, 0, -1, 1, 0, 0, -2})}}),
                     0, f64({1.0000000000000002, 0.9999999999999999, -5e-324, 5e-324, 1.7976931348623157e+308, 0, -2}),
                     0);
    }

    void commonDivisors() {
        const Numbers x = i64({6}, {12, -18, 0, 7, 0, 1099511627776}), y = i64({6}, {-18, 12, 5, 0, 0, 1649267441664});
        EXPECT_TORCH(ranTorch("aten.gcd.default", {{"self", x}, {"other", y}}), 0,
                     i64({6}, {6, 6, 5, 7, 0, 549755813888}), 0);
        EXPECT_TORCH(ranTorch("aten.lcm.default", {{"self", x}, {"other", y}}), 0,
                     i64({6}, {36, 36, 0, 0, 0, 3298534883328}), 0);
    }

    /// Summed over all ways to read two sequences, of five steps and of four; the third label of the first is not looked at.
    void sequences() {
        const std::vector<NamedTorchArgument> given = {
            {"log_probs",
             f64({5, 2, 3}, {-2.805231082132672,  -0.7549029220541723, -0.7561914274592769, -2.805231082132672,
                             -0.7549029220541723, -0.7561914274592769, -1.359072988241066,  -0.5054298315461677,
                             -1.967149395262185,  -1.359072988241066,  -0.5054298315461677, -1.967149395262185,
                             -1.210621195278168,  -0.6292850657707393, -1.7777666478112848, -1.210621195278168,
                             -0.6292850657707393, -1.7777666478112848, -3.6238681112005704, -0.5446690835830389,
                             -0.9332155837784278, -3.6238681112005704, -0.5446690835830389, -0.9332155837784278,
                             -0.997809205879083,  -0.6069033467085716, -2.4501843349229406, -0.997809205879083,
                             -0.6069033467085716, -2.4501843349229406})},
            {"targets", i64({2, 3}, {1, 1, 0, 2, 1, 2})},
            {"input_lengths", list({5, 4})},
            {"target_lengths", list({2, 3})},
            {"reduction", whole(0)}};
        EXPECT_TORCH(ranTorch("aten.ctc_loss.IntList", given), 0, f64({2.217535253575043, 1.874259839549871}), exact);
        const std::vector<NamedTorchArgument> joined = {
            {"log_probs",
             f64({5, 2, 3}, {-2.805231082132672,  -0.7549029220541723, -0.7561914274592769, -2.805231082132672,
                             -0.7549029220541723, -0.7561914274592769, -1.359072988241066,  -0.5054298315461677,
                             -1.967149395262185,  -1.359072988241066,  -0.5054298315461677, -1.967149395262185,
                             -1.210621195278168,  -0.6292850657707393, -1.7777666478112848, -1.210621195278168,
                             -0.6292850657707393, -1.7777666478112848, -3.6238681112005704, -0.5446690835830389,
                             -0.9332155837784278, -3.6238681112005704, -0.5446690835830389, -0.9332155837784278,
                             -0.997809205879083,  -0.6069033467085716, -2.4501843349229406, -0.997809205879083,
                             -0.6069033467085716, -2.4501843349229406})},
            {"targets", i64({5}, {1, 1, 2, 1, 2})},
            {"input_lengths", list({5, 4})},
            {"target_lengths", list({2, 3})},
            {"reduction", whole(0)}};
        EXPECT_TORCH(ranTorch("aten.ctc_loss.IntList", joined), 0, f64({2.217535253575043, 1.874259839549871}), exact);
    }

    void margins() {
        const Numbers x = f64({2, 3}, {0.5, -1, 2, 3, 0.1, -0.2});
        // max(0, 1 - x[y] + x[j]) over j != y, by 3
        EXPECT_TORCH(ranTorch("aten.multi_margin_loss.default",
                              {{"self", x}, {"target", i64({2}, {2, 0})}, {"reduction", whole(0)}}),
                     0, f64({0, 0}), exact);
        // of labels 0 and 2, then of 1 alone
        EXPECT_TORCH(ranTorch("aten.multilabel_margin_loss.default",
                              {{"self", x}, {"target", i64({2, 3}, {0, 2, -1, 1, -1, 0})}, {"reduction", whole(0)}}),
                     0, f64({0, 1.5333333333333332}), exact);
    }

    void windows_data() {
        QTest::addColumn<QString>("op");
        QTest::addColumn<std::vector<double>>("expected"); // of six places, periodic
        QTest::newRow("hann_window") << QString("hann_window")
                                     << std::vector<double>{0, 0.2499999999999999, 0.75,
                                                            1, 0.7500000000000002, 0.25000000000000033};
        QTest::newRow("hamming_window") << QString("hamming_window")
                                        << std::vector<double>{0.08000000000000007, 0.30999999999999994, 0.77, 1,
                                                               0.7700000000000002,  0.31000000000000033};
        QTest::newRow("blackman_window") << QString("blackman_window")
                                         << std::vector<double>{-1.3877787807814457e-17, 0.1299999999999999,
                                                                0.6299999999999999,      0.9999999999999999,
                                                                0.6300000000000002,      0.1300000000000002};
        QTest::newRow("bartlett_window") << QString("bartlett_window")
                                         << std::vector<double>{0, 0.3333333333333333, 0.6666666666666666,
                                                                1, 0.6666666666666667, 0.33333333333333326};
        QTest::newRow("kaiser_window") << QString("kaiser_window")
                                       << std::vector<double>{5.2773441320097665e-05, 0.054759364131249516,
                                                              0.5188447216723606,     1,
                                                              0.5188447216723606,     0.054759364131249516};
    }
    void windows() {
        QFETCH(QString, op);
        QFETCH(std::vector<double>, expected);
        EXPECT_TORCH(ranTorch("aten." + op.toStdString() + ".default",
                              {{"window_length", whole(6)}, {"dtype", TorchValue(types::Float64)}}),
                     0, f64(expected), exact);
    }

    /// Elements that a negative side takes away may be all; then the edge that was the nearest is repeated.
    void edges() {
        EXPECT_TORCH(ranTorch("aten.pad.default",
                              {{"self", f64({1, 3}, {1, 2, 3})}, {"pad", list({-3, 4})}, {"mode", words("replicate")}}),
                     0, f64({1, 4}, {3, 3, 3, 3}), 0);
    }

    void secondNames() {
        EXPECT_TORCH(ranTorch("aten.divide.Tensor", {{"self", f64({1, 3})}, {"other", f64({2, 4})}}), 0,
                     f64({0.5, 0.75}), 0);
    }
};

Test test() {
    return {makes<TestTorchRunning>};
}

} // namespace lathe::testing::test_torch_running

#include "test_torch_running.moc"
