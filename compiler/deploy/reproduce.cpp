// SPDX-License-Identifier: Apache-2.0
//
// A bundle that is made again of what it says of itself, and one that is signed.
#include "base/version.h"
#include "deploy/bundle_model.h"
#include "deploy/file_digest.h"
#include "deploy/signature.h"
#include "driver/guarded.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;

Result<std::string> readPart(const OpenBundle& bundle, const std::string& path) {
    const bool listed =
        std::ranges::find(bundle.manifest().files, path, &ManifestFile::path) != bundle.manifest().files.end();
    std::ifstream file;
    if (listed)
        file.open(bundle.folder() / path, std::ios::binary);
    if (!file.is_open())
        return failure(fmt::format("the bundle has no {}", path),
                       "it was made --without reproduce: nobody can tell how");
    return std::string(std::istreambuf_iterator<char>(file), {});
}

} // namespace

Result<PlannedBundle> planAgain(const OpenBundle& bundle, const fs::path& model, const fs::path& runtimeFolder,
                                std::vector<Diagnostic>& diagnostics, const driver::Progress& progress) {
    return driver::guarded([&]() -> Result<PlannedBundle> {
        const Manifest& manifest = bundle.manifest();
        // Options and decisions are read: they have to be what was written.
        if (const auto problems = verifyFiles(bundle, progress); !problems.empty())
            return Failure(problems.front());
        const auto digest = digestOf(model, progress.cancelled);
        if (!digest || digest->sha256 != manifest.model.sha256) {
            Diagnostic other =
                error(digest ? fmt::format("this is another model: SHA-256 is {}, the bundle's model has {}",
                                           digest->sha256, manifest.model.sha256)
                             : std::string("the model cannot be read"),
                      "name the file that the bundle was made of");
            other.file = model.string();
            return Failure(other);
        }
        if (manifest.latheVersion != base::version()) {
            Diagnostic note = error(fmt::format("the bundle was made by Lathe {}, and this is {}: the bytes may differ",
                                                manifest.latheVersion, base::version()));
            note.severity = Severity::Warning;
            diagnostics.push_back(std::move(note));
        }
        LATHE_TRY(const std::string text, readPart(bundle, "reproduce/options.json"));
        LATHE_TRY(BundleOptions options, parseBundleOptions(text));
        LATHE_TRY(const std::string decisions, readPart(bundle, "reproduce/decisions.json"));
        LATHE_TRY(options.decisions, driver::parseDecisions(decisions));
        options.created = manifest.created;
        options.runtimeFolder = runtimeFolder;
        return planBundle(model, options, diagnostics, progress);
    });
}

Result<void> signBundle(PlannedBundle& bundle, const fs::path& key, const driver::Progress& progress) {
    return driver::guarded([&]() -> Result<void> {
        std::vector<PlannedFile>& files = bundle.plan.files;
        const auto sums = std::ranges::find(files, "SHA256SUMS", &PlannedFile::path);
        LATHE_ASSERT(sums != files.end(), "bundles list their files");
        LATHE_TRY(std::string signature, sign(sums->text, key, progress.cancelled));
        bundle.plan.bytes += signature.size();
        files.push_back({signatureName, FileKind::Check, std::move(signature), {}, false});
        std::ranges::sort(files, {}, &PlannedFile::path);
        return {};
    });
}

} // namespace lathe::deploy
