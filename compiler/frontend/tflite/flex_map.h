// SPDX-License-Identifier: Apache-2.0
//
// The options of a custom operator: most are a FlexBuffer, a map of values that says of each what type it has. It is
// read from its end, by offsets that lead backwards; each is checked before it is followed, which the library's own
// reader leaves to its caller.
#pragma once

#include "model/model_graph.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace lathe::frontend::tflite {

/// The entries of a FlexBuffer whose root is a map, in its order: numbers, texts, and vectors of either. Values of
/// other types, maps in the map among them, are left out. Nothing if the bytes are no such map. The same bytes may be
/// named many times: `most` is how many entries and elements there may be in all.
std::optional<std::vector<model::Attribute>> readFlexMap(std::span<const std::byte> bytes, size_t most);

} // namespace lathe::frontend::tflite
