// SPDX-License-Identifier: Apache-2.0
//
// Where values of a body come from, for what is found without converting anything: variables and tables.
#pragma once

#include "frontend/tensorflow/body.h"

namespace lathe::frontend::tensorflow {

/// Calls that are followed to functions which restore variables or fill tables: TensorFlow writes one of each kind, and
/// every one is as much work as its function has nodes.
inline constexpr int mostTraced = 100;

/// Null if it is no node's result.
inline const BodyNode* producerAt(const Body& body, const Endpoint& endpoint) {
    return endpoint.node == Endpoint::none ? nullptr : &body.nodes[static_cast<size_t>(endpoint.node)];
}

/// Where a value comes from, identities left out: as many in a row as anybody writes.
inline Endpoint originOf(const Body& body, Endpoint at) {
    constexpr int longest = 100;
    for (int steps = 0; steps < longest; ++steps) {
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
