// SPDX-License-Identifier: Apache-2.0
//
// TFLite files to graphs: names, options, subgraphs, signatures; and that whatever is wrong in a file is said, with the
// node or tensor that it concerns.
// Links: tflite_schema
#include "frontend/tflite/graph_reader.h"
#include "support/program_of_tests.h"
#include "support/tflite_model.h"

#include <flatbuffers/flexbuffers.h>

#include <QtTest>

#include <functional>

namespace lathe::testing::test_tflite_reader {

using namespace ::tflite;
using Change = void (*)(ModelT& model);

namespace {

using Read = Result<std::shared_ptr<model::ModelGraph>>;

Read read(const std::string& bytes, const std::string& signature = "",
          const std::shared_ptr<Budget>& budget = std::make_shared<Budget>()) {
    const auto copy = std::make_shared<std::string>(bytes);
    auto open = frontend::tflite::openModel({copy, std::as_bytes(std::span(*copy))});
    if (!open)
        return std::unexpected(open.error());
    return frontend::tflite::readGraph(*open, "model", signature, budget);
}

std::shared_ptr<model::ModelGraph> good(const ModelT& model) {
    Read found = read(bytesOf(model));
    if (!found)
        qFatal("%s", toString(found.error()).c_str());
    for (const Diagnostic& diagnostic : (*found)->diagnostics)
        qFatal("%s", toString(diagnostic).c_str());
    return *found;
}

/// The value of an attribute of the first node.
template <class T>
T attribute(const model::ModelGraph& graph, const std::string& name) {
    for (const model::Attribute& each : graph.graph->nodes.at(0).attributes)
        if (each.name == name && std::holds_alternative<T>(each.value))
            return std::get<T>(each.value);
    qFatal("no attribute %s of the type", name.c_str());
}

OperatorT& firstOperator(ModelT& model) {
    return *model.subgraphs[0]->operators[0];
}

TensorT& weights(ModelT& model) {
    return *model.subgraphs[0]->tensors[2];
}

/// Puts a node of the code in place of the one that there is.
OperatorT& only(ModelT& model, BuiltinOperator code) {
    model.operator_codes.clear();
    model.subgraphs[0]->operators.clear();
    return addOperator(model, *model.subgraphs[0], code, {0, 2}, {1});
}

/// A further graph, z = relu(a), whose tensors are called like those of the first.
int32_t addGraph(ModelT& model) {
    model.subgraphs.push_back(std::make_unique<SubGraphT>());
    SubGraphT& graph = *model.subgraphs.back();
    graph.name = "inner";
    graph.inputs = {addTensor(graph, "x", {2, 3})};
    graph.outputs = {addTensor(graph, "y", {2, 3})};
    addOperator(model, graph, BuiltinOperator_RELU, {0}, {1});
    return static_cast<int32_t>(model.subgraphs.size()) - 1;
}

void call(ModelT& model, SubGraphT& graph, uint32_t called) {
    OperatorT& added = addOperator(model, graph, BuiltinOperator_CALL, {0}, {1});
    CallOptionsT options;
    options.subgraph = called;
    added.builtin_options.Set(std::move(options));
}

std::unique_ptr<SignatureDefT> signature(const std::string& key, const std::string& input, const std::string& output,
                                         uint32_t graph = 0) {
    auto made = std::make_unique<SignatureDefT>();
    made->signature_key = key;
    made->subgraph_index = graph;
    made->inputs.push_back(std::make_unique<TensorMapT>());
    made->inputs[0]->name = input;
    made->outputs.push_back(std::make_unique<TensorMapT>());
    made->outputs[0]->name = output;
    made->outputs[0]->tensor_index = 1;
    return made;
}

} // namespace

class TestTfliteReader : public QObject {
    Q_OBJECT
private slots:
    void smallModel() {
        ModelT model = smallTflite();
        model.description = "of a test";
        model.metadata.push_back(std::make_unique<MetadataT>());
        model.metadata[0]->name = "min_runtime_version";
        model.metadata[0]->buffer = addBuffer<char>(model, {'1', '.', '5', '\0', '\0'});
        const auto graph = good(model);
        QCOMPARE(graph->format, std::string("TFLite"));
        QCOMPARE(graph->producer, std::string("of a test for runtime 1.5"));
        QCOMPARE(graph->nodeCount, 1);
        QCOMPARE(graph->graph->name, std::string("main"));
        QCOMPARE(graph->graph->inputs.size(), size_t{1});
        QCOMPARE(graph->graph->inputs[0].name, std::string("x"));
        QCOMPARE(toString(graph->graph->inputs[0].type), std::string("float32[2,3]"));
        QCOMPARE(graph->graph->outputs.at(0).name, std::string("y"));
        QCOMPARE(graph->graph->initializers.at(0).name, std::string("w"));
        const model::Node& node = graph->graph->nodes.at(0);
        QCOMPARE(node.op, std::string("ADD"));
        QCOMPARE(node.domain, std::string());
        QCOMPARE(node.version, 1);
        QCOMPARE(node.inputs, (std::vector<std::string>{"x", "w"}));
        QCOMPARE(node.outputs, (std::vector<std::string>{"y"}));
    }

