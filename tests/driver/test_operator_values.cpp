// SPDX-License-Identifier: Apache-2.0
//
// Operators where ONNX's own tests have no value, or a disputed one, compiled and run: what MaxPool took returns to its place,
// cubic sampling beyond the border by PyTorch's rule, slices that start before the first element, padding that crops and
// wraps; attention that graphs modify; images in files; and products under strict numerics. Values by hand, by formula, or by the identity.
// Needs: lathe-runner
// Links: onnx
#include "support/model_result.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cmath>
#include <fmt/format.h>

namespace lathe::testing::test_operator_values {

namespace {

/// Keys' weight of a neighbour at this distance, a = -0.75.
double cubicWeight(double distance) {
    const double a = -0.75, t = std::abs(distance);
    if (t <= 1)
        return (a + 2) * t * t * t - (a + 3) * t * t + 1;
    return t < 2 ? a * t * t * t - 5 * a * t * t + 8 * a * t - 4 * a : 0;
}

/// One channel of height × width at (y, x), in elements: each of the 16 neighbours is moved inside.
double cubicAt(const Values& image, int height, int width, double y, double x) {
    double sum = 0;
    for (int r = int(std::floor(y)) - 1; r <= int(std::floor(y)) + 2; ++r)
        for (int c = int(std::floor(x)) - 1; c <= int(std::floor(x)) + 2; ++c)
            sum += cubicWeight(y - r) * cubicWeight(x - c) *
                   double(image[size_t(std::clamp(r, 0, height - 1) * width + std::clamp(c, 0, width - 1))]);
    return sum;
}

} // namespace

class TestOperatorValues : public QObject {
    Q_OBJECT

private slots:
    /// (1 + 2^-12)^2 rounds to 1 + 2^-11; one operation for product and sum would leave 2^-24 of the difference.
    void productsRoundUnderStrictNumerics_data() {
        QTest::addColumn<QString>("nodes");
        QTest::newRow("of two nodes") << "p = Mul (x, x) z = Sub (p, c)";
        QTest::newRow("the sum first") << "p = Mul (x, x) n = Neg (c) z = Add (n, p)";
        QTest::newRow("in a product of matrices") << "o = Constant <value = float[32,1] {%1}> () n = Neg (c) "
                                                     "r = Concat <axis = 1> (n, x) "
                                                     "s = Concat <axis = 1> (o, x) "
                                                     "t = Transpose <perm = [1,0]> (s) q = MatMul (r, t) "
                                                     "i = Constant <value = int64[1] {0}> () "
                                                     "z = Gather <axis = 1> (q, i)";
    }
    void productsRoundUnderStrictNumerics() {
        QFETCH(QString, nodes);
        QStringList ones;
        for (int i = 0; i < 32; ++i)
            ones << "1.0";
        if (nodes.contains("%1"))
            nodes = nodes.arg(ones.join(", "));
        std::string problem;
        const auto result = resultOf(fmt::format("g (float[32,1] x) => (float[32,1] z) {{ "
                                                 "c = Constant <value = float {{1.00048828125}}> () "
                                                 "k = Shape (x) w = Expand (c, k) {} }}",
                                                 nodes.replace("(c)", "(w)").toStdString()),
                                     {32, 1}, Values(32, 1.000244140625F), problem, 21, driver::NumericsLevel::Strict);
        QVERIFY2(problem.empty(), problem.c_str());
        const Values z = valuesOf<float>(result);
        QCOMPARE(z.size(), size_t(32));
        for (float each : z)
            QCOMPARE(each, 0.0F);
    }

