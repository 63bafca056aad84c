// SPDX-License-Identifier: Apache-2.0
//
// No attribute means something else than what it says. Of ONNX's schemas all versions of all operators that Lathe takes: an
// attribute that the operator does not have, one of another type, a word that a mode does not know and a number that a flag
// does not take are refused by name. Then what no schema shows, a model each.
// Links: onnx
#include "frontend/frontend.h"
#include "frontend/onnx/attributes.h"
#include "frontend/onnx/ops.h"
#include "support/cpu_time.h"
#include "support/program_of_tests.h"
#include "tests/support/onnx_model.h"

#include <onnx/defs/schema.h>

#include <QtTest>

#include <set>

namespace lathe::testing::test_attributes {

using Attribute = ::onnx::AttributeProto;
using Schema = ::onnx::OpSchema;

namespace {

frontend::Imported import(const std::string& bytes) {
    return frontend::importBytes(std::as_bytes(std::span(bytes)), "model", {}, nullptr, {});
}

/// A model of one node with its operator's least inputs and outputs. Other faults than that of the attribute it may have.
::onnx::ModelProto modelOf(const Schema& schema) {
    ::onnx::ModelProto model;
    model.set_ir_version(10);
    ::onnx::OperatorSetIdProto* opset = model.add_opset_import();
    opset->set_domain(schema.domain());
    opset->set_version(schema.SinceVersion());
    ::onnx::GraphProto* graph = model.mutable_graph();
    graph->set_name("g");
    ::onnx::NodeProto* node = graph->add_node();
    node->set_name("odd");
    node->set_op_type(schema.Name());
    node->set_domain(schema.domain());
    const auto value = [](::onnx::ValueInfoProto& info, const std::string& name) {
        info.set_name(name);
        ::onnx::TypeProto::Tensor* tensor = info.mutable_type()->mutable_tensor_type();
        tensor->set_elem_type(::onnx::TensorProto::FLOAT);
        tensor->mutable_shape()->add_dim()->set_dim_value(2);
    };
    for (int i = 0; i < schema.min_input(); ++i) {
        node->add_input("in" + std::to_string(i));
        value(*graph->add_input(), node->input(i));
    }
    for (int i = 0; i < std::max(1, schema.min_output()); ++i) {
        node->add_output("out" + std::to_string(i));
        value(*graph->add_output(), node->output(i));
    }
    return model;
}

Attribute& add(::onnx::ModelProto& model, const std::string& name, Attribute::AttributeType type) {
    Attribute* attribute = model.mutable_graph()->mutable_node(0)->add_attribute();
    attribute->set_name(name);
    attribute->set_type(type);
    return *attribute;
}

/// Whether a diagnostic at the node says all of these.
bool saysOf(const ::onnx::ModelProto& model, std::initializer_list<std::string> parts) {
    for (const Diagnostic& diagnostic : import(model.SerializeAsString()).diagnostics)
        if (diagnostic.node == "odd" && std::ranges::all_of(parts, [&](const std::string& part) {
                return diagnostic.what.find(part) != std::string::npos;
            }))
            return true;
    return false;
}

/// Whether Lathe takes this version of the operator at all: by a converter or by a body.
bool isSupported(const Schema& schema) {
    model::Node node;
    node.op = schema.Name();
    node.domain = frontend::onnx::canonicalDomain(schema.domain());
    node.version = schema.SinceVersion();
    return frontend::onnx::findConverter(node, nullptr) || frontend::onnx::GraphReader::hasBody(node);
}

std::vector<Schema> supported() {
    std::vector<Schema> schemas = ::onnx::OpSchemaRegistry::get_all_schemas_with_history();
    std::erase_if(schemas, [](const Schema& schema) { return !isSupported(schema); });
    return schemas;
}

std::string nameOf(const Schema& schema, const std::string& attribute) {
    return schema.Name() + "-" + std::to_string(schema.SinceVersion()) + " " + attribute;
}

std::string firstOf(std::string_view values) {
    return std::string(values.substr(0, values.find(' ')));
}

} // namespace

class TestAttributes : public QObject {
    Q_OBJECT
private slots:
    void unknownAttributes() {
        const std::vector<Schema> schemas = supported();
        QVERIFY(schemas.size() > 400);
        for (const Schema& schema : schemas) {
            ::onnx::ModelProto model = modelOf(schema);
            add(model, "sideways", Attribute::INT).set_i(1);
            QVERIFY2(saysOf(model, {"'sideways'", "= 1", "unknown"}), nameOf(schema, "").c_str());
        }
    }