    /// Converters call what a node makes by where it stood; what people call it says nothing of that.
    void nodesStandWhereTheirTensorsDo() {
        ModelT model = smallTflite();
        model.subgraphs[0]->tensors[1]->name = "net/stem/Relu;net/stem/BiasAdd;net/Conv2D";
        auto signature = std::make_unique<SignatureDefT>();
        signature->signature_key = "serving_default";
        signature->inputs.push_back(std::make_unique<TensorMapT>());
        signature->inputs[0]->name = "x";
        signature->outputs.push_back(std::make_unique<TensorMapT>());
        signature->outputs[0]->name = "logits";
        signature->outputs[0]->tensor_index = 1;
        model.signature_defs.push_back(std::move(signature));
        const auto graph = good(model);
        QCOMPARE(graph->signatures, std::vector<std::string>{"serving_default"});
        QCOMPARE(graph->signature, std::string("serving_default"));
        QCOMPARE(graph->graph->outputs.at(0).name, std::string("logits"));
        QCOMPARE(graph->graph->nodes.at(0).scope, (std::vector<std::string>{"net", "stem"}));
        model.subgraphs[0]->tensors[1]->name = "//" + std::string(100'000, '/') + "a/";
        QCOMPARE(good(model)->graph->nodes.at(0).scope, std::vector<std::string>{"a"});
        model.subgraphs[0]->tensors[1]->name = "plain";
        QVERIFY(good(model)->graph->nodes.at(0).scope.empty());
    }

    void absentOperandsAndOldCodes() {
        ModelT model = smallTflite();
        firstOperator(model).inputs = {0, -1, 2};
        model.operator_codes[0]->deprecated_builtin_code = BuiltinOperator_FULLY_CONNECTED;
        model.operator_codes[0]->builtin_code = BuiltinOperator_ADD; // 0: as absent
        const auto graph = good(model);
        QCOMPARE(graph->graph->nodes.at(0).op, std::string("FULLY_CONNECTED"));
        QCOMPARE(graph->graph->nodes.at(0).inputs, (std::vector<std::string>{"x", "", "w"}));
    }

    void nodesOutOfOrder() {
        ModelT model = smallTflite();
        SubGraphT& graph = *model.subgraphs[0];
        const int32_t last = addTensor(graph, "last", {2, 3});
        addOperator(model, graph, BuiltinOperator_RELU, {1}, {last});
        std::swap(graph.operators[0], graph.operators[1]);
        graph.outputs = {last};
        QCOMPARE(good(model)->graph->nodes.at(0).op, std::string("ADD"));
    }

    void namesAreUnique() {
        ModelT model = smallTflite();
        for (const auto& tensor : model.subgraphs[0]->tensors)
            tensor->name = "same";
        const int32_t unnamed = addTensor(*model.subgraphs[0], "", {2, 3});
        addOperator(model, *model.subgraphs[0], BuiltinOperator_RELU, {0}, {unnamed});
        const auto graph = good(model);
        QCOMPARE(graph->graph->inputs[0].name, std::string("same"));
        QCOMPARE(graph->graph->nodes[0].inputs, (std::vector<std::string>{"same", "same_2"}));
        QCOMPARE(graph->graph->nodes[0].outputs, (std::vector<std::string>{"same_1"}));
        QCOMPARE(graph->graph->nodes[1].outputs, (std::vector<std::string>{"tensor3"}));
    }

    void optionsOfTheFile() {
        ModelT model = smallTflite();
        Conv2DOptionsT options;
        options.padding = Padding_VALID;
        options.stride_w = 3;
        options.fused_activation_function = ActivationFunctionType_RELU6;
        options.dilation_h_factor = 4;
        only(model, BuiltinOperator_CONV_2D).builtin_options.Set(std::move(options));
        const auto graph = good(model);
        QCOMPARE(attribute<std::string>(*graph, "padding"), std::string("VALID"));
        QCOMPARE(attribute<int64_t>(*graph, "stride_w"), int64_t{3});
        QCOMPARE(attribute<int64_t>(*graph, "stride_h"), int64_t{0});
        QCOMPARE(attribute<int64_t>(*graph, "dilation_w_factor"), int64_t{1});
        QCOMPARE(attribute<int64_t>(*graph, "dilation_h_factor"), int64_t{4});
        QCOMPARE(attribute<std::string>(*graph, "fused_activation_function"), std::string("RELU6"));
        QCOMPARE(attribute<std::string>(*graph, "quantized_bias_type"), std::string("FLOAT32"));
    }

    void optionsOfOtherTypes() {
        ModelT model = smallTflite();
        ReshapeOptionsT shape;
        shape.new_shape = {3, -1};
        only(model, BuiltinOperator_RESHAPE).builtin_options.Set(std::move(shape));
        QCOMPARE(attribute<std::vector<int64_t>>(*good(model), "new_shape"), (std::vector<int64_t>{3, -1}));
        LeakyReluOptionsT alpha;
        alpha.alpha = 0.25F;
        only(model, BuiltinOperator_LEAKY_RELU).builtin_options.Set(std::move(alpha));
        QCOMPARE(attribute<double>(*good(model), "alpha"), 0.25);
        BucketizeOptionsT boundaries;
        boundaries.boundaries = {0.5F, 2};
        only(model, BuiltinOperator_BUCKETIZE).builtin_options.Set(std::move(boundaries));
        QCOMPARE(attribute<std::vector<double>>(*good(model), "boundaries"), (std::vector<double>{0.5, 2}));
        VarHandleOptionsT names;
        names.shared_name = "v";
        only(model, BuiltinOperator_VAR_HANDLE).builtin_options.Set(std::move(names));
        QCOMPARE(attribute<std::string>(*good(model), "shared_name"), std::string("v"));
        QCOMPARE(attribute<std::string>(*good(model), "container"), std::string());
        StablehloGatherOptionsT gather;
        gather.offset_dims = {1, int64_t{1} << 40};
        gather.indices_are_sorted = true;
        only(model, BuiltinOperator_STABLEHLO_GATHER).builtin_options_2.Set(std::move(gather));
        QCOMPARE(attribute<std::vector<int64_t>>(*good(model), "offset_dims"),
                 (std::vector<int64_t>{1, int64_t{1} << 40}));
        QCOMPARE(attribute<int64_t>(*good(model), "indices_are_sorted"), int64_t{1});
        StablehloDotGeneralOptionsT dot;
        dot.precision_config = {StablehloPrecisionConfig_DEFAULT, StablehloPrecisionConfig_HIGHEST};
        only(model, BuiltinOperator_STABLEHLO_DOT_GENERAL).builtin_options_2.Set(std::move(dot));
        QCOMPARE(attribute<std::vector<std::string>>(*good(model), "precision_config"),
                 (std::vector<std::string>{"DEFAULT", "HIGHEST"}));
    }

    /// The defaults of the schema where the whole table is absent.
    void optionsLeftOut() {
        ModelT model = smallTflite();
        only(model, BuiltinOperator_DEPTHWISE_CONV_2D);
        QCOMPARE(attribute<int64_t>(*good(model), "dilation_w_factor"), int64_t{1});
        QCOMPARE(attribute<std::string>(*good(model), "padding"), std::string("SAME"));
        only(model, BuiltinOperator_ADD);
        QCOMPARE(attribute<int64_t>(*good(model), "pot_scale_int16"), int64_t{1});
        only(model, BuiltinOperator_MAX_POOL_2D); // under another name than its table
        QCOMPARE(attribute<int64_t>(*good(model), "filter_width"), int64_t{0});
        only(model, BuiltinOperator_REDUCE_ANY);
        QCOMPARE(attribute<int64_t>(*good(model), "keep_dims"), int64_t{0});
        only(model, BuiltinOperator_STABLEHLO_COMPARE);
        QCOMPARE(attribute<std::string>(*good(model), "comparison_direction"),
                 std::string("STABLEHLO_COMPARISON_DIRECTION_EQ"));
        only(model, BuiltinOperator_RELU);
        QVERIFY(good(model)->graph->nodes[0].attributes.empty());
    }

    void customOperators() {
        ModelT model = smallTflite();
        OperatorT& custom = only(model, BuiltinOperator_CUSTOM);
        model.operator_codes[0]->custom_code = "Frobnicate";
        flexbuffers::Builder options;
        options.Map([&] {
            options.Int("count", -300);
            options.Bool("flag", true);
            options.Double("factor", 1.1);
            options.Float("half", 0.5F);
            options.String("kind", std::string(300, 'k'));
            options.Vector("sizes", [&] {
                options.Int(3);
                options.Int(70'000);
            });
            options.TypedVector("weights", [&] {
                options.Float(0.5F);
                options.Float(2);
            });
            options.Vector("words", [&] {
                options.String("a");
                options.String("bc");
            });
        });
        options.Finish();
        custom.custom_options = options.GetBuffer();
        const auto graph = good(model);
        QCOMPARE(graph->graph->nodes[0].op, std::string("Frobnicate"));
        QCOMPARE(graph->graph->nodes[0].domain, std::string("custom"));
        QCOMPARE(graph->graph->nodes[0].attributes.size(), size_t{8});
        QCOMPARE(attribute<int64_t>(*graph, "count"), int64_t{-300});
        QCOMPARE(attribute<int64_t>(*graph, "flag"), int64_t{1});
        QCOMPARE(attribute<double>(*graph, "factor"), 1.1);
        QCOMPARE(attribute<double>(*graph, "half"), 0.5);
        QCOMPARE(attribute<std::string>(*graph, "kind"), std::string(300, 'k'));
        QCOMPARE(attribute<std::vector<int64_t>>(*graph, "sizes"), (std::vector<int64_t>{3, 70'000}));
        QCOMPARE(attribute<std::vector<double>>(*graph, "weights"), (std::vector<double>{0.5, 2}));
        QCOMPARE(attribute<std::vector<std::string>>(*graph, "words"), (std::vector<std::string>{"a", "bc"}));

        // Cut, or changed in a byte, it is other options or none, and never more than its bytes.
        const std::vector<uint8_t> whole = options.GetBuffer();
        for (size_t at = 0; at < whole.size(); ++at)
            for (const int flipped : {0x01, 0x80, 0xff}) {
                custom.custom_options.assign(whole.begin() + static_cast<ptrdiff_t>(at), whole.end());
                QVERIFY(read(bytesOf(model)));
                custom.custom_options = whole;
                custom.custom_options[at] ^= static_cast<uint8_t>(flipped);
                QVERIFY(read(bytesOf(model)));
            }
    }

    void customOptionsOfNoMap() {
        ModelT model = smallTflite();
        OperatorT& custom = only(model, BuiltinOperator_CUSTOM);
        model.operator_codes[0]->custom_code = "Convolution2DTransposeBias";
        custom.custom_options = {1, 0, 0, 0, 2, 0, 0, 0};
        QCOMPARE(attribute<std::string>(*good(model), "custom_options"), std::string("\1\0\0\0\2\0\0\0", 8));
    }

    void subgraphsHangOnTheirNodes() {
        ModelT model = smallTflite();
        IfOptionsT branches;
        branches.then_subgraph_index = addGraph(model);
        branches.else_subgraph_index = branches.then_subgraph_index;
        OperatorT& chooses = addOperator(model, *model.subgraphs[0], BuiltinOperator_IF, {2, 0}, {});
        chooses.outputs = {addTensor(*model.subgraphs[0], "z", {2, 3})};
        chooses.builtin_options.Set(std::move(branches));
        const auto graph = good(model);
        const model::Node& node = graph->graph->nodes.at(1);
        QCOMPARE(node.op, std::string("IF"));
        const auto nested = graphsOf(node);
        QCOMPARE(nested.size(), size_t{2});
        QCOMPARE(node.attributes[0].name, std::string("then_subgraph_index"));
        QCOMPARE(nested[0]->name, std::string("inner"));
        // Names of the outer graph would be seen inside; ids are those of a place.
        QCOMPARE(nested[0]->inputs[0].name, std::string("x_1"));
        QVERIFY(nested[0]->nodes[0].id != nested[1]->nodes[0].id);
        QCOMPARE(graph->nodeCount, 4);
    }

    void signatures() {
        ModelT model = smallTflite();
        model.signature_defs.push_back(signature("only", "image", "scores"));
        auto graph = good(model);
        QCOMPARE(graph->graph->inputs[0].name, std::string("image"));
        QCOMPARE(graph->graph->outputs[0].name, std::string("scores"));
        QCOMPARE(graph->graph->nodes[0].inputs.at(0), std::string("image"));
        addGraph(model);
        model.signature_defs.push_back(signature("serving_default", "a", "b", 1));
        graph = good(model);
        QCOMPARE(graph->graph->name, std::string("inner"));
        QCOMPARE(graph->graph->inputs[0].name, std::string("a"));
        model.signature_defs[1]->signature_key = "another";
        graph = good(model);
        QCOMPARE(graph->graph->name, std::string("main"));
        QCOMPARE(graph->graph->inputs[0].name, std::string("x"));
        const std::string bytes = bytesOf(model);
        QCOMPARE((*read(bytes, "another"))->graph->name, std::string("inner"));
        QCOMPARE((*read(bytes, "only"))->graph->inputs[0].name, std::string("image"));
        const auto refused = *read(bytes, "none");
        QCOMPARE(refused->diagnostics.size(), size_t(1));
        QVERIFY(refused->diagnostics[0].kind == ErrorKind::Usage);
        QCOMPARE(refused->diagnostics[0].hint, std::string("it has only, another"));
    }

    void variablesKeepTheirState() {
        ModelT model = smallTflite();
        const int32_t state = addTensor(*model.subgraphs[0], "state", {1, 4});
        model.subgraphs[0]->tensors.back()->is_variable = true;
        firstOperator(model).inputs.push_back(state);
        const auto graph = good(model);
        QCOMPARE(graph->graph->inputs.size(), size_t{1});
        QVERIFY(std::ranges::find(graph->graph->values, "state", &model::Value::name) != graph->graph->values.end());
    }

    void unknownSizes() {
        ModelT model = smallTflite();
        model.subgraphs[0]->tensors[0]->shape_signature = {-1, 3};
        QCOMPARE(toString(good(model)->graph->inputs[0].type), std::string("float32[?,3]"));
    }

    void refused_data() {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("what");
        QTest::addColumn<bool>("ofNode");
        const auto row = [](const char* name, bool ofNode, const char* what, Change change) {
            QTest::newRow(name) << change << what << ofNode;
        };
        row("operator code", true, "operator 9 of the 1", [](ModelT& m) { firstOperator(m).opcode_index = 9; });
        row("input", true, "input 1 names tensor 77 of 3", [](ModelT& m) { firstOperator(m).inputs[1] = 77; });
        row("negative input", true, "input 0 names tensor -2 of 3", [](ModelT& m) { firstOperator(m).inputs[0] = -2; });
        row("output", true, "output 0 names tensor 3 of 3", [](ModelT& m) { firstOperator(m).outputs[0] = 3; });
        row("graph's input", false, "input of graph 'main' is tensor 9 of 3",
            [](ModelT& m) { m.subgraphs[0]->inputs.push_back(9); });
        row("graph's output", false, "output of graph 'main' is tensor -1 of 3",
            [](ModelT& m) { m.subgraphs[0]->outputs.push_back(-1); });
        row("buffer", true, "tensor 'w': it names buffer 7 of 2", [](ModelT& m) { weights(m).buffer = 7; });
        row("nothing produces it", true, "reads 'w', which nothing produces", [](ModelT& m) { weights(m).buffer = 0; });
        row("short buffer", true, "20 bytes of data where its shape and type ask for 24",
            [](ModelT& m) { m.buffers[1]->data.resize(20); });
        row("huge dims", true, "tensor 'w': it has more elements than the limit",
            [](ModelT& m) { weights(m).shape = {1 << 30, 1 << 30, 1 << 30}; });
        row("negative dim", true, "negative dimension, -5", [](ModelT& m) { weights(m).shape = {-5, 3}; });
        row("unknown dim of a constant", true, "negative dimension, -1", [](ModelT& m) { weights(m).shape = {-1, 3}; });
        row("rank", true, "33 dimensions", [](ModelT& m) { weights(m).shape.assign(33, 1); });
        row("signature's rank", true, "its shape has 2 dimensions, its signature 1",
            [](ModelT& m) { weights(m).shape_signature = {-1}; });
        row("type", true, "element type 99 is unknown", [](ModelT& m) { weights(m).type = TensorType(99); });
        row("complex constant", true, "element type COMPLEX64",
            [](ModelT& m) { weights(m).type = TensorType_COMPLEX64; });
        row("file beside", true, "file beside the model", [](ModelT& m) { weights(m).external_buffer = 1; });
        row("offset + size wraps", true, "it lies at 18446744073709551608 with 24 bytes", [](ModelT& m) {
            m.buffers[1]->data.clear();
            m.buffers[1]->offset = ~uint64_t{7};
            m.buffers[1]->size = 24;
        });
        row("offset behind the end", true, "it lies at 1000000 with 24 bytes", [](ModelT& m) {
            m.buffers[1]->data.clear();
            m.buffers[1]->offset = 1'000'000;
            m.buffers[1]->size = 24;
        });
        row("other options", true, "the options of another, MulOptions, where it takes AddOptions",
            [](ModelT& m) { firstOperator(m).builtin_options.Set(MulOptionsT()); });
        row("unknown word", true, "option 'padding' has the value 9, which Padding does not know", [](ModelT& m) {
            Conv2DOptionsT options;
            options.padding = Padding(9);
            only(m, BuiltinOperator_CONV_2D).builtin_options.Set(std::move(options));
        });
        row("custom operator without a name", true, "without a name",
            [](ModelT& m) { only(m, BuiltinOperator_CUSTOM); });
        row("custom options behind the end", true, "it lies at 1000000", [](ModelT& m) {
            only(m, BuiltinOperator_CUSTOM).large_custom_options_offset = 1'000'000;
            firstOperator(m).large_custom_options_size = 2;
            m.operator_codes[0]->custom_code = "c";
        });
        row("called graph", true, "names graph 5 of 1", [](ModelT& m) { call(m, *m.subgraphs[0], 5); });
        row("calls itself", true, "calls graph 'main', which it is part of itself",
            [](ModelT& m) { call(m, *m.subgraphs[0], 0); });
        row("calls itself by another", true, "calls graph 'main', which it is part of itself", [](ModelT& m) {
            const int32_t inner = addGraph(m);
            call(m, *m.subgraphs[0], static_cast<uint32_t>(inner));
            call(m, *m.subgraphs[static_cast<size_t>(inner)], 0);
        });
        row("nested too deep", false, "nested more than 64 deep", [](ModelT& m) {
            for (int i = 0; i < 70; ++i)
                call(m, *m.subgraphs[static_cast<size_t>(i)], static_cast<uint32_t>(addGraph(m)));
        });
        row("doubles", false, "more than 1000000 nodes", [](ModelT& m) {
            for (size_t i = 0; i < 40; ++i) {
                const auto inner = static_cast<uint32_t>(addGraph(m));
                call(m, *m.subgraphs[i], inner);
                call(m, *m.subgraphs[i], inner);
            }
        });
        row("signature's graph", false, "names graph 3 of 1",
            [](ModelT& m) { m.signature_defs.push_back(signature("s", "a", "b", 3)); });
        row("signature's tensor", false, "calls tensor 2 its output 'b'", [](ModelT& m) {
            m.signature_defs.push_back(signature("s", "a", "b"));
            m.signature_defs[0]->outputs[0]->tensor_index = 2;
        });
        row("produced twice", true, "'y' is produced twice",
            [](ModelT& m) { addOperator(m, *m.subgraphs[0], BuiltinOperator_RELU, {0}, {1}); });
        row("cycle", true, "cycle", [](ModelT& m) { firstOperator(m).inputs[0] = 1; });
        row("no nodes", false, "no nodes", [](ModelT& m) { m.subgraphs[0]->operators.clear(); });
    }
    void refused() {
        QFETCH(Change, change);
        QFETCH(QString, what);
        QFETCH(bool, ofNode);
        ModelT model = smallTflite();
        change(model);
        const Read found = read(bytesOf(model));
        QVERIFY2(found, found ? "" : toString(found.error()).c_str());
        const auto says = std::ranges::find_if((*found)->diagnostics, [&](const Diagnostic& diagnostic) {
            return diagnostic.what.find(what.toStdString()) != std::string::npos;
        });
        if (says == (*found)->diagnostics.end())
            for (const Diagnostic& diagnostic : (*found)->diagnostics)
                qWarning("%s", toString(diagnostic).c_str());
        QVERIFY(says != (*found)->diagnostics.end());
        QCOMPARE(says->file, std::string("model"));
        QCOMPARE(!says->node.empty(), ofNode);
        QVERIFY(says->severity == Severity::Error);
    }

    /// What a graph has in names and options is there again at each place that it is called from.
    void repeatedNamesAndOptions() {
        for (const bool ofOptions : {false, true}) {
            ModelT model = smallTflite();
            const auto inner = static_cast<uint32_t>(addGraph(model));
            const std::string longText(20'000, 'n');
            if (ofOptions) {
                VarHandleOptionsT options;
                options.shared_name = longText;
                addOperator(model, *model.subgraphs[inner], BuiltinOperator_VAR_HANDLE, {}, {})
                    .builtin_options.Set(std::move(options));
            } else {
                model.subgraphs[inner]->tensors[1]->name = longText;
            }
            for (int i = 0; i < 200; ++i)
                call(model, *model.subgraphs[0], inner);
            const auto budget = std::make_shared<Budget>(std::function<void()>(), Budget::Amounts{.bytes = 1 << 20});
            const Read found = read(bytesOf(model), "", budget);
            QVERIFY(found);
            QVERIFY2((*found)->diagnostics.at(0).what.find("too long names") != std::string::npos,
                     (*found)->diagnostics.at(0).what.c_str());
            QVERIFY((*found)->diagnostics.at(0).kind == ErrorKind::Unsupported);
        }
    }

    void noModels_data() {
        QTest::addColumn<std::string>("bytes");
        std::string eight("\x10\0\0\0TFL3", 8);
        std::string root = bytesOf(smallTflite());
        root.replace(0, 4, "\xff\xff\xff\x7f");
        std::string self = bytesOf(smallTflite());
        self.replace(0, 4, std::string(4, '\0'));
        std::string noise = "\x08\0\0\0TFL3";
        for (int i = 0; i < 4000; ++i)
            noise += static_cast<char>(i * i * 7 + i / 3);
        ModelT old = smallTflite();
        old.version = 2;
        ModelT none = smallTflite();
        none.subgraphs.clear();
        QTest::newRow("empty") << std::string();
        QTest::newRow("eight bytes") << eight;
        QTest::newRow("root behind the end") << root;
        QTest::newRow("root at itself") << self;
        QTest::newRow("noise") << noise;
        QTest::newRow("another version") << bytesOf(old);
        QTest::newRow("without a graph") << bytesOf(none);
    }
    void noModels() {
        QFETCH(std::string, bytes);
        const Read found = read(bytes);
        QVERIFY(!found);
        QVERIFY(!found.error().hint.empty());
    }

    /// Whatever is left of a file, or changed in it, is refused or read, and nothing outside of it is touched.
    void cutAndChanged() {
        ModelT model = smallTflite();
        call(model, *model.subgraphs[0], static_cast<uint32_t>(addGraph(model)));
        model.signature_defs.push_back(signature("s", "a", "b"));
        weights(model).quantization = std::make_unique<QuantizationParametersT>();
        weights(model).quantization->scale = {0.5F, 0.25F};
        weights(model).quantization->zero_point = {0, 1};
        const std::string whole = bytesOf(model);
        int refused = 0;
        for (size_t size = 0; size < whole.size(); ++size) {
            // In memory of that size, where reading on would be seen.
            const Read found = read(whole.substr(0, size));
            refused += !found || !(*found)->diagnostics.empty();
        }
        QVERIFY(refused > static_cast<int>(whole.size()) / 2);
        for (size_t at = 0; at < whole.size(); ++at)
            for (const int flipped : {0x01, 0x80, 0xff}) {
                std::string changed = whole;
                changed[at] = static_cast<char>(changed[at] ^ flipped);
                const Read found = read(changed);
                QVERIFY(!found || *found);
            }
    }

    void memoryOfAnyAlignment() {
        const std::string bytes = bytesOf(smallTflite());
        for (size_t before = 0; before < 16; ++before) {
            const auto shifted = std::make_shared<std::string>(std::string(before, '\0') + bytes);
            const auto open =
                frontend::tflite::openModel({shifted, std::as_bytes(std::span(*shifted)).subspan(before)});
            QVERIFY(open);
            QVERIFY(frontend::tflite::readGraph(*open, "model", "", std::make_shared<Budget>())->diagnostics.empty());
        }
    }
};

Test test() {
    return {makes<TestTfliteReader>};
}

} // namespace lathe::testing::test_tflite_reader

#include "test_tflite_reader.moc"
