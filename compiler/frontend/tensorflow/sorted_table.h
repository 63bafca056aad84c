// SPDX-License-Identifier: Apache-2.0
//
// The table of keys and values that the index of a checkpoint is: sorted keys in blocks, of which each leaves out what
// a key shares with the one before it, with a block that says where the others lie.
#pragma once

#include "base/result.h"
#include "model/model_graph.h"

#include <map>
#include <string>

namespace lathe::frontend::tensorflow {

/// All entries. Offsets, lengths and checksums of the file are checked.
Result<std::map<std::string, std::string>> readTable(std::span<const std::byte> file);

} // namespace lathe::frontend::tensorflow
