// SPDX-License-Identifier: Apache-2.0
//
// Linear algebra of torch.export: values of NumPy and SciPy (LAPACK), and what factors come to when they are multiplied.
// Links: onnx
#include "support/program_of_tests.h"
#include "support/torch_operator.h"

#include <QTest>
#include <limits>

namespace lathe::testing::test_torch_linear_algebra {

using frontend::torch::TorchValue;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double exact = 1e-11;

/// The product of matrices [m, k] and [k, n].
Numbers product(const Numbers& x, const Numbers& y) {
    const int64_t m = x.shape[0], k = x.shape[1], n = y.shape[1];
    Numbers result = f64({m, n}, {});
    for (int64_t row = 0; row < m; ++row) {
        for (int64_t column = 0; column < n; ++column) {
            double sum = 0;
            for (int64_t i = 0; i < k; ++i)
                sum += x.values[static_cast<size_t>(row * k + i)] * y.values[static_cast<size_t>(i * n + column)];
            result.values.push_back(sum);
        }
    }
    return result;
}
Numbers transposed(const Numbers& x) {
    Numbers result = f64({x.shape[1], x.shape[0]}, {});
    for (int64_t column = 0; column < x.shape[1]; ++column)
        for (int64_t row = 0; row < x.shape[0]; ++row)
            result.values.push_back(x.values[static_cast<size_t>(row * x.shape[1] + column)]);
    return result;
}
Numbers diagonal(const Numbers& values) {
    const int64_t n = values.shape[0];
    Numbers result = f64({n, n}, std::vector<double>(static_cast<size_t>(n * n)));
    for (int64_t i = 0; i < n; ++i)
        result.values[static_cast<size_t>(i * (n + 1))] = values.values[static_cast<size_t>(i)];
    return result;
}
Numbers identity(int64_t n) {
    return diagonal(f64(std::vector<double>(static_cast<size_t>(n), 1)));
}

/// Two, of which the second takes other rows to the front in each step.
const Numbers matrices = f64({2, 4, 4}, {2, -1, 0.5, 3, 4, 0.25, -2, 1, -1.5, 2, 5, -0.75, 0.5, 1, -1, 2,
                                         0, 1,  0,   0, 0, 0,    2,  0, 3,    0, 0, 0,     0,   0, 0,  -4});
const Numbers right = f64({4, 2}, {1, 2, 0, -1, 3, 0.5, -2, 4});
const Numbers tall = f64({5, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 10, -1, 0, 1, 2, -3, 0.5});
const Numbers positive = f64({4, 4}, {4, 1, -2, 0.5, 1, 3, 0, 1, -2, 0, 5, -1, 0.5, 1, -1, 2});
/// Symmetric, with eigenvalues of both signs.
const Numbers symmetric = f64({3, 3}, {0, 2, 1, 2, 0, -1, 1, -1, 0});
/// Of rank 1.
const Numbers flat = f64({3, 2}, {1, -1, 2, -2, 3, -3});

} // namespace

class TestTorchLinearAlgebra : public QObject {
    Q_OBJECT

private slots:
    void systems() {
        EXPECT_TORCH(ranTorch("aten.linalg_inv.default", {{"A", matrices}}), 0,
                     f64({2, 4, 4}, {0.04106119184108784,
                                     0.27836288494867345,
                                     0.07252366351153178,
                                     -0.1735768564191441,
                                     -0.26236501799760026,
                                     0.14344754032795626,
                                     0.15997866951073192,
                                     0.38181575789894673,
                                     0.14638048260231967,
                                     0.0053326223170244045,
                                     0.15464604719370748,
                                     -0.1642447673643514,
                                     0.19410745233968804,
                                     -0.1386481802426343,
                                     -0.02079722703639515,
                                     0.2703639514731369,
                                     0,
                                     0,
                                     0.3333333333333333,
                                     0,
                                     1,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0.5,
                                     0,
                                     0,
                                     -0.0,
                                     -0.0,
                                     -0.0,
                                     -0.25}),
                     exact);
        EXPECT_TORCH(ranTorch("aten.linalg_solve.default", {{"A", matrices}, {"B", right}}), 0,
                     f64({2, 4, 2}, {0.6057858952139714, -0.8542860951873084, -0.5460605252632981, 0.9390747900279963,
                                     0.938808158912145, -0.29222770297293693, -0.40901213171577117, 1.5979202772963605,
                                     1, 0.16666666666666666, 1, 2, 0, -0.5, 0.5, -1}),
                     exact);
        EXPECT_TORCH(ranTorch("aten.linalg_solve.default", {{"A", positive}, {"B", f64({1, 2, 3, 4})}}), 0,
                     f64({0.7630522088353414, -0.5220883534136548, 1.465863453815261, 2.8032128514056227}), exact);
        EXPECT_TORCH(ranTorch("aten.linalg_solve.default",
                              {{"A", positive}, {"B", transposed(right)}, {"left", TorchValue(false)}}),
                     0,
                     f64({2, 4}, {0.6987951807228915, 0.04819277108433739, 0.7108433734939759, -0.8433734939759037,
                                  1.144578313253012, -1.783132530120482, 1.1987951807228916, 3.204819277108434}),
                     exact);
    }

