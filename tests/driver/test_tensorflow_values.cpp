// SPDX-License-Identifier: Apache-2.0
//
// Graphs of TensorFlow, compiled and run, where what they compute is more than an operator: random numbers by a seed,
// held against Random123's known answers and TensorFlow's own numbers; complex numbers inside; tables of numbers and strings;
// lists that grow.
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

/// The node with one more attribute: "key: 'k' value { b: true }".
std::string with(std::string node, const std::string& attribute) {
    return node.insert(node.size() - 2, "attr { " + attribute + " } ");
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

/// The tensor `from`, of element type `type`, with these dims ("int_val: 1 int_val: 4", `rank` of them).
std::string shaped(const std::string& name, const std::string& type, const std::string& from, const std::string& rank,
                   const std::string& dims) {
    return constant(name + "_dims", "DT_INT32", rank, dims) +
           node(name, "Reshape", {from, name + "_dims"}, {{"T", type}, {"Tshape", "DT_INT32"}});
}

const std::string input = "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } "
                          "attr { key: 'shape' value { shape { dim { size: 4 } } } } }\n";
const char* const real = "DT_FLOAT";
const char* const complex = "DT_COMPLEX64";
const Values x = {1, -2, 0.5F, 4};
const std::string image = shaped("x4", real, "x", "4", "int_val: 1 int_val: 2 int_val: 2 int_val: 1");

void randomRows() {
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
    QTest::newRow("zeros, by Random123") << drawn("0") << zeros
                                         << scaled({0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8});
    QTest::newRow("ones, by Random123") << drawn("18446744073709551615") << zeros
                                        << scaled({0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD});
    QTest::newRow("a seed, by TensorFlow")
        << four + constant("seed", "DT_INT32", "2", "int_val: 1 int_val: 2") +
               node("u", "StatelessRandomUniform", {"shape", "seed"}, {{"dtype", real}}) +
               node("y", "AddV2", {"x", "u"}, {{"T", real}})
        << zeros << Values{0.8440604F, 0.19204533F, 0.9962232F, 0.1603874F};
}

void complexRows() {
    // (x + ix)(1 + 2i) = -x + 3ix
    const std::string product = constant("f", complex, "", "scomplex_val: 1 scomplex_val: 2") +
                                node("z", "Complex", {"x", "x"}, {{"T", real}, {"Tout", complex}}) +
                                node("p", "Mul", {"z", "f"}, {{"T", complex}});
    QTest::newRow("real part") << product + node("y", "Real", {"p"}, {{"T", complex}}) << x << Values{-1, 2, -0.5F, -4};
    QTest::newRow("imaginary part, turned round")
        << product + constant("axis", "DT_INT32", "1", "int_val: 0") +
               node("r", "ReverseV2", {"p", "axis"}, {{"T", complex}, {"Tidx", "DT_INT32"}}) +
               node("y", "Imag", {"r"}, {{"T", complex}})
        << x << Values{12, 1.5F, -6, 3};
    QTest::newRow("quotient") << product + node("q", "RealDiv", {"p", "f"}, {{"T", complex}}) +
                                     node("y", "Imag", {"q"}, {{"T", complex}})
                              << x << x;
}

void tableRows() {
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

    const std::string words =
        node("t", "HashTableV2", {}, {{"key_dtype", "DT_INT64"}, {"value_dtype", "DT_STRING"}}) +
        constant("k", "DT_INT64", "3", "int64_val: 7 int64_val: -3 int64_val: 100") +
        constant("v", "DT_STRING", "3", "string_val: 'b' string_val: 'a' string_val: '\\303\\244'") +
        node("fill", "InitializeTableV2", {"t", "k", "v"}, {{"Tkey", "DT_INT64"}, {"Tval", "DT_STRING"}}) +
        constant("none", "DT_STRING", "", "string_val: 'nothing'") +
        node("key", "Cast", {"x"}, {{"SrcT", real}, {"DstT", "DT_INT64"}}) +
        node("word", "LookupTableFindV2", {"t", "key", "none"}, {{"Tin", "DT_INT64"}, {"Tout", "DT_STRING"}}) +
        node("t2", "HashTableV2", {}, {{"key_dtype", "DT_STRING"}, {"value_dtype", real}}) +
        constant("k2", "DT_STRING", "4", "string_val: '\\303\\244' string_val: 'a' string_val: 'b' string_val: 'ab'") +
        constant("v2", real, "4", "float_val: 3.5 float_val: 2.5 float_val: 1.5 float_val: 9") +
        node("fill2", "InitializeTableV2", {"t2", "k2", "v2"}, {{"Tkey", "DT_STRING"}, {"Tval", real}}) +
        constant("none2", real, "", "float_val: -1") +
        node("y", "LookupTableFindV2", {"t2", "word", "none2"}, {{"Tin", "DT_STRING"}, {"Tout", real}});
    QTest::newRow("tables of strings") << words << Values{7, 8, -3, 100} << Values{1.5F, -1, 2.5F, 3.5F};

    const std::string numbers = node("whole", "Cast", {"x"}, {{"SrcT", real}, {"DstT", "DT_INT64"}}) +
                                node("text", "AsString", {"whole"}, {{"T", "DT_INT64"}}) +
                                node("again", "StringToNumber", {"text"}, {{"out_type", "DT_INT32"}}) +
                                node("half", "Cast", {"again"}, {{"SrcT", "DT_INT32"}, {"DstT", real}}) +
                                constant("point", "DT_STRING", "", "string_val: '.5'") +
                                node("more", "StringJoin", {"text", "point"}) +
                                node("other", "StringToNumber", {"more"}, {{"out_type", real}}) +
                                node("y", "AddV2", {"half", "other"}, {{"T", real}});
    QTest::newRow("numbers as texts") << numbers << Values{7, 8, -3, 100} << Values{14.5F, 16.5F, -6.5F, 200.5F};

    // "B", "nothing", "A" and "ä": without an encoding the last stays, as it has no letter of ASCII.
    std::string upper = words;
    upper.insert(upper.find("node { name: 't2'"), node("capital", "StringUpper", {"word"}));
    upper.replace(upper.rfind("'word'"), 6, "'capital'");
    upper.replace(upper.find("string_val: 'a' string_val: 'b' string_val: 'ab'"), 48,
                  "string_val: 'A' string_val: 'B' string_val: '\\303\\204'");
    QTest::newRow("letters of ASCII in another case") << upper << Values{7, 8, -3, 100} << Values{1.5F, -1, 2.5F, 3.5F};
}

void listRows() {
    // A list of none gets an element at place 1: then it is of two, of which the first is 0.
    const std::string list =
        constant("none", "DT_INT32", "", "int_val: 0") + constant("place", "DT_INT32", "", "int_val: 1") +
        node("l", "TensorListReserve", {"four", "none"}, {{"element_dtype", real}, {"shape_type", "DT_INT32"}}) +
        constant("four", "DT_INT32", "1", "int_val: 4") +
        with(node("set", "TensorListSetItem", {"l", "place", "x"}, {{"element_dtype", real}}),
             "key: 'resize_if_index_out_of_bounds' value { b: true }");
    QTest::newRow("a list that grows") << list +
                                              node("all", "TensorListStack", {"set", "four"},
                                                   {{"element_dtype", real}}) +
                                              node("sum", "Sum", {"all", "none"}, {{"T", real}, {"Tidx", "DT_INT32"}}) +
                                              node("length", "TensorListLength", {"set"}) +
                                              node("two", "Cast", {"length"}, {{"SrcT", "DT_INT32"}, {"DstT", real}}) +
                                              node("y", "Mul", {"sum", "two"}, {{"T", real}})
                                       << x << Values{2, -4, 1, 8};
    QTest::newRow("a list of rows at places")
        << constant("places", "DT_INT32", "4", "int_val: 3 int_val: 1 int_val: 0 int_val: 2") +
               constant("scalar", "DT_INT32", "0", "") + constant("any", "DT_INT32", "", "int_val: -1") +
               node("l", "TensorListScatterV2", {"x", "places", "scalar", "any"}, {{"element_dtype", real}}) +
               node("y", "TensorListStack", {"l", "scalar"}, {{"element_dtype", real}})
        << x << Values{0.5F, -2, 4, 1};
}

void arithmeticRows() {
    // The variance that training keeps is that of a sample: 14 / 3 of 1, 2, 3, 6.
    QTest::newRow("statistics of a batch")
        << image + constant("one", real, "1", "float_val: 1") + constant("old", real, "0", "") +
               node("norm", "FusedBatchNormV3", {"x4", "one", "one", "old", "old"}, {{"T", real}, {"U", real}}) +
               node("sum", "AddV2", {"x", "norm:1"}, {{"T", real}}) +
               node("y", "AddV2", {"sum", "norm:2"}, {{"T", real}})
        << Values{1, 2, 3, 6} << Values{4 + 14 / 3.0F, 5 + 14 / 3.0F, 6 + 14 / 3.0F, 9 + 14 / 3.0F};

    // As TensorFlow's kernels shift: by 0 at least, by all bits but one at most.
    const std::string bits = node("i", "Cast", {"x"}, {{"SrcT", real}, {"DstT", "DT_INT32"}}) +
                             constant("by", "DT_INT32", "4", "int_val: -1 int_val: 40 int_val: 1 int_val: 0");
    const auto shifted = [&](const char* op) {
        return bits + node("s", op, {"i", "by"}, {{"T", "DT_INT32"}}) +
               node("y", "Cast", {"s"}, {{"SrcT", "DT_INT32"}, {"DstT", real}});
    };
    QTest::newRow("shifted to the right") << shifted("RightShift") << Values{-8, -8, -8, 5} << Values{-8, -1, -4, 5};
    QTest::newRow("shifted to the left") << shifted("LeftShift") << Values{3, 1, -8, 5} << Values{3, -0x1p31F, -16, 5};

    const std::string three = constant("begin", "DT_INT32", "1", "int_val: 0") +
                              constant("size", "DT_INT32", "1", "int_val: 3") +
                              node("part", "Slice", {"x", "begin", "size"}, {{"T", real}, {"Index", "DT_INT32"}});
    QTest::newRow("cross product, with a unit vector")
        << three + constant("z", real, "3", "float_val: 0 float_val: 0 float_val: 1") +
               node("y", "Cross", {"part", "z"}, {{"T", real}})
        << Values{1, 2, 3, 0} << Values{2, -1, 0};
}

void searchRows() {
    // The examples of TensorFlow's own descriptions of these operators.
    QTest::newRow("buckets") << with(node("b", "Bucketize", {"x"}, {{"T", real}}),
                                     "key: 'boundaries' value { list { f: 0 f: 10 f: 100 } }") +
                                    node("y", "Cast", {"b"}, {{"SrcT", "DT_INT32"}, {"DstT", real}})
                             << Values{-5, 150, 10, 100} << Values{0, 3, 2, 3};
    const auto bound = [&](const char* op) {
        return constant("numbers", real, "5", "float_val: 0 float_val: 3 float_val: 9 float_val: 9 float_val: 10") +
               shaped("sorted", real, "numbers", "2", "int_val: 1 int_val: 5") +
               shaped("row", real, "x", "2", "int_val: 1 int_val: 4") +
               node("b", op, {"sorted", "row"}, {{"T", real}}) +
               node("y", "Cast", {"b"}, {{"SrcT", "DT_INT32"}, {"DstT", real}});
    };
    QTest::newRow("lower bound") << bound("LowerBound") << Values{2, 4, 9, 10} << Values{1, 2, 2, 4};
    QTest::newRow("upper bound") << bound("UpperBound") << Values{2, 4, 9, 10} << Values{1, 2, 4, 5};
}

void imageRows() {
    QTest::newRow("place of a maximum, of channels last")
        << image +
               with(with(with(node("pool", "MaxPoolWithArgmax", {"x4"}, {{"T", real}, {"Targmax", "DT_INT64"}}),
                              "key: 'ksize' value { list { i: 1 i: 2 i: 2 i: 1 } }"),
                         "key: 'strides' value { list { i: 1 i: 2 i: 2 i: 1 } }"),
                    "key: 'padding' value { s: 'VALID' }") +
               node("place", "Cast", {"pool:1"}, {{"SrcT", "DT_INT64"}, {"DstT", real}}) +
               node("sum", "AddV2", {"x4", "place"}, {{"T", real}}) + node("y", "AddV2", {"sum", "pool"}, {{"T", real}})
        << Values{1, -2, 5, 4} << Values{8, 5, 12, 11};

    // In the middle between both rows, from the left column to the right; what is outside of the image is 7.
    const auto cropped = [&](const std::string& box) {
        return image + constant("corners", real, "4", box) +
               shaped("box", real, "corners", "2", "int_val: 1 int_val: 4") +
               constant("which", "DT_INT32", "1", "int_val: 0") +
               constant("crop", "DT_INT32", "2", "int_val: 1 int_val: 4") +
               with(node("y", "CropAndResize", {"x4", "box", "which", "crop"}, {{"T", real}}),
                    "key: 'extrapolation_value' value { f: 7 }");
    };
    QTest::newRow("a box of an image") << cropped("float_val: 0 float_val: 0 float_val: 1 float_val: 1")
                                       << Values{0, 3, 6, 9} << Values{3, 4, 5, 6};
    QTest::newRow("a box beyond an image")
        << cropped("float_val: 0 float_val: -1 float_val: 1 float_val: 1") << Values{0, 3, 6, 9} << Values{7, 7, 4, 6};
}

void spectrumRows() {
    // Sums and differences of the rows and columns.
    const std::string square = shaped("x2", real, "x", "2", "int_val: 2 int_val: 2");
    QTest::newRow("two-dimensional spectrum")
        << square + node("z", "Complex", {"x2", "x2"}, {{"T", real}, {"Tout", complex}}) +
               node("f", "FFT2D", {"z"}, {{"Tcomplex", complex}}) +
               node("back", "IFFT2D", {"f"}, {{"Tcomplex", complex}}) + node("i", "Imag", {"back"}, {{"T", complex}}) +
               node("r", "Real", {"f"}, {{"T", complex}}) + node("y", "AddV2", {"r", "i"}, {{"T", real}})
        << Values{1, 2, 3, 4} << Values{11, 0, -1, 4};
    QTest::newRow("two-dimensional spectrum of real numbers")
        << square + constant("lengths", "DT_INT32", "2", "int_val: 2 int_val: 2") +
               node("f", "RFFT2D", {"x2", "lengths"}, {{"Treal", real}, {"Tcomplex", complex}}) +
               node("y", "Real", {"f"}, {{"T", complex}})
        << Values{1, 2, 3, 4} << Values{10, -2, -4, 0};
}

} // namespace

class TestTensorflowValues : public QObject {
    Q_OBJECT

private slots:
    void values_data() {
        QTest::addColumn<std::string>("nodes");
        QTest::addColumn<Values>("x");
        QTest::addColumn<Values>("expected");
        randomRows();
        complexRows();
        tableRows();
        listRows();
        arithmeticRows();
        searchRows();
        imageRows();
        spectrumRows();
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
