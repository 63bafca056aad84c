// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/relay_graph.h"

#include "relay/attr_fields.h"
#include "relay/data_types.h"
#include "relay/element.h"
#include "relay/type_map.h"
#include "views/models/graph/relay_family.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <unordered_map>

namespace lathe::views::models {

namespace {

using namespace relay;

std::string numbered(Var var) {
    return fmt::format("%{}", var.id);
}

model::AttributeValue valueOf(const AttrValue& field) {
    struct {
        model::AttributeValue operator()(bool flag) const { return int64_t(flag); }
        model::AttributeValue operator()(int64_t number) const { return number; }
        model::AttributeValue operator()(double number) const { return number; }
        model::AttributeValue operator()(const std::string& text) const { return text; }
        model::AttributeValue operator()(DataType type) const { return toString(type); }
        model::AttributeValue operator()(const std::vector<int64_t>& list) const { return list; }
        model::AttributeValue operator()(const std::vector<double>& list) const { return list; }
        model::AttributeValue operator()(const Expr& expr) const { return expr ? toString(expr) : "none"; }
        model::AttributeValue operator()(const std::vector<Expr>& list) const {
            std::vector<std::string> texts;
            for (const Expr& each : list)
                texts.push_back(each ? toString(each) : "none");
            return texts;
        }
        model::AttributeValue operator()(const LayoutPtr& layout) const {
            return layout ? layoutText(*layout) : "as the dims";
        }
    } convert;
    return std::visit(convert, field);
}

model::ValueType declared(const Type& type) {
    model::ValueType made;
    if (isList(type) || isOptional(type)) {
        made.kind = isList(type) ? model::ValueType::Kind::Sequence : model::ValueType::Kind::Optional;
        made.element = std::make_shared<model::ValueType>(declared(elementOf(type)));
        return made;
    }
    const TensorType* tensor = asTensor(type);
    if (!tensor)
        return made;
    made.kind = model::ValueType::Kind::Tensor;
    made.dtype = tensor->dtype;
    made.hasShape = true;
    for (const Expr& dim : tensor->shape) {
        const auto number = arith::asInt(dim);
        made.shape.push_back({number.value_or(-1), number ? std::string() : toString(dim)});
    }
    return made;
}

/// A single number as it is; else the type, without bytes, and the hash of these.
std::vector<model::Attribute> contentOf(const Constant& constant) {
    const TensorType& type = *asTensor(constant.type);
    auto tensor = std::make_shared<model::TensorData>();
    tensor->dtype = type.dtype;
    for (const Expr& dim : type.shape)
        tensor->shape.push_back(arith::asInt(dim).value_or(-1));
    const bool number = (constant.splat || constant.elements() == 1) && !constant.recipe && type.dtype != types::String;
    if (!number)
        return {{"value", tensor}, {"content", toString(constant.hash)}};
    const std::byte* element = constant.bytes.view.data();
    if (type.dtype.isFloat())
        return {{"value", readFloat(element, type.dtype)}, {"type", toString(constant.type)}};
    return {{"value", readInt(element, type.dtype)}, {"type", toString(constant.type)}};
}

class Maker {
public:
    explicit Maker(const Module& module) : module_(module) {}

    RelayGraph make(const std::string& name) {
        model_->format = "graph IR";
        const auto function = module_.functions.find(name.empty() ? "main" : name);
        if (function != module_.functions.end()) {
            model_->file = function->first;
            model_->graph = graphOf(*function->second, function->first);
        } else {
            model_->graph = std::make_shared<model::Graph>();
        }
        model_->nodeCount = int32_t(made_.cameFrom.size());
        indexNodes(*model_);
        made_.graph = std::move(model_);
        return std::move(made_);
    }

private:
    std::shared_ptr<const model::Graph> graphOf(const Function& function, const std::string& name) {
        auto graph = std::make_shared<model::Graph>();
        graph->name = name;
        addInputs(*graph, function.params);
        // The model's outputs are called as it calls them; a tuple that only gathers them is none of its operators.
        const BindingPtr last = function.body->bindings.empty() ? nullptr : function.body->bindings.back();
        const MakeTuple* gathered = last && last->var == function.body->result ? last->as<MakeTuple>() : nullptr;
        std::vector<Var> results{function.body->result};
        if (gathered && gathered->fields.size() == function.outputNames.size() + function.states.size())
            results = gathered->fields;
        else
            gathered = nullptr;
        for (size_t i = 0; i < results.size() && i < function.outputNames.size(); ++i)
            names_.try_emplace(results[i].id, function.outputNames[i]);
        addBindings(*graph, *function.body, {}, gathered ? last.get() : nullptr);
        const std::vector<Type> types = gathered ? fieldTypes(function.resultType) : std::vector{function.resultType};
        for (size_t i = 0; i < results.size(); ++i)
            graph->outputs.push_back({nameOf(results[i]), declared(types[i])});
        return graph;
    }

    void addInputs(model::Graph& graph, const std::vector<Param>& params) {
        for (const Param& param : params) {
            const std::string& name = names_[param.var.id] = param.name.empty() ? numbered(param.var) : param.name;
            graph.inputs.push_back({name, declared(param.type)});
        }
    }

    std::shared_ptr<const model::Graph> nested(const Block& block, const std::vector<Param>& params) {
        auto graph = std::make_shared<model::Graph>();
        addInputs(*graph, params);
        addBindings(*graph, block, {}, nullptr);
        graph->outputs.push_back({nameOf(block.result), {}});
        return graph;
    }

