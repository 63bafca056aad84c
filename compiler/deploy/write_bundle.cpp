// SPDX-License-Identifier: Apache-2.0
//
// A plan becomes a folder or an archive. A folder is made beside the wanted one under a name of its own, and changes places
// with it when it is whole. One that is there and empty stays: the bundle is made in it under such a name, and its parts change
// theirs when all are whole.
#include "base/guarded.h"
#include "data/listed_files.h"
#include "deploy/archive.h"
#include "deploy/bundle_model.h"
#include "deploy/file_digest.h"
#include "deploy/file_failure.h"
#include "deploy/manifest.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;

fs::path parentOf(const fs::path& out) {
    return out.has_parent_path() ? out.parent_path() : fs::path(".");
}

/// "x/" names the folder x; "." has a name as well.
fs::path placeOf(const fs::path& out) {
    if (out.has_filename() && out.filename() != "." && out.filename() != "..")
        return out;
    const fs::path place = fs::absolute(out).lexically_normal();
    return place.has_filename() ? place : place.parent_path();
}

/// By whatever links.
bool liesIn(const fs::path& file, const fs::path& folder) {
    std::error_code failed;
    for (fs::path at = fs::weakly_canonical(file, failed); !failed && at.has_relative_path(); at = at.parent_path())
        if (fs::equivalent(at, folder, failed))
            return true;
    return false;
}

/// Whether a folder holds a bundle, as far as its manifest says so.
bool isBundle(const fs::path& folder) {
    if (std::error_code failed; !fs::is_regular_file(folder / "manifest.json", failed)) // a pipe would be waited for
        return false;
    std::ifstream file(folder / "manifest.json", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    return parseManifest(text).has_value();
}

/// A new folder beside the wanted one, or in it if that is there and empty; gone with this, unless it was given its place.
class Staging {
public:
    explicit Staging(const fs::path& out) {
        constexpr int tries = 100;
        for (int i = 0; i < tries && name_.empty(); ++i) {
            const fs::path name = fresh(out);
            if (mkdir(name.c_str(), 0777) == 0)
                name_ = name;
            else if ((error_ = errno) != EEXIST)
                break;
        }
    }
    ~Staging() {
        std::error_code ignored;
        if (!name_.empty())
            fs::remove_all(name_, ignored);
    }
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    const fs::path& path() const { return name_; }
    int error() const { return error_; }
    /// All that is in it, into a folder that is there and empty, which stays the folder that it is: somebody may stand in it, it
    /// may be a file system of its own, or nobody else's to read. What says that the bundle is whole comes last.
    bool fill(const fs::path& out) {
        std::vector<fs::path> names;
        for (const fs::directory_entry& each : fs::directory_iterator(name_))
            names.push_back(each.path().filename());
        std::ranges::sort(names, {}, [](const fs::path& name) { return std::pair(name == "manifest.json", name); });
        for (size_t done = 0; done < names.size(); ++done)
            if (!moves(name_ / names[done], out / names[done])) {
                error_ = errno;
                std::error_code ignored;
                while (done > 0)
                    fs::remove_all(out / names[--done], ignored);
                return false;
            }
        return true;
    }
    /// In place of what is there, which then is what goes with this. `there`: whether something is, as the caller has looked; fails
    /// if something has come since.
    bool takePlace(const fs::path& out, bool there) {
        const unsigned flags = there ? RENAME_EXCHANGE : RENAME_NOREPLACE;
        if (renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, out.c_str(), flags) != 0 &&
            (errno != EINVAL || !takePlaceInSteps(out, there))) { // a file system that knows no such flags
            error_ = errno;
            return false;
        }
        if (!there)
            name_.clear();
        return true;
    }

private:
    /// Not in the place of what somebody has put there meanwhile.
    static bool moves(const fs::path& from, const fs::path& to) {
        if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
            return true;
        return errno == EINVAL && !fs::exists(fs::symlink_status(to)) && rename(from.c_str(), to.c_str()) == 0;
    }
    static fs::path fresh(const fs::path& out) {
        return parentOf(out) /
               fmt::format(".{}.{:08x}", out.filename().string().substr(0, 200), std::random_device()());
    }
    /// With a moment where neither is there; what was there comes back if the new one cannot be put there.
    bool takePlaceInSteps(const fs::path& out, bool there) {
        const fs::path aside = fresh(out);
        if (there && rename(out.c_str(), aside.c_str()) != 0)
            return false;
        if (rename(name_.c_str(), out.c_str()) != 0) {
            const int problem = errno;
            if (there)
                (void)rename(aside.c_str(), out.c_str());
            errno = problem;
            return false;
        }
        name_ = aside;
        return true;
    }

    fs::path name_;
    int error_ = 0;
};

Result<void> writeFile(const PlannedFile& file, const fs::path& to, const std::function<bool()>& cancelled) {
    NewFile written(to, file.program ? NewFile::Kind::Program : NewFile::Kind::Text);
    if (file.from.empty()) {
        if (!written.write(std::as_bytes(std::span(file.text))) || !written.keep())
            return Failure(written.problem());
        return {};
    }
    std::ifstream from(file.from, std::ios::binary);
    if (!from)
        return fileFailure(file.from, "the file cannot be read");
    std::vector<char> part(filePartBytes);
    do {
        if (cancelled && cancelled())
            throw Cancelled{};
        from.read(part.data(), static_cast<std::streamsize>(part.size()));
        if (from.bad())
            return fileFailure(file.from, "the file cannot be read");
        if (!written.write(std::as_bytes(std::span(part)).first(static_cast<size_t>(from.gcount()))))
            return Failure(written.problem());
    } while (from);
    if (!written.keep())
        return Failure(written.problem());
    return {};
}

