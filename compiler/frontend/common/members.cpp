// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/members.h"

#include "base/limits.h"
#include "data/zip_file.h"
#include "frontend/common/map_file.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend {
namespace {

namespace fs = std::filesystem;

/// What a file of any archive may have, however small that is.
constexpr size_t smallFile = size_t{1} << 20;

Failure noMember(const std::string& name) {
    return failure(fmt::format("there is no file '{}' in it", name), "copy the model again, with all its files");
}

Result<std::vector<std::string>> eachOnce(std::vector<std::string> names) {
    std::ranges::sort(names);
    if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
        return failure(fmt::format("it holds '{}' twice", *twice), "save the model again");
    return names;
}

class FolderMembers : public Members {
public:
    explicit FolderMembers(fs::path folder) : folder_(std::move(folder)) {}

    Result<std::vector<std::string>> names() const override {
        std::vector<std::string> found;
        std::error_code failed;
        size_t entries = 0;
        for (fs::recursive_directory_iterator at(folder_, failed), end; !failed && at != end; at.increment(failed)) {
            if (++entries > limits::zipEntries)
                return failure(ErrorKind::Unsupported, fmt::format("it holds more than {} files", limits::zipEntries),
                               "name the folder of the model alone");
            if (at->is_regular_file(failed) && isInside(at->path()))
                found.push_back(at->path().lexically_relative(folder_).generic_string());
        }
        if (failed)
            return failure(fmt::format("the folder cannot be read: {}", failed.message()),
                           "check the path and its permissions");
        return eachOnce(std::move(found));
    }

    Result<model::Bytes> read(const std::string& name) const override {
        const fs::path relative = fs::path(name).lexically_normal();
        if (relative.empty() || relative.is_absolute() || *relative.begin() == ".." || !isInside(folder_ / relative))
            return noMember(name);
        LATHE_TRY(MappedFile file, mapFile(folder_ / relative, limits::modelFileBytes));
        return std::move(file.bytes);
    }

private:
    bool isInside(const fs::path& path) const {
        std::error_code failed, unknown;
        const fs::path real = fs::canonical(path, failed), around = fs::canonical(folder_, unknown);
        return !failed && !unknown && std::ranges::mismatch(around, real).in1 == around.end();
    }

    fs::path folder_;
};

class ZipMembers : public Members {
public:
    explicit ZipMembers(model::Bytes archive) : archive_(std::move(archive)) {}

    Result<std::vector<std::string>> names() const override {
        data::ZipFile zip(archive_.view);
        std::vector<std::string> found;
        while (true) {
            LATHE_TRY(const bool more, zip.next());
            if (!more)
                return eachOnce(std::move(found));
            found.push_back(zip.name());
        }
    }

    Result<model::Bytes> read(const std::string& name) const override {
        data::ZipFile zip(archive_.view);
        while (true) {
            LATHE_TRY(const bool more, zip.next());
            if (!more)
                return noMember(name);
            if (zip.name() != name)
                continue;
            LATHE_TRY(std::string content, zip.read(std::max(limits::zipExpansion * archive_.view.size(), smallFile)));
            const auto owner = std::make_shared<const std::string>(std::move(content));
            return model::Bytes{owner, std::as_bytes(std::span(*owner))};
        }
    }

private:
    model::Bytes archive_;
};

} // namespace

std::shared_ptr<const Members> membersOfFolder(const fs::path& folder) {
    return std::make_shared<FolderMembers>(folder);
}

std::shared_ptr<const Members> membersIn(const model::Bytes& file) {
    const std::string_view text(reinterpret_cast<const char*>(file.view.data()), file.view.size());
    return text.starts_with(data::zipMagic) ? std::make_shared<ZipMembers>(file) : nullptr;
}

} // namespace lathe::frontend
