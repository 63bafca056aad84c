// SPDX-License-Identifier: Apache-2.0
//
// The way of a file: bytes, protobuf, ModelGraph, types of the inputs, relay Module.
#include "frontend/onnx/import.h"

#include "frontend/common/convert_graph.h"
#include "frontend/onnx/dialect.h"
#include "frontend/onnx/map_files.h"
#include "frontend/onnx/read.h"

namespace lathe::frontend::onnx {

bool probe(const Source& source) {
    return mayBeModel(source.bytes.view);
}

Imported importModel(const Source& source, relay::Evaluator* evaluator, const Options& options) {
    Result<std::shared_ptr<::onnx::ModelProto>> proto = readModel(source.bytes.view, *options.budget);
    if (!proto)
        return unreadable(std::move(proto).error(), source.name);
    GraphReader reader(*proto, source.folders, source.name, options.budget, options.added);
    std::shared_ptr<model::ModelGraph> graph = reader.read();
    OnnxDialect dialect(reader);
    Imported result = convertGraph(std::move(graph), dialect, evaluator, options);
    result.files = reader.externalFiles();
    result.plugins = reader.plugins();
    return result;
}

bool probeTensor(const Source& source) {
    return mayBeTensor(source.bytes.view);
}

Result<model::TensorPtr> readTensor(const Source& source) {
    LATHE_TRY(const std::shared_ptr<::onnx::TensorProto> proto, readTensorProto(source.bytes.view));
    Result<model::TensorPtr> tensor = TensorReader(proto, source.folders, std::make_shared<Budget>()).read(*proto);
    if (!tensor)
        if (model::TensorPtr rows = rowsOfMaps(source))
            return rows;
    return tensor;
}

} // namespace lathe::frontend::onnx
