// SPDX-License-Identifier: Apache-2.0
//
// Import as a step of the pipeline: once as the model is, and once more with the sizes of what it is run with, where
// without them it cannot be imported.
#include "driver/import_step.h"

#include "artifact/artifact.h"
#include "driver/extensions.h"
#include "driver/input_files.h"
#include "model/asked_sizes.h"
#include "relay/data_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace lathe::driver {
namespace {

using relay::Module;

/// Of the sizes that are fixed at need those that are asked for together with names.
Shapes sizesBesideNames(const Options& options) {
    Shapes sizes;
    for (const auto& shape : options.shapesAtNeed)
        if (std::ranges::find(options.sizeNames, shape.first, &model::SizeNames::value_type::first) !=
            options.sizeNames.end())
            sizes.push_back(shape);
    return sizes;
}

/// Such a node mostly is not supported at any sizes: then what is wrong with the data comes second.
bool hasUnsupportedNode(const frontend::Imported& refused) {
    return std::ranges::any_of(refused.diagnostics, [](const Diagnostic& reason) {
        return reason.kind == ErrorKind::Unsupported && !reason.node.empty();
    });
}

/// Ranks, by the files, of the elements of inputs that were imported as empty lists, since the model does not declare them.
Shapes shapesOfEmpty(const Module& module, const InputFiles& files, const model::ModelGraph& graph) {
    Shapes shapes;
    std::optional<Shapes> given;
    for (const relay::Param& param : relay::inputParams(module.main())) {
        relay::Type type = param.type;
        while (relay::asDataType(type))
            type = relay::elementOf(type);
        if (type)
            continue;
        if (!given)
            given = givenTypes(files, graph).value_or(GivenTypes()).shapes;
        for (const auto& shape : *given)
            if (shape.first == param.name)
                shapes.push_back(shape);
    }
    return shapes;
}

/// What is said of inputs' types is not passed over where the model has no such input, or another type for it.
Result<void> checkTypes(const model::Graph& graph, const ElementTypes& asked) {
    for (const auto& [name, dtype] : asked) {
        const auto input = std::ranges::find(graph.inputs, name, &model::Value::name);
        if (input == graph.inputs.end())
            return Failure(model::noInput(name, model::sizedInputs(graph)));
        if (input->type.kind != model::ValueType::Kind::Tensor || input->type.dtype != dtype)
            return failure(ErrorKind::Usage,
                           fmt::format("input '{}' is to be {}, but is {} in the model", name, toString(dtype),
                                       toString(input->type)),
                           "leave the type out: only what the model does not declare can be given");
    }
    return {};
}

/// A model's import, and the second one for the sizes of what it is run with.
class ImportOfModel {
public:
    ImportOfModel(const ModelSource& source, relay::Evaluator& evaluator, std::shared_ptr<Budget> budget,
                  const Options& options, Trace& trace)
        : source_(source), evaluator_(evaluator), budget_(std::move(budget)), options_(options), trace_(trace),
          asked_{.symbols = options.symbols,
                 .shapes = options.shapes,
                 .sizeNames = options.sizeNames,
                 .sizesBesideNames = sizesBesideNames(options),
                 .signature = options.signature,
                 .cut = options.cut,
                 .types = options.types,
                 .arguments = options.arguments,
                 .added = operatorsOf(options.extensions),
                 .budget = budget_} {}

