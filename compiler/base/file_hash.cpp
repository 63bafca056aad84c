// SPDX-License-Identifier: Apache-2.0
#include "base/file_hash.h"

#include "base/limits.h"

#include <algorithm>
#include <fstream>
#include <vector>

namespace lathe {

std::optional<Hash128> hashFile(const std::filesystem::path& path, const std::function<bool()>& cancelled) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) // a pipe would be waited for
        return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    std::vector<char> part(size_t{1} << 20);
    while (file.read(part.data(), static_cast<std::streamsize>(part.size())) || file.gcount() > 0) {
        if (cancelled && cancelled())
            return std::nullopt;
        XXH3_128bits_update(&state, part.data(), static_cast<size_t>(file.gcount()));
    }
    if (!file.eof())
        return std::nullopt;
    const XXH128_hash_t hash = XXH3_128bits_digest(&state);
    return Hash128{hash.high64, hash.low64};
}

namespace {

std::optional<PathContent> contentOfFile(const std::filesystem::path& file, const std::function<bool()>& cancelled) {
    const auto hash = hashFile(file, cancelled);
    std::error_code unreadable;
    const auto bytes = std::filesystem::file_size(file, unreadable);
    if (!hash || unreadable)
        return std::nullopt;
    return PathContent{static_cast<int64_t>(bytes), *hash};
}

} // namespace

std::optional<PathContent> contentOf(const std::filesystem::path& path, const std::function<bool()>& cancelled) {
    namespace fs = std::filesystem;
    std::error_code failed, unknown;
    if (!fs::is_directory(path, unknown))
        return contentOfFile(path, cancelled);
    std::vector<fs::path> files;
    size_t entries = 0;
    for (fs::recursive_directory_iterator at(path, failed), end; !failed && at != end; at.increment(failed)) {
        if (++entries > limits::zipEntries)
            return std::nullopt;
        if (at->is_regular_file(unknown))
            files.push_back(at->path());
    }
    if (failed)
        return std::nullopt;
    std::ranges::sort(files);
    PathContent all;
    Hasher hasher;
    for (const fs::path& file : files) {
        const auto one = contentOfFile(file, cancelled);
        if (!one)
            return std::nullopt;
        all.bytes += one->bytes;
        hasher.add(file.lexically_relative(path).generic_string());
        hasher.add(one->hash);
    }
    all.hash = hasher.finish();
    return all;
}

} // namespace lathe
