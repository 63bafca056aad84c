// SPDX-License-Identifier: Apache-2.0
//
// Opening a bundle, and holding its files against what it says of them.
#include "base/guarded.h"
#include "base/sha256.h"
#include "data/bundle_facts.h"
#include "deploy/archive.h"
#include "deploy/bundle_plan.h"
#include "deploy/check_bundle.h"
#include "deploy/file_failure.h"
#include "deploy/signature.h"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;

using data::manifestName;
constexpr uint64_t largestText = uint64_t{16} << 20; // of a manifest
/// Of an archive of so many bytes, unpacked: weights compress well, but not that well.
constexpr uint64_t largestUnpacked(uint64_t packed) {
    return (uint64_t{1} << 30) + 100 * packed;
}

/// A text file that is no link and not too long.
Result<std::string> readText(const fs::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (file < 0)
        return fileFailure(path, "the file is missing, or may not be read", "copy the bundle again");
    struct stat facts{};
    std::string text;
    bool good =
        fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && static_cast<uint64_t>(facts.st_size) <= largestText;
    if (good) {
        text.resize(static_cast<size_t>(facts.st_size));
        size_t got = 0;
        for (ssize_t part = 1; got < text.size() && part > 0; got += static_cast<size_t>(std::max<ssize_t>(part, 0)))
            part = read(file, text.data() + got, text.size() - got);
        good = got == text.size();
    }
    close(file);
    if (!good)
        return fileFailure(path, "the file is no plain file of at most 16 MiB", "copy the bundle again");
    return text;
}

Result<Manifest> readManifest(const fs::path& folder) {
    const fs::path path = folder / manifestName;
    LATHE_TRY(const std::string text, readText(path));
    auto manifest = parseManifest(text);
    if (manifest)
        return manifest;
    Diagnostic problem = std::move(manifest).error();
    problem.file = path.string();
    return Failure(std::move(problem));
}

/// At a path in the bundle.
Diagnostic ofBundle(const std::string& path, std::string what) {
    return fileFailure(path, std::move(what), "copy the bundle again; do not strip or patch its files").error();
}

/// Where the manifest and the list do not say the same.
std::vector<Diagnostic> disagreements(const Manifest& manifest, const std::vector<data::ListedFile>& listed) {
    std::vector<Diagnostic> problems;
    const auto wrong = [&](const std::string& path, std::string what) {
        problems.push_back(ofBundle(path, std::move(what)));
    };
    std::map<std::string, std::string> sums;
    std::string lines; // that the bundle id is of
    for (const data::ListedFile& file : listed) {
        sums.emplace(file.path, file.sha256);
        if (file.path != manifestName)
            lines += file.sha256 + "  " + file.path + "\n";
    }
    if (sha256(lines) != manifest.bundleId)
        wrong(data::sumsName, "it is not the one of this manifest: the bundle id is another");
    std::set<std::string> named;
    for (const ManifestFile& file : manifest.files) {
        named.insert(file.path);
        const auto sum = sums.find(file.path);
        if (sum == sums.end() || sum->second != file.sha256)
            wrong(file.path, "SHA256SUMS and the manifest do not agree on it");
    }
    for (const auto& [path, sum] : sums)
        if (path != manifestName && !named.contains(path))
            wrong(path, "it is not in the manifest");
    if (!sums.contains(manifestName))
        wrong(manifestName, "it is not in SHA256SUMS");
    return problems;
}

} // namespace

Result<OpenBundle> OpenBundle::open(const fs::path& path, const driver::Progress& progress) {
    return guarded([&]() -> Result<OpenBundle> {
        OpenBundle bundle;
        std::error_code failed;
        if (fs::is_directory(path, failed)) {
            bundle.folder_ = path;
        } else if (fs::is_regular_file(path, failed)) {
            LATHE_TRY(bundle.unpacked_, TemporaryFolder::make());
            bundle.folder_ = bundle.unpacked_.path();
            LATHE_CHECKED(
                unpackArchive(path, bundle.folder_, largestUnpacked(fs::file_size(path)), progress.cancelled));
        } else {
            return fileFailure(path, "there is no bundle", "name its folder, or its archive");
        }
        LATHE_TRY(bundle.manifest_, readManifest(bundle.folder_));
        return bundle;
    });
}

std::vector<Diagnostic> manifestProblems(const OpenBundle& bundle, const std::vector<data::ListedFile>& listed) {
    std::vector<Diagnostic> problems = disagreements(bundle.manifest(), listed);
    std::error_code failed; // each is the plain file that its hash is of
    for (const ManifestFile& file : bundle.manifest().files)
        if (const uint64_t found = fs::file_size(bundle.folder() / file.path, failed); !failed && found != file.bytes)
            problems.push_back(
                ofBundle(file.path, fmt::format("it has {} bytes, the manifest says {}", found, file.bytes)));
    return problems;
}

std::vector<Diagnostic> verifyFiles(const OpenBundle& bundle, data::Beside beside, const driver::Progress& progress) {
    std::vector<Diagnostic> problems;
    const auto add = [&](const std::vector<Diagnostic>& found) {
        for (Diagnostic problem : found) {
            problem.file = (bundle.folder() / problem.file).string();
            problems.push_back(std::move(problem));
        }
    };
    const auto listed = data::readSums(bundle.folder());
    if (!listed) {
        add({listed.error()});
        return problems;
    }
    const data::Verified verified = data::verify(bundle.folder(), *listed, [&](size_t done) {
        if (progress.cancelled && progress.cancelled())
            throw Cancelled{};
        if (progress.report)
            progress.report("files", static_cast<double>(done) / static_cast<double>(listed->size()));
    });
    add(verified.problems.empty() ? manifestProblems(bundle, *listed) : disagreements(bundle.manifest(), *listed));
    add(verified.problems);
    add(data::strangersIn(bundle.folder(), *listed, beside));
    return problems;
}

} // namespace lathe::deploy
