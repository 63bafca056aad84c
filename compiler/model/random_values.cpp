// SPDX-License-Identifier: Apache-2.0
//
// One walk along the nodes, in the order in which they stand: producers come first.
#include "model/random_values.h"

#include <algorithm>
#include <cstring>

namespace lathe::model {
namespace {

template <class T>
HostTensor scalarOf(DataType dtype, T value) {
    HostTensor tensor{dtype, {}, std::vector<std::byte>(sizeof(T)), {}};
    std::memcpy(tensor.bytes.data(), &value, sizeof(T));
    return tensor;
}

std::optional<HostTensor> heldBy(const Node& constant) {
    for (const Attribute& attribute : constant.attributes) {
        if (const auto* tensor = std::get_if<TensorPtr>(&attribute.value); tensor && *tensor)
            return toHost(**tensor);
        if (const auto* number = std::get_if<int64_t>(&attribute.value))
            return scalarOf(types::Int64, *number);
        if (const auto* number = std::get_if<double>(&attribute.value))
            return scalarOf(types::Float64, *number);
    }
    return std::nullopt;
}

class Walk {
public:
    Walk(const ModelGraph& model, std::span<const HostTensor> inputs) : model_(model), inputs_(inputs) {}

    void enter(const Graph& graph) { open_.push_back({&graph, {}}); }

    /// Which values the graph makes are random, in the graphs that are open.
    std::unordered_set<std::string> randomOf(const Graph& graph) {
        follow(graph);
        std::unordered_set<std::string> random = std::move(open_.back().random);
        open_.pop_back();
        return random;
    }

    /// The same of its outputs, which may be values of the graphs around it.
    std::vector<bool> outputsOf(const Graph& graph) {
        follow(graph);
        std::vector<bool> result;
        for (const Value& output : graph.outputs)
            result.push_back(isRandom(output.name));
        open_.pop_back();
        return result;
    }

    std::optional<HostTensor> given(const std::string& value) const {
        for (const Open& open : open_) {
            const Graph& graph = *open.graph;
            if (&graph == model_.graph.get())
                for (size_t i = 0; i < std::min(graph.inputs.size(), inputs_.size()); ++i)
                    if (graph.inputs[i].name == value)
                        return inputs_[i];
            for (const Initializer& initializer : graph.initializers)
                if (initializer.name == value && initializer.tensor)
                    return toHost(*initializer.tensor);
            for (const Node& node : graph.nodes)
                if (roleOf(model_, node).family == Family::Constant && node.outputs == std::vector{value})
                    return heldBy(node);
        }
        return std::nullopt;
    }

    std::optional<double> ratio(const Node& node) const {
        if (hasInput(node, 1))
            return number(node.inputs[1]);
        for (const Attribute& attribute : node.attributes)
            if (const auto* ratio = std::get_if<double>(&attribute.value); ratio && attribute.name == "ratio")
                return *ratio;
        return 0.5;
    }

private:
    struct Open {
        const Graph* graph;
        std::unordered_set<std::string> random;
    };

    /// Opens the graph and goes along its nodes.
    void follow(const Graph& graph) {
        enter(graph);
        for (const Node& node : graph.nodes)
            if (isRandom(node))
                open_.back().random.insert(node.outputs.begin(), node.outputs.end());
    }

    static bool hasInput(const Node& node, size_t index) {
        return index < node.inputs.size() && !node.inputs[index].empty();
    }

    std::optional<double> number(const std::string& value) const {
        const std::optional<HostTensor> tensor = given(value);
        if (!tensor || tensor->dtype == types::String || tensor->elements() != 1)
            return std::nullopt;
        return elementAsDouble(tensor->dtype, tensor->bytes, 0);
    }

    bool draws(const Node& node) const {
        switch (roleOf(model_, node).family) {
        case Family::Random:
        case Family::Bernoulli:
            return true;
        case Family::Dropout:
            return ratio(node) != 0.0 && !(hasInput(node, 2) && number(node.inputs[2]) == 0.0);
        default:
            return false;
        }
    }

    bool isRandom(const std::string& value) const {
        return !value.empty() &&
               std::ranges::any_of(open_, [&](const Open& open) { return open.random.contains(value); });
    }

    bool isRandom(const Node& node) {
        if (draws(node) || std::ranges::any_of(node.inputs, [&](const std::string& input) { return isRandom(input); }))
            return true;
        return std::ranges::any_of(graphsOf(node), [&](const std::shared_ptr<const Graph>& nested) {
            const std::vector<bool> outputs = outputsOf(*nested);
            return std::ranges::find(outputs, true) != outputs.end();
        });
    }

    const ModelGraph& model_;
    std::span<const HostTensor> inputs_;
    std::vector<Open> open_; // the outermost graph first; a name means the same in all of them
};

} // namespace

std::vector<bool> randomOutputs(const ModelGraph& model, std::span<const HostTensor> inputs) {
    return Walk(model, inputs).outputsOf(*model.graph);
}

std::unordered_set<std::string> randomValues(const ModelGraph& model, std::span<const HostTensor> inputs) {
    return Walk(model, inputs).randomOf(*model.graph);
}

std::optional<HostTensor> givenTensor(const ModelGraph& model, std::span<const HostTensor> inputs,
                                      const std::string& value) {
    Walk walk(model, inputs);
    walk.enter(*model.graph);
    return walk.given(value);
}

std::optional<double> dropRatio(const ModelGraph& model, std::span<const HostTensor> inputs, const Node& node) {
    Walk walk(model, inputs);
    walk.enter(*model.graph);
    return walk.ratio(node);
}

} // namespace lathe::model
