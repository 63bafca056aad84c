// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontend/frontend.h"

namespace lathe::frontend::onnx {

/// A file of maps from integers or strings to float32, a SequenceProto, as a tensor: a row each map, in ascending order of keys.
/// Null if it is something else, or if the maps have other keys each.
model::TensorPtr rowsOfMaps(const Source& source);

} // namespace lathe::frontend::onnx
