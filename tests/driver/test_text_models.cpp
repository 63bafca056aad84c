// SPDX-License-Identifier: Apache-2.0
//
// ONNX models that compute with strings, compiled and run: what moves them, what makes them, and what is refused. Expected are
// the values of ONNX's reference (Python's own methods of str).
#include "base/memory_file.h"
#include "device/runner_client.h"
#include "driver/compile.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <fmt/format.h>

namespace lathe::testing::test_text_models {

namespace {

using model::HostTensor;
using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

HostTensor textsOf(std::vector<int64_t> shape, Texts texts) {
    return {types::String, std::move(shape), {}, std::move(texts)};
}

/// Compiles a graph and runs it with inputs by name; nothing, and why, otherwise.
class Compiled {
public:
    explicit Compiled(const std::string& graph, int mlVersion = 4) {
        const std::string bytes = modelBytes(
            fmt::format("<ir_version: 10, opset_import: [\"\" : 21, \"ai.onnx.ml\" : {}]>\n{}", mlVersion, graph));
        driver::Options options;
        options.cache = false;
        driver::Trace trace;
        const auto compiled =
            driver::compileBytes(std::as_bytes(std::span(bytes)), "model", artifact_.path(), {}, options, trace);
        if (!compiled)
            problem = toString(compiled.error());
    }

    std::vector<HostTensor> run(const std::vector<std::pair<std::string, HostTensor>>& inputs) {
        device::RunnerOptions where;
        where.program = LATHE_BINARY_DIR "/lathe-runner";
        device::RunnerClient runner(where);
        const auto failed = [&](const auto& result) {
            if (!result && problem.empty())
                problem = toString(result.error());
            return !result;
        };
        if (!problem.empty() || failed(runner.load(artifact_.path())))
            return {};
        for (const auto& [name, tensor] : inputs)
            if (failed(runner.setInput(name, tensor)))
                return {};
        if (failed(runner.run()) || failed(runner.run())) // strings of the first run are gone
            return {};
        auto outputs = runner.outputs();
        return failed(outputs) ? std::vector<HostTensor>() : *outputs;
    }

    std::string problem;

private:
    MemoryFile artifact_{"strings"};
};

} // namespace

class TestTextModels : public QObject {
    Q_OBJECT

private slots:
    void theyAreMovedAndCompared() {
        Compiled model(R"(g (string[2,n] x, string[n] y) => (string[n,2] t, bool[2,n] e, string[m] c, string[2,n] w)
            <string[1] mark = {"é!"}> {
            t = Transpose <perm = [1, 0]> (x)
            e = Equal (x, y)
            c = Concat <axis = 0> (y, mark)
            w = Where (e, mark, x)
        })");
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        const std::string odd("\xff\0z", 3);
        const auto got =
            model.run({{"x", textsOf({2, 3}, {"a", "", odd, "b", "a", "é!"})}, {"y", textsOf({3}, {"a", "", "é!"})}});
        QVERIFY2(got.size() == 4, model.problem.c_str());
        QCOMPARE(got[0].strings, (Texts{"a", "b", "", "a", odd, "é!"}));
        QCOMPARE(got[1].shape, (Numbers{2, 3}));
        QCOMPARE(valuesOf<char>(got[1]), (std::vector<char>{1, 1, 0, 0, 0, 1}));
        QCOMPARE(got[2].strings, (Texts{"a", "", "é!", "é!"}));
        QCOMPARE(got[3].strings, (Texts{"é!", "é!", odd, "b", "a", "é!"}));
    }

    void loopsCarryThem() {
        Compiled model(R"(g (int64 n, string[1] x) => (string[1] y, string[k,1] steps)
            <bool go = {1}> {
            y, steps = Loop (n, go, x) <body = b (int64 i, bool c, string[1] s) => (bool on, string[1] t, string[1] u) {
                on = Identity (c)
                t = StringConcat (s, s)
                u = Identity (t)
            }>
        })");
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        const auto got = model.run({{"n", tensorOf<int64_t>(types::Int64, {}, {3})}, {"x", textsOf({1}, {"ab"})}});
        QVERIFY2(got.size() == 2, model.problem.c_str());
        QCOMPARE(got[0].strings, (Texts{"abababababababab"}));
        QCOMPARE(got[1].strings, (Texts{"abab", "abababab", "abababababababab"}));
    }

