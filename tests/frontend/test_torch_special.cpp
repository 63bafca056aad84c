// SPDX-License-Identifier: Apache-2.0
//
// Special functions of torch.export: values of SciPy and mpmath, and what PyTorch's pages say of ends and poles.
// Links: onnx
#include "support/program_of_tests.h"
#include "support/torch_operator.h"

#include <QTest>
#include <limits>

namespace lathe::testing::test_torch_special {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr double exact = 1e-11;

using Reals = std::vector<double>;

} // namespace

class TestTorchSpecial : public QObject {
    Q_OBJECT

private slots:
    void ofOneNumber_data() {
        QTest::addColumn<QString>("op");
        QTest::addColumn<Reals>("x");
        QTest::addColumn<Reals>("expected");
        const auto row = [](const char* op, const Reals& x, const Reals& expected) {
            QTest::addRow("%s of %zu from %g", op, x.size(), x.front()) << QString(op) << x << expected;
        };
        row("lgamma", {-7.3, -2.5, -0.4, 0.3, 1.7, 4.2, 25.0, 180.5},
            {-7.779101629826853, -0.05624371649767401, 1.31452458994339, 1.0957979948180756, -0.09580769740706585,
             2.04855563696059, 54.78472939811232, 755.6509402123779});
        row("lgamma", {0.0, -3.0, inf, 1.0, 2.0}, {inf, inf, inf, 0.0, 0.0});
        row("digamma", {-7.3, -2.5, -0.4, 0.3, 1.7, 4.2, 25.0, 180.5},
            {4.33730730551005, 1.1031566406452433, 0.9593807861068092, -3.502524222200133, 0.20854787487349394,
             1.3113388912865998, 3.198742512851974, 5.192958136891495});
        row("digamma", {0.0, -0.0, -4.0}, {-inf, inf, nan});
        row("erfinv", {-0.999999, -0.9, -0.3, 1e-09, 0.5, 0.75, 0.999999999999},
            {-3.458910737275499, -1.1630871536766743, -0.2724627147267544, 8.86226925452758e-10, 0.4769362762044699,
             0.8134198475976184, 5.042031898572696});
        row("erfinv", {1.0, -1.0, 1.5}, {inf, -inf, nan});
        row("erfc", {-6.0, -1.2, -0.1, 0.0, 0.7, 3.0, 11.0},
            {2.0, 1.9103139782296354, 1.1124629160182848, 1.0, 0.3221988061625817, 2.2090496998585445e-05,
             1.4408661379436945e-54});
        row("special_erfcx", {-6.0, -1.2, -0.1, 0.0, 0.7, 3.0, 11.0},
            {8622463094230390.0, 8.062854217063865, 1.123643354199209, 1.0, 0.525930337349441, 0.17900115118138998,
             0.051080594758088446});
        row("special_ndtr", {-6.0, -1.2, -0.1, 0.0, 0.7, 3.0, 11.0},
            {9.865876450376946e-10, 0.11506967022170822, 0.460172162722971, 0.5, 0.758036347776927, 0.9986501019683699,
             1.0});
        row("special_log_ndtr", {-40.0, -6.0, -1.0, 0.0, 2.0, 9.0},
            {-804.6084420137539, -20.73676894997471, -1.8410216450092634, -0.6931471805599453, -0.023012909328963476,
             -1.1285884059538324e-19});
        row("special_ndtri", {1e-200, 1e-09, 0.02, 0.5, 0.8, 0.999999999999},
            {-30.20559417957964, -5.9978070150076865, -2.053748910631823, 0.0, 0.8416212335729143, 7.0344869100478356});
        row("i0", {-30.0, -3.0, 0.0, 0.5, 11.9, 12.1, 60.0},
            {781672297823.9775, 4.880792585865024, 1.0, 1.0634833707413234, 17219.240276268025, 20853.117403880697,
             5.8940770556098e+24});
        row("special_i1", {-30.0, -3.0, 0.0, 0.5, 11.9, 12.1, 60.0},
            {-768532038938.9569, -3.9533702174026093, 0.0, 0.25789430539089636, 16479.060192397505, 19971.911047960122,
             5.844751588390468e+24});
        row("special_i0e", {-30.0, -3.0, 0.0, 0.5, 11.9, 12.1, 60.0},
            {0.0731459464822373, 0.24300035416182536, 1.0, 0.64503527044915, 0.11692561195139262, 0.11593318233655986,
             0.05161154917360984});
        row("special_i1e", {-30.0, -3.0, 0.0, 0.5, 11.9, 12.1, 60.0},
            {-0.07191633059864755, -0.19682671329730084, 0.0, 0.15642080318487173, 0.11189948955155167,
             0.11103410393219318, 0.05117963018902872});
        row("special_entr", {-1.0, 0.0, 0.3, 2.0}, {-inf, 0.0, 0.3611918412977808, -1.3862943611198906});
    }
    void ofOneNumber() {
        QFETCH(QString, op);
        QFETCH(Reals, x);
        QFETCH(Reals, expected);
        EXPECT_TORCH(ranTorch("aten." + op.toStdString() + ".default", {{"self", f64(x)}}), 0, f64(expected), exact);
    }

