// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/import.h"

#include "frontend/common/convert_graph.h"
#include "frontend/common/members.h"
#include "frontend/tensorflow/dialect.h"
#include "frontend/tensorflow/graph_reader.h"
#include "frontend/tensorflow/read.h"
#include "frontend/tensorflow/table.h"
#include "frontend/tensorflow/types.h"

namespace lathe::frontend::tensorflow {
namespace {

bool isFolder(const Source& source) {
    return source.bytes.view.empty() && source.members;
}

} // namespace

bool probe(const Source& source) {
    return isFolder(source) ? mayBeSavedModel(*source.members) : mayBeGraph(source.bytes.view);
}

Imported importModel(const Source& source, relay::Evaluator* evaluator, const Options& options) {
    TensorflowDialect dialect;
    if (isFolder(source)) {
        auto graph = readSavedModel(*source.members);
        if (!graph)
            return unreadable(std::move(graph).error(), source.name);
        return convertGraph(
            readSaved(*graph, source.members, source.name, options.signature, options.cut.outputs, options.budget),
            dialect, evaluator, options);
    }
    if (!options.signature.empty())
        return unreadable(error(ErrorKind::Usage, "a graph in a file of its own has no signatures",
                                "leave out the signature, or name the folder of the SavedModel"),
                          source.name);
    auto graph = readGraphDef(source.bytes.view);
    if (!graph)
        return unreadable(std::move(graph).error(), source.name);
    return convertGraph(readGraph(*graph, source.name, options.cut.outputs, options.budget), dialect, evaluator,
                        options);
}

model::Role roleOf(const model::Node& node) {
    const Row* row = findRow(node.op);
    model::Role role{.family = row ? row->family : model::Family::Other, .named = types::Void};
    if (role.family != model::Family::Conversion)
        return role;
    for (const model::Attribute& attribute : node.attributes)
        if (const auto* text = std::get_if<std::string>(&attribute.value); text && attribute.name == "DstT")
            role.named = fromTypeName(*text).value_or(types::Void);
    return role;
}

bool hasOperator(const std::string& domain, const std::string& name) {
    return domain.empty() && findRow(name) != nullptr;
}

} // namespace lathe::frontend::tensorflow