    void constantsAreOutputsAndOperands() {
        const std::string constant = "[c] s = Constant <value_strings = [\"abc\", \"def\"]> () ";
        const auto gives = [&](const std::string& graph, const HostTensor& x) {
            Compiled model(graph);
            const auto got = model.run({{"x", x}});
            return got.size() == 1 ? got[0] : textsOf({0}, {model.problem});
        };
        const HostTensor number = tensorOf<float>(types::Float32, {1}, {0});
        const Texts both{"abc", "def"};
        QCOMPARE(gives("g (float[1] x) => (string[2] y) { " + constant + "y = Identity (s) }", number).strings, both);
        QCOMPARE(gives("g (bool[2] x) => (string[2] y) { " + constant + "y = Where (x, s, s) }",
                       tensorOf<uint8_t>(types::Bool, {2}, {1, 0}))
                     .strings,
                 both);
        const HostTensor equal = gives("g (float[1] x) => (bool[2] y) { " + constant + "y = Equal (s, s) }", number);
        QCOMPARE(valuesOf<char>(equal), (std::vector<char>{1, 1}));
    }

    void blocksThatOnlyPassThemOn() {
        Compiled branch("g (bool c, float[2] x) => (float[2] y) { [choice] s, y = If (c) < then_branch = t () => "
                        "(string[1] a, float[2] p) { a = Constant <value_strings = [\"abc\"]> () p = Relu (x) }, "
                        "else_branch = e () => (string[1] b, float[2] q) { b = Constant <value_strings = [\"def\"]> () "
                        "q = Neg (x) } > }");
        const HostTensor x = tensorOf<float>(types::Float32, {2}, {-1, 2});
        auto got = branch.run({{"c", tensorOf<uint8_t>(types::Bool, {}, {1})}, {"x", x}});
        QVERIFY2(got.size() == 1, branch.problem.c_str());
        QCOMPARE(valuesOf<float>(got[0]), (std::vector<float>{0, 2}));
        Compiled loop("g (int64 n, bool go, float[2] x) => (float[2] y) { s = Constant <value_strings = [\"abc\"]> () "
                      "[repeat] t, y = Loop (n, go, s, x) < body = step (int64 i, bool c, string[1] v, float[2] a) => "
                      "(bool d, string[1] v, float[2] b) { d = Identity (c) b = Add (a, a) } > }");
        got = loop.run({{"n", tensorOf<int64_t>(types::Int64, {}, {3})},
                        {"go", tensorOf<uint8_t>(types::Bool, {}, {1})},
                        {"x", x}});
        QVERIFY2(got.size() == 1, loop.problem.c_str());
        QCOMPARE(valuesOf<float>(got[0]), (std::vector<float>{-8, 16}));
    }

    void theyAreSplit() {
        Compiled model(R"(g (string[n] x) => (string[n,p] a, int64[n] b, string[n,q] c, int64[n] d) {
            a, b = StringSplit <delimiter = "--"> (x)
            c, d = StringSplit <maxsplit = 1> (x)
        })");
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        const auto got = model.run({{"x", textsOf({4}, {"a--b----", "", "  b c  d ", "   "})}});
        QVERIFY2(got.size() == 4, model.problem.c_str());
        QCOMPARE(got[0].shape, (Numbers{4, 4}));
        QCOMPARE(got[0].strings, (Texts{"a", "b", "", "", "", "", "", "", "  b c  d ", "", "", "", "   ", "", "", ""}));
        QCOMPARE(valuesOf<int64_t>(got[1]), (Numbers{4, 1, 1, 1}));
        QCOMPARE(got[2].strings, (Texts{"a--b----", "", "", "", "b", "c  d ", "", ""}));
        QCOMPARE(valuesOf<int64_t>(got[3]), (Numbers{1, 0, 2, 0}));
    }

