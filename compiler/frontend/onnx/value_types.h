// SPDX-License-Identifier: Apache-2.0
//
// Declared types and attribute types of the protobuf, and the way back for the bodies of operators.
#pragma once

#include "model/model_graph.h"

#include <onnx/onnx_pb.h>

namespace lathe::frontend::onnx {

model::ValueType readType(const ::onnx::TypeProto& proto);
/// Fills dtype and dims; leaves `proto` unset for an unknown type.
void writeType(const model::ValueType& type, ::onnx::TypeProto& proto);

/// The declared type, or, in files of the time before types were declared, that of the field which is set.
::onnx::AttributeProto::AttributeType attributeType(const ::onnx::AttributeProto& proto);
/// False for graphs, which have no way back.
bool writeAttribute(const model::Attribute& attribute, ::onnx::AttributeProto& proto);

} // namespace lathe::frontend::onnx
