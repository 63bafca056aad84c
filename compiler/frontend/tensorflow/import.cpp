// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/import.h"

#include "frontend/common/convert_graph.h"
#include "frontend/common/members.h"
#include "frontend/tensorflow/dialect.h"
#include "frontend/tensorflow/graph_reader.h"
#include "frontend/tensorflow/read.h"
#include "frontend/tensorflow/table.h"
#include "frontend/tensorflow/types.h"

#include <tensorflow/core/protobuf/meta_graph.pb.h>

#include <filesystem>

namespace lathe::frontend::tensorflow {
namespace {

bool isFolder(const Source& source) {
    return source.bytes.view.empty() && source.members;
}

} // namespace

bool probe(const Source& source) {
    return isFolder(source) ? mayBeSavedModel(*source.members) || checkpointIn(*source.members)
                            : mayBeGraph(source.bytes.view) || mayBeMetaGraph(source.bytes.view);
}

namespace {

constexpr const char* savedVariables = "variables/variables";

/// A graph that was read, in which a signature is meant or, where it has none, its ends are looked for.
std::shared_ptr<model::ModelGraph> ofMetaGraph(const std::shared_ptr<const ::tensorflow::MetaGraphDef>& graph,
                                               const Beside& beside, const Source& source, const Options& options) {
    if (hasSignatures(*graph) || !options.signature.empty())
        return readSaved(graph, beside, source.name, options.signature, options.cut.outputs, options.budget);
    return readGraph({graph, &graph->graph_def()}, beside, source.name, options.cut.outputs, options.budget);
}

/// The graph of a folder, or of a file and what lies beside it, in `members`.
Result<std::shared_ptr<model::ModelGraph>> readAny(const Source& source, const std::shared_ptr<const Members>& members,
                                                   const Options& options) {
    if (isFolder(source) && mayBeSavedModel(*members)) {
        LATHE_TRY(const auto graph, readSavedModel(*members));
        return readSaved(graph, {members, savedVariables}, source.name, options.signature, options.cut.outputs,
                         options.budget);
    }
    if (isFolder(source)) {
        const std::string prefix = checkpointIn(*members).value_or("");
        LATHE_TRY(const model::Bytes bytes, members->read(prefix + ".meta"));
        LATHE_TRY(const auto graph, readMetaGraph(bytes.view));
        return ofMetaGraph(graph, {members, prefix}, source, options);
    }
    if (!mayBeGraph(source.bytes.view)) {
        LATHE_TRY(const auto graph, readMetaGraph(source.bytes.view));
        const Beside beside{members, std::filesystem::path(source.name).stem().string()};
        return ofMetaGraph(graph, beside, source, options);
    }
    if (!options.signature.empty())
        return failure(ErrorKind::Usage, "a graph in a file of its own has no signatures",
                       "leave out the signature, or name the folder of the SavedModel");
    LATHE_TRY(const auto graph, readGraphDef(source.bytes.view));
    return readGraph(graph, {}, source.name, options.cut.outputs, options.budget);
}

} // namespace

Imported importModel(const Source& source, relay::Evaluator* evaluator, const Options& options) {
    TensorflowDialect dialect;
    const bool isAlone = source.members || source.folders.empty();
    const auto members = isAlone ? source.members : membersOfFolder(source.folders.front());
    auto graph = readAny(source, members, options);
    if (!graph)
        return unreadable(std::move(graph).error(), source.name);
    Imported imported = convertGraph(*graph, dialect, evaluator, options);
    if (!isAlone)
        imported.files = members->files();
    return imported;
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