    void theyAreNormalized() {
        Compiled model(R"(g (string[n] x) => (string[m] lower, string[k] kept) {
            lower = StringNormalizer <case_change_action = "LOWER", stopwords = ["Über", "a"]> (x)
            kept = StringNormalizer <is_case_sensitive = 1, stopwords = ["Über", "a"]> (x)
        })");
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        auto got = model.run({{"x", textsOf({4}, {"ÜBER", "Über", "A", "Ärger"})}});
        QVERIFY2(got.size() == 2, model.problem.c_str());
        QCOMPARE(got[0].strings, (Texts{"ärger"}));
        QCOMPARE(got[1].strings, (Texts{"ÜBER", "A", "Ärger"}));
        got = model.run({{"x", textsOf({2}, {"a", "Über"})}});
        QVERIFY2(got.size() == 2, model.problem.c_str());
        QCOMPARE(got[1].strings, (Texts{""})); // one empty string where none is left
    }

    void numbersAreReadAndPrinted() {
        Compiled model(R"(g (float[n] x, string[n] s) => (string[n] t, float[n] y, int64[n] i, string[n] b) {
            t = Cast <to = 8> (x)
            y = Cast <to = 1> (s)
            i = Cast <to = 7> (y)
            flags = Cast <to = 9> (i)
            b = Cast <to = 8> (flags)
        })");
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        const auto got = model.run({{"x", tensorOf<float>(types::Float32, {3}, {0.1f, -1e-7f, 16777216})},
                                    {"s", textsOf({3}, {"1.5", "0", "-2e0"})}});
        QVERIFY2(got.size() == 4, model.problem.c_str());
        QCOMPARE(got[0].strings, (Texts{"0.1", "-1e-07", "16777216.0"}));
        QCOMPARE(valuesOf<float>(got[1]), (std::vector<float>{1.5f, 0, -2}));
        QCOMPARE(valuesOf<int64_t>(got[2]), (Numbers{1, 0, -2}));
        QCOMPARE(got[3].strings, (Texts{"True", "False", "True"}));
    }

    void whatIsNoNumberFailsAtItsNode() {
        Compiled model("g (string[n] s) => (float[n] y) { y = Cast <to = 1> (s) }");
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        QVERIFY(model.run({{"s", textsOf({2}, {"1", "one"})}}).empty());
        QVERIFY2(model.problem.contains("a text is no number"), model.problem.c_str());
    }

    void labelsAreLookedUp() {
        Compiled model(R"(g (string[n] x, float[n] f) => (int64[n] i, string[n] s) {
            i = ai.onnx.ml.LabelEncoder <keys_strings = ["a", "", "é"], values_int64s = [1, 2, 3],
                                         default_int64 = 9> (x)
            s = ai.onnx.ml.LabelEncoder <keys_floats = [0.5, 2.0], values_strings = ["half", "two"]> (f)
        })");
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        const auto got = model.run(
            {{"x", textsOf({4}, {"é", "", "b", "é"})}, {"f", tensorOf<float>(types::Float32, {4}, {2, 0.5f, 1, -2})}});
        QVERIFY2(got.size() == 2, model.problem.c_str());
        QCOMPARE(valuesOf<int64_t>(got[0]), (Numbers{3, 2, 9, 3}));
        QCOMPARE(got[1].strings, (Texts{"two", "half", "_Unused", "_Unused"}));
    }

    /// A key that is not a number is found since version 4 of ai.onnx.ml.
    void notANumberIsAKeyOfLaterVersions() {
        for (const auto& [version, label] : {std::pair(2, -1.0f), std::pair(4, 20.0f)}) {
            Compiled model(R"(g (float[n] f) => (float[n] y) {
                y = ai.onnx.ml.LabelEncoder <keys_floats = [1.0, nan, 3.0], values_floats = [10.0, 20.0, 30.0],
                                             default_float = -1.0> (f)
            })",
                           version);
            QVERIFY2(model.problem.empty(), model.problem.c_str());
            const auto got = model.run({{"f", tensorOf<float>(types::Float32, {3}, {NAN, 3, 2})}});
            QVERIFY2(got.size() == 1, model.problem.c_str());
            QCOMPARE(valuesOf<float>(got[0]), (std::vector<float>{label, 30, -1}));
        }
    }

    void categoriesAreLookedUp() {
        Compiled model(
            R"(g (string[n] x, int64[m] i, float[k] f)
                                => (int64[n] a, string[m] b, float[n,3] c, float[k,2] d) {
            a = ai.onnx.ml.CategoryMapper <cats_strings = ["a", "", "é"], cats_int64s = [5, 7, -3],
                                           default_int64 = 9> (x)
            b = ai.onnx.ml.CategoryMapper <cats_strings = ["a", "", "é"], cats_int64s = [5, 7, -3]> (i)
            c = ai.onnx.ml.OneHotEncoder <cats_strings = ["a", "", "é"]> (x)
            d = ai.onnx.ml.OneHotEncoder <cats_int64s = [5, -3]> (f)
        })");
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        const auto got = model.run({{"x", textsOf({4}, {"é", "b", "", "a"})},
                                    {"i", tensorOf<int64_t>(types::Int64, {3}, {-3, 5, 0})},
                                    {"f", tensorOf<float>(types::Float32, {3}, {-3.75F, 5.5F, 0})}});
        QVERIFY2(got.size() == 4, model.problem.c_str());
        QCOMPARE(valuesOf<int64_t>(got[0]), (Numbers{-3, 9, 7, 5}));
        QCOMPARE(got[1].strings, (Texts{"é", "a", "_Unused"}));
        QCOMPARE(valuesOf<float>(got[2]), (std::vector<float>{0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0}));
        QCOMPARE(valuesOf<float>(got[3]), (std::vector<float>{0, 1, 1, 0, 0, 0}));
    }
    void noCategoryFailsWhereNoneMayBeMissing() {
        Compiled model(R"(g (int64[n] x) => (float[n,3] y) {
            y = ai.onnx.ml.OneHotEncoder <cats_int64s = [5, -3, 2], zeros = 0> (x)
        })");
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        const auto got = model.run({{"x", tensorOf<int64_t>(types::Int64, {2}, {5, 2})}});
        QVERIFY2(got.size() == 1, model.problem.c_str());
        QCOMPARE(valuesOf<float>(got[0]), (std::vector<float>{1, 0, 0, 0, 0, 1}));
        QVERIFY(model.run({{"x", tensorOf<int64_t>(types::Int64, {2}, {5, 3})}}).empty());
        QVERIFY2(model.problem.contains("index out of range"), model.problem.c_str());
    }
    void aCategoryMapperHasAsManyOfBoth() {
        Compiled model(R"(g (string[n] x) => (int64[n] y) {
            y = ai.onnx.ml.CategoryMapper <cats_strings = ["a", "b"], cats_int64s = [5]> (x)
        })");
        QVERIFY2(model.problem.contains("2 strings for 1 integers"), model.problem.c_str());
    }

    /// Of "to be or not to be": "be" and "to be" twice, "be to" never, and with a skip of one "to or" and "not be".
    void nGramsAreCounted() {
        Compiled model(R"(g (string[n,w] x) => (float[n,6] y) {
            y = TfIdfVectorizer <mode = "TFIDF", min_gram_length = 1, max_gram_length = 2, max_skip_count = 1,
                                 ngram_counts = [0, 1], ngram_indexes = [5, 0, 1, 2, 3],
                                 pool_strings = ["be", "to", "be", "be", "to", "to", "or", "not", "be"],
                                 weights = [0.5, 1.0, 1.0, 2.0, 1.0]> (x)
        })");
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        const auto got =
            model.run({{"x", textsOf({2, 6}, {"to", "be", "or", "not", "to", "be", "be", "to", "x", "x", "x", "be"})}});
        QVERIFY2(got.size() == 1, model.problem.c_str());
        QCOMPARE(valuesOf<float>(got[0]), (std::vector<float>{2, 0, 2, 1, 0, 1, 0, 1, 0, 0, 0, 1}));
    }

    void expressionsMatch() {
        Compiled model(
            R"g(g (string[n] x) => (bool[n] y) { y = RegexFullMatch <pattern = "[a-z]+@(mail|web)"> (x) })g");
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        const auto got = model.run({{"x", textsOf({4}, {"ann@mail", "ann@mails", "@web", "b@web"})}});
        QVERIFY2(got.size() == 1, model.problem.c_str());
        QCOMPARE(valuesOf<char>(got[0]), (std::vector<char>{1, 0, 0, 1}));
    }

    void whatNeedsNumbersIsRefused() {
        Compiled model("g (string[n] x) => (string[n] y) { y = Unique (x) }");
        QVERIFY2(model.problem.contains("strings are not sorted"), model.problem.c_str());
        Compiled expression("g (string[n] x) => (bool[n] y) { y = RegexFullMatch <pattern = \"(\"> (x) }");
        QVERIFY2(expression.problem.contains("regular expression"), expression.problem.c_str());
    }
};

Test test() {
    return {makes<TestTextModels>};
}

} // namespace lathe::testing::test_text_models

#include "test_text_models.moc"
