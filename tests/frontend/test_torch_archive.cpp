// SPDX-License-Identifier: Apache-2.0
//
// Archives of torch.export: their layout, programs and tensors, and what is said of damaged ones. The program here gives its
// input, a stored tensor, and a size of its input.
// Links: onnx
#include "base/json.h"
#include "frontend/frontend.h"
#include "model/host_tensor.h"
#include "support/program_of_tests.h"
#include "support/zip_file.h"

#include <QTest>
#include <array>
#include <cstring>

namespace lathe::testing::test_torch_archive {

using nlohmann::json;

namespace {

json sizes(const std::vector<int64_t>& numbers) {
    json all = json::array();
    for (const int64_t number : numbers)
        all.push_back({{"as_int", number}});
    return all;
}

/// Of float32.
json meta(const json& dims, const json& strides, int64_t offset = 0) {
    return {{"dtype", 7}, {"sizes", dims}, {"strides", strides}, {"storage_offset", {{"as_int", offset}}}};
}

json tensor(const char* name) {
    return {{"as_tensor", {{"name", name}}}};
}

/// As Python prints it, outermost first, with what marks a part of a line.
constexpr const char* stackTrace =
    "File \"/home/ann/net.py\", line 13, in forward\n    x = self.block(x)\n        ^^^^^^^^^^^^^\n"
    "  File \"/home/ann/net.py\", line 21, in block\n    return torch.relu(self.stem(x))\n"
    "  File \"/usr/lib/python3/dist-packages/torch/nn/modules/linear.py\", line 134, in forward\n"
    "    return F.linear(input, self.weight)";

/// (x[s0, 2], w) -> (x, w, x.shape[0])
json program() {
    const json rows = {{"as_expr", {{"expr_str", "Symbol('s0', positive=True, integer=True)"}}}};
    const json size = {
        {"target", "torch.ops.aten.sym_size.int"},
        {"inputs",
         {{{"name", "self"}, {"arg", tensor("x")}, {"kind", 1}},
          {{"name", "dim"}, {"arg", {{"as_int", 0}}}, {"kind", 1}}}},
        {"outputs", {{{"as_sym_int", {{"as_name", "size"}}}}}},
        {"metadata",
         {{"nn_module_stack", "L__self__,,Net;L__self___stem,stem,Stem;c,stem.layers.0,Layer;t,head,Head"},
          {"stack_trace", stackTrace}}},
        {"name", "size"},
        {"of a later version", 3}};
    const json graph = {
        {"inputs", {tensor("w"), tensor("x")}},
        {"outputs", {tensor("x"), tensor("w"), {{"as_sym_int", {{"as_name", "size"}}}}}},
        {"nodes", {size}},
        {"tensor_values",
         {{"x", meta({rows, {{"as_int", 2}}}, sizes({2, 1}))}, {"w", meta(sizes({2, 3}), sizes({1, 2}))}}},
        {"sym_int_values", {{"size", rows}}}};
    const auto output = [](const json& argument) { return json{{"user_output", {{"arg", argument}}}}; };
    const json signature = {
        {"input_specs",
         {{{"parameter", {{"arg", {{"name", "w"}}}, {"parameter_name", "stem.weight"}}}},
          {{"user_input", {{"arg", tensor("x")}}}}}},
        {"output_specs", {output(tensor("x")), output(tensor("w")), output({{"as_sym_int", {{"as_name", "size"}}}})}}};
    return {{"schema_version", {{"major", 8}, {"minor", 99}}},
            {"torch_version", "2.9"},
            {"range_constraints", {{"s0", {{"min_val", 2}, {"max_val", 30}}}}},
            {"graph_module", {{"graph", graph}, {"signature", signature}, {"module_call_graph", json::array()}}}};
}

json weights() {
    return {
        {"config",
         {{"stem.weight",
           {{"path_name", "weight_0"}, {"use_pickle", false}, {"tensor_meta", meta(sizes({2, 3}), sizes({1, 2}))}}}}}};
}

/// 0, 1, … as float32.
std::string floats(int count) {
    std::string bytes;
    for (int i = 0; i < count; ++i) {
        const auto number = static_cast<float>(i);
        std::array<char, sizeof number> raw{};
        std::memcpy(raw.data(), &number, sizeof number);
        bytes.append(raw.data(), raw.size());
    }
    return bytes;
}

ZipFiles archive(const std::string& text, const json& config = weights(), const std::string& storage = floats(6)) {
    return {{"model/archive_format", "pt2"},
            {"model/models/model.json", text},
            {"model/data/weights/model_weights_config.json", config.dump()},
            {"model/data/constants/model_constants_config.json", R"({"config": {}})"},
            {"model/data/weights/weight_0", storage}};
}

frontend::Imported imported(const ZipFiles& files, const frontend::Options& options = {}) {
    const std::string bytes = zipOf(files);
    return frontend::importBytes(std::as_bytes(std::span(bytes)), "model.pt2", {}, nullptr, options);
}

QString said(const frontend::Imported& model) {
    std::string all;
    for (const Diagnostic& diagnostic : model.diagnostics)
        all += toString(diagnostic) + "\n";
    return QString::fromStdString(all);
}

/// The program with something else at a place.
json with(const char* pointer, const json& value) {
    json changed = program();
    changed[json::json_pointer(pointer)] = value;
    return changed;
}

} // namespace

class TestTorchArchive : public QObject {
    Q_OBJECT

private slots:
    void aProgramIsImported() {
        const frontend::Imported model = imported(archive(program().dump()));
        QVERIFY2(model.module, qPrintable(said(model)));
        QVERIFY2(model.diagnostics.empty(), qPrintable(said(model)));
        const model::Graph& graph = *model.graph->graph;
        QCOMPARE(model.graph->format, std::string("torch.export"));
        QCOMPARE(graph.inputs.size(), size_t(1));
        QCOMPARE(toString(graph.inputs[0].type), std::string("float32[s0,2]"));
        QCOMPARE(graph.outputs.at(0).name + graph.outputs.at(1).name + graph.outputs.at(2).name,
                 std::string("out.0out.1out.2"));
        QCOMPARE(graph.nodes.at(0).op, std::string("aten.sym_size.int"));
        // Of each module what its path adds to that of the one around; a module that is no part of that has all of it.
        QCOMPARE(graph.nodes[0].scope, (std::vector<std::string>{"stem", "layers.0", "head"}));
        const relay::Function& main = model.module->main();
        QCOMPARE(toString(main.resultType), std::string("(float32[s0, 2], float32[2, 3], int64[])"));
    }

