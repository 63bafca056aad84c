// SPDX-License-Identifier: Apache-2.0
//
// Trees and linear models of ai.onnx.ml, compiled and run. Classifiers are held against what ONNX Runtime 1.32 gives, for
// their text leaves labels and scores of two classes open; comparisons, aggregates and sets against values by hand; and what
// is no tree is refused.
// Needs: lathe-runner
// Links: onnx
#include "support/model_result.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace lathe::testing::test_classic_models {

namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::string modelOf(const std::string& graph, int ml = 3) {
    return fmt::format("<ir_version: 8, opset_import: [\"\" : 15, \"ai.onnx.ml\" : {}]>\n{}", ml, graph);
}

/// A tree that splits column 0 at a half, and a leaf alone; weights are those of its leaves, then of the other.
std::string classifier(const std::string& ids, const std::string& weights, const std::string& more) {
    return modelOf(
        fmt::format("g (float[n,1] x) => (int64[n] l, float[n,c] y) {{ l, y = ai.onnx.ml.TreeEnsembleClassifier <"
                    "class_ids = [{}], class_nodeids = [1, 2, 0], class_treeids = [0, 0, 1], class_weights = [{}], "
                    "nodes_falsenodeids = [2, 0, 0, 0], nodes_featureids = [0, 0, 0, 0], "
                    "nodes_modes = [\"BRANCH_LEQ\", \"LEAF\", \"LEAF\", \"LEAF\"], nodes_nodeids = [0, 1, 2, 0], "
                    "nodes_treeids = [0, 0, 0, 1], nodes_truenodeids = [1, 0, 0, 0], nodes_values = [0.5, 0.0, 0.0, "
                    "0.0], {}> (x) }}",
                    ids, weights, more));
}

using Labels = QList<qint64>;
using Scores = QList<float>;

Labels labelsOf(const model::HostTensor& tensor) {
    const std::vector<int64_t> labels = valuesOf<int64_t>(tensor);
    return {labels.begin(), labels.end()};
}

} // namespace

