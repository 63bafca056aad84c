// SPDX-License-Identifier: Apache-2.0
//
// Which names of dims stand for one size wherever they occur.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lathe::model {

/// Whether equal names mean equal sizes. Exporters also write "?", "_" or "None" for every size that they do not know.
bool isSizeName(const std::string& name);
/// The name as an identifier, so that it prints and parses as a symbol: "batch-size" is batch_size.
std::string symbolName(const std::string& name);
/// Which of these sizes is meant: that of this very name, else the first that is the same as an identifier, for what a model
/// calls "batch size" is batch_size in what is compiled of it. Nothing if there is none.
std::optional<std::string> sizeMeant(std::span<const std::string> sizes, const std::string& asked);

/// Names to give to sizes that a model leaves open, by the name of an input, one a dim: what is no size's name says nothing.
using SizeNames = std::vector<std::pair<std::string, std::vector<std::string>>>;

} // namespace lathe::model
