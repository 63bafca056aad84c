// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/extract.h"

#include <unordered_map>

namespace lathe::frontend::tensorflow {

BodyPtr extract(const Body& whole, const std::vector<Endpoint>& results, const ArgumentOf& argumentOf) {
    auto part = std::make_shared<Body>();
    part->name = whole.name;
    std::unordered_map<int, int> places; // in the part, by those in the whole
    std::vector<int> waiting;            // whose operands are still the whole's
    const auto moved = [&](const Endpoint& endpoint) {
        if (const auto argument = argumentOf(endpoint))
            return Endpoint{.node = Endpoint::none, .output = 0, .argument = *argument};
        if (endpoint.node == Endpoint::none)
            return endpoint;
        const auto [place, isNew] = places.try_emplace(endpoint.node, static_cast<int>(part->nodes.size()));
        if (isNew) {
            part->nodes.push_back(whole.nodes[static_cast<size_t>(endpoint.node)]);
            waiting.push_back(place->second);
        }
        return Endpoint{.node = place->second, .output = endpoint.output, .argument = Endpoint::none};
    };
    for (const Endpoint& result : results)
        part->results.push_back(moved(result));
    while (!waiting.empty()) {
        const auto at = static_cast<size_t>(waiting.back());
        waiting.pop_back();
        std::vector<Endpoint> inputs = part->nodes[at].inputs;
        for (Endpoint& input : inputs)
            input = moved(input);
        part->nodes[at].inputs = std::move(inputs);
        part->nodes[at].controls.clear(); // what they order stays in the whole
    }
    return part;
}

} // namespace lathe::frontend::tensorflow
