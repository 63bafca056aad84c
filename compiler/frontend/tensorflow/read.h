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
/// Whether the bytes begin as a MetaGraphDef does, of a graph that was trained: model.meta.
bool mayBeMetaGraph(std::span<const std::byte> bytes);
/// Whether the folder holds a SavedModel.
bool mayBeSavedModel(const Members& members);

Result<std::shared_ptr<const ::tensorflow::GraphDef>> readGraphDef(std::span<const std::byte> bytes);
Result<std::shared_ptr<const ::tensorflow::MetaGraphDef>> readMetaGraph(std::span<const std::byte> bytes);
/// What a checkpoint's files are called, up to ".meta" and ".index": the one that the file "checkpoint" names where there
/// are several. Nothing if the folder has none with a graph.
std::optional<std::string> checkpointIn(const Members& members);
/// The graph of the SavedModel that is made to be served.
Result<std::shared_ptr<const ::tensorflow::MetaGraphDef>> readSavedModel(const Members& members);

} // namespace lathe::frontend::tensorflow
