// SPDX-License-Identifier: Apache-2.0
//
// A bundle that is made again of what it says of itself, and one that is signed.
#include "base/guarded.h"
#include "base/version.h"
#include "deploy/bundle_model.h"
#include "deploy/file_digest.h"
#include "deploy/signature.h"

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

Failure another(const std::string& said, const std::string& found, const fs::path& file) {
    Diagnostic other =
        error(fmt::format("this is another model: SHA-256 is {}, the bundle's model has {}", found, said),
              "name the file that the bundle was made of");
    other.file = file.string();
    return Failure(other);
}

Result<void> holdAgainst(const std::string& said, const fs::path& model, const driver::Progress& progress) {
    const auto digest = digestOfModel(model, progress.cancelled);
    if (!digest) {
        Diagnostic unread = error("the model cannot be read", "name the file that the bundle was made of");
        unread.file = model.string();
        return Failure(unread);
    }
    if (digest->sha256 != said)
        return another(said, digest->sha256, model);
    return {};
}

std::ptrdiff_t dataSetsOf(const Manifest& manifest) {
    return std::ranges::count(manifest.golden, std::string(dataSetSource), &ManifestCase::source);
}

} // namespace

Result<PlannedBundle> planAgain(const OpenBundle& bundle, const Origin& origin, std::vector<Diagnostic>& diagnostics,
                                const driver::Progress& progress) {
    return guarded([&]() -> Result<PlannedBundle> {
        const Manifest& manifest = bundle.manifest();
        // Options and decisions are read: they have to be what was written.
        if (const auto problems = verifyFiles(bundle, data::Beside::Used, progress); !problems.empty())
            return Failure(problems.front());
        LATHE_CHECKED(holdAgainst(manifest.model.sha256, origin.model, progress));
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
        options.compile.extensions = origin.extensions;
        options.created = manifest.created;
        options.goldenFolder = origin.goldenFolder;
        options.runtimeFolder = origin.runtimeFolder;
        LATHE_TRY(PlannedBundle again, planBundle(origin.model, options, diagnostics, progress));
        // Looked for among what was read just now: what a manifest names is not opened.
        for (const Manifest::Model::Data& said : manifest.model.externalData)
            if (const auto found =
                    std::ranges::find(again.manifest.model.externalData, said.file, &Manifest::Model::Data::file);
                found != again.manifest.model.externalData.end() && found->sha256 != said.sha256)
                return another(said.sha256, found->sha256, said.file);
        if (dataSetsOf(again.manifest) < dataSetsOf(manifest))
            return failure("the bundle's golden cases came from data sets that do not lie beside the model",
                           "name their folder: --golden DIR");
        return again;
    });
}

Result<void> signBundle(PlannedBundle& bundle, const fs::path& key, const driver::Progress& progress) {
    return guarded([&]() -> Result<void> {
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
