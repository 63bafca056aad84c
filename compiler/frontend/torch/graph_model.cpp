// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/graph_model.h"

#include "frontend/torch/size_expression.h"
#include "frontend/torch/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lathe::frontend::torch {
namespace {

using Name = ProgramArgument::Name;

/// Adds the names in an argument.
void addAllNames(const ProgramArgument& argument, std::vector<std::string>& names) {
    if (const auto* name = argument.as<Name>())
        names.push_back(name->text);
    if (const auto* list = argument.as<std::vector<ProgramArgument>>())
        for (const ProgramArgument& one : *list)
            addAllNames(one, names);
}

std::vector<std::string> namesIn(const ProgramArgument& argument) {
    std::vector<std::string> names;
    addAllNames(argument, names);
    return names;
}

model::Dim dimOf(const ProgramSize& size) {
    if (const int64_t* number = std::get_if<int64_t>(&size))
        return {*number, {}};
    return {-1, asSymbol(std::get<std::string>(size)).value_or(std::string())};
}

model::ValueType declaredType(const TensorMeta& meta) {
    model::ValueType type;
    type.kind = model::ValueType::Kind::Tensor;
    type.dtype = meta.isComplex ? types::Void : meta.dtype;
    type.hasShape = true;
    for (const ProgramSize& size : meta.sizes)
        type.shape.push_back(dimOf(size));
    return type;
}

/// What an attribute can be; nothing for None, graphs and what has names in it.
std::optional<model::AttributeValue> attributeOf(const TorchValue& value) {
    if (const bool* flag = value.as<bool>())
        return int64_t{*flag};
    if (const Expr* whole = value.as<Expr>())
        return arith::asInt(*whole).value_or(0);
    if (const double* real = value.as<double>())
        return *real;
    if (const std::string* text = value.as<std::string>())
        return *text;
    if (const DataType* dtype = value.as<DataType>())
        return toString(*dtype);
    return std::nullopt;
}

template <class T>
std::optional<model::AttributeValue> listOf(const std::vector<model::AttributeValue>& elements) {
    std::vector<T> all;
    for (const model::AttributeValue& element : elements) {
        if (!std::holds_alternative<T>(element))
            return std::nullopt;
        all.push_back(std::get<T>(element));
    }
    return all;
}

std::optional<model::AttributeValue> attributeOf(const ProgramArgument& argument) {
    if (const TorchValue* value = argument.as<TorchValue>())
        return attributeOf(*value);
    const auto* list = argument.as<std::vector<ProgramArgument>>();
    if (!list)
        return std::nullopt;
    std::vector<model::AttributeValue> elements;
    for (const ProgramArgument& one : *list) {
        const std::optional<model::AttributeValue> element = attributeOf(one);
        if (!element)
            return std::nullopt;
        elements.push_back(*element);
    }
    for (const auto& read : {listOf<int64_t>, listOf<double>, listOf<std::string>})
        if (std::optional<model::AttributeValue> found = read(elements))
            return found;
    return std::nullopt;
}

/// Of "encoder", "encoder.layers.0": "encoder", "layers.0". A module that is called from within another one's need not be its own.
std::vector<std::string> scopeOf(const std::vector<std::string>& modules) {
    std::vector<std::string> scope;
    std::string_view around;
    for (const std::string& path : modules) {
        const bool isInner = !around.empty() && path.size() > around.size() + 1 && path.starts_with(around) &&
                             path[around.size()] == '.';
        scope.push_back(isInner ? path.substr(around.size() + 1) : path);
        around = path;
    }
    return scope;
}

class ModelMaker {
public:
    ModelMaker(Program program, Archive& archive, const std::string& file, Budget& budget)
        : archive_(archive), budget_(budget), program_(made_.program) {
        made_.program = std::move(program);
        made_.graph = std::make_shared<model::ModelGraph>();
        made_.graph->file = file;
        made_.graph->format = "torch.export";
        made_.graph->producer = "PyTorch " + program_.torchVersion;
        made_.graph->versions.emplace_back("schema minor", program_.schemaMinor);
    }

