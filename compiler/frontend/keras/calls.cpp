// SPDX-License-Identifier: Apache-2.0
#include "frontend/keras/calls.h"

#include "frontend/keras/attributes.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace lathe::frontend::keras {
namespace {

/// ["dense", 0, 0] and what may follow it.
std::optional<TensorRef> refOf(const Json& json) {
    if (!json.is_array() || json.size() < 3 || !json[0].is_string())
        return std::nullopt;
    const auto call = integer<int64_t>(json[1]), result = integer<int64_t>(json[2]);
    if (!call || !result)
        return std::nullopt;
    return TensorRef{json[0].get<std::string>(), *call, *result};
}

/// Adds a call's arguments. Tensors of Keras 3 are objects; of Keras 2 lists of three, among constants too.
class ArgumentReader {
public:
    explicit ArgumentReader(LayerCall& into, bool hasListedTensors)
        : into_(into), hasListedTensors_(hasListedTensors) {}

    void add(const std::string& label, const Json& value) {
        const bool isTensor = classOf(value) == "__keras_tensor__";
        const auto ref = isTensor            ? refOf(memberOf(configOf(value), "keras_history"))
                         : hasListedTensors_ ? refOf(value)
                                             : std::nullopt;
        if (ref) {
            into_.tensors.push_back(*ref);
            into_.labels.push_back(label);
            return;
        }
        if (value.is_array() && std::ranges::any_of(value, [](const Json& one) { return one.is_structured(); })) {
            into_.constants.push_back({label + ".size", static_cast<int64_t>(value.size())});
            for (size_t i = 0; i < value.size(); ++i)
                add(fmt::format("{}.{}", label, i), value[i]);
            return;
        }
        addAttribute(label, value, into_.constants);
    }
    void addNamed(const Json& arguments) {
        if (arguments.is_object())
            for (const auto& [name, value] : arguments.items())
                add("call." + name, value);
    }

private:
    LayerCall& into_;
    bool hasListedTensors_;
};

LayerCall callOf(const Json& node) {
    LayerCall call;
    if (node.is_object()) {
        ArgumentReader reader(call, false);
        const Json& args = memberOf(node, "args");
        for (size_t i = 0; args.is_array() && i < args.size(); ++i)
            reader.add(fmt::format("arg.{}", i), args[i]);
        reader.addNamed(memberOf(node, "kwargs"));
        return call;
    }
    ArgumentReader reader(call, true);
    const Json list = refOf(node) ? Json::array({node}) : node;
    for (size_t i = 0; list.is_array() && i < list.size(); ++i) {
        reader.add(fmt::format("arg.{}", i), list[i]);
        if (list[i].is_array() && list[i].size() > 3)
            reader.addNamed(list[i][3]);
    }
    return call;
}

void addRefs(const std::string& name, const Json& json, std::vector<std::pair<std::string, TensorRef>>& into) {
    if (auto ref = refOf(json))
        into.emplace_back(name, *std::move(ref));
    else if (json.is_array())
        for (const Json& one : json)
            addRefs(name, one, into);
    else if (json.is_object())
        for (const auto& [member, one] : json.items())
            addRefs(member, one, into);
}

} // namespace

std::vector<LayerCall> callsOf(const Json& layer) {
    std::vector<LayerCall> calls;
    const Json& nodes = memberOf(layer, "inbound_nodes");
    if (nodes.is_array())
        for (const Json& node : nodes)
            calls.push_back(callOf(node));
    return calls;
}

std::vector<std::pair<std::string, TensorRef>> refsOf(const Json& json) {
    std::vector<std::pair<std::string, TensorRef>> refs;
    addRefs({}, json, refs);
    return refs;
}

} // namespace lathe::frontend::keras
