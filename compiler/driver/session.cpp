// SPDX-License-Identifier: Apache-2.0
#include "driver/session.h"

#include <algorithm>
#include <sys/stat.h>

namespace lathe::driver {
namespace {

/// Which bytes a path stood for. A file that is written anew has another time or another inode.
struct FileIdentity {
    bool there = false;
    dev_t device = 0;
    ino_t inode = 0;
    off_t bytes = 0;
    timespec modified{}, changed{};

    bool operator==(const FileIdentity& other) const {
        const auto same = [](const timespec& a, const timespec& b) {
            return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
        };
        return there == other.there && device == other.device && inode == other.inode && bytes == other.bytes &&
               same(modified, other.modified) && same(changed, other.changed);
    }
};

FileIdentity identityOf(const std::filesystem::path& path) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0)
        return {};
    return {true, status.st_dev, status.st_ino, status.st_size, status.st_mtim, status.st_ctim};
}

using Externals = std::vector<std::pair<std::filesystem::path, FileIdentity>>;

} // namespace

/// What was imported last, and from what.
struct Session::Kept {
    FileIdentity file;
    Externals external; // where tensors lie
    Target target;      // folding may compile
    std::vector<std::pair<std::string, int64_t>> symbols;
    Shapes shapes;
    frontend::Imported model; // only copied from

    bool standsFor(const std::filesystem::path& path, const Options& options) const {
        return file.there && identityOf(path) == file && target == options.target && symbols == options.symbols &&
               shapes == options.shapes &&
               std::ranges::all_of(external, [](const auto& other) { return identityOf(other.first) == other.second; });
    }
};

Session::Session(std::filesystem::path model) : model_(std::move(model)) {}
Session::~Session() = default;

ModelSource Session::source(const Options& options) {
    return {model_.string(), [this, &options](relay::Evaluator* evaluator, const frontend::Options& importOptions) {
                if (kept_ && kept_->standsFor(model_, options))
                    return kept_->model;
                kept_.reset(); // its memory is needed for the next
                // The identity from before reading: a file that is written meanwhile is imported again the next time.
                const FileIdentity file = identityOf(model_);
                frontend::Imported imported = frontend::importFile(model_, evaluator, importOptions);
                if (!imported.module)
                    return imported;
                kept_ = std::make_unique<Kept>(file, Externals{}, options.target, options.symbols, options.shapes,
                                               imported);
                for (const std::filesystem::path& path : imported.externalFiles)
                    kept_->external.emplace_back(path, identityOf(path));
                return imported;
            }};
}

Result<void> Session::open(const Options& options, Trace& trace, const Progress& progress) {
    LATHE_CHECKED(importModel(source(options), options, trace, progress));
    return {};
}

Result<Artifact> Session::compile(const std::filesystem::path& out, const Decisions& decisions, const Options& options,
                                  Trace& trace, const Progress& progress) {
    return driver::compile(source(options), out, decisions, options, trace, progress);
}

} // namespace lathe::driver
