// SPDX-License-Identifier: Apache-2.0
//
// The hash of a file's content, by which people and project files tell whether a model is the one that it was.
#pragma once

#include "base/hash.h"

#include <filesystem>
#include <functional>
#include <optional>

namespace lathe {

/// hashBytes of the content of a plain file; nothing for what cannot be read, or is none, or once `cancelled` says so.
std::optional<Hash128> hashFile(const std::filesystem::path& path, const std::function<bool()>& cancelled = {});

} // namespace lathe
