// SPDX-License-Identifier: Apache-2.0
//
// The table of formats.
#include "frontend/frontend.h"

#include "base/limits.h"
#include "frontend/added_operators.h"
#include "frontend/common/map_file.h"
#include "frontend/common/members.h"
#include "frontend/common/value_type.h"
#include "frontend/guess_format.h"
#include "frontend/keras/import.h"
#include "frontend/onnx/body_text.h"
#include "frontend/onnx/import.h"
#include "frontend/onnx/ops.h"
#include "frontend/tensorflow/import.h"
#include "frontend/tflite/import.h"
#include "frontend/torch/import.h"
#include "frontend/torch/script/import.h"
#include "relay/element.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <set>

namespace lathe::frontend {
namespace {

/// A file belongs to the first that knows it: those whose files say what they are come first.
constexpr auto table = std::to_array<Frontend>({
    {"TFLite", "*.tflite", tflite::probe, true, true, false, tflite::importModel, tflite::roleOf, tflite::hasOperator,
     nullptr, nullptr, nullptr},
    {"Keras", "*.keras *.h5 *.hdf5", keras::probe, false, true, false, keras::importModel, keras::roleOf,
     keras::hasOperator, nullptr, nullptr, nullptr},
    {"torch.export", "*.pt2", torch::probe, false, false, false, torch::importModel, torch::roleOf, torch::hasOperator,
     nullptr, nullptr, nullptr},
    {"TorchScript", "*.pt *.pth *.jit *.ptl", torch::script::probe, true, false, true, torch::script::importModel,
     torch::script::roleOf, torch::hasOperator, nullptr, nullptr, nullptr},
    {"TensorFlow", "*.pb *.pbtxt", tensorflow::probe, true, true, false, tensorflow::importModel, tensorflow::roleOf,
     tensorflow::hasOperator, nullptr, nullptr, nullptr},
    {"ONNX", "*.onnx", onnx::probe, false, true, false, onnx::importModel, onnx::roleOf, onnx::hasOperator,
     onnx::probeTensor, onnx::readTensor, onnx::readValue},
});

Result<Source> sourceOf(const std::filesystem::path& path) {
    std::error_code code;
    if (std::filesystem::is_directory(path, code)) {
        const std::filesystem::path folder = path.has_filename() ? path : path.parent_path(); // it may end with a slash
        return Source{folder.string(), {folder}, {}, identityOf(folder), membersOfFolder(folder)};
    }
    LATHE_TRY(MappedFile file, mapFile(path, limits::modelFileBytes));
    std::vector<std::filesystem::path> folders{path.has_parent_path() ? path.parent_path() : "."};
    if (const auto real = std::filesystem::canonical(path, code); !code)
        folders.push_back(real.parent_path());
    std::shared_ptr<const Members> members = membersIn(file.bytes);
    return Source{path.string(), std::move(folders), std::move(file.bytes), file.identity, std::move(members)};
}

Imported refused(Diagnostic reason, const std::string& file) {
    reason.file = file;
    Imported nothing;
    nothing.diagnostics.push_back(std::move(reason));
    return nothing;
}

std::vector<model::Role> rolesOf(const std::vector<const model::Node*>& nodes, const Frontend& frontend,
                                 const AddedOperators* added) {
    std::vector<model::Role> roles(nodes.size());
    for (size_t id = 0; id < nodes.size(); ++id) {
        if (!nodes[id])
            continue;
        roles[id] = frontend.roleOf(*nodes[id]);
        if (const OperatorRow* row = findOperator(added, *nodes[id]))
            roles[id].family = row->family;
        else if (const BodyRow* body = findBody(added, *nodes[id]))
            roles[id].family = body->family;
    }
    return roles;
}

/// As the import found them.
std::vector<model::State> statesOf(const relay::Module& module) {
    constexpr int64_t largestHeld = int64_t{1} << 26; // bytes of one whose elements are all the same
    std::vector<model::State> states;
    for (const relay::StateValue& state : module.main().states) {
        const relay::Constant& initial = *state.initial;
        model::State& added =
            states.emplace_back(model::State{{state.name, valueType(*relay::asTensor(initial.type))}, nullptr});
        const bool isHeld = !initial.splat || relay::bytesOf(initial) <= largestHeld;
        if (initial.recipe || !initial.strings.empty() || !isHeld)
            continue;
        auto tensor = std::make_shared<model::TensorData>();
        tensor->dtype = added.value.type.dtype;
        for (const model::Dim& dim : added.value.type.shape)
            tensor->shape.push_back(dim.value);
        tensor->bytes = initial.bytes;
        if (initial.splat) {
            const auto all = std::make_shared<const std::vector<std::byte>>(relay::copyElements(initial));
            tensor->bytes = {all, std::span(*all)};
        }
        added.initial = std::move(tensor);
    }
    return states;
}

/// As the module has them, where the model declares no shape: a file need not say what its operators do.
std::vector<model::Value> foundTypes(const model::Graph& graph, const relay::Module& module) {
    std::set<std::string_view> declared;
    for (const auto* values : {&graph.inputs, &graph.outputs, &graph.values})
        for (const model::Value& value : *values)
            if (value.type.hasShape || value.type.element)
                declared.insert(value.name);
    std::vector<model::Value> found;
    for (const relay::BindingPtr& binding : module.main().body->bindings) {
        const relay::TensorType* type = relay::asTensor(binding->type);
        if (!type || binding->modelValue.empty() || declared.contains(binding->modelValue))
            continue;
        found.push_back({binding->modelValue, valueType(*type)});
    }
    return found;
}

/// Whether a value of the one type cannot be one of the other; what is not declared, or open, contradicts nothing.
bool contradict(const model::ValueType& declared, const model::ValueType& tensor) {
    if (declared.kind == model::ValueType::Kind::Unknown)
        return false;
    if (declared.kind != model::ValueType::Kind::Tensor)
        return true;
    if (declared.dtype != types::Void && declared.dtype != tensor.dtype)
        return true;
    const auto mayBe = [](const model::Dim& a, const model::Dim& b) {
        return a.value < 0 || b.value < 0 || a.value == b.value;
    };
    return declared.hasShape && !std::ranges::equal(declared.shape, tensor.shape, mayBe);
}

/// Warnings of outputs that are declared otherwise than they are computed.
std::vector<Diagnostic> wronglyDeclared(const model::ModelGraph& model, const relay::Module& module) {
    const std::vector<relay::Type> computed = relay::fieldTypes(module.main().resultType);
    const std::vector<model::Value>& outputs = model.graph->outputs;
    std::vector<Diagnostic> warnings;
    for (size_t i = 0; i < std::min(outputs.size(), computed.size()); ++i) {
        const auto& [name, declared] = outputs[i];
        const relay::TensorType* tensor = relay::asTensor(computed[i]);
        if (!tensor || !contradict(declared, valueType(*tensor)))
            continue;
        Diagnostic& warning =
            warnings.emplace_back(error(fmt::format("output '{}' is declared as {}, but {} is computed, which it gives",
                                                    name, toString(declared), toString(valueType(*tensor))),
                                        "correct the declaration, or what computes the output"));
        warning.severity = Severity::Warning;
        warning.file = model.file;
        const auto gives = [&](const model::Node& node) {
            return std::ranges::find(node.outputs, name) != node.outputs.end();
        };
        if (const auto node = std::ranges::find_if(model.graph->nodes, gives); node != model.graph->nodes.end()) {
            warning.node = displayName(*node);
            warning.op = operatorName(*node);
            warning.nodeId = node->id;
        }
    }
    return warnings;
}

/// Adds them to the graph, which others may look at already: it becomes another.
void addFoundTypes(model::ModelGraph& model, const relay::Module& module) {
    std::vector<model::Value> found = foundTypes(*model.graph, module);
    if (found.empty())
        return;
    auto graph = std::make_shared<model::Graph>(*model.graph);
    std::set<std::string_view> names;
    for (const model::Value& value : found)
        names.insert(value.name);
    std::erase_if(graph->values, [&](const model::Value& value) { return names.contains(value.name); });
    std::ranges::move(found, std::back_inserter(graph->values));
    model.graph = std::move(graph);
    indexNodes(model);
}

/// The first frontend whose probe of that kind knows the file; null if none does.
const Frontend* frontendOf(const Source& source, decltype(Frontend::probe) Frontend::* probe) {
    const auto knows = [&](const Frontend& frontend) { return frontend.*probe && (frontend.*probe)(source); };
    const auto found = std::ranges::find_if(table, knows);
    return found == table.end() ? nullptr : &*found;
}

/// "ONNX, …"
std::string formats() {
    std::vector<std::string_view> names;
    for (const Frontend& frontend : table)
        names.push_back(frontend.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

Imported importSource(const Source& source, relay::Evaluator* evaluator, const Options& options) {
    if (source.bytes.view.empty() && !source.members)
        return refused(error("the file is empty", "copy or export the model again"), source.name);
    if (const Frontend* found = frontendOf(source, &Frontend::probe)) {
        if (!options.signature.empty() && !found->hasSignatures)
            return refused(error(ErrorKind::Usage,
                                 fmt::format("a model of {} has no signatures, so there is no '{}'", found->name,
                                             options.signature),
                                 "leave out the signature"),
                           source.name);
        if (!options.cut.empty() && !found->canBeCut)
            return refused(error(ErrorKind::Usage, fmt::format("a model of {} cannot be cut", found->name),
                                 "export the part that is wanted"),
                           source.name);
        if (!options.arguments.empty() && !found->hasArguments)
            return refused(error(ErrorKind::Usage,
                                 fmt::format("a model of {} has no arguments beside its inputs, so there is no '{}'",
                                             found->name, options.arguments.front().first),
                                 "leave out the argument"),
                           source.name);
        Imported imported = found->import(source, evaluator, options);
        if (imported.graph && imported.module) {
            for (const Diagnostic& warning : wronglyDeclared(*imported.graph, *imported.module)) {
                imported.graph->diagnostics.push_back(warning);
                imported.diagnostics.push_back(warning);
            }
            addFoundTypes(*imported.graph, *imported.module);
            imported.graph->states = statesOf(*imported.module);
        }
        if (imported.graph)
            imported.graph->roles = rolesOf(imported.graph->nodes, *found, options.added.get());
        return imported;
    }
    return refused(
        error(fmt::format("this is no model of a format that Lathe imports ({})", formats()), guessFormat(source)),
        source.name);
}

Imported importFile(const std::filesystem::path& path, relay::Evaluator* evaluator, const Options& options) {
    const Result<Source> source = sourceOf(path);
    if (!source)
        return refused(source.error(), path.string());
    Imported imported = importSource(*source, evaluator, options);
    imported.files.emplace_back(path, source->identity);
    if (source->members)
        std::ranges::move(source->members->files(), std::back_inserter(imported.files));
    return imported;
}

std::vector<FileType> fileTypes() {
    std::vector<FileType> types;
    for (const Frontend& frontend : table)
        types.push_back({frontend.name, frontend.patterns, frontend.canBeCut, frontend.hasArguments});
    return types;
}

bool takesArguments(const std::filesystem::path& path) {
    const Result<Source> source = sourceOf(path);
    const Frontend* found = source ? frontendOf(*source, &Frontend::probe) : nullptr;
    return found && found->hasArguments;
}

std::string_view formatOf(const std::filesystem::path& path) {
    const Result<Source> source = sourceOf(path);
    const Frontend* found = source ? frontendOf(*source, &Frontend::probe) : nullptr;
    return found ? found->name : std::string_view();
}

Imported importBytes(std::span<const std::byte> bytes, const std::string& name,
                     const std::vector<std::filesystem::path>& folders, relay::Evaluator* evaluator,
                     const Options& options) {
    const model::Bytes all{nullptr, bytes};
    return importSource(Source{name, folders, all, {}, membersIn(all)}, evaluator, options);
}

Result<void> checkAdded(const AddedOperators& added) {
    std::map<std::pair<std::string, std::string>, std::string> owners;
    const auto add = [&](const auto& row) -> Result<void> {
        const std::string name = fmt::format("operator {} of domain {}", row.name, row.domain);
        const char* hint = "switch the plugin off: an operator has one meaning";
        for (const Frontend& frontend : table)
            if (frontend.hasOperator(row.domain, row.name))
                return failure(
                    fmt::format("plugin {} adds {}, which {} of Lathe has itself", row.plugin, name, frontend.name),
                    hint);
        if (const auto [other, isNew] = owners.try_emplace({row.domain, row.name}, row.plugin); !isNew)
            return failure(fmt::format("plugins {} and {} both add {}", other->second, row.plugin, name), hint);
        return {};
    };
    for (const OperatorRow& row : added.operators)
        LATHE_CHECKED(add(row));
    for (const BodyRow& row : added.bodies)
        LATHE_CHECKED(add(row));
    return {};
}

Result<std::vector<BodyRow>> readBodies(std::string_view text, const std::string& plugin, const std::string& file) {
    return onnx::readBodies(text, plugin, file);
}

Result<model::TensorPtr> readTensor(const std::filesystem::path& path) {
    const auto read = [&]() -> Result<model::TensorPtr> {
        LATHE_TRY(const Source source, sourceOf(path));
        const Frontend* found = frontendOf(source, &Frontend::probeTensor);
        if (!found)
            return failure(fmt::format("the file is no tensor of a format that Lathe reads ({})", formats()),
                           "copy it again, or save the array by numpy.save, as .npy");
        return found->readTensor(source);
    };
    Result<model::TensorPtr> tensor = read();
    if (!tensor)
        tensor.error().file = path.string();
    return tensor;
}

Result<model::HostTensor> readValue(const std::filesystem::path& path, std::string_view form) {
    const auto read = [&]() -> Result<model::HostTensor> {
        LATHE_TRY(const Source source, sourceOf(path));
        const auto found = std::ranges::find_if(table, [](const Frontend& each) { return each.readValue != nullptr; });
        LATHE_ASSERT(found != table.end(), "a format has files of lists");
        return found->readValue(source, form);
    };
    Result<model::HostTensor> value = read();
    if (!value)
        value.error().file = path.string();
    return value;
}

} // namespace lathe::frontend
