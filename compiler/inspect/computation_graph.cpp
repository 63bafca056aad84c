// SPDX-License-Identifier: Apache-2.0
#include "inspect/computation_graph.h"

#include "relay/attr_fields.h"
#include "relay/transform/canonicalize.h"
#include "relay/transform/common_subexpressions.h"
#include "relay/transform/dead_code.h"
#include "relay/transform/inline_functions.h"
#include "relay/transform/simplify_arithmetic.h"
#include "relay/transform/simplify_inference.h"
#include "relay/transform/sink_transposes.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace lathe::inspect {
namespace {

namespace transform = relay::transform;
using relay::Expr;

/// First-order, with one form where there are several, and with the orders of axes that formats have where they matter least.
Result<relay::Module> inOneForm(const relay::Module& imported) {
    LATHE_TRY(relay::Module module, transform::inlineFunctions(imported));
    module = transform::simplifyInference(module);
    module = transform::deadCode(module);
    module = transform::commonSubexpressions(module);
    module = transform::sinkTransposes(module, false);
    module = transform::simplifyArithmetic(module, false);
    return transform::deadCode(transform::canonicalize(module));
}

/// Gives the elements of its first operand, only lying otherwise.
bool onlyArranges(relay::Op op) {
    return op == relay::Op::Transpose || op == relay::Op::Reshape || op == relay::Op::Relayout ||
           op == relay::Op::Copy || op == relay::Op::Dropout || op == relay::Op::BindSymbols || op == relay::Op::Assume;
}

/// An attribute that says no more than the shape of the result.
bool onlyShapes(std::string_view attribute) {
    return attribute == "keepDims";
}

/// Sums do not ask in which order elements come.
Hash128 hashOfElements(const relay::Constant& constant) {
    if (constant.recipe)
        return constant.hash;
    Hasher hasher;
    const auto count = static_cast<uint64_t>(constant.elements());
    hasher.add(count);
    for (const std::string& text : constant.strings)
        hasher.add(text);
    const std::span<const std::byte> bytes = constant.bytes.view;
    const auto width = static_cast<size_t>(relay::asTensor(constant.type)->dtype.bytes());
    Hash128 sum;
    for (size_t at = 0; width > 0 && at + width <= bytes.size(); at += width) {
        const Hash128 element = hashBytes(bytes.subspan(at, width));
        const uint64_t times = constant.splat ? count : 1;
        sum.high += element.high * times;
        sum.low += element.low * times;
    }
    hasher.add(sum);
    return hasher.finish();
}

/// Stands for a constant: its type, with the sizes that matter in one order, and the hash of its elements for these.
model::TensorPtr standIn(const relay::Constant& constant) {
    auto tensor = std::make_shared<model::TensorData>();
    tensor->dtype = relay::asTensor(constant.type)->dtype;
    for (const Expr& dim : relay::asTensor(constant.type)->shape)
        if (const int64_t size = arith::asInt(dim).value_or(-1); size != 1)
            tensor->shape.push_back(size);
    std::ranges::sort(tensor->shape, std::greater());
    const auto hash = std::make_shared<const Hash128>(hashOfElements(constant));
    tensor->bytes = {hash, std::as_bytes(std::span(hash.get(), 1))};
    return tensor;
}

/// Sizes that are open have other names in another format.
std::string textOf(const Expr& expr) {
    const auto number = expr ? arith::asInt(expr) : std::nullopt;
    return number ? std::to_string(*number) : expr ? "?" : "none";
}

std::string textOf(const relay::AttrValue& value) {
    struct {
        std::string operator()(bool flag) const { return flag ? "yes" : "no"; }
        std::string operator()(int64_t number) const { return std::to_string(number); }
        std::string operator()(double number) const { return fmt::format("{}", number); }
        std::string operator()(const std::string& text) const { return text; }
        std::string operator()(DataType type) const { return toString(type); }
        std::string operator()(const std::vector<int64_t>& list) const {
            return fmt::format("[{}]", fmt::join(list, ","));
        }
        std::string operator()(const std::vector<double>& list) const {
            return fmt::format("[{}]", fmt::join(list, ","));
        }
        std::string operator()(const Expr& expr) const { return textOf(expr); }
        std::string operator()(const std::vector<Expr>& list) const {
            std::vector<std::string> texts;
            for (const Expr& each : list)
                texts.push_back(textOf(each));
            return fmt::format("[{}]", fmt::join(texts, ","));
        }
        std::string operator()(const relay::LayoutPtr&) const { return "a layout"; }
    } convert;
    return std::visit(convert, value);
}

class Maker {
public:
    Maker(const model::ModelGraph& from, const relay::Module& module) : from_(from), module_(module) {}

    ComputationGraph make() {
        const relay::Function& main = module_.main();
        auto graph = std::make_shared<model::Graph>();
        addInputs(*graph, main.params);
        // By these two models' inputs are told to be the same, or by their places.
        const size_t inputs = relay::inputParams(main).size();
        for (size_t i = 0; i < main.params.size(); ++i)
            names_[main.params[i].var.id] = {i < inputs ? "input " + main.params[i].name
                                                        : "state " + main.states[i - inputs].name};
        for (size_t i = 0; i < main.params.size(); ++i)
            graph->inputs[i].name = names_[main.params[i].var.id].front();
        addBindings(*graph, *main.body);
        for (const std::string& result : namesOf(main.body->result))
            graph->outputs.push_back({result, {}});
        made_.graph = std::make_shared<model::ModelGraph>();
        made_.graph->graph = std::move(graph);
        made_.graph->nodeCount = static_cast<int32_t>(made_.cameFrom.size());
        indexNodes(*made_.graph);
        return std::move(made_);
    }

private:
    using Names = std::vector<std::string>;

