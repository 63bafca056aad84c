// SPDX-License-Identifier: Apache-2.0
//
// One file a kernel, KEY.o, written beside as *.part and renamed, so that readers never see half of one. A file ends with
// its own hash. Its time of modification is that of its last use. Sweeping reads the whole folder, so it is done when a
// compilation begins and nobody has swept for some minutes (the time of the file `swept`), and by a compilation that has
// stored a sixteenth of what the folder may hold.
#include "driver/kernel_cache.h"

#include "base/hash.h"
#include "base/user_folder.h"
#include "codegen/build_id.h"
#include "tir/text.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <thread>
#include <unistd.h>

namespace lathe::driver {
namespace {

namespace fs = std::filesystem;

constexpr int64_t usualBytes = int64_t{2} << 30;
constexpr std::chrono::minutes sweepEvery{10};
constexpr std::chrono::minutes abandonedAfter{10}; // a .part: writing one takes milliseconds

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// "4096", "512K", "64M", "2G"; what is none of these counts as not set.
int64_t cacheBytes() {
    const std::string text = variable("LATHE_CACHE_SIZE");
    int64_t number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit(end, text.data() + text.size());
    const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
    if (status != std::errc() || shift < 0 || number < 0 || number > (INT64_MAX >> shift))
        return usualBytes;
    return number << shift;
}

fs::file_time_type now() {
    return fs::file_time_type::clock::now();
}

struct CachedFile {
    fs::file_time_type used;
    int64_t bytes;
    fs::path path;
};

/// Those of the folder, kernels and others. Another process may be sweeping meanwhile.
std::vector<CachedFile> filesIn(const fs::path& folder) {
    std::vector<CachedFile> files;
    std::error_code failed;
    for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
        std::error_code gone;
        CachedFile file{it->last_write_time(gone), static_cast<int64_t>(it->file_size(gone)), it->path()};
        if (!gone)
            files.push_back(std::move(file));
    }
    return files;
}

bool isKernel(const CachedFile& file) {
    return file.path.extension() == ".o";
}

/// Removes abandoned parts, then the files that were not used for the longest time, until an eighth of the room is free.
void sweep(const fs::path& folder, int64_t limitBytes) {
    std::error_code failed;
    std::ofstream(folder / "swept").put('\n');
    std::vector<CachedFile> files = filesIn(folder);
    for (const CachedFile& file : files)
        if (file.path.extension() == ".part" && now() - file.used > abandonedAfter)
            fs::remove(file.path, failed);
    std::erase_if(files, std::not_fn(isKernel));
    int64_t total = 0;
    for (const CachedFile& file : files)
        total += file.bytes;
    if (total <= limitBytes)
        return;
    std::ranges::sort(files, {}, &CachedFile::used);
    for (const CachedFile& file : files) {
        if (total <= limitBytes - limitBytes / 8)
            break;
        fs::remove(file.path, failed);
        total -= file.bytes;
    }
}

} // namespace

fs::path cacheFolder() {
    if (const std::string own = variable("LATHE_CACHE"); !own.empty())
        return own;
    return userFolder(UserFolder::Cache);
}

namespace {

/// Empty if there is no cache.
fs::path kernelsFolder() {
    const fs::path folder = cacheFolder();
    return folder.empty() ? fs::path() : folder / "kernels";
}

} // namespace

CacheContent cacheContent() {
    CacheContent content;
    for (const CachedFile& file : filesIn(kernelsFolder()))
        if (isKernel(file)) {
            ++content.kernels;
            content.bytes += file.bytes;
        }
    return content;
}

CacheContent clearCache() {
    std::error_code failed;
    for (const CachedFile& file : filesIn(kernelsFolder()))
        if (isKernel(file))
            fs::remove(file.path, failed);
    return cacheContent();
}

KernelCache::KernelCache(bool enabled) : limitBytes_(cacheBytes()) {
    static const bool known = !codegen::buildId().empty();
    if (!enabled || !known)
        return;
    folder_ = kernelsFolder();
    if (folder_.empty())
        return;
    std::error_code failed;
    fs::create_directories(folder_, failed);
    if (failed) {
        folder_.clear();
        return;
    }
    const fs::file_time_type last = fs::last_write_time(folder_ / "swept", failed);
    if (failed || now() - last > sweepEvery)
        sweep(folder_, limitBytes_);
}

std::string KernelCache::key(const tir::PrimFunc& lowered, const codegen::CodegenOptions& options) const {
    if (folder_.empty())
        return {};
    static const std::string generator = codegen::buildId();
    Hasher hasher;
    hasher.add(tir::print(lowered));
    hasher.add(toString(options.target));
    hasher.add(options.contract ? "contract" : "");
    hasher.add(generator);
    return toString(hasher.finish());
}

std::optional<std::vector<std::byte>> KernelCache::find(const std::string& key) const {
    if (folder_.empty())
        return std::nullopt;
    const fs::path path = folder_ / (key + ".o");
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file)
        return std::nullopt;
    const auto size = static_cast<std::streamoff>(file.tellg());
    if (size < static_cast<std::streamoff>(sizeof(Hash128)) || size > limitBytes_)
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
    std::error_code failed;
    fs::last_write_time(path, now(), failed);
    return bytes;
}

void KernelCache::store(const std::string& key, const std::vector<std::byte>& object) {
    const auto size = static_cast<int64_t>(object.size() + sizeof(Hash128));
    if (folder_.empty() || size > limitBytes_)
        return;
    const fs::path part =
        folder_ / fmt::format("{}.{}.{}.part", key, getpid(), std::hash<std::thread::id>{}(std::this_thread::get_id()));
    std::error_code failed;
    std::ofstream file(part, std::ios::binary);
    const Hash128 hash = hashBytes(object);
    file.write(reinterpret_cast<const char*>(object.data()), static_cast<std::streamsize>(object.size()));
    file.write(reinterpret_cast<const char*>(&hash), sizeof(hash));
    file.close();
    if (file)
        fs::rename(part, folder_ / (key + ".o"), failed);
    if (!file || failed)
        fs::remove(part, failed);
    else if ((storedBytes_ += size) > limitBytes_ / 16 && storedBytes_.exchange(0) > 0)
        sweep(folder_, limitBytes_);
}

} // namespace lathe::driver
