// SPDX-License-Identifier: Apache-2.0
//
// Where a user's own files lie, as the XDG Base Directory Specification has it.
#pragma once

#include <filesystem>

namespace lathe {

enum class UserFolder { Cache, Config, Data };

/// Lathe's folder in $XDG_CACHE_HOME, $XDG_CONFIG_HOME or $XDG_DATA_HOME, or where that is unset or relative (which the
/// specification wants ignored), in ~/.cache, ~/.config or ~/.local/share. Empty if there is no home either.
std::filesystem::path userFolder(UserFolder kind);

} // namespace lathe
