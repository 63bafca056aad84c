// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/members.h"

#include "base/limits.h"
#include "data/zip_file.h"
#include "data/zip_places.h"
#include "frontend/common/map_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <unordered_map>

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
        if (std::ranges::find(files_, folder_ / relative, &FileIdentities::value_type::first) == files_.end())
            files_.emplace_back(folder_ / relative, file.identity);
        return std::move(file.bytes);
    }

    FileIdentities files() const override { return files_; }

private:
    bool isInside(const fs::path& path) const {
        std::error_code failed, unknown;
        const fs::path real = fs::canonical(path, failed), around = fs::canonical(folder_, unknown);
        return !failed && !unknown && std::ranges::mismatch(around, real).in1 == around.end();
    }

    fs::path folder_;
    mutable FileIdentities files_; // that were read
};

class ZipMembers : public Members {
public:
    explicit ZipMembers(model::Bytes archive) : archive_(std::move(archive)) {}

    Result<std::vector<std::string>> names() const override {
        LATHE_TRY(const Directory* directory, directoryOf());
        return eachOnce(directory->inOrder);
    }

    /// The archive is read from front to back, so what lies further on is found where the last read ended.
    Result<model::Bytes> read(const std::string& name) const override {
        LATHE_TRY(const Directory* directory, directoryOf());
        const auto place = directory->places.find(name);
        if (place == directory->places.end())
            return noMember(name);
        if (!reader_ || next_ > place->second) {
            reader_.emplace(archive_.view);
            next_ = 0;
        }
        for (; next_ <= place->second; ++next_) {
            LATHE_TRY(const bool more, reader_->next());
            if (!more)
                return noMember(name);
        }
        LATHE_TRY(std::string content, reader_->read(std::max(limits::zipExpansion * archive_.view.size(), smallFile)));
        const auto owner = std::make_shared<const std::string>(std::move(content));
        return model::Bytes{owner, std::as_bytes(std::span(*owner))};
    }

private:
    struct Directory {
        std::vector<std::string> inOrder;
        std::unordered_map<std::string, size_t> places; // the first of a name
    };

    Result<const Directory*> directoryOf() const {
        if (directory_)
            return &*directory_;
        LATHE_CHECKED(data::checkZipPlaces(archive_.view));
        data::ZipFile zip(archive_.view);
        Directory found;
        while (true) {
            LATHE_TRY(const bool more, zip.next());
            if (!more)
                break;
            found.places.emplace(zip.name(), found.inOrder.size());
            found.inOrder.push_back(zip.name());
        }
        return &directory_.emplace(std::move(found));
    }

    model::Bytes archive_;
    mutable std::optional<Directory> directory_;
    mutable std::optional<data::ZipFile> reader_; // on its way
    mutable size_t next_ = 0;                     // how many files it went to
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
