// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/body.h"

#include "frontend/tensorflow/control_flow.h"
#include "frontend/tensorflow/op_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <queue>
#include <unordered_map>

namespace lathe::frontend::tensorflow {
namespace {

constexpr const char* incomplete = "the model is incomplete or damaged; export it again";
constexpr int mostOutputs = 1 << 16; // of a node

using Places = std::unordered_map<std::string_view, int>;

std::optional<int> indexOf(std::string_view text) {
    int value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || value < 0 || value >= mostOutputs)
        return std::nullopt;
    return value;
}

/// "name", "name:2", "name:output:2" in parts.
struct InputName {
    std::string_view node, result;
    int index = 0;
};

std::optional<InputName> parse(std::string_view text) {
    InputName name{.node = text.substr(0, text.find(':')), .result = {}, .index = 0};
    if (name.node.size() == text.size())
        return name;
    std::string_view rest = text.substr(name.node.size() + 1);
    if (const size_t colon = rest.find(':'); colon != std::string_view::npos) {
        name.result = rest.substr(0, colon);
        rest.remove_prefix(colon + 1);
    }
    const auto index = indexOf(rest);
    if (!index)
        return std::nullopt;
    name.index = *index;
    return name;
}

/// The place of a result that is named. signature: of the function that the node calls; null if it calls none.
int placeOf(std::string_view op, const ::tensorflow::OpDef* signature, const InputName& name) {
    if (name.result.empty())
        return name.index;
    if (signature) {
        for (int i = 0; i < signature->output_arg_size(); ++i)
            if (signature->output_arg(i).name() == name.result)
                return i + name.index;
        return name.index;
    }
    const auto names = resultNames(op);
    const auto found = std::ranges::find(names, name.result);
    return found == names.end() ? name.index : static_cast<int>(found - names.begin()) + name.index;
}

using FindFunction = std::function<const ::tensorflow::FunctionDef*(const std::string&)>;

/// Puts places for names into a body.
class Linker {
public:
    Linker(Body& body, const NodeDefs& nodes, FindFunction find) : body_(body), find_(std::move(find)) {
        for (int i = 0; i < static_cast<int>(body_.arguments.size()); ++i)
            arguments_.emplace(body_.arguments[static_cast<size_t>(i)], i);
        body_.nodes.reserve(static_cast<size_t>(nodes.size()));
        for (const ::tensorflow::NodeDef& node : nodes) {
            BodyNode& added = body_.nodes.emplace_back();
            added.name = node.name();
            added.op = node.op();
            added.proto = &node;
            if (!places_.emplace(node.name(), static_cast<int>(body_.nodes.size()) - 1).second)
                added.faults.push_back(error(fmt::format("there are two nodes '{}'", node.name()), incomplete));
        }
        for (BodyNode& node : body_.nodes)
            link(node);
    }

    std::optional<Endpoint> endpoint(const std::string& text) const {
        const auto name = parse(text);
        if (!name)
            return std::nullopt;
        if (const auto argument = arguments_.find(name->node); argument != arguments_.end())
            return Endpoint{.node = Endpoint::none, .output = 0, .argument = argument->second};
        const auto place = places_.find(name->node);
        if (place == places_.end())
            return std::nullopt;
        const std::string& op = body_.nodes[static_cast<size_t>(place->second)].op;
        const ::tensorflow::FunctionDef* called = find_(op);
        return Endpoint{.node = place->second,
                        .output = placeOf(op, called ? &called->signature() : nullptr, *name),
                        .argument = Endpoint::none};
    }

    std::optional<int> nodeAt(const std::string& name) const {
        const auto place = places_.find(name);
        return place == places_.end() ? std::nullopt : std::optional(place->second);
    }

private:
    void link(BodyNode& node) {
        for (const std::string& input : node.proto->input()) {
            if (input.starts_with('^')) {
                if (const auto place = nodeAt(input.substr(1)))
                    node.controls.push_back(*place);
                else if (!arguments_.contains(std::string_view(input).substr(1)))
                    node.faults.push_back(
                        error(fmt::format("the node is to run after '{}', which there is none of", input.substr(1)),
                              incomplete));
            } else if (const auto found = endpoint(input)) {
                node.inputs.push_back(*found);
            } else {
                node.inputs.emplace_back();
                node.faults.push_back(
                    error(fmt::format("the node reads '{}', which nothing produces", input), incomplete));
            }
        }
    }

    Body& body_;
    FindFunction find_;
    Places places_, arguments_;
};

} // namespace

