// SPDX-License-Identifier: Apache-2.0
//
// Where values of a body come from, for what is found without converting anything: variables and tables.
#pragma once

#include "frontend/tensorflow/body.h"

namespace lathe::frontend::tensorflow {

/// Null if it is no node's result.
inline const BodyNode* producerAt(const Body& body, const Endpoint& endpoint) {
    return endpoint.node == Endpoint::none ? nullptr : &body.nodes[static_cast<size_t>(endpoint.node)];
}

/// Where a value comes from, identities left out.
inline Endpoint originOf(const Body& body, Endpoint at) {
    for (size_t steps = 0; steps < body.nodes.size(); ++steps) {
        const BodyNode* node = producerAt(body, at);
        if (!node || node->op != "Identity" || node->inputs.size() != 1)
            break;
        at = node->inputs[0];
    }
    return at;
}

/// What a constant holds; null for another node.
inline const ::tensorflow::TensorProto* constantOf(const BodyNode* node) {
    if (!node || node->op != "Const" || !node->proto)
        return nullptr;
    const auto value = node->proto->attr().find("value");
    return value == node->proto->attr().end() || !value->second.has_tensor() ? nullptr : &value->second.tensor();
}

} // namespace lathe::frontend::tensorflow