    frontend::Imported imported() {
        const Budget::Amounts before = budget_->left();
        frontend::Imported imported = source_.import(&evaluator_, asked_);
        // A sequence of undeclared rank is imported as one that is always empty: what is given may say more.
        if (imported.module && !options_.inputsAtNeed.empty())
            if (const Shapes undeclared = shapesOfEmpty(*imported.module, options_.inputsAtNeed, *imported.graph);
                !undeclared.empty()) {
                budget_->reset(before);
                imported = importFixed(std::move(imported), undeclared, {});
            }
        if (!imported.module && imported.graph && !(options_.shapesAtNeed.empty() && options_.inputsAtNeed.empty())) {
            if (const auto given = givenTypes(options_.inputsAtNeed, *imported.graph)) {
                budget_->reset(before);
                imported =
                    importFixed(std::move(imported), shapesOfRun(options_.shapesAtNeed, given->shapes), given->types);
            } else {
                imported.diagnostics.insert(hasUnsupportedNode(imported) ? imported.diagnostics.end()
                                                                         : imported.diagnostics.begin(),
                                            given.error());
            }
        }
        return imported;
    }

private:
    frontend::Imported importFixed(frontend::Imported refused, const Shapes& needed, const ElementTypes& given) {
        asked_.shapes.insert(asked_.shapes.end(), needed.begin(), needed.end());
        for (const auto& [name, dtype] : given)
            if (std::ranges::find(options_.types, name, &ElementTypes::value_type::first) == options_.types.end())
                asked_.types.emplace_back(name, dtype);
        frontend::Imported fixed = source_.import(&evaluator_, asked_);
        trace_.fixedAtNeed = fixed.module != nullptr;
        const auto first = std::ranges::find(fixed.diagnostics, Severity::Error, &Diagnostic::severity);
        if (hasUnsupportedNode(refused) && first != fixed.diagnostics.end() && first->node.empty()) {
            refused.diagnostics.push_back(*first); // which is about the data
            return refused;
        }
        const auto why = std::ranges::find(refused.diagnostics, Severity::Error, &Diagnostic::severity);
        if (fixed.module && why != refused.diagnostics.end()) {
            Diagnostic note = *why;
            note.severity = Severity::Note;
            note.what = "compiled for the given sizes alone, since without them " + note.what;
            note.hint.clear();
            fixed.diagnostics.push_back(std::move(note));
        }
        return fixed;
    }

    const ModelSource& source_;
    relay::Evaluator& evaluator_;
    std::shared_ptr<Budget> budget_;
    const Options& options_;
    Trace& trace_;
    frontend::Options asked_;
};

} // namespace

Result<std::shared_ptr<Module>> runImport(const ModelSource& source, relay::Evaluator& evaluator,
                                          const std::shared_ptr<Budget>& budget, const Options& options, PassHook& hook,
                                          Trace& trace) {
    return hook.step("import", [&]() -> Result<std::shared_ptr<Module>> {
        if (options.extensions)
            LATHE_CHECKED(checkExtensions(*options.extensions));
        frontend::Imported imported = ImportOfModel(source, evaluator, budget, options, trace).imported();
        if (imported.module)
            if (const auto meant = checkTypes(*imported.graph->graph, options.types); !meant) {
                imported.module.reset();
                imported.diagnostics.push_back(meant.error());
                imported.diagnostics.back().file = source.name;
            }
        if (!imported.graph && artifact::partsOf(source.name))
            return failure(
                ErrorKind::Usage, "this is an artifact, compiled already",
                "name the model that it was made of; what takes artifacts is lathe run, profile, bench and diff");
        trace.graph = imported.graph;
        trace.files.clear();
        for (const auto& [file, identity] : imported.files)
            trace.files.push_back(file);
        trace.plugins = imported.plugins;
        trace.diagnostics.insert(trace.diagnostics.end(), imported.diagnostics.begin(), imported.diagnostics.end());
        PassRecord& record = hook.recordOf("import");
        record.after = imported.module;
        record.changed = imported.module != nullptr;
        record.diagnostics = imported.diagnostics;
        if (imported.module) {
            record.bindings = countBindings(*imported.module);
            return imported.module;
        }
        for (const Diagnostic& diagnostic : imported.diagnostics)
            if (diagnostic.severity == Severity::Error)
                return Failure(diagnostic);
        return failure(fmt::format("'{}' could not be imported", source.name));
    });
}

} // namespace lathe::driver
