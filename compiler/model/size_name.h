// SPDX-License-Identifier: Apache-2.0
//
// Which names of dims stand for one size wherever they occur.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lathe::model {

/// Whether equal names mean equal sizes. Exporters also write "?", "_" or "None" for every size that they do not know.
bool isSizeName(const std::string& name);
/// The name as an identifier, so that it prints and parses as a symbol: "batch-size" is batch_size.
std::string symbolName(const std::string& name);

/// Names to give to sizes that a model leaves open, by the name of an input, one a dim: what is no size's name says nothing.
using SizeNames = std::vector<std::pair<std::string, std::vector<std::string>>>;

} // namespace lathe::model