Result<void> writeFolder(const PlannedBundle& bundle, const fs::path& out, bool replace,
                         const driver::Progress& progress) {
    std::error_code failed;
    const bool fills = fs::is_directory(out, failed) && fs::is_empty(out, failed);
    Staging staging(fills ? out / out.filename() : out);
    if (staging.path().empty())
        return fileFailure(out, fmt::format("nothing can be written there: {}", std::strerror(staging.error())),
                           "name another folder");
    uint64_t done = 0;
    for (const PlannedFile& file : bundle.plan.files) {
        const fs::path to = staging.path() / file.path;
        fs::create_directories(to.parent_path(), failed);
        if (failed)
            return fileFailure(out, fmt::format("no folder can be made there: {}", failed.message()),
                               "look for space and for the right to write there");
        if (auto written = writeFile(file, to, progress.cancelled); !written) {
            Diagnostic problem = std::move(written).error();
            problem.file = (out / file.path).string();
            return Failure(std::move(problem));
        }
        if (progress.report)
            progress.report("write", static_cast<double>(++done) / static_cast<double>(bundle.plan.files.size()));
    }
    if (progress.cancelled && progress.cancelled())
        throw Cancelled{};
    // Somebody may have put something there meanwhile.
    const bool there = fs::exists(fs::symlink_status(out));
    if (there && !fills)
        LATHE_CHECKED(mayWrite(out, replace));
    if (!(fills ? staging.fill(out) : staging.takePlace(out, there)))
        return fileFailure(out, fmt::format("the bundle cannot be put there: {}", std::strerror(staging.error())),
                           "name another folder");
    return {};
}

} // namespace

Result<void> mayWrite(const fs::path& named, bool replace, const std::vector<fs::path>& read) {
    const fs::path out = placeOf(named);
    std::error_code failed;
    const fs::file_status status = fs::symlink_status(out, failed);
    if (!fs::is_directory(parentOf(out), failed))
        return fileFailure(out, "the folder that it would lie in is not there", "make it first");
    if (isOtherArchiveName(out))
        return fileFailure(out, "a bundle is no archive of this kind",
                           "name a folder, or NAME.tar.zst, NAME.tar or NAME.zip");
    if (!fs::exists(status))
        return {};
    if (isArchiveName(out)) {
        if (!fs::is_regular_file(status))
            return fileFailure(out, "there is something that is no archive", "name another file");
        if (fs::file_size(out, failed) > 0 && !isArchive(out))
            return fileFailure(out, "there is a file that is no archive: it is left as it is", "name another file");
        return replace ? Result<void>() : fileFailure(out, "the file is there already", "--force replaces it");
    }
    if (!fs::is_directory(status))
        return fileFailure(out, fmt::format("there is a {} of that name", fs::is_symlink(status) ? "link" : "file"),
                           "name another folder, or an archive: NAME.tar.zst");
    if (fs::is_empty(out, failed) && !failed)
        return {};
    if (!isBundle(out))
        return fileFailure(out, "there is a folder that is no bundle: it is left as it is", "name another folder");
    if (!replace)
        return fileFailure(out, "there is a bundle already", "--force replaces it");
    for (const fs::path& file : read)
        if (!file.empty() && liesIn(file, out))
            return fileFailure(file, "it lies in the bundle that would be replaced", "move it elsewhere");
    // Somebody's notes, a key, a model: they would go with it.
    const auto listed = data::readSums(out);
    if (!listed)
        return fileFailure(out, "the bundle's files cannot be told from others: its SHA256SUMS is damaged",
                           "remove it first");
    if (const auto strangers = data::strangersIn(out, *listed, data::Beside::Built); !strangers.empty())
        return fileFailure(out / strangers.front().file, "this file is not of the bundle that would be replaced",
                           "move it elsewhere");
    // Nor what somebody has made of an example.
    auto written = *listed;
    std::erase_if(written, [](const data::ListedFile& file) { return !file.path.starts_with("examples/"); });
    for (const Diagnostic& problem : data::verify(out, written).problems)
        if (fs::exists(out / problem.file, failed))
            return fileFailure(out / problem.file, "this file of the bundle that would be replaced was changed",
                               "move it elsewhere");
    return {};
}

Result<void> writeBundle(const PlannedBundle& bundle, const fs::path& named, bool replace,
                         const driver::Progress& progress) {
    return guarded([&]() -> Result<void> {
        const fs::path out = placeOf(named);
        LATHE_CHECKED(mayWrite(out, replace));
        if (isArchiveName(out))
            return writeArchive(bundle.plan.files, fmt::format("{}-{}", bundle.plan.name, bundle.plan.tag),
                                bundle.manifest.created, out, progress.cancelled,
                                [&] { return mayWrite(out, replace); });
        return writeFolder(bundle, out, replace, progress);
    });
}

} // namespace lathe::deploy