    void unknownWords() {
        // Any text may stand in these.
        const std::set<std::string> texts{"default_string", "delimiter", "equation",
                                          "locale",         "pattern",   "value_string"};
        int seen = 0;
        for (const Schema& schema : supported())
            for (const auto& [name, attribute] : schema.attributes()) {
                if (attribute.type != Attribute::STRING || texts.contains(name))
                    continue;
                const std::string_view values = frontend::onnx::knownValues(schema.Name(), schema.SinceVersion(), name);
                QVERIFY2(!values.empty(), nameOf(schema, name).c_str());
                for (const char* wrong : {"sideways", "", "Nearest"}) {
                    ::onnx::ModelProto model = modelOf(schema);
                    add(model, name, Attribute::STRING).set_s(wrong);
                    QVERIFY2(saysOf(model, {"'" + name + "'", std::string("\"") + wrong + "\"", firstOf(values)}),
                             nameOf(schema, name).c_str());
                }
                ::onnx::ModelProto model = modelOf(schema);
                add(model, name, Attribute::STRING).set_s(firstOf(values));
                QVERIFY2(!saysOf(model, {"'" + name + "'"}), nameOf(schema, name).c_str());
                ++seen;
            }
        QVERIFY(seen > 60);
    }

    void unknownNumbers() {
        // Any number may stand in these, or the converter holds them against the operands.
        const std::set<std::string> numbers{"axis",
                                            "chunk_size",
                                            "default_int64",
                                            "end",
                                            "ignore_index",
                                            "is_test",
                                            "k",
                                            "left_window_size",
                                            "maxsplit",
                                            "num_heads",
                                            "output_sequence",
                                            "seed",
                                            "replaced_value_int64",
                                            "right_window_size",
                                            "rotary_embedding_dim",
                                            "start",
                                            "value_int"};
        int seen = 0;
        for (const Schema& schema : supported())
            for (const auto& [name, attribute] : schema.attributes()) {
                if (attribute.type != Attribute::INT || numbers.contains(name))
                    continue;
                const std::string_view values = frontend::onnx::knownValues(schema.Name(), schema.SinceVersion(), name);
                QVERIFY2(!values.empty(), nameOf(schema, name).c_str());
                for (const int64_t wrong : {int64_t{-1}, int64_t{-1} << 63}) {
                    ::onnx::ModelProto model = modelOf(schema);
                    add(model, name, Attribute::INT).set_i(wrong);
                    QVERIFY2(saysOf(model, {"'" + name + "'", std::to_string(wrong), "unknown"}),
                             nameOf(schema, name).c_str());
                }
                ::onnx::ModelProto model = modelOf(schema);
                add(model, name, Attribute::INT).set_i(1);
                QVERIFY2(!saysOf(model, {"'" + name + "'"}), nameOf(schema, name).c_str());
                if (values == "0 1") {
                    model = modelOf(schema);
                    add(model, name, Attribute::INT).set_i(2);
                    QVERIFY2(saysOf(model, {"'" + name + "'", "= 2", "0, 1"}), nameOf(schema, name).c_str());
                }
                ++seen;
            }
        QVERIFY(seen > 150);
    }

    void typesAreThoseOfTheSchema() {
        for (const Schema& schema : supported())
            for (const auto& [name, attribute] : schema.attributes()) {
                ::onnx::ModelProto model = modelOf(schema);
                if (attribute.type == Attribute::FLOAT)
                    add(model, name, Attribute::INT).set_i(1);
                else
                    add(model, name, Attribute::FLOAT).set_f(1);
                QVERIFY2(saysOf(model, {"'" + name + "'", "wrong type"}), nameOf(schema, name).c_str());
            }
    }

