// SPDX-License-Identifier: Apache-2.0
#include "base/user_folder.h"

#include <cstdlib>

namespace lathe {
namespace {

namespace fs = std::filesystem;

struct Row {
    const char *variable, *inHome;
};
constexpr Row rows[] = {
    {"XDG_CACHE_HOME", ".cache"}, {"XDG_CONFIG_HOME", ".config"}, {"XDG_DATA_HOME", ".local/share"}}; // as UserFolder

} // namespace

fs::path userFolder(UserFolder kind) {
    const Row& row = rows[static_cast<size_t>(kind)];
    const char *xdg = std::getenv(row.variable), *home = std::getenv("HOME");
    if (xdg && fs::path(xdg).is_absolute())
        return fs::path(xdg) / "lathe";
    return home && *home ? fs::path(home) / row.inHome / "lathe" : fs::path();
}

} // namespace lathe
