// SPDX-License-Identifier: Apache-2.0
//
// Attributes of nodes as ModelGraph has them. Bodies of functions may leave one open, which the call then says.
#pragma once

#include "frontend/tensorflow/tensors.h"

#include <tensorflow/core/framework/attr_value.pb.h>
#include <tensorflow/core/framework/node_def.pb.h>

#include <optional>
#include <string>
#include <vector>

namespace lathe::frontend::tensorflow {

using AttributeMap = google::protobuf::Map<std::string, ::tensorflow::AttrValue>;

/// What a node says, and what its function's call says for it.
struct Attributes {
    const AttributeMap* own = nullptr;
    const AttributeMap* call = nullptr; // null: no call, or none that is known
    /// Null if there is none.
    const ::tensorflow::AttrValue* find(const std::string& name) const;
    /// The function that an attribute names; empty if none.
    std::string function(const std::string& name) const;
};

/// By name, without functions and what runtimes note for themselves. Integers and flags are int64_t, floats double,
/// element types their name ("DT_FLOAT"), shapes of known rank lists. Faults are added to `faults`.
std::vector<model::Attribute> readAttributes(const Attributes& attributes, TensorReader& tensors,
                                             std::vector<Diagnostic>& faults);

/// The type that a placeholder declares.
model::ValueType declaredType(const Attributes& attributes);
model::ValueType declaredType(int dtype, const ::tensorflow::TensorShapeProto* shape);

} // namespace lathe::frontend::tensorflow