    /// The author's lines, the innermost first; PyTorch's own behind them.
    void nodesKnowTheirLines() {
        const frontend::Imported model = imported(archive(program().dump()));
        QStringList lines;
        for (const model::SourceLine& line : model.graph->graph->nodes.at(0).source)
            lines << QStringLiteral("%1 %2 %3: %4")
                         .arg(QString::fromStdString(line.file))
                         .arg(line.line)
                         .arg(QString::fromStdString(line.function), QString::fromStdString(line.text));
        QCOMPARE(lines, (QStringList{"/home/ann/net.py 21 block: return torch.relu(self.stem(x))",
                                     "/home/ann/net.py 13 forward: x = self.block(x)",
                                     "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py 134 forward: return "
                                     "F.linear(input, self.weight)"}));
        for (const char* odd : {"", "File", "File \"a.py\", line", "File \"a.py\", line -3, in f\n  x", "line 3",
                                "File \"a.py\", line 99999999999999999999, in f"})
            QVERIFY2(imported(archive(with("/graph_module/graph/nodes/0/metadata/stack_trace", odd).dump()))
                         .graph->graph->nodes.at(0)
                         .source.empty(),
                     odd);
        std::string deep;
        for (int i = 1; i < 5000; ++i)
            deep += "File \"net.py\", line " + std::to_string(i) + ", in f\n    f(x)\n";
        const frontend::Imported recursive =
            imported(archive(with("/graph_module/graph/nodes/0/metadata/stack_trace", deep).dump()));
        QVERIFY(recursive.graph->graph->nodes.at(0).source.size() < 100);
        QCOMPARE(recursive.graph->graph->nodes[0].source.at(0).line, int64_t(4999));
    }

