// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/import.h"

#include "frontend/common/convert_graph.h"
#include "frontend/torch/script/conversion.h"
#include "frontend/torch/script/outline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace lathe::frontend::torch::script {
namespace {

/// Those that people call: of the module's class, without those that Python calls. Sorted.
std::vector<std::string> signaturesOf(const ClassText& text) {
    std::vector<std::string> names;
    for (const FunctionPtr& function : text.functions)
        if (!function->name.starts_with("__") && !function->parameters.empty())
            names.push_back(function->name);
    std::ranges::sort(names);
    return names;
}

Result<std::shared_ptr<const ClassText>> classOf(ScriptArchive& archive) {
    const PickleValue& module = archive.module();
    if (module.kind != PickleValue::Kind::Object || module.items.size() != 2 ||
        module.items[0]->kind != PickleValue::Kind::Global || !module.items[0]->text.starts_with("__torch__"))
        return failure(ErrorKind::Unsupported, "data.pkl holds no module of a TorchScript program",
                       "save the model again: torch.jit.save(torch.jit.script(model), 'model.pt')");
    std::string name = module.items[0]->text;
    std::ranges::replace(name, ' ', '.');
    LATHE_TRY(std::shared_ptr<const ClassText> text, archive.findClass(name));
    if (!text)
        return failure(fmt::format("data.pkl names class '{}', which the archive's code does not have", name),
                       "the file is damaged; save the model again");
    return text;
}

Result<FunctionPtr> functionOf(const ClassText& text, const std::vector<std::string>& names,
                               const std::string& signature) {
    constexpr const char* usual = "forward";
    const std::string wanted = signature.empty() ? usual : signature;
    if (const FunctionPtr found = text.find(wanted); found && std::ranges::find(names, wanted) != names.end())
        return found;
    if (signature.empty() && names.size() == 1)
        return text.find(names.front());
    return failure(ErrorKind::Usage, fmt::format("the model has no function '{}'", wanted),
                   names.empty() ? "it has none" : fmt::format("its functions are: {}", fmt::join(names, ", ")));
}

/// Of the archive's objects: they can be made before anything is known of a call.
std::optional<Diagnostic> faultOfObjects(ScriptArchive& archive, const model::ModelGraph& graph, Budget& budget) {
    const Budget::Amounts before = budget.left();
    relay::Module module;
    module.spans = graph.spans;
    Builder b(module, nullptr);
    b.setSpan(graph.spans->of(0));
    Trace trace;
    Evaluator(archive, trace, graph, budget, b).makeModule(nullptr);
    budget.reset(before);
    return b.failed() ? std::optional(b.error()) : std::nullopt;
}

struct ReadModel {
    std::unique_ptr<ScriptProgram> program;
    std::shared_ptr<model::ModelGraph> graph;
};

Result<ReadModel> readModel(const Source& source, const Options& options) {
    LATHE_TRY(ScriptArchive archive, ScriptArchive::open(source.members, source.bytes.view.size()));
    LATHE_TRY(const std::shared_ptr<const ClassText> text, classOf(archive));
    std::vector<std::string> signatures = signaturesOf(*text);
    LATHE_TRY(FunctionPtr function, functionOf(*text, signatures, options.signature));
    auto graph = std::make_shared<model::ModelGraph>();
    graph->signatures = std::move(signatures);
    graph->signature = function->name;
    graph->file = source.name;
    graph->format = "TorchScript";
    graph->producer = "PyTorch";
    graph->versions.emplace_back("archive", archive.version());
    auto described = std::make_shared<model::Graph>();
    described->name = function->name;
    if (std::optional<Diagnostic> fault = faultOfObjects(archive, *graph, *options.budget))
        graph->diagnostics.push_back(*std::move(fault));
    Outline outline = outlineOf(archive, function);
    std::ranges::move(outline.faults, std::back_inserter(graph->diagnostics));
    if (!outline.training.empty()) {
        Diagnostic& warning = graph->diagnostics.emplace_back(
            error(fmt::format("module '{}' was saved in training mode", outline.training),
                  "call eval() on the model before it is saved; what is random in training is refused"));
        warning.severity = Severity::Warning;
    }
    Result<ScriptInputs> inputs = ScriptInputs::of(*function, options);
    if (inputs)
        described->inputs = inputs->values();
    else
        graph->diagnostics.push_back(inputs.error());
    for (Diagnostic& diagnostic : graph->diagnostics)
        diagnostic.file = source.name;
    described->nodes = std::move(outline.nodes);
    graph->nodeCount = static_cast<int32_t>(described->nodes.size());
    graph->graph = std::move(described);
    model::indexNodes(*graph);
    auto program = std::make_unique<ScriptProgram>(
        ScriptProgram{std::move(archive), std::move(function), inputs ? *std::move(inputs) : ScriptInputs()});
    return ReadModel{std::move(program), std::move(graph)};
}

} // namespace

bool probe(const Source& source) {
    if (!source.members)
        return false;
    const Result<std::vector<std::string>> names = source.members->names();
    return names && ScriptArchive::isOne(*names);
}

Imported importModel(const Source& source, relay::Evaluator* evaluator, const Options& options) {
    Result<ReadModel> read = readModel(source, options);
    if (!read)
        return unreadable(std::move(read).error(), source.name);
    const BeginConversion conversion = [&](model::ModelGraph& graph, relay::Module& module, Builder& builder) {
        return std::make_unique<ScriptConversion>(*read->program, graph, module, evaluator, options.budget, builder);
    };
    return convertGraph(read->graph, conversion, evaluator, options);
}

model::Role roleOf(const model::Node& node) {
    if (node.op.starts_with("prim."))
        return {.family = model::Family::Control, .named = types::Void};
    if (node.op == "aten.quantize" || node.op == "aten.dequantize")
        return {.family = node.op == "aten.quantize" ? model::Family::Quantization : model::Family::Dequantization,
                .named = types::Void};
    const Operator* op = findOperator(node.op);
    if (const auto overloads = op ? std::vector<const Operator*>() : overloadsOf(node.op); !overloads.empty())
        op = overloads.front(); // of an outline
    return {.family = op                    ? op->family
                      : node.op == "output" ? model::Family::Movement
                                            : model::Family::Other,
            .named = types::Void};
}

} // namespace lathe::frontend::torch::script
