// SPDX-License-Identifier: Apache-2.0
//
// What a bundle says of itself: the manifest, documents, the list of its files and their hashes.
#include "deploy/planner.h"

#include "abi/abi.h"
#include "arith/analysis.h"
#include "arith/print.h"
#include "base/sha1.h"
#include "base/version.h"
#include "codegen/build_id.h"
#include "deploy/file_digest.h"
#include "deploy/sbom.h"
#include "deploy/texts.h"
#include "driver/used_plugins.h"
#include "inspect/inputs.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/stat.h>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;

/// What is asked for, SOURCE_DATE_EPOCH, or when the model's file was changed: never the time of the export.
Result<int64_t> createdOf(const fs::path& model) {
    if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) {
        int64_t seconds = 0;
        const std::string_view text(epoch);
        const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), seconds);
        if (status != std::errc() || end != text.data() + text.size() || seconds < 0 || seconds > latestTime)
            return failure(ErrorKind::Usage, fmt::format("SOURCE_DATE_EPOCH is '{}', no number of seconds", epoch));
        return seconds;
    }
    struct stat facts{};
    if (stat(model.c_str(), &facts) != 0)
        return failure("the model cannot be read");
    return std::clamp<int64_t>(facts.st_mtim.tv_sec, 0, latestTime);
}

} // namespace

Result<void> Planner::describe() {
    const driver::Trace& trace = *trace_;
    manifest_.form = options_.form;
    bundle_.plan.name = manifest_.name = options_.name;
    manifest_.version = options_.version;
    if (options_.created) {
        manifest_.created = *options_.created;
    } else {
        LATHE_TRY(manifest_.created, createdOf(model_));
    }
    manifest_.latheVersion = base::version();
    manifest_.llvmVersion = codegen::llvmVersion();
    manifest_.plugins = options_.plugins = plugins();
    manifest_.abiVersion = LATHE_ABI_VERSION;
    manifest_.numerics = options_.compile.numerics;
    const auto digest = digestOfModel(model_, progress_.cancelled);
    if (!digest)
        return failure("the model cannot be read again");
    const fs::path model = model_.has_filename() ? model_ : model_.parent_path(); // a folder may end with a slash
    manifest_.model = {.file = model.filename().string(),
                       .format = trace.graph->format,
                       .sha256 = digest->sha256,
                       .producer = trace.graph->producer,
                       .licence = options_.licence.empty() ? "NOASSERTION" : options_.licence,
                       .versions = trace.graph->versions,
                       .externalData = {},
                       .signature = trace.graph->signature};
    std::error_code ignored;
    const bool isFolder = fs::is_directory(model_, ignored);
    for (const fs::path& file : trace.files)
        if (!fs::equivalent(file, model_, ignored))
            if (const auto data = digestOf(file, progress_.cancelled)) {
                const fs::path name = isFolder ? file.lexically_relative(model_) : file.filename();
                manifest_.model.externalData.push_back({name.generic_string(), data->sha256});
            }
    std::ranges::sort(manifest_.model.externalData, {}, [](const auto& data) { return data.file; });
    manifest_.inputs = manifestValues(interface_.inputs);
    manifest_.outputs = manifestValues(interface_.outputs);
    manifest_.states = manifestValues(interface_.states);
    manifest_.symbols = interface_.ranges;
    if (trace.peakBytes) {
        manifest_.peakBytes = arith::toString(trace.peakBytes);
        manifest_.usualPeakBytes = arith::evaluate(
            trace.peakBytes, inspect::symbolValues(trace.passes.front().after->main(), usualShapes(interface_)));
    }
    manifest_.tolerance = options_.tolerance;
    manifest_.limits = options_.limits;
    return {};
}

std::vector<driver::PluginId> Planner::plugins() const {
    const driver::Extensions* const extensions = options_.compile.extensions.get();
    std::map<std::string, driver::PluginId> used;
    const auto add = [&](const driver::Trace& trace) {
        for (driver::PluginId& plugin : driver::usedPlugins(trace, extensions))
            used.insert_or_assign(plugin.id, plugin);
    };
    add(*trace_);
    for (const Compiled& variant : variants_)
        add(*variant.second);
    std::vector<driver::PluginId> all;
    for (const auto& [id, plugin] : used)
        all.push_back(plugin);
    return all;
}

