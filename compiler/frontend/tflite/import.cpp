// SPDX-License-Identifier: Apache-2.0
#include "frontend/tflite/import.h"

#include "frontend/common/convert_graph.h"
#include "frontend/tflite/dialect.h"
#include "frontend/tflite/graph_reader.h"
#include "frontend/tflite/read.h"
#include "frontend/tflite/table.h"

namespace lathe::frontend::tflite {

bool probe(const Source& source) {
    return mayBeModel(source.bytes.view);
}

Imported importModel(const Source& source, relay::Evaluator* evaluator, const Options& options) {
    Result<OpenModel> open = openModel(source.bytes);
    if (!open)
        return unreadable(std::move(open).error(), source.name);
    TfliteDialect dialect;
    return convertGraph(readGraph(*open, source.name, options.signature, options.budget), dialect, evaluator, options);
}

model::Role roleOf(const model::Node& node) {
    const Row* row = findRow(node.domain, node.op);
    return {.family = row ? row->family : model::Family::Other, .named = types::Void};
}

bool hasOperator(const std::string& domain, const std::string& name) {
    return findRow(domain, name) != nullptr;
}

} // namespace lathe::frontend::tflite