    Names namesOf(relay::Var var) const {
        const auto found = var ? names_.find(var.id) : names_.end();
        return found == names_.end() ? Names{std::string()} : found->second;
    }

    void addInputs(model::Graph& graph, const std::vector<relay::Param>& params) {
        for (const relay::Param& param : params) {
            names_[param.var.id] = {fmt::format("%{}", param.var.id)};
            graph.inputs.push_back({names_[param.var.id].front(), {}});
        }
    }

    void addBindings(model::Graph& graph, const relay::Block& block) {
        for (const relay::BindingPtr& binding : block.bindings)
            addBinding(graph, *binding);
    }

    void addBinding(model::Graph& graph, const relay::Binding& binding) {
        if (const auto* constant = binding.as<relay::ConstantRef>()) {
            const std::string name = fmt::format("%{}", binding.var.id);
            names_[binding.var.id] = {name};
            graph.initializers.push_back({name, standIn(*constant->constant)});
        } else if (const auto* tuple = binding.as<relay::MakeTuple>()) {
            Names fields;
            for (const relay::Var field : tuple->fields)
                std::ranges::copy(namesOf(field), std::back_inserter(fields));
            names_[binding.var.id] = std::move(fields);
        } else if (const auto* field = binding.as<relay::Projection>()) {
            const Names all = namesOf(field->tuple);
            const auto index = static_cast<size_t>(field->index);
            names_[binding.var.id] = {index < all.size() ? all[index] : std::string()};
        } else if (const auto* call = binding.as<relay::OpCall>();
                   call && onlyArranges(call->op) && !call->args.empty()) {
            names_[binding.var.id] = namesOf(call->args.front());
        } else {
            addNode(graph, binding);
        }
    }

    void addNode(model::Graph& graph, const relay::Binding& binding) {
        model::Node node;
        node.id = static_cast<int32_t>(made_.cameFrom.size());
        const std::vector<int32_t> from = module_.spans->ids(binding.span);
        made_.cameFrom.push_back(from);
        for (const relay::Var operand : relay::operands(binding.rhs))
            std::ranges::copy(namesOf(operand), std::back_inserter(node.inputs));
        std::visit([&](const auto& rhs) { describe(rhs, node); }, binding.rhs);
        node.name = labelOf(node.op, from);
        const size_t results = relay::fieldTypes(binding.type).size();
        for (size_t i = 0; i < results; ++i)
            node.outputs.push_back(results == 1 ? fmt::format("%{}", binding.var.id)
                                                : fmt::format("%{}.{}", binding.var.id, i));
        names_[binding.var.id] = node.outputs;
        graph.nodes.push_back(std::move(node));
    }

    /// "relu of Conv_3": by what people know, the node that it came from.
    std::string labelOf(const std::string& op, const std::vector<int32_t>& nodes) const {
        const std::vector<std::string> names = model::displayNames(from_, nodes);
        return names.empty() ? op : fmt::format("{} of {}", op, names.front());
    }

    std::shared_ptr<const model::Graph> nested(const relay::Block& block, const std::vector<relay::Param>& params) {
        auto graph = std::make_shared<model::Graph>();
        addInputs(*graph, params);
        addBindings(*graph, block);
        for (const std::string& result : namesOf(block.result))
            graph->outputs.push_back({result, {}});
        return graph;
    }

    static void describe(const relay::OpCall& call, model::Node& node) {
        node.op = relay::info(call.op).name;
        if (!call.attrs)
            return;
        const std::vector<relay::AttrField> fields = relay::fieldsOf(call.attrs),
                                            defaults = relay::fieldsOf(relay::info(call.op).makeAttrs());
        for (size_t i = 0; i < fields.size(); ++i)
            if (!relay::equalValue(fields[i].value, defaults[i].value) && !onlyShapes(fields[i].name))
                node.attributes.push_back({fields[i].name, textOf(fields[i].value)});
    }
    static void describe(const relay::FunctionCall& call, model::Node& node) { node.op = call.callee; }
    static void describe(const relay::Construct& construct, model::Node& node) { node.op = construct.constructor; }
    void describe(const relay::If& branch, model::Node& node) {
        node.op = "if";
        node.attributes = {{"then", nested(*branch.thenBlock, {})}, {"else", nested(*branch.elseBlock, {})}};
    }
    void describe(const relay::Match& match, model::Node& node) {
        node.op = "match";
        for (const relay::MatchArm& arm : match.arms)
            node.attributes.push_back({arm.constructor, nested(*arm.block, arm.fields)});
    }
    void describe(const relay::Loop& loop, model::Node& node) {
        node.op = "loop";
        std::vector<relay::Param> params{loop.iteration};
        params.insert(params.end(), loop.carried.begin(), loop.carried.end());
        node.attributes = {{"body", nested(*loop.body, params)}};
    }
    /// Closures, and what is no node at all.
    static void describe(const auto&, model::Node& node) { node.op = "function"; }

    const model::ModelGraph& from_;
    const relay::Module& module_;
    ComputationGraph made_;
    std::unordered_map<uint32_t, Names> names_; // of values; of a tuple those of its fields
};

} // namespace

Result<ComputationGraph> computationGraph(const model::ModelGraph& model, const relay::Module& imported) {
    LATHE_TRY(const relay::Module module, inOneForm(imported));
    return Maker(model, module).make();
}

} // namespace lathe::inspect