Planner::Words Planner::words() const {
    std::string machines;
    for (const ManifestVariant& variant : manifest_.variants)
        if (!machines.contains(variant.machine))
            machines += (machines.empty() ? "" : ", ") + variant.machine;
    std::string upper = options_.name;
    for (char& c : upper)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return {{"NAME", options_.name},
            {"UPPER", upper},
            {"TRIPLE", manifest_.variants.front().triple},
            {"VERSION", options_.version},
            {"MACHINES", machines},
            {"LATHE", manifest_.latheVersion},
            // What examples say, which run the first case.
            {"RIGHT", cases_.empty() ? "" : cases_.front().result.verdict("outputs as expected")},
            {"CREATED", std::to_string(manifest_.created)}};
}

void Planner::addDocuments(const Words& words) {
    add("README.md", FileKind::Document, readmeOf(manifest_, use_));
    add("licenses/Apache-2.0.txt", FileKind::Licence, std::string(textOf("Apache-2.0.txt")));
    add("licenses/THIRD_PARTY.md", FileKind::Licence, thirdPartyText(manifest_));
    // A library is linked with the C and C++ libraries of whoever takes it, and C source has no runtime.
    if (!packages_.empty())
        for (const std::string& file : packages_.front().files)
            if (file.starts_with("licenses/") &&
                (options_.form != BundleForm::Library || file == "licenses/xxhash.txt"))
                addCopy(file, FileKind::Licence, packages_.front().folder / file);
    if (has(Part::Reproduce)) {
        add("reproduce/reproduce.sh", FileKind::Reproduce, filled("reproduce.sh", words), true);
        add("reproduce/options.json", FileKind::Reproduce, toJson(options_));
        add("reproduce/decisions.json", FileKind::Reproduce, driver::toJson(options_.decisions) + "\n");
        // As sha256sum prints it, but for the name, which may be any bytes.
        add("reproduce/model.sha256", FileKind::Reproduce, manifest_.model.sha256 + "  -\n");
    }
}

Result<void> Planner::addManifest() {
    std::vector<PlannedFile>& files = bundle_.plan.files;
    const auto note = [&](size_t from) -> Result<void> {
        for (size_t i = from; i < files.size(); ++i) {
            const PlannedFile& file = files[i];
            LATHE_ASSERT(isBundlePath(file.path), "paths of a bundle are good ones");
            const auto digest = file.from.empty() ? FileDigest{sha256(file.text), file.text.size()}
                                                  : digestOf(file.from, progress_.cancelled);
            if (!digest) {
                Diagnostic unread = error("the file cannot be read");
                unread.file = file.from.string();
                return Failure(unread);
            }
            manifest_.files.push_back({file.path, digest->bytes, digest->sha256, std::string(toString(file.kind))});
        }
        std::ranges::sort(manifest_.files, {}, &ManifestFile::path);
        return {};
    };
    LATHE_CHECKED(note(0));
    if (has(Part::Sbom)) {
        const size_t before = files.size();
        std::map<std::string, std::string> sha1s;
        for (const PlannedFile& file : files) {
            const auto hash = file.from.empty() ? sha1(file.text) : sha1Of(file.from, progress_.cancelled);
            sha1s[file.path] = hash.value_or(std::string()); // it was read a moment ago
        }
        const Sbom sbom = sbomOf(manifest_, sha1s);
        add("sbom.spdx.json", FileKind::Sbom, sbom.spdx);
        add("sbom.cdx.json", FileKind::Sbom, sbom.cycloneDx);
        LATHE_CHECKED(note(before));
    }
    std::string sums;
    for (const ManifestFile& file : manifest_.files)
        sums += file.sha256 + "  " + file.path + "\n";
    manifest_.bundleId = bundle_.plan.bundleId = sha256(sums);
    const std::string manifest = toJson(manifest_);
    add("manifest.json", FileKind::Document, manifest);
    const std::string line = sha256(manifest) + "  manifest.json\n";
    size_t at = 0; // the lines are sorted by path
    for (const ManifestFile& file : manifest_.files)
        if (file.path < "manifest.json")
            at += file.sha256.size() + 2 + file.path.size() + 1;
    add("SHA256SUMS", FileKind::Check, sums.insert(at, line));
    std::ranges::sort(files, {}, &PlannedFile::path);
    for (const ManifestFile& file : manifest_.files)
        bundle_.plan.bytes += file.bytes;
    bundle_.plan.bytes += manifest.size() + sums.size();
    if (manifest_.limits.sizeBytes > 0 && bundle_.plan.bytes > static_cast<uint64_t>(manifest_.limits.sizeBytes))
        return failure(fmt::format("the bundle takes {} bytes, and at most {} were asked for", bundle_.plan.bytes,
                                   manifest_.limits.sizeBytes),
                       "leave out parts by --without, or allow more by --limit size=");
    return {};
}

} // namespace lathe::deploy
