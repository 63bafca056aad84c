// SPDX-License-Identifier: Apache-2.0
//
// Classifiers of ai.onnx.ml by support vectors, compiled and run, against what ONNX Runtime 1.32 gives.
// Needs: lathe-runner
// Links: onnx
#include "support/model_result.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cmath>
#include <fmt/format.h>

namespace lathe::testing::test_support_vectors {

namespace {

const Values rows = {0.3F, 1, -1, 2, 0, 0, 2, -1.5F};

/// The outputs for the rows, and what is wrong in `problem`.
std::vector<model::HostTensor> classified(const std::string& attributes, const char* label, std::string& problem) {
    return resultsOf(fmt::format("<ir_version: 8, opset_import: [\"\" : 15, \"ai.onnx.ml\" : 1]>\n"
                                 "g (float[n,2] x) => ({}[n] l, float[n,c] y) {{ l, y = ai.onnx.ml.SVMClassifier <{}> "
                                 "(x) }}",
                                 label, attributes),
                     {4, 2}, rows, problem);
}

/// Two classes of two vectors each.
std::string ofTwo(const char* transform, const char* probabilities = "") {
    return fmt::format("support_vectors = [1.0, 2.0, 3.0, 4.0, -1.0, 0.5, 0.2, -0.7], vectors_per_class = [2, 2], "
                       "coefficients = [0.5, -0.25, 0.1, -0.4], rho = [0.05], kernel_type = \"RBF\", kernel_params = "
                       "[0.3, 0.0, 3.0], classlabels_strings = [\"no\", \"yes\"], {} post_transform = \"{}\"",
                       probabilities, transform);
}

/// Three classes of two, one and one vector.
std::string ofThree(const char* kernel, const char* more = "") {
    return fmt::format("support_vectors = [1.0, 2.0, 3.0, 4.0, -1.0, 0.5, 0.2, -0.7], vectors_per_class = [2, 1, 1], "
                       "coefficients = [0.5, -0.25, 0.1, -0.4, 0.7, -0.6, 0.35, -0.2], rho = [0.05, -0.1, 0.2], "
                       "classlabels_ints = [4, 9, 6], {} kernel_type = \"{}\", kernel_params = [0.3, {}, 3.0]",
                       more, kernel, std::string(kernel) == "RBF" ? "0.0" : "0.2");
}

constexpr const char* threeProbabilities = "prob_a = [-1.5, -2.0, -0.7], prob_b = [0.2, 0.1, -0.3],";

} // namespace

class TestSupportVectors : public QObject {
    Q_OBJECT

private slots:
    void twoClasses() {
        const char* probabilities = "prob_a = [-1.5], prob_b = [0.2],";
        const std::pair<std::string, Values> cases[] = {
            {ofTwo("NONE"), {-0.25618F, 0.25618F, -0.22174F, 0.22174F, 0.11104F, -0.11104F, 0.0635F, -0.0635F}},
            {ofTwo("LOGISTIC"), {0.4363F, 0.5637F, 0.44479F, 0.55521F, 0.52773F, 0.47227F, 0.51587F, 0.48413F}},
            {ofTwo("SOFTMAX"), {0.74382F, 0.25618F, 0.77826F, 0.22174F, 1.11104F, -0.11104F, 1.0635F, -0.0635F}},
            {ofTwo("NONE", probabilities),
             {0.54591F, 0.45409F, 0.5331F, 0.4669F, 0.40877F, 0.59123F, 0.42646F, 0.57354F}},
            {ofTwo("SOFTMAX", probabilities),
             {0.52294F, 0.47706F, 0.51654F, 0.48346F, 0.45451F, 0.54549F, 0.4633F, 0.5367F}},
        };
        for (const auto& [attributes, scores] : cases) {
            std::string problem;
            const auto results = classified(attributes, "string", problem);
            QVERIFY2(problem.empty(), problem.c_str());
            QVERIFY(results[0].strings == (std::vector<std::string>{"no", "no", "yes", "yes"}));
            const std::string difference = differs(results[1], scores);
            QVERIFY2(difference.empty(), (attributes + ": " + difference).c_str());
        }
    }