    void determinants() {
        const TorchResults both = ranTorch("aten.linalg_slogdet.default", {{"A", matrices}});
        EXPECT_TORCH(both, 0, f64({1, -1}), exact);
        EXPECT_TORCH(both, 1, f64({4.763908540609965, 3.1780538303479453}), exact);
        EXPECT_TORCH(ranTorch("aten.linalg_det.default", {{"A", matrices}}), 0,
                     f64({117.20312500000001, -23.999999999999993}), exact);
        EXPECT_TORCH(ranTorch("aten.logdet.default", {{"self", f64({2, 2}, {1, 2, 2, 4})}}), 0, f64({}, {-inf}), exact);
        const TorchResults info = ranTorch("aten.linalg_inv_ex.default", {{"A", f64({2, 2}, {1, 2, 2, 4})}});
        EXPECT_TORCH(info, 1, (Numbers{types::Int32, {}, {2}}), 0);
    }

    void triangularFactors() {
        const Numbers first = f64({4, 4}, {2, -1, 0.5, 3, 4, 0.25, -2, 1, -1.5, 2, 5, -0.75, 0.5, 1, -1, 2});
        const TorchResults packed = ranTorch("aten.linalg_lu_factor.default", {{"A", first}});
        EXPECT_TORCH(
            packed, 0,
            f64({4, 4}, {4, 0.25, -2, 1, -0.375, 2.09375, 4.25, -0.375, 0.5, -0.5373134328358209, 3.783582089552239,
                         2.298507462686567, 0.125, 0.4626865671641791, -0.717948717948718, 3.698717948717949}),
            exact);
        EXPECT_TORCH(packed, 1, (Numbers{types::Int32, {4}, {2, 3, 3, 4}}), 0);
        EXPECT_TORCH(ranTorch("aten.linalg_lu_solve.default", {{"LU", packed[0]}, {"pivots", packed[1]}, {"B", right}}),
                     0,
                     f64({4, 2}, {0.6057858952139714, -0.8542860951873084, -0.5460605252632981, 0.9390747900279963,
                                  0.938808158912145, -0.29222770297293693, -0.40901213171577117, 1.5979202772963605}),
                     exact);
        const TorchResults parts = ranTorch("aten.linalg_lu.default", {{"A", tall}});
        QVERIFY2(parts.error.empty(), parts.error.c_str());
        QCOMPARE(differenceOf(product(parts[0], product(parts[1], parts[2])), tall, exact), std::string());
        EXPECT_TORCH(ranTorch("aten.linalg_cholesky.default", {{"self", positive}}), 0,
                     f64({4, 4}, {2, 0, 0, 0, 0.5, 1.6583123951777, 0, 0, -1, 0.30151134457776363, 1.9771421064483223,
                                  0, 0.25, 0.5276448530110863, -0.4598004898717029, 1.2031934252665493}),
                     exact);
        const TorchResults failed = ranTorch("aten.linalg_cholesky_ex.default", {{"self", symmetric}});
        EXPECT_TORCH(failed, 1, (Numbers{types::Int32, {}, {1}}), 0);
        EXPECT_TORCH(
            ranTorch("aten.linalg_solve_triangular.default",
                     {{"self", first}, {"B", right}, {"upper", TorchValue(true)}, {"unitriangular", TorchValue(true)}}),
            0, f64({4, 2}, {11.25, -9.75, 5, 2, 1.5, 3.5, -2, 4}), exact);
    }

