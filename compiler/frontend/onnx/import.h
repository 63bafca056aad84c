// SPDX-License-Identifier: Apache-2.0
//
// ONNX models: file to ModelGraph (always, if it can be read at all), ModelGraph and protobuf to a relay Module.
#pragma once

#include "model/model_graph.h"
#include "relay/evaluator.h"
#include "relay/ir.h"

#include <filesystem>
#include <memory>

namespace lathe::frontend::onnx {

struct Options {
    /// Symbols of inputs to fix: "batch" -> 1; or input dims by input name.
    std::vector<std::pair<std::string, int64_t>> symbols;
    std::vector<std::pair<std::string, std::vector<int64_t>>> shapes;
};

/// One reason for which a model is refused: every one found is listed, not only the first.
struct Imported {
    model::ModelGraphPtr graph;            // null only if the file could not be read as a model at all
    std::shared_ptr<relay::Module> module; // null if refused
    std::vector<Diagnostic> diagnostics;   // errors (why refused: file, node, operator, reason) and warnings
};

/// Never throws for what the file contains. evaluator folds values that types depend on.
Imported importFile(const std::filesystem::path& path, relay::Evaluator* evaluator, const Options& options = {});

/// The model in memory; `folder` is where external data may lie (nowhere if empty).
Imported importBytes(std::span<const std::byte> bytes, const std::string& name, const std::filesystem::path& folder,
                     relay::Evaluator* evaluator, const Options& options = {});

/// A TensorProto file (input_0.pb).
Result<model::TensorPtr> readTensor(const std::filesystem::path& path);

} // namespace lathe::frontend::onnx
