// SPDX-License-Identifier: Apache-2.0
//
// Bytes to TensorFlow's messages, in binary form and as text. What a file contains is not trusted: its size, its kind
// and its structure are checked, and every way to be wrong is a Diagnostic with a hint.
#pragma once

#include "base/result.h"
#include "frontend/frontend.h"

#include <memory>
#include <span>

namespace tensorflow {
class GraphDef;
class MetaGraphDef;
} // namespace tensorflow

namespace lathe::frontend::tensorflow {

/// Whether the bytes begin as a GraphDef does: with a node that has a name and an operator, or as the text of one.
bool mayBeGraph(std::span<const std::byte> bytes);
/// Whether the folder holds a SavedModel.
bool mayBeSavedModel(const Members& members);

Result<std::shared_ptr<const ::tensorflow::GraphDef>> readGraphDef(std::span<const std::byte> bytes);
/// The graph of the SavedModel that is made to be served.
Result<std::shared_ptr<const ::tensorflow::MetaGraphDef>> readSavedModel(const Members& members);

} // namespace lathe::frontend::tensorflow
