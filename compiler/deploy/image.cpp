// SPDX-License-Identifier: Apache-2.0
//
// A layout is files that are called after their SHA-256: for each machine a layer, which is a tar file, a configuration, which
// says how it is run, and a manifest, which names both; and an index of these.
#include "deploy/image.h"

#include "base/guarded.h"
#include "base/json.h"
#include "base/memory_file.h"
#include "data/listed_files.h"
#include "deploy/archive.h"
#include "deploy/bundle_model.h"
#include "deploy/file_digest.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* folderInImage = "bundle";

constexpr const char* indexType = "application/vnd.oci.image.index.v1+json";
constexpr const char* manifestType = "application/vnd.oci.image.manifest.v1+json";
constexpr const char* configurationType = "application/vnd.oci.image.config.v1+json";
constexpr const char* layerType = "application/vnd.oci.image.layer.v1.tar";

/// As Go calls machines, which the format refers to.
std::string architectureOf(std::string_view machine) {
    return std::string(machine == "x86_64" ? "amd64" : machine == "aarch64" ? "arm64" : machine);
}

/// Tags have fewer characters than versions, and a manifest may have any text as one.
std::string tagOf(std::string version) {
    version.resize(std::min<size_t>(version.size(), 127));
    std::ranges::replace_if(
        version, [](unsigned char c) { return !std::isalnum(c) && c != '.' && c != '-' && c != '_'; }, '_');
    if (version.empty() || version.starts_with('.') || version.starts_with('-'))
        version.insert(0, "_");
    return version;
}

class ImageWriter {
public:
    explicit ImageWriter(const driver::Progress& progress) : progress_(progress) {}

    Result<void> write(const std::vector<OpenBundle>& bundles, const fs::path& out, bool replace) {
        const Manifest& first = bundles.front().manifest();
        json images = json::array();
        for (const OpenBundle& bundle : bundles)
            LATHE_CHECKED(add(bundle, images));
        // What knows no index of an index takes the one image of a layout.
        json named = images.front();
        if (images.size() > 1)
            named = blob(indexType, {{"schemaVersion", 2}, {"mediaType", indexType}, {"manifests", images}});
        named["annotations"] = {{"org.opencontainers.image.ref.name", tagOf(first.version)},
                                {"io.containerd.image.name", fmt::format("{}:{}", first.name, tagOf(first.version))}};
        add("oci-layout", json{{"imageLayoutVersion", "1.0.0"}});
        add("index.json", json{{"schemaVersion", 2}, {"mediaType", indexType}, {"manifests", json::array({named})}});
        saved_["RepoTags"] = json::array({fmt::format("{}:{}", first.name, tagOf(first.version))});
        add("manifest.json", json::array({saved_}));
        std::ranges::sort(files_, {}, &PlannedFile::path);
        return writeArchive(files_, "", first.created, out, progress_.cancelled,
                            [&] { return mayWrite(out, replace); });
    }

private:
    void add(std::string path, const json& text) {
        files_.push_back({std::move(path), FileKind::Document, dump(text), {}, false});
    }
    static std::string pathOf(std::string_view hash) { return fmt::format("blobs/sha256/{}", hash); }
    static json descriptor(const char* type, const FileDigest& digest) {
        return {{"mediaType", type}, {"digest", "sha256:" + digest.sha256}, {"size", digest.bytes}};
    }
    json blob(const char* type, const json& content) {
        const std::string text = dump(content);
        const FileDigest digest{sha256(text), text.size()};
        add(pathOf(digest.sha256), content);
        return descriptor(type, digest);
    }

