// SPDX-License-Identifier: Apache-2.0
//
// Bodies of operators in ONNX's textual form, as plugins have them, and what a node must be like to be expanded by one.
#pragma once

#include "frontend/added_operators.h"

#include <onnx/onnx_pb.h>

#include <memory>

namespace lathe::frontend::onnx {

Result<std::vector<BodyRow>> readBodies(std::string_view text, const std::string& plugin, const std::string& file);

/// What stands in a row.
Result<std::shared_ptr<::onnx::FunctionProto>> bodyOf(const BodyRow& row);

/// Fails where the node asks for what the body does not say: an attribute that it does not have, one that it has and does
/// not read, unless that is at its default; more inputs or outputs.
Result<void> checkCall(const ::onnx::NodeProto& call, const ::onnx::FunctionProto& body, const std::string& plugin);

} // namespace lathe::frontend::onnx