    /// Signs are LAPACK's.
    void reflections() {
        const TorchResults qr = ranTorch("aten.linalg_qr.default", {{"A", tall}});
        EXPECT_TORCH(qr, 0,
                     f64({5, 3}, {-0.1186781658193854, -0.1831243855328785, 0.4979177899422915, -0.47471266327754147,
                                  -0.17527619758146878, 0.004571121672107853, -0.8307471607356975, -0.16742800963005977,
                                  -0.02987952702743707, 0.11867816581938537, -0.1883565108338172, 0.8268155687890778,
                                  -0.23735633163877073, 0.9339343662176771, 0.2598849906752082}),
                     exact);
        EXPECT_TORCH(qr, 1,
                     f64({3, 3}, {-8.426149773176357, -8.544827938995745, -11.51178208448038, 0, -5.3838569346666105,
                                  -2.996699766113025, 0, 0, 2.179142893711833}),
                     exact);
        const TorchResults packed = ranTorch("aten.geqrf.default", {{"self", tall}});
        EXPECT_TORCH(packed, 0,
                     f64({5, 3}, {-8.426149773176357, -8.544827938995745, -11.51178208448038, 0.4243514156100777,
                                  -5.3838569346666105, -2.996699766113025, 0.742614977317636, 0.028642529525601444,
                                  2.179142893711833, -0.10608785390251943, 0.18931305692362405, -0.6592240658524267,
                                  0.21217570780503886, -0.8863138368438619, 0.020793814330467317}),
                     exact);
        EXPECT_TORCH(packed, 1, f64({1.1186781658193854, 1.0975671053478662, 1.3937197230413962}), exact);
        const TorchResults whole =
            ranTorch("aten.linalg_qr.default", {{"A", tall}, {"mode", TorchValue(std::string("complete"))}});
        QVERIFY2(whole.error.empty(), whole.error.c_str());
        QCOMPARE(differenceOf(product(transposed(whole[0]), whole[0]), identity(5), exact), std::string());
        QCOMPARE(differenceOf(product(whole[0], whole[1]), tall, exact), std::string());
        EXPECT_TORCH(ranTorch("aten.ormqr.default", {{"self", packed[0]},
                                                     {"input2", packed[1]},
                                                     {"input3", tall},
                                                     {"left", TorchValue(true)},
                                                     {"transpose", TorchValue(true)}}),
                     0, product(transposed(whole[0]), tall), exact);
    }