    /// Its files in one layer; a descriptor of its image.
    Result<void> add(const OpenBundle& bundle, json& images) {
        const Manifest& manifest = bundle.manifest();
        const ManifestVariant& program = manifest.variants.front();
        std::vector<PlannedFile> files;
        for (const ManifestFile& file : manifest.files)
            files.push_back(
                {file.path, FileKind::Artifact, {}, bundle.folder() / file.path, file.path == program.path});
        for (const char* file : {"manifest.json", data::sumsName, data::signatureName})
            if (std::error_code none; fs::exists(bundle.folder() / file, none))
                files.push_back({file, FileKind::Document, {}, bundle.folder() / file, false});
        auto layer = std::make_shared<MemoryFile>("lathe-layer");
        LATHE_CHECKED(writeArchive(files, folderInImage, manifest.created, layer->path(), progress_.cancelled));
        const auto digest = digestOf(layer->path(), progress_.cancelled);
        LATHE_ASSERT(digest, "what was written is read again");
        files_.push_back({pathOf(digest->sha256), FileKind::Artifact, {}, layer->path(), false});
        layers_.push_back(std::move(layer));

        const std::string created = createdText(manifest);
        const json platform{{"architecture", architectureOf(program.machine)}, {"os", "linux"}};
        const json annotations{{"org.opencontainers.image.created", created},
                               {"org.opencontainers.image.title", manifest.name},
                               {"org.opencontainers.image.version", manifest.version},
                               {"org.opencontainers.image.licenses", manifest.model.licence}};
        json configuration = platform;
        configuration["created"] = created;
        configuration["config"] = {{"Entrypoint", json::array({fmt::format("/{}/{}", folderInImage, program.path)})},
                                   {"WorkingDir", fmt::format("/{}", folderInImage)},
                                   {"Labels", annotations}};
        configuration["rootfs"] = {{"type", "layers"}, {"diff_ids", json::array({"sha256:" + digest->sha256})}};
        configuration["history"] = json::array({{{"created", created}, {"created_by", "lathe bundle image"}}});
        const json configured = blob(configurationType, configuration);
        if (saved_.is_null())
            saved_ = {{"Config", pathOf(configured["digest"].get<std::string>().substr(7))},
                      {"Layers", json::array({pathOf(digest->sha256)})}};
        json image = blob(manifestType, {{"schemaVersion", 2},
                                         {"mediaType", manifestType},
                                         {"config", configured},
                                         {"layers", json::array({descriptor(layerType, *digest)})},
                                         {"annotations", annotations}});
        image["platform"] = platform;
        images.push_back(std::move(image));
        return {};
    }

    const driver::Progress& progress_;
    std::vector<PlannedFile> files_;
    std::vector<std::shared_ptr<MemoryFile>> layers_; // which files_ refer to
    json saved_;                                      // of the first, for the list of `docker save`
};

Result<void> fit(const std::vector<OpenBundle>& bundles, const driver::Progress& progress) {
    for (const OpenBundle& bundle : bundles) {
        const Manifest& manifest = bundle.manifest();
        if (manifest.form != BundleForm::Program)
            return failure(ErrorKind::Usage,
                           fmt::format("the bundle '{}' is no static program, as an image needs it", manifest.name),
                           "make it by lathe bundle --form exe");
        if (manifest.name != bundles.front().manifest().name || manifest.version != bundles.front().manifest().version)
            return failure(ErrorKind::Usage, "these are bundles of two models, or of two versions",
                           "make an image of each");
        const std::string& machine = manifest.variants.front().machine;
        if (std::ranges::count_if(bundles, [&](const OpenBundle& each) {
                return each.manifest().variants.front().machine == machine;
            }) > 1)
            return failure(ErrorKind::Usage, fmt::format("two of the bundles are for {}", machine),
                           "an image has one a machine: name the one for the least of its CPUs");
    }
    for (const OpenBundle& bundle : bundles)
        if (auto problems = verifyFiles(bundle, data::Beside::Used, progress); !problems.empty())
            return Failure(std::move(problems.front()));
    return {};
}

} // namespace

Result<void> writeImage(const std::vector<OpenBundle>& bundles, const fs::path& out, bool replace,
                        const driver::Progress& progress) {
    return guarded([&]() -> Result<void> {
        LATHE_ASSERT(!bundles.empty(), "an image is of something");
        if (!isPlainTarName(out))
            return failure(ErrorKind::Usage, fmt::format("'{}' is no name of an image", out.string()),
                           "name it NAME.tar");
        LATHE_CHECKED(mayWrite(out, replace));
        LATHE_CHECKED(fit(bundles, progress));
        return ImageWriter(progress).write(bundles, out, replace);
    });
}

} // namespace lathe::deploy