    /// `scope`: the call of a fused function that the block is the body of.
    void addBindings(model::Graph& graph, const Block& block, const std::string& scope, const Binding* without) {
        for (const BindingPtr& binding : block.bindings) {
            const FunctionCall* call = binding->as<FunctionCall>();
            const auto callee = call ? module_.functions.find(call->callee) : module_.functions.end();
            if (binding.get() == without)
                continue;
            if (callee != module_.functions.end() && callee->second->primitive && scope.empty())
                addCall(graph, *binding, *call, *callee->second);
            else
                addBinding(graph, *binding, scope);
        }
    }

    /// What the call gives is given by the last binding of the body, under the name that readers of the call know.
    void addCall(model::Graph& graph, const Binding& binding, const FunctionCall& call, const Function& callee) {
        for (size_t i = 0; i < callee.params.size() && i < call.args.size(); ++i)
            names_[callee.params[i].var.id] = nameOf(call.args[i]);
        const int times = ++calls_[call.callee]; // one function may serve several calls
        const std::string suffix = times > 1 ? fmt::format("'{}", times) : std::string();
        bool given = false;
        for (const BindingPtr& inner : callee.body->bindings) {
            const bool last = inner->var == callee.body->result;
            given |= last;
            nodeNames_[inner->var.id] = last ? numbered(binding.var) : numbered(inner->var) + suffix;
            names_[inner->var.id] = last ? nameOf(binding.var) : nodeNames_[inner->var.id];
        }
        if (!given)
            names_[binding.var.id] = nameOf(callee.body->result);
        addBindings(graph, *callee.body, call.callee + suffix, nullptr);
    }

    std::string nameOf(Var var) const {
        if (!var)
            return {};
        const auto found = names_.find(var.id);
        return found == names_.end() ? numbered(var) : found->second;
    }

    void addBinding(model::Graph& graph, const Binding& binding, const std::string& scope) {
        model::Node node;
        node.id = int32_t(made_.cameFrom.size());
        const auto called = nodeNames_.find(binding.var.id);
        node.name = called == nodeNames_.end() ? numbered(binding.var) : called->second;
        if (!scope.empty())
            node.scope = {scope};
        made_.cameFrom.emplace_back();
        made_.bindings.push_back(&binding);
        if (module_.spans)
            std::ranges::copy(module_.spans->ids(binding.span), std::back_inserter(made_.cameFrom.back()));
        model_->roles.resize(made_.cameFrom.size());
        for (const Var operand : operands(binding.rhs))
            node.inputs.push_back(nameOf(operand));
        model::Family family = model::Family::Control;
        std::visit([&](const auto& rhs) { describe(rhs, node, family); }, binding.rhs);
        model_->roles[size_t(node.id)].family = family;
        if (const TensorType* tensor = asTensor(binding.type); tensor && tensor->layout)
            node.attributes.push_back({"layout of the result", layoutText(*tensor->layout)});
        node.outputs = {nameOf(binding.var)};
        graph.values.push_back({node.outputs[0], declared(binding.type)});
        graph.nodes.push_back(std::move(node));
    }

    void describe(const OpCall& call, model::Node& node, model::Family& family) {
        node.op = info(call.op).name;
        family = familyOf(call.op);
        if (!call.attrs)
            return;
        const std::vector<AttrField> fields = fieldsOf(call.attrs), defaults = fieldsOf(info(call.op).makeAttrs());
        for (size_t i = 0; i < fields.size(); ++i)
            if (!equalValue(fields[i].value, defaults[i].value))
                node.attributes.push_back({fields[i].name, valueOf(fields[i].value)});
    }
    void describe(const FunctionCall& call, model::Node& node, model::Family& family) {
        node.op = call.callee;
        family = model::Family::Other;
    }
    void describe(const ClosureCall&, model::Node& node, model::Family&) { node.op = "apply"; }
    void describe(const MakeTuple&, model::Node& node, model::Family& family) {
        node.op = "tuple";
        family = model::Family::Other;
    }
    void describe(const Projection& projection, model::Node& node, model::Family& family) {
        node.op = "field";
        node.attributes.push_back({"index", int64_t(projection.index)});
        family = model::Family::Other;
    }
    void describe(const ConstantRef& reference, model::Node& node, model::Family& family) {
        node.op = "const";
        node.attributes = contentOf(*reference.constant);
        family = model::Family::Constant;
    }
    void describe(const Construct& construct, model::Node& node, model::Family& family) {
        node.op = construct.constructor;
        family = model::Family::Other;
    }
    void describe(const If& branch, model::Node& node, model::Family&) {
        node.op = "if";
        node.attributes = {{"then", nested(*branch.thenBlock, {})}, {"else", nested(*branch.elseBlock, {})}};
    }
    void describe(const Match& match, model::Node& node, model::Family&) {
        node.op = "match";
        for (const MatchArm& arm : match.arms)
            node.attributes.push_back({arm.constructor, nested(*arm.block, arm.fields)});
    }
    void describe(const Loop& loop, model::Node& node, model::Family&) {
        node.op = "loop";
        std::vector<Param> params{loop.iteration};
        params.insert(params.end(), loop.carried.begin(), loop.carried.end());
        node.attributes = {{"body", nested(*loop.body, params)}};
    }
    void describe(const FunctionLiteral& literal, model::Node& node, model::Family&) {
        node.op = "function";
        node.attributes = {{"body", nested(*literal.function->body, literal.function->params)}};
    }

    const Module& module_;
    std::shared_ptr<model::ModelGraph> model_ = std::make_shared<model::ModelGraph>();
    RelayGraph made_;
    std::unordered_map<uint32_t, std::string> names_, nodeNames_; // of values and nodes, where they are not the Var's
    std::unordered_map<std::string, int> calls_;
};

} // namespace

RelayGraph graphOf(const relay::Module& module, const std::string& function) {
    return Maker(module).make(function);
}

} // namespace lathe::views::models
