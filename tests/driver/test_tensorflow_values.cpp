// SPDX-License-Identifier: Apache-2.0
//
// Graphs of TensorFlow, compiled and run, where what they compute is more than an operator: random numbers by a seed,
// held against Random123's known answers and TensorFlow's own numbers; complex numbers inside; tables of numbers.
// Needs: lathe-runner
#include "support/file_result.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <fmt/format.h>

namespace lathe::testing::test_tensorflow_values {

namespace {

std::string node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                 const std::vector<std::pair<std::string, std::string>>& types = {}) {
    std::string text = fmt::format("node {{ name: '{}' op: '{}'", name, op);
    for (const std::string& input : inputs)
        text += fmt::format(" input: '{}'", input);
    for (const auto& [key, type] : types)
        text += fmt::format(" attr {{ key: '{}' value {{ type: {} }} }}", key, type);
    return text + " }\n";
}

/// elements: "int_val: 1 int_val: 2".
std::string constant(const std::string& name, const std::string& type, const std::string& dims,
                     const std::string& elements) {
    std::string shape;
    if (!dims.empty())
        shape = fmt::format("dim {{ size: {} }}", dims);
    return fmt::format("node {{ name: '{}' op: 'Const' attr {{ key: 'dtype' value {{ type: {} }} }} "
                       "attr {{ key: 'value' value {{ tensor {{ dtype: {} tensor_shape {{ {} }} {} }} }} }} }}\n",
                       name, type, type, shape, elements);
}

const std::string input = "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } "
                          "attr { key: 'shape' value { shape { dim { size: 4 } } } } }\n";
const char* const real = "DT_FLOAT";
const char* const complex = "DT_COMPLEX64";

} // namespace

class TestTensorflowValues : public QObject {
    Q_OBJECT

private slots:
    void values_data() {
        QTest::addColumn<std::string>("nodes");
        QTest::addColumn<Values>("x");
        QTest::addColumn<Values>("expected");
        const Values zeros(4, 0);
        const std::string four = constant("shape", "DT_INT32", "1", "int_val: 4");
        const auto scaled = [](std::initializer_list<uint32_t> words) {
            Values values;
            for (const uint32_t word : words)
                values.push_back(static_cast<float>(word & 0x7FFFFF) * 0x1p-23F);
            return values;
        };
        const auto drawn = [&](const std::string& bits) {
            return four + constant("key", "DT_UINT64", "1", "uint64_val: " + bits) +
                   constant("counter", "DT_UINT64", "2", "uint64_val: " + bits) +
                   constant("alg", "DT_INT32", "", "int_val: 1") +
                   node("u", "StatelessRandomUniformV2", {"shape", "key", "counter", "alg"}, {{"dtype", real}}) +
                   node("y", "AddV2", {"x", "u"}, {{"T", real}});
        };
        QTest::newRow("zeros, by Random123")
            << drawn("0") << zeros << scaled({0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8});
        QTest::newRow("ones, by Random123")
            << drawn("18446744073709551615") << zeros << scaled({0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD});
        QTest::newRow("a seed, by TensorFlow")
            << four + constant("seed", "DT_INT32", "2", "int_val: 1 int_val: 2") +
                   node("u", "StatelessRandomUniform", {"shape", "seed"}, {{"dtype", real}}) +
                   node("y", "AddV2", {"x", "u"}, {{"T", real}})
            << zeros << Values{0.8440604F, 0.19204533F, 0.9962232F, 0.1603874F};

        // (x + ix)(1 + 2i) = -x + 3ix
        const std::string product = constant("f", complex, "", "scomplex_val: 1 scomplex_val: 2") +
                                    node("z", "Complex", {"x", "x"}, {{"T", real}, {"Tout", complex}}) +
                                    node("p", "Mul", {"z", "f"}, {{"T", complex}});
        const Values x = {1, -2, 0.5F, 4};
        QTest::newRow("real part") << product + node("y", "Real", {"p"}, {{"T", complex}}) << x
                                   << Values{-1, 2, -0.5F, -4};
        QTest::newRow("imaginary part, turned round")
            << product + constant("axis", "DT_INT32", "1", "int_val: 0") +
                   node("r", "ReverseV2", {"p", "axis"}, {{"T", complex}, {"Tidx", "DT_INT32"}}) +
                   node("y", "Imag", {"r"}, {{"T", complex}})
            << x << Values{12, 1.5F, -6, 3};
        QTest::newRow("quotient") << product + node("q", "RealDiv", {"p", "f"}, {{"T", complex}}) +
                                         node("y", "Imag", {"q"}, {{"T", complex}})
                                  << x << x;

        const std::string table =
            node("t", "HashTableV2", {}, {{"key_dtype", "DT_INT64"}, {"value_dtype", real}}) +
            constant("k", "DT_INT64", "3", "int64_val: 7 int64_val: -3 int64_val: 100") +
            constant("v", real, "3", "float_val: 1.5 float_val: 2.5 float_val: 3.5") +
            node("fill", "InitializeTableV2", {"t", "k", "v"}, {{"Tkey", "DT_INT64"}, {"Tval", real}}) +
            constant("none", real, "", "float_val: -1") +
            node("key", "Cast", {"x"}, {{"SrcT", real}, {"DstT", "DT_INT64"}}) +
            node("y", "LookupTableFindV2", {"t", "key", "none"}, {{"Tin", "DT_INT64"}, {"Tout", real}});
        QTest::newRow("a table") << table << Values{7, 8, -3, 100} << Values{1.5F, -1, 2.5F, 3.5F};
        QTest::newRow("a table, beside its keys") << table << Values{-4, 101, 6, 99} << Values{-1, -1, -1, -1};
    }
    void values() {
        QFETCH(std::string, nodes);
        QFETCH(Values, x);
        QFETCH(Values, expected);
        std::string problem;
        const auto result = resultOfFile(input + nodes, "x", tensorOf(types::Float32, {4}, x), {}, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        const Values found = valuesOf<float>(result);
        QCOMPARE(found.size(), expected.size());
        for (size_t i = 0; i < found.size(); ++i)
            QVERIFY2(std::abs(found[i] - expected[i]) <= 1e-6F * std::max(1.0F, std::abs(expected[i])),
                     fmt::format("{}: {}, not {}", i, found[i], expected[i]).c_str());
    }
};

Test test() {
    return {.make = makes<TestTensorflowValues>};
}

} // namespace lathe::testing::test_tensorflow_values

#include "test_tensorflow_values.moc"