    void maxUnpoolGivesBack_data() {
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("width");
        QTest::newRow("even") << 6 << 8;
        QTest::newRow("odd width") << 6 << 7;
        QTest::newRow("odd height") << 7 << 6;
        QTest::newRow("both odd") << 5 << 9;
    }
    void maxUnpoolGivesBack() {
        QFETCH(int, height);
        QFETCH(int, width);
        const int planes = 2, size = planes * height * width;
        Values x(static_cast<size_t>(size));
        for (int i = 0; i < size; ++i)
            x[size_t(i)] = float((i * 37) % 101 + 1 + 101 * (i / 101)); // each another one
        std::string problem;
        const auto result = resultOf(fmt::format("g (float[1,{0},{1},{2}] x) => (float[1,{0},{1},{2}] z) {{ "
                                                 "y, i = MaxPool <kernel_shape = [2,2], strides = [2,2]> (x) "
                                                 "s = Constant <value = int64[4] {{1,{0},{1},{2}}}> () "
                                                 "z = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (y, i, s) }}",
                                                 planes, height, width),
                                     {1, planes, height, width}, x, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        const Values z = valuesOf<float>(result);
        QCOMPARE(z.size(), x.size());
        int back = 0;
        for (size_t i = 0; i < z.size(); ++i) {
            QVERIFY(z[i] == 0 || z[i] == x[i]);
            back += z[i] != 0;
        }
        QCOMPARE(back, planes * (height / 2) * (width / 2));
    }

    /// 15 to 5 with the corners aligned: each third or fourth, by whole and half positions that nothing may move.
    void resizedToComputedSizes_data() {
        QTest::addColumn<QString>("nearest");
        QTest::addColumn<QList<int>>("positions");
        QTest::newRow("up") << "ceil" << QList<int>{0, 4, 7, 11, 14};
        QTest::newRow("down") << "floor" << QList<int>{0, 3, 7, 10, 14};
        QTest::newRow("half down") << "round_prefer_floor" << QList<int>{0, 3, 7, 10, 14};
        QTest::newRow("half up") << "round_prefer_ceil" << QList<int>{0, 4, 7, 11, 14};
    }
    void resizedToComputedSizes() {
        QFETCH(QString, nearest);
        QFETCH(QList<int>, positions);
        const int size = 15;
        Values x(size_t(size) * size);
        for (size_t i = 0; i < x.size(); ++i)
            x[i] = float(i); // the largest is 224
        std::string problem;
        const auto result = resultOf(
            fmt::format("g (float[1,1,{0},{0}] x) => (float[a,b,c,d] y) {{ "
                        "m = ReduceMax <keepdims = 0> (x) i = Cast <to = 7> (m) z = Constant <value = int64[1] {{0}}> "
                        "() n = Unsqueeze (i, z) less = Constant <value = int64[4] {{-223,-223,-219,-219}}> () "
                        "s = Add (n, less) y = Resize <mode = \"nearest\", nearest_mode = \"{1}\", "
                        "coordinate_transformation_mode = \"align_corners\"> (x, , , s) }}",
                        size, nearest.toStdString()),
            {1, 1, size, size}, x, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        Values expected;
        for (const int row : positions)
            for (const int column : positions)
                expected.push_back(float(row * size + column));
        QCOMPARE(valuesOf<float>(result), expected);
    }

    void cubicSamplesBeyondTheBorder() {
        const int height = 4, width = 5;
        Values image(size_t(height) * width);
        for (size_t i = 0; i < image.size(); ++i)
            image[i] = float(i * i % 13) - 4;
        const double points[][2] = {{-1.3, -1.1}, {0.97, 1.2}, {1.02, -0.98}, {0.1, 0.3}, {-1, 1}, {1.4, 0}}; // x, y
        std::string grid;
        for (const auto& [px, py] : points)
            grid += fmt::format("{}{}, {}", grid.empty() ? "" : ", ", px, py);
        std::string problem;
        const auto result = resultOf(
            fmt::format("g (float[1,1,{},{}] x) => (float[1,1,1,6] y) {{ "
                        "p = Constant <value = float[1,1,6,2] {{{}}}> () "
                        "y = GridSample <mode = \"cubic\", padding_mode = \"border\", align_corners = 0> (x, p) }}",
                        height, width, grid),
            {1, 1, height, width}, image, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        const Values y = valuesOf<float>(result);
        for (size_t i = 0; i < y.size(); ++i) {
            const double expected = cubicAt(image, height, width, ((points[i][1] + 1) * height - 1) / 2,
                                            ((points[i][0] + 1) * width - 1) / 2);
            QVERIFY2(std::abs(double(y[i]) - expected) < 1e-4, fmt::format("{}: {}, {}", i, y[i], expected).c_str());
        }
    }

    /// "start is clamped to [0, dims[axis] - 1] for negative stepping" (Slice-13), whether the bounds are known or not.
    void sliceStartsBeforeTheFirst_data() {
        QTest::addColumn<QString>("bounds");
        QTest::newRow("known") << "b = Constant <value = int64[1] {-6}> () e = Constant <value = int64[1] {-10}> () ";
        QTest::newRow("computed")
            << "m = ReduceMax <keepdims = 0> (x) c = Cast <to = 7> (m) a = Constant <value = int64[1] "
               "{0}> () n = Unsqueeze (c, a) t = Constant <value = int64[1] {-10}> () b = Add (n, t) "
               "f = Constant <value = int64[1] {-14}> () e = Add (n, f) ";
    }
    void sliceStartsBeforeTheFirst() {
        QFETCH(QString, bounds);
        std::string problem;
        const auto result =
            resultOf("g (float[4] x) => (float[n] y) { " + bounds.toStdString() +
                         "z = Constant <value = int64[1] {0}> () s = Constant <value = int64[1] {-1}> () "
                         "y = Slice (x, b, e, z, s) }",
                     {4}, {1, 2, 3, 4}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(valuesOf<float>(result), Values{1});
    }

    /// Bodies that declare the iteration number and the condition as vectors of one element, as onnxmltools writes them.
    void loopBodiesDeclareRanks() {
        std::string problem;
        const auto result =
            resultOf("g (float[1] x) => (float[1] y) { n = Constant <value = int64 {4}> () y = Loop (n, , x) "
                     "<body = step (int64[1] i, bool[1] c, float[1] s) => (bool[1] d, float[1] t) { "
                     "z = Constant <value = int64[1] {0}> () k = Squeeze (i, z) f = Cast <to = 1> (k) t = Add (s, f) "
                     "d = Identity (c) }> }",
                     {1}, {10}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(valuesOf<float>(result), Values{16}); // 10 + 0 + 1 + 2 + 3
    }

    void sequencesAreMapped() {
        std::string problem;
        const auto result = resultOf("g (float[3] x) => (float[6] z) { n = Neg (x) s = SequenceConstruct (x, n) "
                                     "t = SequenceMap (s, x) <body = square (float[] e, float[] k) => (float[] o) "
                                     "{ o = Mul (e, k) }> z = ConcatFromSequence <axis = 0> (t) }",
                                     {3}, {1, 2, 5}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(valuesOf<float>(result), (Values{1, 4, 25, -1, -4, -25}));
    }

    void optionalsHoldTensors() {
        std::string problem;
        const auto result =
            resultOf("g (float[3] x) => (float[4] z) { o = Optional (x) h = OptionalHasElement (o) "
                     "y = OptionalGetElement (o) f = Cast <to = 1> (h) a = Constant <value = int64[1] {0}> () "
                     "u = Unsqueeze (f, a) z = Concat <axis = 0> (y, u) }",
                     {3}, {1, 2, 5}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(valuesOf<float>(result), (Values{1, 2, 5, 1}));
    }

    /// Groups are normalized by themselves; scale and bias are of groups until opset 18, of channels from 21 on.
    void groupsAreNormalized_data() {
        QTest::addColumn<int>("opset");
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("dims");
        for (const char* type : {"1", "10"})
            for (const char* dims : {"1,4,1,2", "1,c,1,w"})
                for (const int opset : {18, 20, 21})
                    QTest::addRow("opset %d, type %s, %s", opset, type, dims)
                        << opset << QString(type) << QString(dims);
    }
    void groupsAreNormalized() {
        QFETCH(int, opset);
        QFETCH(QString, type);
        QFETCH(QString, dims);
        // Groups of two channels of two elements: means 40016 and 0, deviations 16 and 2.
        const Values x = {40000, 40000, 40032, 40032, 2, -2, -2, 2};
        const Values normal = {-1, -1, 1, 1, 1, -1, -1, 1};
        const bool ofGroups = opset < 21;
        std::string problem;
        const auto result = resultOf(
            fmt::format("g (float[{0}] x) => (float[i,j,k,l] y) <float[{2}] s = {3}, float[{2}] t = {4}> {{ "
                        "h = Cast <to = {1}> (x) a = Cast <to = {1}> (s) b = Cast <to = {1}> (t) "
                        "r = GroupNormalization <num_groups = 2, epsilon = 0.0> (h, a, b) y = Cast <to = 1> (r) }}",
                        dims.toStdString(), type.toStdString(), ofGroups ? 2 : 4, ofGroups ? "{1, 2}" : "{1, 2, 3, 4}",
                        ofGroups ? "{0, 5}" : "{0, 5, 6, 7}"),
            {1, 4, 1, 2}, x, problem, opset);
        QVERIFY2(problem.empty(), problem.c_str());
        const Values y = valuesOf<float>(result);
        QCOMPARE(y.size(), x.size());
        for (size_t i = 0; i < y.size(); ++i) {
            const size_t channel = i / 2, at = ofGroups ? channel / 2 : channel;
            const float scale = Values{1, 2, 3, 4}[at], bias = (ofGroups ? Values{0, 5} : Values{0, 5, 6, 7})[at];
            const float expected = normal[i] * scale + bias;
            QVERIFY2(std::abs(y[i] - expected) <= 2e-3F, fmt::format("{}: {}, not {}", i, y[i], expected).c_str());
        }
    }

    /// Scores times 0, which stands around the graph, weigh all values alike; then the weights are doubled.
    void attentionIsModified_data() {
        QTest::addColumn<QString>("scores");
        QTest::addColumn<bool>("good");
        QTest::newRow("of their shape") << "c = Mul (a, k)" << true;
        QTest::newRow("of another shape") << "c = Concat <axis = 3> (a, a)" << false;
        QTest::newRow("of another type") << "c = Cast <to = 11> (a)" << false;
    }
    void attentionIsModified() {
        QFETCH(QString, scores);
        QFETCH(bool, good);
        const Values x = {1, 2, 3, 7, 5, -3, 0, 1, 4, 4, 2, 0}; // two heads of three values of two elements
        std::string problem;
        const auto results = resultsOf(
            fmt::format(
                "<ir_version: 10, opset_import: [\"\" : 21, \"ai.onnx.preview\" : 1]>\n"
                "g (float[1,2,3,2] x) => (float[1,2,3,2] y) {{ k = Constant <value = float {{0}}> () "
                "y = ai.onnx.preview.FlexAttention <score_mod = s (float[b,h,l,m] a) => (float[b,h,l,m] c) {{ {} }}, "
                "prob_mod = p (float[b,h,l,m] a) => (float[b,h,l,m] c) {{ c = Add (a, a) }}> (x, x, x) }}",
                scores.toStdString()),
            {1, 2, 3, 2}, x, problem);
        QCOMPARE(problem.empty(), good);
        if (!good) {
            QVERIFY2(problem.contains("FlexAttention"), problem.c_str());
            return;
        }
        const Values y = valuesOf<float>(results[0]), twiceTheMeans = {6, 4, 4, 10.0F / 3};
        for (size_t i = 0; i < y.size(); ++i)
            QVERIFY2(std::abs(y[i] - twiceTheMeans[i / 6 * 2 + i % 2]) < 1e-5F, fmt::format("{}: {}", i, y[i]).c_str());
    }

    /// The size of an image is that of the file's, and 0 by 0 where the file is none.
    void imagesAreDecoded() {
        const std::string file = "P6 2 1 255\n123456";
        for (const size_t size : {file.size(), file.size() - 1}) {
            std::string problem;
            const auto result =
                resultOf("g (float[n] x) => (float[h,w,c] y) { f = Cast <to = 2> (x) "
                         "i = ImageDecoder <pixel_format = \"BGR\"> (f) y = Cast <to = 1> (i) }",
                         {int64_t(size)}, Values(file.begin(), file.begin() + std::ptrdiff_t(size)), problem);
            QVERIFY2(problem.empty(), problem.c_str());
            const bool isWhole = size == file.size();
            QCOMPARE(result.shape, isWhole ? (std::vector<int64_t>{1, 2, 3}) : (std::vector<int64_t>{0, 0, 3}));
            QCOMPARE(valuesOf<float>(result), isWhole ? (Values{'3', '2', '1', '6', '5', '4'}) : Values());
        }
    }

    void cropsBeforePaddingRepeats_data() {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<int>("before");
        QTest::addColumn<int>("after");
        QTest::addColumn<QList<float>>("expected");
        QTest::newRow("wrapped behind") << "wrap" << -1 << 1 << QList<float>{1, 2, 3, 4, 1};
        QTest::newRow("wrapped before") << "wrap" << 2 << -1 << QList<float>{2, 3, 0, 1, 2, 3};
        QTest::newRow("cropped on both sides") << "wrap" << -1 << -2 << QList<float>{1, 2};
        QTest::newRow("edge") << "edge" << -1 << 2 << QList<float>{1, 2, 3, 4, 4, 4};
        QTest::newRow("reflected") << "reflect" << 2 << -2 << QList<float>{2, 1, 0, 1, 2};
        QTest::newRow("reflected more than once") << "reflect" << -3 << 3 << QList<float>{3, 4, 3, 4, 3};
    }
    void cropsBeforePaddingRepeats() {
        QFETCH(QString, mode);
        QFETCH(int, before);
        QFETCH(int, after);
        QFETCH(QList<float>, expected);
        for (const char* size : {"5", "n"}) {
            std::string problem;
            const auto result = resultOf(fmt::format("g (float[{}] x) => (float[m] y) {{ "
                                                     "p = Constant <value = int64[2] {{{}, {}}}> () "
                                                     "y = Pad <mode = \"{}\"> (x, p) }}",
                                                     size, before, after, mode.toStdString()),
                                         {5}, {0, 1, 2, 3, 4}, problem);
            QVERIFY2(problem.empty(), problem.c_str());
            QCOMPARE(valuesOf<float>(result), Values(expected.begin(), expected.end()));
        }
    }
};

Test test() {
    return {makes<TestOperatorValues>};
}

} // namespace lathe::testing::test_operator_values

#include "test_operator_values.moc"