    /// Of [5] along dim -1, as PyTorch declares it: [u0, 5].
    void runsAlongTheLastDimHaveNoDimsBehind() {
        const json count = {{"as_expr", {{"expr_str", "Symbol('u0', integer=True)"}}}};
        const json runs = {{"target", "torch.ops.aten.unique_consecutive.default"},
                           {"inputs",
                            {{{"name", "self"}, {"arg", tensor("x")}, {"kind", 1}},
                             {{"name", "dim"}, {"arg", {{"as_int", -1}}}, {"kind", 1}}}},
                           {"outputs", {tensor("y"), tensor("i"), tensor("n")}},
                           {"metadata", json::object()}};
        json changed = program();
        json& graph = changed["graph_module"]["graph"];
        graph["nodes"].push_back(runs);
        graph["tensor_values"]["x"] = meta(sizes({5}), sizes({1}));
        graph["tensor_values"]["y"] = meta({count, {{"as_int", 5}}}, sizes({5, 1}));
        graph["outputs"][0] = tensor("y");
        changed["graph_module"]["signature"]["output_specs"][0]["user_output"]["arg"] = tensor("y");
        graph["sym_int_values"]["size"] = {{"as_int", 5}};
        changed["range_constraints"] = {{"u0", {{"min_val", 0}, {"max_val", 5}}}};
        const frontend::Imported model = imported(archive(changed.dump()));
        QVERIFY2(model.module, qPrintable(said(model)));
        QCOMPARE(model.graph->graph->outputs.at(0).type.shape.size(), size_t(1));
        graph["nodes"][1]["inputs"][1]["arg"] = {{"as_int", 0}}; // where that would be no mistake of PyTorch's
        QVERIFY(said(imported(archive(changed.dump()))).contains("declares 'y'"));
    }

    void stridesAreMadeRows() {
        const frontend::Imported model = imported(archive(program().dump()));
        const model::Initializer& weight = model.graph->graph->initializers.at(0);
        QCOMPARE(weight.name, std::string("stem.weight"));
        std::vector<double> elements;
        for (size_t i = 0; i < 6; ++i)
            elements.push_back(model::elementAsDouble(types::Float32, weight.tensor->bytes.view, i));
        QCOMPARE(elements, (std::vector<double>{0, 2, 4, 1, 3, 5})); // of [[0, 1], [2, 3], [4, 5]] transposed
    }

    void sizesAreHeldToTheirRange() {
        frontend::Options options;
        options.symbols = {{"s0", 4}};
        QVERIFY(imported(archive(program().dump()), options).module);
        options.symbols = {{"s0", 31}};
        const frontend::Imported refused = imported(archive(program().dump()), options);
        QVERIFY(!refused.module && said(refused).contains("exported for"));
    }