BodyPtr bodyOfGraph(const NodeDefs& nodes) {
    auto body = std::make_shared<Body>();
    const Linker linker(*body, nodes, [](const std::string&) { return nullptr; });
    return body;
}

Functions::Functions(const Library& library) {
    for (const ::tensorflow::FunctionDef& function : library)
        functions_.emplace(function.signature().name(), &function);
}

const ::tensorflow::FunctionDef* Functions::find(const std::string& name) const {
    const auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : found->second;
}

BodyPtr Functions::body(const ::tensorflow::FunctionDef& function) {
    BodyPtr& body = bodies_[&function];
    if (body)
        return body;
    body = std::make_shared<Body>();
    body->name = function.signature().name();
    for (const auto& argument : function.signature().input_arg())
        body->arguments.push_back(argument.name());
    const Linker linker(*body, function.node_def(), [this](const std::string& name) { return find(name); });
    const auto fault = [&](const std::string& name) {
        body->faults.push_back(
            error(fmt::format("function '{}' gives '{}', which nothing in it produces", body->name, name), incomplete));
    };
    for (const auto& result : function.signature().output_arg()) {
        const auto named = function.ret().find(result.name());
        const auto found = named == function.ret().end() ? std::nullopt : linker.endpoint(named->second);
        if (!found)
            fault(result.name());
        body->results.push_back(found.value_or(Endpoint{}));
    }
    for (const auto& [name, node] : function.control_ret()) {
        if (const auto place = linker.nodeAt(node))
            body->controlResults.push_back(*place);
        else
            fault(name);
    }
    std::ranges::sort(body->controlResults); // a map has them in any order
    gatherControlFlow(*body);
    return body;
}

std::optional<Endpoint> endpointIn(const Body& graph, const std::string& name) {
    const auto parsed = parse(name);
    if (!parsed)
        return std::nullopt;
    for (size_t i = 0; i < graph.nodes.size(); ++i)
        if (graph.nodes[i].name == parsed->node)
            return Endpoint{.node = static_cast<int>(i),
                            .output = placeOf(graph.nodes[i].op, nullptr, *parsed),
                            .argument = Endpoint::none};
    return std::nullopt;
}

std::vector<bool> reached(const Body& body, std::vector<int> from, Along along) {
    std::vector<bool> seen(body.nodes.size(), false);
    const auto visit = [&](int node) {
        if (node == Endpoint::none || seen[static_cast<size_t>(node)])
            return;
        seen[static_cast<size_t>(node)] = true;
        from.push_back(node);
    };
    for (const int node : std::exchange(from, {}))
        visit(node);
    while (!from.empty()) {
        const BodyNode& node = body.nodes[static_cast<size_t>(from.back())];
        from.pop_back();
        for (const Endpoint& input : node.inputs)
            visit(input.node);
        if (along == Along::DataAndControl)
            std::ranges::for_each(node.controls, visit);
    }
    return seen;
}

Result<std::vector<int>> inOrder(const Body& body, const std::vector<bool>& included) {
    std::vector<std::vector<int>> readers(body.nodes.size());
    std::vector<size_t> waiting(body.nodes.size(), 0);
    size_t count = 0;
    const auto isIncluded = [&](int node) { return node != Endpoint::none && included[static_cast<size_t>(node)]; };
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (size_t i = 0; i < body.nodes.size(); ++i) {
        if (!included[i])
            continue;
        ++count;
        const auto wait = [&](int node) {
            // What a loop hands back comes in a later round.
            if (isIncluded(node) && !body.nodes[static_cast<size_t>(node)].op.ends_with("NextIteration")) {
                readers[static_cast<size_t>(node)].push_back(static_cast<int>(i));
                ++waiting[i];
            }
        };
        for (const Endpoint& input : body.nodes[i].inputs)
            wait(input.node);
        std::ranges::for_each(body.nodes[i].controls, wait);
        if (waiting[i] == 0)
            ready.push(static_cast<int>(i));
    }
    std::vector<int> order;
    while (!ready.empty()) {
        order.push_back(ready.top());
        ready.pop();
        for (const int reader : readers[static_cast<size_t>(order.back())])
            if (--waiting[static_cast<size_t>(reader)] == 0)
                ready.push(reader);
    }
    if (order.size() == count)
        return order;
    for (size_t i = 0; i < body.nodes.size(); ++i)
        if (included[i] && waiting[i] > 0)
            return failure(fmt::format("node '{}' depends on its own result, and is in no loop", body.nodes[i].name),
                           "a model must be free of cycles but for its loops");
    throw InternalError("nodes without an order, and none of them waits");
}

} // namespace lathe::frontend::tensorflow
