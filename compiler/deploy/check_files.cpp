// SPDX-License-Identifier: Apache-2.0
//
// Opening a bundle, and holding its files against what it says of them.
#include "base/printable.h"
#include "deploy/archive.h"
#include "deploy/bundle_plan.h"
#include "deploy/check_bundle.h"
#include "deploy/file_digest.h"
#include "driver/guarded.h"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t largestText = uint64_t{16} << 20; // of a manifest
/// Of an archive of so many bytes, unpacked: weights compress well, but not that well.
constexpr uint64_t largestUnpacked(uint64_t packed) {
    return (uint64_t{1} << 30) + 100 * packed;
}

Failure about(const fs::path& file, std::string what, std::string hint = {}) {
    Diagnostic problem = error(std::move(what), std::move(hint));
    problem.file = file.string();
    return Failure(std::move(problem));
}

/// A text file that is no link and not too long.
Result<std::string> readText(const fs::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (file < 0)
        return about(path, "the file is missing, or may not be read", "copy the bundle again");
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
        return about(path, "the file is no plain file of at most 16 MiB", "copy the bundle again");
    return text;
}

Result<Manifest> readManifest(const fs::path& folder) {
    const fs::path path = folder / "manifest.json";
    LATHE_TRY(const std::string text, readText(path));
    auto manifest = parseManifest(text);
    if (manifest)
        return manifest;
    Diagnostic problem = std::move(manifest).error();
    problem.file = path.string();
    return Failure(std::move(problem));
}

/// Lines "HASH  PATH"; nothing if one is of another form, or names a path twice.
std::optional<std::map<std::string, std::string>> parseSums(std::string_view text) {
    std::map<std::string, std::string> sums;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        if (end == std::string_view::npos || end < 67 || text.substr(64, 2) != "  " || !isSha256(text.substr(0, 64)) ||
            !isBundlePath(text.substr(66, end - 66)) ||
            !sums.emplace(text.substr(66, end - 66), text.substr(0, 64)).second)
            return std::nullopt;
        text.remove_prefix(end + 1);
    }
    return sums;
}

/// Links on the way to a file of the bundle could lead anywhere.
bool hasPlainFolders(const fs::path& folder, const std::string& path) {
    std::error_code failed;
    for (size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1))
        if (fs::symlink_status(folder / path.substr(0, at), failed).type() != fs::file_type::directory)
            return false;
    return true;
}

/// What is there and not listed: somebody else's, or a file that was renamed. Examples are built where they lie.
void findStrangers(const fs::path& folder, const std::map<std::string, std::string>& sums,
                   std::vector<Diagnostic>& problems) {
    std::error_code failed;
    for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
        const std::string path = at->path().lexically_relative(folder).generic_string();
        if (path == "report" || path == "examples") {
            at.disable_recursion_pending();
            continue;
        }
        const bool folderItself = at->is_directory(failed) && !at->is_symlink(failed);
        // Python writes these when the module is used.
        if (folderItself && at->path().filename() == "__pycache__")
            at.disable_recursion_pending();
        else if (!folderItself && path != "SHA256SUMS" && !sums.contains(path))
            problems.push_back(about(at->path(), "the file is not of this bundle", "remove it").error());
    }
}

} // namespace

OpenBundle::OpenBundle(OpenBundle&& other) noexcept
    : folder_(std::move(other.folder_)), unpacked_(std::exchange(other.unpacked_, {})),
      manifest_(std::move(other.manifest_)) {}

OpenBundle::~OpenBundle() {
    std::error_code ignored;
    if (!unpacked_.empty())
        fs::remove_all(unpacked_, ignored);
}

Result<OpenBundle> OpenBundle::open(const fs::path& path, const driver::Progress& progress) {
    return driver::guarded([&]() -> Result<OpenBundle> {
        OpenBundle bundle;
        std::error_code failed;
        if (fs::is_directory(path, failed)) {
            bundle.folder_ = path;
        } else if (fs::is_regular_file(path, failed)) {
            std::string name = (fs::temp_directory_path() / "lathe-bundle-XXXXXX").string();
            if (!mkdtemp(name.data()))
                return about(path, "there is no folder to unpack it to", "name one by $TMPDIR");
            bundle.folder_ = bundle.unpacked_ = name;
            LATHE_CHECKED(
                unpackArchive(path, bundle.folder_, largestUnpacked(fs::file_size(path)), progress.cancelled));
        } else {
            return about(path, "there is no bundle", "name its folder, or its archive");
        }
        LATHE_TRY(bundle.manifest_, readManifest(bundle.folder_));
        return bundle;
    });
}

std::vector<Diagnostic> verifyFiles(const OpenBundle& bundle, const driver::Progress& progress) {
    std::vector<Diagnostic> problems;
    const auto wrong = [&](const std::string& path, std::string what) {
        problems.push_back(
            about(bundle.folder() / path, std::move(what), "copy the bundle again; do not strip or patch its files")
                .error());
    };
    const auto sumsText = readText(bundle.folder() / "SHA256SUMS");
    if (!sumsText)
        return {sumsText.error()};
    const auto sums = parseSums(*sumsText);
    if (!sums) {
        wrong("SHA256SUMS", "its lines are not 'HASH  PATH', or one stands there twice");
        return problems;
    }
    std::string lines; // that the bundle id is of
    for (const auto& [path, sum] : *sums)
        if (path != "manifest.json")
            lines += sum + "  " + path + "\n";
    if (sha256(lines) != bundle.manifest().bundleId)
        wrong("SHA256SUMS", "it is not the one of this manifest: the bundle id is another");
    std::map<std::string, uint64_t> bytes;
    for (const ManifestFile& file : bundle.manifest().files) {
        bytes[file.path] = file.bytes;
        const auto sum = sums->find(file.path);
        if (sum == sums->end() || sum->second != file.sha256)
            wrong(file.path, "SHA256SUMS and the manifest do not agree on it");
    }
    uint64_t done = 0;
    for (const auto& [path, sum] : *sums) {
        if (path != "manifest.json" && !bytes.contains(path))
            wrong(path, "it is not in the manifest");
        if (progress.report)
            progress.report("files", static_cast<double>(++done) / static_cast<double>(sums->size()));
        const auto digest = hasPlainFolders(bundle.folder(), path)
                                ? digestOf(bundle.folder() / path, true, progress.cancelled)
                                : std::nullopt;
        if (!digest)
            wrong(path, "the file is missing, may not be read, or is no plain file");
        else if (path != "manifest.json" && bytes.contains(path) && digest->bytes != bytes[path])
            wrong(path, fmt::format("it has {} bytes, the manifest says {}", digest->bytes, bytes[path]));
        else if (digest->sha256 != sum)
            wrong(path, fmt::format("SHA-256 is {}…, expected {}…", digest->sha256.substr(0, 12), sum.substr(0, 12)));
    }
    if (!sums->contains("manifest.json"))
        wrong("manifest.json", "it is not in SHA256SUMS");
    findStrangers(bundle.folder(), *sums, problems);
    return problems;
}

} // namespace lathe::deploy
