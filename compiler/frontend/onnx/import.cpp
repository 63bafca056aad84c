// SPDX-License-Identifier: Apache-2.0
//
// The way of a file: bytes, protobuf, ModelGraph, types of the inputs, relay Module.
#include "frontend/onnx/import.h"

#include "frontend/common/inputs.h"
#include "frontend/common/walk.h"
#include "frontend/onnx/dialect.h"
#include "frontend/onnx/read.h"
#include "model/asked_sizes.h"

#include <algorithm>

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
            diagnostic.hint = diagnostic.kind == ErrorKind::Unsupported
                                  ? "the model may be right, but Lathe does not handle this: export it without, or at "
                                    "fixed sizes (--shape)"
                              : diagnostic.node.empty() ? "correct the model, or export it again"
                                                        : "correct this node in the model, or export the model again";
}

/// Converts what was read; fills module or diagnostics.
void convert(model::ModelGraph& graph, GraphReader& reader, relay::Evaluator* evaluator, const Options& options,
             Imported& result) {
    auto module = std::make_shared<relay::Module>();
    module->spans = graph.spans;
    relay::Builder builder(*module, evaluator, options.budget);
    OnnxDialect dialect(reader);
    GraphWalk walk(graph, dialect, *module, builder);
    if (hasErrors(graph.diagnostics)) {
        addReasons(graph.diagnostics, walk.unsupported());
        return;
    }
    Result<std::vector<relay::Type>> inputs = inputTypes(graph, options);
    if (!inputs) {
        graph.diagnostics.push_back(inFile(inputs.error(), graph.file));
        addReasons(graph.diagnostics, walk.unsupported());
        return;
    }
    walk.convertMain(*inputs);
    if (builder.failed()) {
        graph.diagnostics.push_back(builder.error());
        addReasons(graph.diagnostics, walk.unsupported());
        return;
    }
    result.module = std::move(module);
}

} // namespace

bool probe(std::span<const std::byte> bytes, const std::filesystem::path&) {
    return mayBeModel(bytes);
}

Imported importModel(const Source& source, relay::Evaluator* evaluator, const Options& options) {
    Imported result;
    Result<std::shared_ptr<::onnx::ModelProto>> proto = readModel(source.bytes.view, *options.budget);
    if (!proto) {
        result.diagnostics.push_back(inFile(std::move(proto).error(), source.name));
        completeHints(result.diagnostics);
        return result;
    }
    GraphReader reader(*proto, source.folders, source.name, options.budget, options.added);
    const std::shared_ptr<model::ModelGraph> graph = reader.read();
    if (const auto named = model::nameSizes(*graph, options.sizeNames, options.sizesBesideNames); !named)
        graph->diagnostics.push_back(inFile(named.error(), graph->file));
    convert(*graph, reader, evaluator, options, result);
    completeHints(graph->diagnostics);
    result.graph = graph;
    result.files = reader.externalFiles();
    result.diagnostics = graph->diagnostics;
    return result;
}

bool probeTensor(std::span<const std::byte> bytes, const std::filesystem::path&) {
    return mayBeTensor(bytes);
}

Result<model::TensorPtr> readTensor(const Source& source) {
    LATHE_TRY(const std::shared_ptr<::onnx::TensorProto> proto, readTensorProto(source.bytes.view));
    return TensorReader(proto, source.folders, std::make_shared<Budget>()).read(*proto);
}

} // namespace lathe::frontend::onnx