    void ofTwoNumbers_data() {
        QTest::addColumn<QString>("op");
        QTest::addColumn<Reals>("x");
        QTest::addColumn<Reals>("y");
        QTest::addColumn<Reals>("expected");
        const auto row = [](const char* op, const Reals& x, const Reals& y, const Reals& expected) {
            QTest::newRow(op) << QString(op) << x << y << expected;
        };
        row("igamma", {0.3, 1.0, 5.0, 40.0, 2000.0, 0.01, 0.0, 3.0, -1.0, 0.0},
            {0.1, 3.0, 5.5, 30.0, 2010.0, 2.0, 2.0, 0.0, 1.0, 0.0},
            {0.5459128495917965, 0.950212931632136, 0.6424819975720746, 0.04625303764584204, 0.5912205283381318,
             0.9995033354627815, 1.0, 0.0, nan, nan});
        row("igammac", {0.3, 1.0, 5.0, 40.0, 2000.0, 0.01, 0.0, 3.0, -1.0, 0.0},
            {0.1, 3.0, 5.5, 30.0, 2010.0, 2.0, 2.0, 0.0, 1.0, 0.0},
            {0.45408715040820347, 0.04978706836786395, 0.3575180024279255, 0.9537469623541579, 0.4087794716618682,
             0.0004966645372185266, 0.0, 1.0, nan, nan});
        row("special_zeta", {2.0, 1.5, 4.0, 30.0, 1.0}, {0.3, 7.0, 100.0, 1.5, 2.0},
            {12.245364546107734, 0.7838877675183705, 3.3836666500022214e-07, 5.215096203815733e-06, inf});
        row("special_xlog1py", {0.0, 2.0, 0.0, -1.0}, {-1.0, 1e-12, nan, 0.5},
            {0.0, 1.999999999999e-12, nan, -0.4054651081081644});
    }
    void ofTwoNumbers() {
        QFETCH(QString, op);
        QFETCH(Reals, x);
        QFETCH(Reals, y);
        QFETCH(Reals, expected);
        EXPECT_TORCH(ranTorch("aten." + op.toStdString() + ".default", {{"self", f64(x)}, {"other", f64(y)}}), 0,
                     f64(expected), exact);
    }

    void derivativesOfDigamma_data() {
        QTest::addColumn<int>("n");
        QTest::addColumn<Reals>("expected"); // at -3.7, -0.2, 0.5, 2, 30
        QTest::newRow("0") << 0
                           << Reals{-0.8450768588704194, 4.034991433293861, -1.9635100260214235, 0.42278433509846713,
                                    3.384438132685525};
        QTest::newRow("1") << 1
                           << Reals{14.84242186412428, 27.299474137501697, 4.934802200544679, 0.6449340668482264,
                                    0.033895060357739946};
        QTest::newRow("2") << 2
                           << Reals{-68.89345468867354, 245.56988429157832, -16.82879664423432, -0.4041138063191886,
                                    -0.0011487652037286};
        QTest::newRow("5") << 5
                           << Reals{165660.1572839935, 1875461.5959979584, 7691.113548602436, 2.081167438133897,
                                    1.0726994936161623e-06};
    }
    void derivativesOfDigamma() {
        QFETCH(int, n);
        QFETCH(Reals, expected);
        EXPECT_TORCH(ranTorch("aten.polygamma.default", {{"n", frontend::torch::TorchValue(arith::Expr(n))},
                                                         {"self", f64({-3.7, -0.2, 0.5, 2, 30})}}),
                     0, f64(expected), exact);
    }

    void gammaOfThreeDimensions() {
        EXPECT_TORCH(ranTorch("aten.mvlgamma.default",
                              {{"self", f64({1.5, 4, 20})}, {"p", frontend::torch::TorchValue(arith::Expr(3))}}),
                     0, f64({2.168677534063555, 5.402975080909175, 115.31351073296774}), exact);
    }

    /// Integers are counted as floats, and narrow floats are rounded once.
    void otherTypes() {
        const Numbers given{types::Int64, {3}, {-2, 1, 5}}, expected{types::Float32, {3}, {inf, 0, 3.178053855895996}};
        EXPECT_TORCH(ranTorch("aten.lgamma.default", {{"self", given}}), 0, expected, 1e-7);
    }
};

Test test() {
    return {makes<TestTorchSpecial>};
}

} // namespace lathe::testing::test_torch_special

#include "test_torch_special.moc"
