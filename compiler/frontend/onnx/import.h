// SPDX-License-Identifier: Apache-2.0
//
// ONNX models: file to ModelGraph (always, if it can be read at all), ModelGraph and protobuf to a relay Module. The row of
// the table of frontends.
#pragma once

#include "frontend/frontend.h"

namespace lathe::frontend::onnx {

/// Whether the bytes begin with a field of ModelProto.
bool probe(const Source& source);

Imported importModel(const Source& source, relay::Evaluator* evaluator, const Options& options);

/// Whether the bytes begin with a field of TensorProto.
bool probeTensor(const Source& source);

/// A TensorProto file (input_0.pb), or a SequenceProto of maps with the same keys: what ZipMap makes of it.
Result<model::TensorPtr> readTensor(const Source& source);
/// A SequenceProto or an OptionalProto.
Result<model::HostTensor> readValue(const Source& source, std::string_view form);

} // namespace lathe::frontend::onnx