    ProgramModel make() {
        made_.assigned = assignedInputs(program_);
        collectOutputs();
        nameValues();
        auto graph = graphOf(*program_.graph, true);
        addInputs(*graph);
        addOutputs(*graph);
        made_.graph->graph = std::move(graph);
        made_.graph->nodeCount = program_.nodeCount + extraNodes_;
        indexNodes(*made_.graph);
        return std::move(made_);
    }

private:
    void report(Diagnostic fault) {
        constexpr size_t most = 1000;
        fault.file = made_.graph->file;
        if (made_.graph->diagnostics.size() < most)
            made_.graph->diagnostics.push_back(std::move(fault));
    }

    void collectOutputs() {
        size_t place = 0;
        for (const OutputSpec& spec : program_.outputs)
            if (spec.kind == OutputSpec::Kind::User)
                made_.outputs.push_back({program_.outputNames[place++], spec.value});
        // None is no result of a model.
        std::erase_if(made_.outputs, [](const ProgramOutput& output) {
            const TorchValue* value = output.value.as<TorchValue>();
            return value && value->isNone();
        });
        std::unordered_map<std::string, const ProgramArgument*> assigned;
        for (const OutputSpec& output : program_.outputs)
            if (output.kind == OutputSpec::Kind::Input)
                assigned.emplace(output.target, &output.value);
        place = 0;
        for (const InputSpec& spec : program_.inputs) {
            if (spec.kind != InputSpec::Kind::User)
                continue;
            const std::string after = "after." + program_.inputNames[place++];
            if (const auto found = assigned.find(spec.name); found != assigned.end())
                made_.outputs.push_back({after, *found->second});
            else if (made_.assigned.contains(spec.name))
                made_.outputs.push_back({after, {Name{spec.name, true}}});
        }
    }

    // ---- names

    /// Gives a value a name in the model, or one like it where that is taken.
    void claim(const std::string& value, const std::string& wanted) {
        if (made_.names.contains(value))
            return;
        std::string name = wanted;
        for (int i = 1; !taken_.insert(name).second; ++i)
            name = fmt::format("{}_{}", wanted, i);
        made_.names.emplace(value, name);
    }

    /// First what the user knows by name, then tensors by their places in modules, then the rest as the program has it.
    void nameValues() {
        size_t place = 0;
        for (const InputSpec& spec : program_.inputs)
            if (spec.kind == InputSpec::Kind::User)
                claim(spec.name, program_.inputNames[place++]);
        for (const ProgramOutput& output : made_.outputs)
            taken_.insert(output.name);
        for (ProgramOutput& output : made_.outputs) {
            const auto* value = output.value.as<Name>();
            const bool isOwn =
                value && isMadeByNode(value->text) && made_.names.emplace(value->text, output.name).second;
            if (!isOwn)
                output.node = program_.nodeCount + extraNodes_++;
        }
        for (const InputSpec& spec : program_.inputs)
            if (!spec.tensor.empty())
                claim(spec.name, spec.tensor);
        for (const ProgramNode& node : program_.graph->nodes)
            for (const ProgramArgument& output : node.outputs)
                for (const std::string& name : namesIn(output))
                    claim(name, name);
    }

    bool isMadeByNode(const std::string& value) {
        if (byNodes_.empty())
            for (const ProgramNode& node : program_.graph->nodes)
                for (const ProgramArgument& output : node.outputs)
                    for (const std::string& name : namesIn(output))
                        byNodes_.insert(name);
        return byNodes_.contains(value);
    }

    std::string nameOf(const std::string& value, bool isMain) const {
        const auto found = made_.names.find(value);
        return isMain && found != made_.names.end() ? found->second : value;
    }

    // ---- graphs

    std::shared_ptr<model::Graph> graphOf(const ProgramGraph& program, bool isMain) {
        auto graph = std::make_shared<model::Graph>();
        graph->name = program.name;
        for (const ProgramNode& node : program.nodes)
            graph->nodes.push_back(nodeOf(node, isMain));
        for (const auto& [name, meta] : program.tensors)
            graph->values.push_back({nameOf(name, isMain), declaredType(meta)});
        std::ranges::sort(graph->values, {}, &model::Value::name);
        if (isMain)
            return graph;
        const auto valuesOf = [&](const std::vector<ProgramArgument>& arguments) {
            std::vector<model::Value> values;
            for (const ProgramArgument& argument : arguments)
                for (const std::string& name : namesIn(argument))
                    values.push_back({name, declared(program, name)});
            return values;
        };
        graph->inputs = valuesOf(program.inputs);
        graph->outputs = valuesOf(program.outputs);
        return graph;
    }

