// SPDX-License-Identifier: Apache-2.0
#include "frontend/keras/import.h"

#include "frontend/common/convert_graph.h"
#include "frontend/keras/dialect.h"
#include "frontend/keras/graph_reader.h"
#include "frontend/keras/open_model.h"
#include "frontend/keras/table.h"

namespace lathe::frontend::keras {

bool probe(const Source& source) {
    return mayBeModel(source);
}

Imported importModel(const Source& source, relay::Evaluator* evaluator, const Options& options) {
    Result<OpenModel> open = openModel(source, options.budget);
    if (!open)
        return unreadable(std::move(open).error(), source.name);
    KerasDialect dialect;
    return convertGraph(readGraph(*open, source.name, options.budget), dialect, evaluator, options);
}

model::Role roleOf(const model::Node& node) {
    const Row* row = findRow(node.domain, node.op);
    return {.family = row ? row->family : model::Family::Other, .named = types::Void};
}

bool hasOperator(const std::string& domain, const std::string& name) {
    return findRow(domain, name) != nullptr;
}

} // namespace lathe::frontend::keras
