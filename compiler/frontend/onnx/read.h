// SPDX-License-Identifier: Apache-2.0
//
// Bytes to protobuf messages. What a file contains is not trusted: its size, its kind and its structure are checked,
// and every way to be wrong is a Diagnostic with a hint.
#pragma once

#include "base/budget.h"
#include "base/result.h"
#include "model/model_graph.h"

#include <onnx/onnx-data.pb.h>
#include <onnx/onnx_pb.h>

#include <memory>
#include <span>

namespace lathe::frontend::onnx {

/// Whether the bytes begin with a field of ModelProto.
bool mayBeModel(std::span<const std::byte> bytes);
/// Whether they begin with one of TensorProto.
bool mayBeTensor(std::span<const std::byte> bytes);

/// A ModelProto with a graph. Parsing 2 GiB takes seconds: the budget's checkpoint is asked on the way.
Result<std::shared_ptr<::onnx::ModelProto>> readModel(std::span<const std::byte> bytes, const Budget& budget);

/// A TensorProto.
Result<std::shared_ptr<::onnx::TensorProto>> readTensorProto(std::span<const std::byte> bytes);
/// A SequenceProto, and an OptionalProto: nothing in a file says which it is.
Result<std::shared_ptr<::onnx::SequenceProto>> readSequenceProto(std::span<const std::byte> bytes);
Result<std::shared_ptr<::onnx::OptionalProto>> readOptionalProto(std::span<const std::byte> bytes);

} // namespace lathe::frontend::onnx