    static model::ValueType declared(const ProgramGraph& program, const std::string& name) {
        const auto found = program.tensors.find(name);
        return found == program.tensors.end() ? model::ValueType() : declaredType(found->second);
    }

    model::Node nodeOf(const ProgramNode& from, bool isMain) {
        model::Node node;
        node.id = from.id;
        node.name = from.name;
        node.op = from.target;
        node.scope = scopeOf(from.modules);
        node.source = from.source;
        for (size_t i = 0; i < from.inputs.size(); ++i) {
            const auto& [name, value] = from.inputs[i];
            const std::string attribute = name.empty() ? fmt::format("argument {}", i) : name;
            for (const std::string& each : namesIn(value))
                node.inputs.push_back(nameOf(each, isMain));
            if (const auto* inner = value.as<std::shared_ptr<const ProgramGraph>>())
                node.attributes.push_back({attribute, std::shared_ptr<const model::Graph>(graphOf(**inner, false))});
            else if (std::optional<model::AttributeValue> constant = attributeOf(value))
                node.attributes.push_back({attribute, *std::move(constant)});
        }
        for (const ProgramArgument& output : from.outputs)
            for (const std::string& each : namesIn(output))
                node.outputs.push_back(nameOf(each, isMain));
        return node;
    }

    // ---- inputs and outputs

    void addInputs(model::Graph& graph) {
        std::set<std::string> used;
        const auto note = [&](const ProgramArgument& argument) {
            for (std::string& name : namesIn(argument))
                used.insert(std::move(name));
        };
        for (const ProgramNode& node : program_.graph->nodes)
            for (const ProgramNode::Input& input : node.inputs)
                note(input.value);
        for (const ProgramOutput& output : made_.outputs)
            note(output.value);
        for (const OutputSpec& output : program_.outputs)
            note(output.value);
        for (const InputSpec& spec : program_.inputs) {
            if (spec.kind == InputSpec::Kind::User)
                graph.inputs.push_back({made_.names.at(spec.name), inputType(spec)});
            else if (spec.kind != InputSpec::Kind::Value && used.contains(spec.name))
                addTensor(graph, spec);
        }
    }

    model::ValueType inputType(const InputSpec& spec) {
        const auto* name = spec.value.as<Name>();
        if (name && !name->isTensor) // a Python int
            return {.kind = model::ValueType::Kind::Tensor,
                    .dtype = types::Int64,
                    .hasShape = true,
                    .shape = {},
                    .element = nullptr,
                    .quantization = nullptr};
        return declared(*program_.graph, spec.name);
    }

    void addTensor(model::Graph& graph, const InputSpec& spec) {
        const bool isConstant =
            spec.kind == InputSpec::Kind::Constant || (spec.kind == InputSpec::Kind::Buffer && !spec.isStored);
        StoredTensor stored;
        Result<model::TensorPtr> tensor = archive_.tensor(spec.tensor, !isConstant, stored.isComplex, budget_);
        if (!tensor)
            return report(std::move(tensor).error());
        stored.tensor = *std::move(tensor);
        graph.initializers.push_back({made_.names.at(spec.name), stored.tensor});
        made_.tensors.emplace(spec.name, std::move(stored));
    }

    void addOutputs(model::Graph& graph) {
        for (const ProgramOutput& output : made_.outputs) {
            const auto* value = output.value.as<Name>();
            model::ValueType type =
                value && value->isTensor ? declared(*program_.graph, value->text) : model::ValueType();
            graph.outputs.push_back({output.name, std::move(type)});
            if (output.node < 0)
                continue;
            model::Node node;
            node.id = output.node;
            node.op = "output";
            node.outputs = {output.name};
            if (value)
                node.inputs = {nameOf(value->text, true)};
            else if (std::optional<model::AttributeValue> constant = attributeOf(output.value))
                node.attributes.push_back({"value", *std::move(constant)});
            graph.nodes.push_back(std::move(node));
        }
    }

    ProgramModel made_;
    Archive& archive_;
    Budget& budget_;
    Program& program_;
    std::set<std::string> taken_, byNodes_;
    int32_t extraNodes_ = 0;
};

} // namespace

ProgramModel makeModel(Program program, Archive& archive, const std::string& file, Budget& budget) {
    return ModelMaker(std::move(program), archive, file, budget).make();
}

} // namespace lathe::frontend::torch