    void damagedPrograms_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const json& changed, const char* reason) {
            QTest::newRow(name) << QString::fromStdString(changed.dump()) << reason;
        };
        row("major version", with("/schema_version/major", 99), "schema 99");
        row("no version", with("/schema_version", nullptr), "schema_version");
        row("unknown operator", with("/graph_module/graph/nodes/0/target", "torch.ops.odd.frob.default"),
            "odd.frob.default");
        row("unknown kind", with("/graph_module/graph/nodes/0/inputs/0/arg", {{"as_frob", 1}}), "as_frob");
        row("two kinds", with("/graph_module/graph/nodes/0/inputs/0/arg", {{"as_int", 1}, {"as_bool", true}}),
            "not one of its kinds");
        row("unknown argument", with("/graph_module/graph/nodes/0/inputs/1/name", "dims"), "'dims'");
        row("nothing gives it", with("/graph_module/graph/nodes/0/inputs/0/arg", tensor("y")), "'y' is read");
        row("wrong type", with("/graph_module/graph/tensor_values/w/dtype", 5), "declares 'w'");
        row("wrong size", with("/graph_module/graph/tensor_values/w/sizes/0", {{"as_int", 3}}), "declares 'w'");
        row("large size", with("/graph_module/graph/tensor_values/x/sizes/1", {{"as_int", 1e24}}), "64 bits");
        row("no text", with("/graph_module/graph/nodes/0/target", 7), "no text");
        row("no list", with("/graph_module/graph/nodes", 7), "no list");
        row("input without spec", with("/graph_module/signature/input_specs", json::array()), "0 inputs");
        row("given twice", with("/graph_module/graph/nodes/0/outputs/0/as_sym_int/as_name", "x"), "given twice");
        row("results", with("/graph_module/graph/nodes/0/outputs", {tensor("a"), tensor("b")}), "2 results");
        QTest::newRow("cut off") << QString::fromStdString(program().dump()).chopped(100) << "no JSON";
        QTest::newRow("deep") << QString("[").repeated(200000) << "no JSON";
    }
    void damagedPrograms() {
        QFETCH(QString, text);
        QFETCH(QString, reason);
        const frontend::Imported model = imported(archive(text.toStdString()));
        QVERIFY(!model.module);
        QVERIFY2(said(model).contains(reason), qPrintable(said(model)));
    }

    void damagedTensors_data() {
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const json& changed, const char* reason) {
            json config = weights();
            config["config"]["stem.weight"]["tensor_meta"] = changed;
            QTest::newRow(name) << QString::fromStdString(config.dump()) << reason;
        };
        constexpr int64_t most = int64_t{1} << 62;
        row("too short", meta(sizes({2, 4}), sizes({4, 1})), "needs 8 elements");
        row("offset", meta(sizes({2, 3}), sizes({3, 1}), 1), "needs 7 elements");
        row("negative stride", meta(sizes({2, 3}), sizes({-3, 1})), "-3");
        row("negative size", meta(sizes({-2, 3}), sizes({3, 1})), "-2");
        row("large stride", meta(sizes({2, 3}), sizes({most, 1})), "stride");
        row("large product", meta(sizes({1 << 30, 1 << 30}), sizes({0, 0})), "more elements");
        row("much of one element", meta(sizes({1 << 30}), sizes({0})), "once each has its own");
        row("symbolic", meta(json::array({{{"as_expr", {{"expr_str", "s0"}}}}}), sizes({1})), "no number");
        row("ranks", meta(sizes({2, 3}), sizes({1})), "2 sizes and 1 strides");
        QTest::newRow("none of that name") << R"({"config": {}})" << "no tensor 'stem.weight'";
        QTest::newRow("no JSON") << "{" << "no JSON";
    }
    void damagedTensors() {
        QFETCH(QString, config);
        QFETCH(QString, reason);
        ZipFiles files = archive(program().dump());
        files[2].second = config.toStdString();
        const frontend::Imported model = imported(files);
        QVERIFY(!model.module);
        QVERIFY2(said(model).contains(reason), qPrintable(said(model)));
    }

    /// The layout of PyTorch before 2.8, with the tensor in a pickle of torch.save.
    void theOldLayout() {
        const auto text = [](const std::string& word) {
            return "X" + std::string{static_cast<char>(word.size()), 0, 0, 0} + word;
        };
        const std::string storage =
            "(" + text("storage") + "ctorch\nFloatStorage\n" + text("0") + text("cpu") + "K\6tQ";
        const std::string tensor =
            "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + std::string("K\0K\2K\3\x86K\1K\2\x86\x89}tR", 16);
        const std::string parameter = "ctorch._utils\n_rebuild_parameter\n(" + tensor + "\x88}tR";
        const std::string pickle = "\x80\2}(" + text("stem.weight") + parameter + "u.";
        const auto with = [&](const std::string& data) {
            return ZipFiles{
                {"serialized_exported_program.json", program().dump()},
                {"serialized_state_dict.pt",
                 zipOf({{"archive/data.pkl", data}, {"archive/byteorder", "little"}, {"archive/data/0", floats(6)}})}};
        };
        const frontend::Imported model = imported(with(pickle));
        QVERIFY2(model.module, qPrintable(said(model)));
        const model::TensorData& weight = *model.graph->graph->initializers.at(0).tensor;
        QCOMPARE(weight.shape, (std::vector<int64_t>{2, 3}));
        QCOMPARE(model::elementAsDouble(types::Float32, weight.bytes.view, 1), 2.0);
        // Whatever is cut off or called otherwise is refused, and nothing of it is called.
        for (size_t size = 0; size < pickle.size(); ++size)
            QVERIFY(!imported(with(pickle.substr(0, size))).module);
        const std::string call = "\x80\2cos\nsystem\n(" + text("true") + "tR.";
        QVERIFY(said(imported(with(call))).contains("no tensor 'stem.weight'"));
        for (const char* broken : {"t.", "R.", "h\7.", "(s.", "Nb.", "Na.", "}Nu.", "Q.", "\xff", ".", "I7\n."})
            QVERIFY(!imported(with(broken)).module);
    }

    void otherArchives() {
        ZipFiles files = archive(program().dump());
        files[0].second = "other";
        QVERIFY(said(imported(files)).contains("'other'"));
        files = archive(program().dump());
        files[1].first = "model/data/aotinductor/model/model.so";
        QVERIFY(said(imported(files)).contains("AOTInductor"));
        files[1].first = "model/models/other.txt";
        QVERIFY(said(imported(files)).contains("no program"));
        files = archive(program().dump());
        files.emplace_back("model/models/second.json", "{}");
        QVERIFY(said(imported(files)).contains("2 programs"));
        QVERIFY(said(imported({{"serialized_exported_program.json", "{}"}})).contains("schema_version"));
    }
};

Test test() {
    return {makes<TestTorchArchive>};
}

} // namespace lathe::testing::test_torch_archive

#include "test_torch_archive.moc"
