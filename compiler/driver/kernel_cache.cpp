// SPDX-License-Identifier: Apache-2.0
//
// One file a kernel, written beside and renamed, so that readers never see half of one. A file ends with its own hash.
#include "driver/kernel_cache.h"

#include "base/hash.h"
#include "tir/text.h"

#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <link.h>
#include <thread>
#include <unistd.h>

namespace lathe::driver {
namespace {

/// Any change of the program's code changes what it may generate: its size and time of linking stand for it.
std::string buildId() {
    std::error_code failed;
    auto path = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (failed)
        return "unknown";
    auto size = std::filesystem::file_size(path, failed);
    auto time = std::filesystem::last_write_time(path, failed).time_since_epoch().count();
    return fmt::format("{}-{}-{}", path.filename().string(), size, time);
}

std::filesystem::path cacheFolder() {
    if (const char* own = std::getenv("LATHE_CACHE"))
        return own;
    if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg)
        return std::filesystem::path(xdg) / "lathe";
    if (const char* home = std::getenv("HOME"); home && *home)
        return std::filesystem::path(home) / ".cache" / "lathe";
    return {};
}

} // namespace

KernelCache::KernelCache(bool enabled) {
    if (!enabled)
        return;
    folder_ = cacheFolder();
    if (folder_.empty())
        return;
    folder_ /= "kernels";
    std::error_code failed;
    std::filesystem::create_directories(folder_, failed);
    if (failed)
        folder_.clear();
}

std::string KernelCache::key(const tir::PrimFunc& lowered, const Target& target) const {
    if (folder_.empty())
        return {};
    static const std::string id = buildId();
    Hasher hasher;
    hasher.add(tir::print(lowered));
    hasher.add(toString(target));
    hasher.add(id);
    return toString(hasher.finish());
}

std::optional<std::vector<std::byte>> KernelCache::find(const std::string& key) const {
    if (folder_.empty())
        return std::nullopt;
    std::ifstream file(folder_ / (key + ".o"), std::ios::binary | std::ios::ate);
    if (!file)
        return std::nullopt;
    auto size = static_cast<std::streamoff>(file.tellg());
    if (size < static_cast<std::streamoff>(sizeof(Hash128)))
        return std::nullopt;
    std::vector<std::byte> bytes(static_cast<size_t>(size));
    file.seekg(0);
    if (!file.read(reinterpret_cast<char*>(bytes.data()), size))
        return std::nullopt;
    Hash128 stored;
    std::memcpy(&stored, bytes.data() + bytes.size() - sizeof(stored), sizeof(stored));
    bytes.resize(bytes.size() - sizeof(stored));
    if (hashBytes(bytes) != stored)
        return std::nullopt;
    return bytes;
}

void KernelCache::store(const std::string& key, const std::vector<std::byte>& object) const {
    if (folder_.empty())
        return;
    std::filesystem::path part =
        folder_ / fmt::format("{}.{}.{}.part", key, getpid(), std::hash<std::thread::id>{}(std::this_thread::get_id()));
    std::error_code failed;
    {
        std::ofstream file(part, std::ios::binary);
        Hash128 hash = hashBytes(object);
        file.write(reinterpret_cast<const char*>(object.data()), static_cast<std::streamsize>(object.size()));
        file.write(reinterpret_cast<const char*>(&hash), sizeof(hash));
        if (!file.flush()) {
            file.close();
            std::filesystem::remove(part, failed);
            return;
        }
    }
    std::filesystem::rename(part, folder_ / (key + ".o"), failed);
}

} // namespace lathe::driver