    /// Each is told from all others without comparing it with each.
    void manyAttributes() {
        ::onnx::ModelProto model = lathe::testing::parseModel("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                                                              "g (float[2] x) => (float[2] y) { [odd] y = Relu(x) }");
        add(model, "a0", Attribute::INT).set_i(0);
        for (int i = 0; i < 200'000; ++i)
            add(model, "a" + std::to_string(i), Attribute::INT).set_i(i);
        const double start = cpuSeconds();
        QVERIFY(saysOf(model, {"'a0' is given twice"}));
        const double took = cpuSeconds() - start;
        QVERIFY2(took < 20, qPrintable(QString::number(took)));
    }

    void attributesOfTools() {
        for (const char* text : {"<ir_version: 8, opset_import: [\"\" : 17]>\n"
                                 "g (float[2] x) => (float[2] y) { [odd] y = Relu(x) }",
                                 "<ir_version: 8, opset_import: [\"com.microsoft\" : 1]>\n"
                                 "g (uint8[2] x, float s, uint8 z) => (uint8[2] y)\n"
                                 "{ [odd] y = com.microsoft.QLinearAdd(x, s, z, x, s, z, s, z) }"}) {
            ::onnx::ModelProto model = lathe::testing::parseModel(text);
            add(model, "__tool", Attribute::INT).set_i(1);
            QVERIFY(import(model.SerializeAsString()).module);
        }
    }

    void kindsOfFaults() {
        ::onnx::ModelProto model = lathe::testing::parseModel("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                                                              "g (float[2] x) => (float[2] y) { [odd] y = Add(x, w) }");
        ::onnx::TensorProto* weights = model.mutable_graph()->add_initializer();
        weights->set_name("w");
        weights->set_data_type(::onnx::TensorProto::COMPLEX64);
        const frontend::Imported imported = import(model.SerializeAsString());
        QVERIFY(!imported.diagnostics.empty());
        QVERIFY(imported.diagnostics.front().kind == ErrorKind::Unsupported);
        QCOMPARE(imported.diagnostics.front().node, std::string("odd"));
    }

    void refused_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("what");
        const auto row = [](const char* name, int opset, const char* graph, const char* what, const char* domain = "") {
            QTest::newRow(name)
                << QStringLiteral("<ir_version: 8, opset_import: [\"%1\" : %2]>\n%3").arg(domain).arg(opset).arg(graph)
                << what;
        };
        row("mode of a later version", 18, R"(g (float[1,1,2] x, int64[6] p) => (float[N,M,K] y)
            { [odd] y = Pad<mode="wrap">(x, p) })",
            "\"wrap\"");
        row("mode of an earlier version", 18, R"(g (float[1,1,4] x) => (float[N,M,K] y) <float[3] s = {1, 1, 2}>
            { [odd] y = Resize<coordinate_transformation_mode="tf_half_pixel_for_nn">(x, , s) })",
            "\"tf_half_pixel_for_nn\"");
        row("scales and sizes", 19, R"(g (float[1,4] x) => (float[N,M] y) <float[2] s = {1, 2}, int64[2] n = {1, 8}>
            { [odd] y = Resize(x, , s, n) })",
            "both scales and sizes");
        row("an axis twice", 19, R"(g (float[1,4] x) => (float[N,M] y) <float[2] s = {1, 2}>
            { [odd] y = Resize<axes=[1, -1]>(x, , s) })",
            "twice");
        row("given twice", 17, R"(g (float[2,3] x) => (float[N] y)
            { [odd] y = Flatten<axis=0, axis=1>(x) })",
            "'axis' is given twice");
        row("result of a type that the operator does not give", 17,
            R"(g (float[1,3] x) => (float[N,M] y) { [odd] y = Multinomial<dtype=1>(x) })", "output 0");
        row("random values of a type that the operator does not give", 17,
            R"(g () => (int64[N] y) { [odd] y = RandomNormal<shape=[2], dtype=7>() })", "output 0 (output) is int64");
        row("negative shape", 17, R"(g () => (float[N] y) { [odd] y = RandomUniform<shape=[-2]>() })", "negative dim");
        row("two constants", 17, R"(g (float[2] x) => (float[2] y)
            { [odd] c = Constant<value_float=1.0, value_int=2>()  y = Add(x, c) })",
            "more than one value");
        row("activation", 17, R"(g (float[1,1,2] x, float[1,2,2] w, float[1,2,2] r) => (float[N,D,B,H] y)
            { [odd] y = RNN<hidden_size=2, activations=["Sinus"]>(x, w, r) })",
            "'Sinus'");
        row("hidden size", 17, R"(g (float[1,1,2] x, float[1,2,2] w, float[1,2,2] r) => (float[N,D,B,H] y)
            { [odd] y = RNN<hidden_size=3>(x, w, r) })",
            "'hidden_size' is 3");
        row("alphas that nothing takes", 17, R"(g (float[1,1,2] x, float[1,2,2] w, float[1,2,2] r) => (float[N,D,B,H] y)
            { [odd] y = RNN<hidden_size=2, activation_alpha=[0.5]>(x, w, r) })",
            "activation_alpha");
        row("pads that would be computed", 17, R"(g (float[1,1,4] x, float[1,1,3] w) => (float[N,M,K] y)
            { [odd] y = Conv<auto_pad="SAME_UPPER", pads=[1, 1]>(x, w) })",
            "auto_pad");
        row("negative pads", 17, R"(g (float[1,1,4] x, float[1,1,3] w) => (float[N,M,K] y)
            { [odd] y = Conv<pads=[-1, 1]>(x, w) })",
            "'pads'");
        row("type of the quantized", 21, R"(g (float[2] x, float s, uint8 z) => (int8[2] y)
            { [odd] y = QuantizeLinear<output_dtype=3>(x, s, z) })",
            "'output_dtype' says int8");
        row("lists that do not fit", 18,
            R"(g (float[1,4,4] x) => (float[N,C,H,W] y) <int64[2] i = {4, 4}, int64[2] b = {2, 2}>
            { [odd] y = Col2Im<strides=[2]>(x, i, b) })",
            "do not fit");
        row("half of a complex spectrum", 17, R"(g (float[1,8,2] x) => (float[N,F,K,C] y) <int64 s = {4}, int64 l = {4}>
            { [odd] y = STFT<onesided=1>(x, s, , l) })",
            "onesided");
        row("zero and unknown dims", 17, R"(g (float[2,0] x) => (float[N,M] y) <int64[2] s = {0, -1}>
            { [odd] y = Reshape<allowzero=1>(x, s) })",
            "allowzero");
        row("kernel of another size than the weights", 17, R"(g (float[1,1,4] x, float[1,1,3] w) => (float[N,M,K] y)
            { [odd] y = Conv<kernel_shape=[2]>(x, w) })",
            "kernel_shape does not fit");
        row("steps of too many dims", 17, R"(g (float[1,1,4] x, float[1,1,3] w) => (float[N,M,K] y)
            { [odd] y = ConvTranspose<strides=[1, 1]>(x, w) })",
            "do not fit 1 spatial");
        row("operator without a schema", 1, R"(g (uint8[2] x, float s, uint8 z) => (uint8[2] y)
            { [odd] y = com.microsoft.QLinearAdd<saturate=1>(x, s, z, x, s, z, s, z) })",
            "'saturate'", "com.microsoft");
    }
    void refused() {
        QFETCH(QString, model);
        QFETCH(QString, what);
        ::onnx::ModelProto proto = lathe::testing::parseModel(model.toStdString());
        const frontend::Imported imported = import(proto.SerializeAsString());
        QVERIFY(!imported.module);
        QVERIFY(!imported.diagnostics.empty());
        const Diagnostic& first = imported.diagnostics.front();
        QCOMPARE(QString::fromStdString(first.node), "odd");
        QVERIFY2(first.what.find(what.toStdString()) != std::string::npos, first.what.c_str());
    }
};

Test test() {
    return {makes<TestAttributes>};
}

} // namespace lathe::testing::test_attributes

#include "test_attributes.moc"