    void singularValues_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<bool>("isComplete");
        for (const int which : {0, 1, 2, 3, 4})
            for (const bool isComplete : {false, true})
                QTest::addRow("%d %d", which, isComplete) << which << isComplete;
    }
    void singularValues() {
        QFETCH(int, which);
        QFETCH(bool, isComplete);
        const Numbers all[] = {tall, transposed(tall), symmetric, flat, f64({2, 2}, {0, 0, 0, 0})};
        const std::vector<double> values[] = {{17.418490941037884, 3.6676481028995553, 1.5474271324615774},
                                              {17.418490941037884, 3.6676481028995553, 1.5474271324615774},
                                              {2.732050807568878, 2.000000000000001, 0.732050807568878},
                                              {5.291502622129182, 7.0216669371534e-16},
                                              {0, 0}};
        const Numbers& a = all[which];
        const TorchResults of =
            ranTorch("aten.linalg_svd.default", {{"A", a}, {"full_matrices", TorchValue(isComplete)}});
        EXPECT_TORCH(of, 1, f64(values[which]), exact);
        const auto size = static_cast<int64_t>(values[which].size());
        const int64_t rows = isComplete ? a.shape[0] : size, columns = isComplete ? a.shape[1] : size;
        QCOMPARE(differenceOf(product(transposed(of[0]), of[0]), identity(rows), exact), std::string());
        QCOMPARE(differenceOf(product(of[2], transposed(of[2])), identity(columns), exact), std::string());
        if (!isComplete)
            QCOMPARE(differenceOf(product(of[0], product(diagonal(of[1]), of[2])), a, exact), std::string());
        EXPECT_TORCH(ranTorch("aten.linalg_svdvals.default", {{"A", a}}), 0, f64(values[which]), exact);
    }

    void eigenvalues() {
        for (const Numbers& a : {positive, symmetric}) {
            const TorchResults of = ranTorch("aten.linalg_eigh.default", {{"self", a}});
            EXPECT_TORCH(of, 0,
                         a.shape[0] == 4
                             ? f64({1.0471386409290866, 2.3609454269745447, 3.602574400339762, 6.9893415317566046})
                             : f64({-2.732050807568878, 0.7320508075688775, 1.9999999999999998}),
                         exact);
            QCOMPARE(differenceOf(product(transposed(of[1]), of[1]), identity(a.shape[0]), exact), std::string());
            QCOMPARE(differenceOf(product(of[1], product(diagonal(of[0]), transposed(of[1]))), a, exact),
                     std::string());
        }
    }

    void madeOfThem() {
        EXPECT_TORCH(ranTorch("aten.pinverse.default", {{"self", tall}}), 0,
                     f64({3, 5}, {-0.20360185208871637, 0.021641810135325314, 0.07804865570080073, -0.3537642935714096,
                                  0.10846486403520005, -0.0931672251924997, 0.031388299096978864, 0.03873014248804077,
                                  -0.17620424138548488, -0.23985060499859295, 0.2284924918779261, 0.0020976695403033714,
                                  -0.013711596019544131, 0.37942237343634, 0.11926018776700512}),
                     exact);
        EXPECT_TORCH(ranTorch("aten.pinverse.default", {{"self", flat}}), 0,
                     f64({2, 3}, {0.035714285714285705, 0.07142857142857141, 0.10714285714285712, -0.03571428571428571,
                                  -0.07142857142857142, -0.10714285714285715}),
                     exact);
        EXPECT_TORCH(ranTorch("aten.linalg_matrix_rank.atol_rtol_float", {{"self", flat}}), 0, i64({}, {1}), 0);
        EXPECT_TORCH(ranTorch("aten.linalg_matrix_sqrth.default", {{"self", positive}}), 0,
                     f64({4, 4}, {1.9174997711839474, 0.2786743028573128, -0.4884443268293448, 0.08341103059385609,
                                  0.27867430285731276, 1.6765116237926996, 0.059344481521390845, 0.3288276763411452,
                                  -0.48844432682934474, 0.059344481521390956, 2.16333894261033, -0.2790429921836459,
                                  0.08341103059385611, 0.3288276763411454, -0.27904299218364603, 1.3442655867649629}),
                     exact);
        EXPECT_TORCH(ranTorch("aten.matrix_exp.default", {{"self", matrices}}), 0,
                     f64({2, 4, 4}, {15.146360677569001,
                                     -0.04873061290426086,
                                     -10.800231455421928,
                                     26.972338293293035,
                                     24.18829035867202,
                                     -17.80345891311847,
                                     -55.77810188304397,
                                     45.67846785594151,
                                     0.39538995145323064,
                                     37.24933012553052,
                                     84.87490706790913,
                                     -16.424595320370376,
                                     17.82739642036925,
                                     -15.372443566140356,
                                     -49.97264883732142,
                                     35.793763509165295,
                                     2.0505979496766744,
                                     1.2572025894496268,
                                     1.1017965665724734,
                                     0,
                                     3.30538969971742,
                                     2.0505979496766744,
                                     2.5144051788992536,
                                     0,
                                     3.7716077683488805,
                                     1.6526948498587102,
                                     2.0505979496766744,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0.018315638888743657}),
                     1e-10);
        EXPECT_TORCH(
            ranTorch("aten.linalg_matrix_power.default", {{"self", positive}, {"n", TorchValue(arith::Expr(-3))}}), 0,
            f64({4, 4}, {0.10457144459841264, -0.13037475946916, 0.0952811423108929, 0.14529704761207055,
                         -0.13037475946916002, 0.2522155848114641, -0.14436935173153384, -0.321422073189777,
                         0.09528114231089288, -0.1443693517315338, 0.10693265797176868, 0.19815174635413643,
                         0.14529704761207052, -0.3214220731897769, 0.1981517463541364, 0.5075225823861244}),
            exact);
    }

    void norms_data() {
        QTest::addColumn<double>("order");
        QTest::addColumn<double>("expected");
        QTest::addRow("%g", double(1)) << double(1) << double(20.5);
        QTest::addRow("%g", double(-1)) << double(-1) << double(15);
        QTest::addRow("%g", double(2)) << double(2) << double(17.418490941037888);
        QTest::addRow("%g", double(-2)) << double(-2) << double(1.5474271324615778);
        QTest::addRow("%g", double(inf)) << double(inf) << double(25);
        QTest::addRow("%g", double(-inf)) << double(-inf) << double(2);
    }
    void norms() {
        QFETCH(double, order);
        QFETCH(double, expected);
        EXPECT_TORCH(ranTorch("aten.linalg_matrix_norm.default", {{"self", tall}, {"ord", TorchValue(order)}}), 0,
                     f64({}, {expected}), exact);
    }

    void namedNorms() {
        EXPECT_TORCH(
            ranTorch("aten.linalg_matrix_norm.str_ord", {{"self", tall}, {"ord", TorchValue(std::string("nuc"))}}), 0,
            f64({}, {22.63356617639902}), exact);
        EXPECT_TORCH(ranTorch("aten.linalg_norm.default", {{"self", matrices}}), 0, f64({}, {10.167349703831377}),
                     exact);
        EXPECT_TORCH(ranTorch("aten.linalg_cond.default", {{"self", positive}}), 0, f64({}, {6.674705009028431}),
                     exact);
        EXPECT_TORCH(ranTorch("aten.linalg_cond.p_str", {{"self", positive}, {"p", TorchValue(std::string("fro"))}}), 0,
                     f64({}, {9.024453838565627}), exact);
    }

    void products() {
        const auto dims = [](std::initializer_list<int> all) {
            frontend::torch::List list;
            for (const int dim : all)
                list.emplace_back(arith::Expr(dim));
            return TorchValue(list);
        };
        EXPECT_TORCH(
            ranTorch(
                "aten.tensordot.default",
                {{"self", matrices}, {"other", matrices}, {"dims_self", dims({2, 0})}, {"dims_other", dims({1, 0})}}),
            0,
            f64({4, 4}, {0.75, 1.75, 4.5, 10.625, 18.5, -6.9375, -9.5, 15.75, -2.875, 14.25, 21, -7.75, 7.5, -0.25,
                         -8.75, 23.25}),
            exact);
        EXPECT_TORCH(
            ranTorch("aten.cov.default", {{"self", positive}}), 0,
            f64({4, 4}, {6.0625, 1.0416666666666665, -6.75, 1.2708333333333333, 1.0416666666666665, 1.5833333333333333,
                         -1.8333333333333333, 0.7916666666666666, -6.75, -1.8333333333333333, 9.666666666666666,
                         -3.083333333333333, 1.2708333333333333, 0.7916666666666666, -3.083333333333333, 1.5625}),
            exact);
        EXPECT_TORCH(
            ranTorch("aten.corrcoef.default", {{"self", positive}}), 0,
            f64({4, 4}, {1, 0.33621471233534644, -0.8817379341797833, 0.4129074404876717, 0.3362147123353464, 1,
                         -0.4686157551265355, 0.5033222956847166, -0.8817379341797833, -0.4686157551265355, 1,
                         -0.7933632757799682, 0.41290744048767175, 0.5033222956847166, -0.7933632757799681, 1}),
            exact);
        EXPECT_TORCH(ranTorch("aten.trace.default", {{"self", i64({2, 3}, {1, 2, 3, 4, 5, 6})}}), 0, i64({}, {6}), 0);
        EXPECT_TORCH(ranTorch("aten.linalg_vander.default", {{"x", f64({2, -3})}, {"N", TorchValue(arith::Expr(4))}}),
                     0, f64({2, 4}, {1, 2, 4, 8, 1, -3, 9, -27}), exact);
    }

    /// Nothing is solved for matrices without rows.
    void withoutRows() {
        EXPECT_TORCH(ranTorch("aten.linalg_inv.default", {{"A", f64({3, 0, 0}, {})}}), 0, f64({3, 0, 0}, {}), exact);
        EXPECT_TORCH(ranTorch("aten.linalg_det.default", {{"A", f64({2, 0, 0}, {})}}), 0, f64({1, 1}), exact);
    }
};

Test test() {
    return {makes<TestTorchLinearAlgebra>};
}

} // namespace lathe::testing::test_torch_linear_algebra

#include "test_torch_linear_algebra.moc"