class TestClassicModels : public QObject {
    Q_OBJECT

private slots:
    /// For the inputs 0 and 1.
    void treesClassify_data() {
        QTest::addColumn<QString>("ids");
        QTest::addColumn<QString>("weights");
        QTest::addColumn<QString>("more");
        QTest::addColumn<Labels>("labels");
        QTest::addColumn<Scores>("scores");
        const auto row = [](const char* name, const char* ids, const char* weights, const char* more,
                            const Labels& labels, const Scores& scores) {
            QTest::newRow(name) << ids << weights << more << labels << scores;
        };
        const char *signedOnes = "1.5, -0.75, 0.2", *positive = "1.5, 0.75, 0.2", *small = "0.1, 0.2, 0.2";
        const char* two = "classlabels_int64s = [7, 9], post_transform = \"NONE\"";
        const char* logistic = "classlabels_int64s = [7, 9], post_transform = \"LOGISTIC\"";
        row("one score, signed", "0, 0, 0", signedOnes, two, {9, 7}, {-1.7F, 1.7F, 0.55F, -0.55F});
        row("one score, positive", "0, 0, 0", positive, two, {9, 9}, {-0.7F, 1.7F, 0.05F, 0.95F});
        row("one score below a half", "0, 0, 0", small, two, {7, 7}, {0.7F, 0.3F, 0.6F, 0.4F});
        row("one score, logistic", "0, 0, 0", positive, logistic, {9, 9}, {0.1545F, 0.8455F, 0.2789F, 0.7211F});
        row("one score with a base", "0, 0, 0", signedOnes,
            "classlabels_int64s = [7, 9], base_values = [0.1], post_transform = \"NONE\"", {9, 7},
            {-1.8F, 1.8F, 0.45F, -0.45F});
        row("the second alone", "1, 1, 1", small, two, {7, 7}, {0, 0.3F, 0, 0.4F});
        row("both", "0, 1, 1", signedOnes, "classlabels_int64s = [0, 1], post_transform = \"SOFTMAX\"", {1, 0},
            {0.7858F, 0.2142F, 0.6341F, 0.3659F});
        row("three", "0, 1, 1", positive,
            "classlabels_int64s = [7, 9, 11], base_values = [0.1, 0.2, 0.3], post_transform = \"NONE\"", {7, 9},
            {1.6F, 0.4F, 0.3F, 0.1F, 1.15F, 0.3F});
        row("three, softmax", "0, 1, 1", signedOnes, "classlabels_int64s = [7, 9, 11], post_transform = \"SOFTMAX\"",
            {7, 7}, {0.6686F, 0.1822F, 0.1492F, 0.3881F, 0.2239F, 0.3881F});
    }
    void treesClassify() {
        QFETCH(QString, ids);
        QFETCH(QString, weights);
        QFETCH(QString, more);
        QFETCH(Labels, labels);
        QFETCH(Scores, scores);
        std::string problem;
        const auto results = resultsOf(classifier(ids.toStdString(), weights.toStdString(), more.toStdString()), {2, 1},
                                       {0, 1}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(labelsOf(results[0]), labels);
        const std::string difference = differs(results[1], {scores.begin(), scores.end()});
        QVERIFY2(difference.empty(), difference.c_str());
    }

    /// Each comparison of 1, 2, 3 and what is no number with 2; where it holds, 10, else 20.
    void comparisons() {
        const struct {
            const char* mode;
            int missing;
            Values expected;
        } cases[] = {
            {"LEQ", 0, {10, 10, 20, 20}}, {"LT", 0, {10, 20, 20, 20}},  {"GTE", 0, {20, 10, 10, 20}},
            {"GT", 0, {20, 20, 10, 20}},  {"EQ", 0, {20, 10, 20, 20}},  {"NEQ", 0, {10, 20, 10, 10}},
            {"LT", 1, {10, 20, 20, 10}},  {"GTE", 1, {20, 10, 10, 10}}, {"EQ", 1, {20, 10, 20, 10}},
        };
        for (const auto& [mode, missing, expected] : cases) {
            std::string problem;
            const auto results = resultsOf(
                modelOf(fmt::format(
                    "g (float[n,1] x) => (float[n,1] y) {{ y = ai.onnx.ml.TreeEnsembleRegressor <n_targets = 1, "
                    "target_ids = [0, 0], target_nodeids = [1, 2], target_treeids = [5, 5], target_weights = [10.0, "
                    "20.0], nodes_treeids = [5, 5, 5], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], "
                    "nodes_modes = [\"BRANCH_{}\", \"LEAF\", \"LEAF\"], nodes_values = [2.0, 0.0, 0.0], "
                    "nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], "
                    "nodes_missing_value_tracks_true = [{}, 0, 0]> (x) }}",
                    mode, missing)),
                {4, 1}, {1, 2, 3, nan}, problem);
            QVERIFY2(problem.empty(), problem.c_str());
            QVERIFY2(valuesOf<float>(results[0]) == expected, mode);
        }
    }

    /// Two trees that ask for a set; the first one then splits at 5. Of 1 and 3 the votes are 4 for target 1 and 3 for target 0,
    /// of 4 they are -1 and 2 for target 0, of 9 they are 3 and 2.
    void setsAndAggregates() {
        const std::pair<int, Values> cases[] = {{0, {1.5F, 2, 1.5F, 2, 0.5F, 0, 2.5F, 0}}, // average
                                                {1, {3, 4, 3, 4, 1, 0, 5, 0}},             // sum
                                                {2, {3, 4, 3, 4, -1, 0, 2, 0}},            // least
                                                {3, {3, 4, 3, 4, 2, 0, 3, 0}}};            // largest
        for (const auto& [aggregate, expected] : cases) {
            std::string problem;
            const auto results = resultsOf(
                modelOf(
                    fmt::format(
                        "g (float[n,1] x) => (float[n,2] y) {{ y = ai.onnx.ml.TreeEnsemble <aggregate_function = {}, "
                        "n_targets = 2, tree_roots = [0, 2], nodes_featureids = [0, 0, 0], "
                        "nodes_modes = uint8[3] {{6, 0, 6}}, nodes_splits = float[3] {{0, 5, 0}}, "
                        "membership_values = float[6] {{1, 3, nan, 1, 3, nan}}, nodes_trueleafs = [1, 1, 1], "
                        "nodes_truenodeids = [0, 1, 2], nodes_falseleafs = [0, 1, 1], nodes_falsenodeids = [1, 2, 3], "
                        "leaf_targetids = [1, 0, 0, 0], leaf_weights = float[4] {{4, -1, 3, 2}}> (x) }}",
                        aggregate),
                    5),
                {4, 1}, {1, 3, 4, 9}, problem);
            QVERIFY2(problem.empty(), problem.c_str());
            const std::string difference = differs(results[0], expected);
            QVERIFY2(difference.empty(), fmt::format("{}: {}", aggregate, difference).c_str());
        }
    }

    /// Two columns, the first of three, and one with two of zeros behind it.
    void featuresAreJoined() {
        std::string problem;
        const auto results = resultsOf(
            modelOf("g (float[n,2] x, float[n,w] y, float[n,1] z) => (float[n,6] r) { r = ai.onnx.ml.FeatureVectorizer "
                    "<inputdimensions = [2, 1, 3]> (x, y, z) }",
                    1),
            {{"x", tensorOf<float>(types::Float32, {2, 2}, {1, 2, 3, 4})},
             {"y", tensorOf<float>(types::Float32, {2, 3}, {5, 6, 7, 8, 9, 10})},
             {"z", tensorOf<float>(types::Float32, {2, 1}, {11, 12})}},
            problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QVERIFY(valuesOf<float>(results[0]) == (Values{1, 2, 5, 11, 0, 0, 3, 4, 8, 12, 0, 0}));
    }

    void linearModels() {
        const Values x = {0.3F, 1, -1, 2, 0, 0};
        const struct {
            const char* node;
            Labels labels;
            Values scores;
        } cases[] = {
            {"LinearClassifier <coefficients = [0.5, 0.25], intercepts = [0.1], classlabels_ints = [7, 9], "
             "post_transform = \"NONE\">",
             {9, 9, 9},
             {0.5F, 0.5F, 0.9F, 0.1F, 0.9F, 0.1F}},
            {"LinearClassifier <coefficients = [0.5, 0.25], intercepts = [0.1], classlabels_ints = [7, 9], "
             "post_transform = \"LOGISTIC\">",
             {9, 9, 9},
             {0.37754F, 0.62246F, 0.47502F, 0.52498F, 0.47502F, 0.52498F}},
            {"LinearClassifier <coefficients = [0.5, 0.25, -0.5, 0.1], intercepts = [0.1, 0.2], classlabels_ints = [7, "
             "9], post_transform = \"SOFTMAX_ZERO\">",
             {7, 9, 9},
             {0.58662F, 0.41338F, 0.31003F, 0.68997F, 0.47502F, 0.52498F}},
            {"LinearRegressor <targets = 2, coefficients = [0.5, 0.25, -0.5, 0.1], intercepts = [0.1, 0.2], "
             "post_transform = \"PROBIT\">",
             {},
             {0, -1.03661F, -1.28171F, 1.28171F, -1.28171F, -0.84176F}},
            {"SVMRegressor <coefficients = [0.5, -0.25, 0.1], rho = [0.3], n_supports = 3, support_vectors = [1.0, "
             "2.0, "
             "3.0, 4.0, -1.0, 0.5], kernel_params = [0.3, 0.2, 3.0], kernel_type = \"RBF\">",
             {},
             {0.67376F, 0.50089F, 0.48016F}},
            {"SVMRegressor <coefficients = [0.5, -0.25, 0.1], rho = [0.3], n_supports = 3, support_vectors = [1.0, "
             "2.0, "
             "3.0, 4.0, -1.0, 0.5], kernel_params = [0.3, 0.2, 3.0], kernel_type = \"POLY\">",
             {},
             {-0.51012F, -0.21155F, 0.3028F}},
            {"SVMRegressor <coefficients = [0.5, -0.25], rho = [0.3]>", {}, {0.2F, -0.7F, 0.3F}},
        };
        for (const auto& [node, labels, scores] : cases) {
            std::string problem;
            const auto results =
                resultsOf(modelOf(fmt::format("g (float[n,2] x) => ({} y) {{ {} y = ai.onnx.ml.{} (x) }}",
                                              labels.isEmpty() ? "float[n,c]" : "int64[n] l, float[n,c]",
                                              labels.isEmpty() ? "" : "l,", node),
                                  1),
                          {3, 2}, x, problem);
            QVERIFY2(problem.empty(), (node + (": " + problem)).c_str());
            if (!labels.isEmpty())
                QCOMPARE(labelsOf(results[0]), labels);
            const std::string difference = differs(results.back(), scores);
            QVERIFY2(difference.empty(), (node + (": " + difference)).c_str());
        }
    }

    void labelsAreStrings() {
        const struct {
            const char* node;
            std::vector<std::string> labels;
            Values scores;
        } cases[] = {
            {"LinearClassifier <coefficients = [0.5, 0.25], intercepts = [-0.3], classlabels_strings = [\"no\", "
             "\"yes\"], post_transform = \"LOGISTIC\">",
             {"yes", "no", "no"},
             {0.47502F, 0.52498F, 0.57444F, 0.42556F, 0.57444F, 0.42556F}},
            {"LinearClassifier <coefficients = [0.5, 0.25, -0.5, 0.1, 0.0, 0.3], intercepts = [0.1, 0.2, 0.0], "
             "classlabels_strings = [\"a\", \"b\", \"c\"], post_transform = \"SOFTMAX\">",
             {"a", "b", "b"},
             {0.39629F, 0.27926F, 0.32445F, 0.20516F, 0.45659F, 0.33825F, 0.33223F, 0.36717F, 0.30061F}},
        };
        for (const auto& [node, labels, scores] : cases) {
            std::string problem;
            const auto results = resultsOf(
                modelOf(
                    fmt::format("g (float[n,2] x) => (string[n] l, float[n,c] y) {{ l, y = ai.onnx.ml.{} (x) }}", node),
                    1),
                {3, 2}, {0.3F, 1, -1, 2, 0, 0}, problem);
            QVERIFY2(problem.empty(), (node + (": " + problem)).c_str());
            QVERIFY2(results[0].strings == labels, node);
            const std::string difference = differs(results[1], scores);
            QVERIFY2(difference.empty(), (node + (": " + difference)).c_str());
        }
    }
    void labelsOfTreesAreStrings() {
        std::string text = classifier("0, 0, 0", "1.5, -0.75, 0.2",
                                      "classlabels_strings = [\"no\", \"yes\"], post_transform = \"NONE\"");
        text.replace(text.find("int64[n] l"), 10, "string[n] l");
        std::string problem;
        const auto results = resultsOf(text, {2, 1}, {0, 1}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QVERIFY(results[0].strings == (std::vector<std::string>{"yes", "no"}));
    }
    void labelsOfTwoKinds() {
        std::string problem;
        (void)resultsOf(modelOf("g (float[n,2] x) => (int64[n] l, float[n,2] y) { l, y = ai.onnx.ml.LinearClassifier "
                                "<coefficients = [0.5, 0.25], classlabels_ints = [7, 9], classlabels_strings = "
                                "[\"no\", \"yes\"]> (x) }",
                                1),
                        {1, 2}, {0, 1}, problem);
        QVERIFY2(problem.contains("and in 'classlabels_strings'"), problem.c_str());
    }

    /// As skl2onnx ends a classifier. ONNX Runtime gives {7: 0.1, 9: 0.9} and {7: 0.5, 9: 0.5}.
    void mapsAreRows() {
        const std::string graph =
            "g (float[n,2] x) => (int64[n] l, seq(map(int64, float)) m) {{ l, p = ai.onnx.ml.LinearClassifier "
            "<coefficients = [0.5, 0.25], intercepts = [0.1], classlabels_ints = [9, 7]> (x) "
            "m = ai.onnx.ml.ZipMap <classlabels_int64s = [{}]> (p) }}";
        std::string problem;
        const auto results =
            resultsOf(modelOf(fmt::format(fmt::runtime(graph), "9, 7"), 1), {2, 2}, {-1, 2, 0.3F, 1}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(labelsOf(results[0]), (Labels{7, 7}));
        QVERIFY(results[1].shape == (std::vector<int64_t>{2, 2}));
        const std::string difference = differs(results[1], {0.1F, 0.9F, 0.5F, 0.5F});
        QVERIFY2(difference.empty(), difference.c_str());
        (void)resultsOf(modelOf(fmt::format(fmt::runtime(graph), "7, 7"), 1), {2, 2}, {-1, 2, 0.3F, 1}, problem);
        QVERIFY2(problem.contains("two keys of the map are equal"), problem.c_str());
    }

    void noTrees_data() {
        QTest::addColumn<QString>("whenTrue");
        QTest::addColumn<QString>("whenFalse");
        QTest::addColumn<QString>("modes");
        QTest::addColumn<QString>("reason");
        QTest::newRow("a circle") << "1, 0, 0" << "2, 2, 2" << "\"BRANCH_LEQ\", \"BRANCH_LEQ\", \"LEAF\"" << "0 nodes";
        QTest::newRow("a node twice") << "1, 2, 0" << "1, 2, 2" << "\"BRANCH_LEQ\", \"BRANCH_LEQ\", \"LEAF\""
                                      << "two branches";
        QTest::newRow("no such node") << "3, 0, 0" << "2, 2, 2" << "\"BRANCH_LEQ\", \"LEAF\", \"LEAF\""
                                      << "leads to a node";
        QTest::newRow("two roots") << "2, 0, 0" << "2, 2, 2" << "\"BRANCH_LEQ\", \"LEAF\", \"LEAF\"" << "2 nodes";
        QTest::newRow("an unknown mode") << "1, 0, 0" << "2, 2, 2" << "\"BRANCH_NOT\", \"LEAF\", \"LEAF\""
                                         << "BRANCH_NOT";
    }
    void noTrees() {
        QFETCH(QString, whenTrue);
        QFETCH(QString, whenFalse);
        QFETCH(QString, modes);
        QFETCH(QString, reason);
        std::string problem;
        (void)resultsOf(
            modelOf(fmt::format(
                "g (float[n,1] x) => (float[n,1] y) {{ y = ai.onnx.ml.TreeEnsembleRegressor <target_ids = [0], "
                "target_nodeids = [2], target_treeids = [0], target_weights = [1.0], nodes_treeids = [0, 0, 0], "
                "nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], nodes_modes = [{}], nodes_values = [2.0, "
                "0.0, 0.0], nodes_truenodeids = [{}], nodes_falsenodeids = [{}]> (x) }}",
                modes.toStdString(), whenTrue.toStdString(), whenFalse.toStdString())),
            {1, 1}, {0}, problem);
        QVERIFY2(problem.contains(reason.toStdString()), problem.c_str());
    }

    void missingFeature() {
        std::string problem, text = classifier("0, 0, 0", "1.0, 2.0, 3.0", "classlabels_int64s = [0, 1]");
        text.replace(text.find("featureids = [0"), 15, "featureids = [1");
        (void)resultsOf(text, {2, 1}, {0, 1}, problem);
        QVERIFY2(problem.contains("2 features"), problem.c_str());
    }

    /// Of so many numbers that their count wraps, and none is there.
    void coefficientsThatCannotBe() {
        std::string problem;
        (void)resultsOf(modelOf("g (float[n,8589934592] x) => (float[n,2147483648] y) { y = ai.onnx.ml.LinearRegressor "
                                "<targets = 2147483648> (x) }",
                                1),
                        {1, 1}, {0}, problem);
        QVERIFY2(problem.contains("'coefficients' has 0 entries"), problem.c_str());
    }
};

Test test() {
    return {makes<TestClassicModels>};
}

} // namespace lathe::testing::test_classic_models

#include "test_classic_models.moc"