    void threeClasses() {
        const struct {
            std::string attributes;
            std::vector<int64_t> labels;
            Values scores;
        } cases[] = {
            {ofThree("LINEAR"),
             {9, 4, 4, 6},
             {-0.005F, -1.174F, 0.398F, 0.5F, -0.36F, 1.22F, 0.05F, -0.1F, 0.2F, -0.725F, -1.38F, -1.0525F}},
            {ofThree("RBF"),
             {4, 4, 4, 4},
             {0.42376F, 0.17557F, 0.31178F, 0.25089F, 0.0802F, 0.36363F, 0.23016F, -0.28534F, 0.26995F, 0.06139F,
              -0.2118F, 0.14464F}},
            {ofThree("POLY"),
             {9, 9, 4, 4},
             {-0.76012F, -2.401F, 0.20615F, -0.46155F, -2.10732F, 0.38359F, 0.0528F, -0.1024F, 0.2012F, 0.02309F,
              -0.20792F, 0.06334F}},
            {ofThree("SIGMOID", "post_transform = \"SOFTMAX\","),
             {4, 4, 4, 6},
             {0.35852F, 0.24953F, 0.39195F, 0.33484F, 0.25446F, 0.4107F, 0.34795F, 0.26343F, 0.38862F, 0.3755F,
              0.24966F, 0.37484F}},
            {ofThree("LINEAR", threeProbabilities),
             {9, 4, 4, 6},
             {0.15448F, 0.47548F, 0.37004F, 0.32721F, 0.38834F, 0.28445F, 0.29275F, 0.39888F, 0.30838F, 0.06132F,
              0.36051F, 0.57817F}},
            {ofThree("SIGMOID", threeProbabilities),
             {4, 4, 4, 6},
             {0.30411F, 0.38053F, 0.31537F, 0.3584F, 0.36768F, 0.27392F, 0.29219F, 0.39082F, 0.31699F, 0.19443F,
              0.41326F, 0.39231F}},
        };
        for (const auto& [attributes, labels, scores] : cases) {
            std::string problem;
            const auto results = classified(attributes, "int64", problem);
            QVERIFY2(problem.empty(), problem.c_str());
            QVERIFY2(valuesOf<int64_t>(results[0]) == labels, attributes.c_str());
            const std::string difference = differs(results[1], scores);
            QVERIFY2(difference.empty(), (attributes + ": " + difference).c_str());
        }
    }

    /// Each class has a row of coefficients; of two, the second is the label where either score is over a threshold.
    void withoutVectors() {
        const char* linear = "kernel_type = \"LINEAR\", kernel_params = [0.0, 0.0, 0.0], rho = [0.05], coefficients = ";
        const struct {
            const char* attributes;
            std::vector<int64_t> labels;
            Values scores;
        } cases[] = {
            {"[0.5, -0.25, 0.1, -0.4, 0.7, -0.6], classlabels_ints = [4, 9, 6]",
             {4, 9, 4, 6},
             {-0.05F, -0.32F, -0.34F, -0.95F, -0.85F, -1.85F, 0.05F, 0.05F, 0.05F, 1.425F, 0.85F, 2.35F}},
            {"[0.5, -0.25, 0.1, -0.4], classlabels_ints = [4, 9]",
             {4, 9, 9, 9},
             {-0.05F, -0.32F, -0.95F, -0.85F, 0.05F, 0.05F, 1.425F, 0.85F}},
            {"[0.5, 0.25, 0.1, 0.4], classlabels_ints = [4, 9], post_transform = \"LOGISTIC\"",
             {9, 9, 4, 9},
             {0.61064F, 0.61775F, 0.5125F, 0.67918F, 0.5125F, 0.5125F, 0.66262F, 0.41338F}},
        };
        for (const auto& [attributes, labels, scores] : cases) {
            std::string problem;
            const auto results = classified(std::string(linear) + attributes, "int64", problem);
            QVERIFY2(problem.empty(), problem.c_str());
            QVERIFY2(valuesOf<int64_t>(results[0]) == labels, attributes);
            const std::string difference = differs(results[1], scores);
            QVERIFY2(difference.empty(), (attributes + (": " + difference)).c_str());
        }
    }

    void whatDoesNotFit() {
        const auto without = [](std::string text, const std::string& what, const std::string& instead) {
            return text.replace(text.find(what), what.size(), instead);
        };
        const std::pair<std::string, const char*> cases[] = {
            {without(ofTwo("NONE"), "[2, 2]", "[2, 1, 1]"), "'vectors_per_class' has 3 entries for 2 classes"},
            {without(ofTwo("NONE"), "[2, 2]", "[5, -1]"), "no number of vectors"},
            {without(ofTwo("NONE"), "[2, 2]", "[2, 3]"), "'support_vectors' has 8 entries where 10 are needed"},
            {without(ofTwo("NONE"), "rho = [0.05]", "rho = [0.05, 1.0]"), "'rho' has 2 entries where 1 are needed"},
            {ofThree("RBF", "prob_a = [1.0, 2.0, 3.0], prob_b = [1.0],"), "'prob_b' has 1 entries"},
        };
        for (const auto& [attributes, reason] : cases) {
            std::string problem;
            (void)classified(attributes, attributes.contains("strings") ? "string" : "int64", problem);
            QVERIFY2(problem.contains(reason), problem.c_str());
        }
    }
};

Test test() {
    return {makes<TestSupportVectors>};
}

} // namespace lathe::testing::test_support_vectors

#include "test_support_vectors.moc"
