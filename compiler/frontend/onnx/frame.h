// SPDX-License-Identifier: Apache-2.0
//
// What a node's names, attributes and versions mean depends on the function body it stands in: a Frame says it.
#pragma once

#include "frontend/onnx/graph_reader.h"

namespace lathe::frontend::onnx {

struct GraphReader::Frame {
    /// An attribute's value and the frame that its own graphs belong to.
    struct Bound {
        const ::onnx::AttributeProto* proto = nullptr;
        const Frame* frame = nullptr;
    };
    std::string prefix;                                  // of local values; empty outside of functions
    std::unordered_map<std::string, std::string> actual; // formal -> value of the caller
    std::unordered_map<std::string, Bound> attributes;   // what ref_attr_name means
    std::unordered_map<std::string, int64_t> opsets;     // by domain
    std::vector<std::string> scope;
    int depth = 0;
    int32_t fixedId = -1; // of all nodes, where an operator's body is expanded

    std::string name(const std::string& local) const {
        if (local.empty())
            return local;
        const auto found = actual.find(local);
        return found != actual.end() ? found->second : prefix + local;
    }
};

} // namespace lathe::frontend::onnx
