// SPDX-License-Identifier: Apache-2.0
//
// The way of a file: bytes, protobuf, ModelGraph, types of the inputs, relay Module.
#include "frontend/onnx/import.h"

#include "base/limits.h"
#include "frontend/common/map_file.h"
#include "frontend/onnx/convert.h"
#include "frontend/onnx/inputs.h"
#include "frontend/onnx/read.h"

#include <fmt/format.h>

namespace lathe::frontend::onnx {
namespace {

Diagnostic inFile(Diagnostic diagnostic, const std::string& name) {
    diagnostic.file = name;
    return diagnostic;
}

bool hasErrors(const std::vector<Diagnostic>& diagnostics) {
    return std::any_of(diagnostics.begin(), diagnostics.end(),
                       [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

/// Adds what is not there yet about the same node.
void addReasons(std::vector<Diagnostic>& reasons, std::vector<Diagnostic> more) {
    for (Diagnostic& reason : more) {
        const bool known =
            reason.nodeId >= 0 && std::any_of(reasons.begin(), reasons.end(),
                                              [&](const Diagnostic& other) { return other.nodeId == reason.nodeId; });
        if (!known)
            reasons.push_back(std::move(reason));
    }
}

/// Every error says what to do, if only this.
void completeHints(std::vector<Diagnostic>& diagnostics) {
    for (Diagnostic& diagnostic : diagnostics)
        if (diagnostic.severity == Severity::Error && diagnostic.hint.empty())
            diagnostic.hint = diagnostic.node.empty() ? "correct the model, or export it again"
                                                      : "correct this node in the model, or export the model again";
}

/// Converts what was read; fills module or diagnostics.
void convert(model::ModelGraph& graph, GraphReader& reader, relay::Evaluator* evaluator, const Options& options,
             Imported& result) {
    auto module = std::make_shared<relay::Module>();
    module->spans = graph.spans;
    relay::Builder builder(*module, evaluator);
    Converter converter(graph, reader, *module, builder);
    if (hasErrors(graph.diagnostics)) {
        addReasons(graph.diagnostics, converter.unsupported());
        return;
    }
    Result<std::vector<relay::Type>> inputs = inputTypes(graph, options);
    if (!inputs) {
        graph.diagnostics.push_back(inFile(inputs.error(), graph.file));
        addReasons(graph.diagnostics, converter.unsupported());
        return;
    }
    converter.convertMain(*inputs);
    if (builder.failed()) {
        graph.diagnostics.push_back(builder.error());
        addReasons(graph.diagnostics, converter.unsupported());
        return;
    }
    result.module = std::move(module);
}

Imported importModel(Result<std::shared_ptr<::onnx::ModelProto>> proto, const std::string& name,
                     const std::filesystem::path& folder, relay::Evaluator* evaluator, const Options& options) {
    Imported result;
    if (!proto) {
        result.diagnostics.push_back(inFile(std::move(proto).error(), name));
        completeHints(result.diagnostics);
        return result;
    }
    GraphReader reader(*proto, folder, name);
    const std::shared_ptr<model::ModelGraph> graph = reader.read();
    convert(*graph, reader, evaluator, options, result);
    completeHints(graph->diagnostics);
    result.graph = graph;
    result.diagnostics = graph->diagnostics;
    return result;
}

} // namespace

Imported importFile(const std::filesystem::path& path, relay::Evaluator* evaluator, const Options& options) {
    const std::string name = path.string();
    Result<model::Bytes> bytes = mapFile(path, limits::protobufBytes);
    if (!bytes)
        return importModel(std::unexpected(std::move(bytes).error()), name, {}, evaluator, options);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    return importModel(readModel(bytes->view), name, folder, evaluator, options);
}

Imported importBytes(std::span<const std::byte> bytes, const std::string& name, const std::filesystem::path& folder,
                     relay::Evaluator* evaluator, const Options& options) {
    return importModel(readModel(bytes), name, folder, evaluator, options);
}

Result<model::TensorPtr> readTensor(const std::filesystem::path& path) {
    const auto named = [&](Diagnostic diagnostic) {
        return std::unexpected(inFile(std::move(diagnostic), path.string()));
    };
    Result<model::Bytes> bytes = mapFile(path, limits::protobufBytes);
    if (!bytes)
        return named(bytes.error());
    Result<std::shared_ptr<::onnx::TensorProto>> proto = readTensorProto(bytes->view);
    if (!proto)
        return named(proto.error());
    Result<model::TensorPtr> tensor = TensorReader(*proto, path.parent_path()).read(**proto);
    if (!tensor)
        return named(tensor.error());
    return tensor;
}

} // namespace lathe::frontend::onnx
