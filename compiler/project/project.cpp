// SPDX-License-Identifier: Apache-2.0
#include "project/project.h"

#include "base/file_hash.h"
#include "base/limits.h"

#include <algorithm>
#include <vector>

namespace lathe::project {
namespace {

namespace fs = std::filesystem;

struct Content {
    int64_t bytes = 0;
    Hash128 hash;
};

std::optional<Content> contentOfFile(const fs::path& file, const std::function<bool()>& cancelled) {
    const auto hash = hashFile(file, cancelled);
    std::error_code unreadable;
    const auto bytes = fs::file_size(file, unreadable);
    if (!hash || unreadable)
        return std::nullopt;
    return Content{static_cast<int64_t>(bytes), *hash};
}

/// Of the plain files in a folder, at any depth, with their names in it. Links to folders are not followed.
std::optional<Content> contentOfFolder(const fs::path& folder, const std::function<bool()>& cancelled) {
    std::vector<fs::path> files;
    std::error_code failed, unknown;
    size_t entries = 0;
    for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
        if (++entries > limits::zipEntries)
            return std::nullopt;
        if (at->is_regular_file(unknown))
            files.push_back(at->path());
    }
    if (failed)
        return std::nullopt;
    std::ranges::sort(files);
    Content all;
    Hasher hasher;
    for (const fs::path& file : files) {
        const auto one = contentOfFile(file, cancelled);
        if (!one)
            return std::nullopt;
        all.bytes += one->bytes;
        hasher.add(file.lexically_relative(folder).generic_string());
        hasher.add(one->hash);
    }
    all.hash = hasher.finish();
    return all;
}

} // namespace

Result<ModelReference> referenceTo(const fs::path& model, const std::function<bool()>& cancelled) {
    std::error_code unknown;
    const auto content =
        fs::is_directory(model, unknown) ? contentOfFolder(model, cancelled) : contentOfFile(model, cancelled);
    if (!content) {
        const bool unwanted = cancelled && cancelled();
        Diagnostic problem = unwanted ? error(ErrorKind::Cancelled, "cancelled") : error("the model cannot be read");
        problem.file = model.string();
        return Failure(problem);
    }
    return ModelReference{fs::absolute(model), content->bytes, toString(content->hash)};
}

} // namespace lathe::project
