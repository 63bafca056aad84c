// SPDX-License-Identifier: Apache-2.0
#include "deploy/manifest.h"

#include "base/sha256.h"
#include "deploy/bundle_plan.h"
#include "deploy/json_reader.h"
#include "deploy/plugin_fields.h"

#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace lathe::deploy {
namespace {

using nlohmann::json;

constexpr std::string_view formNames[] = {"folder", "exe", "static", "c"}; // by BundleForm

json toJson(const ManifestDim& dim) {
    if (const auto* number = std::get_if<int64_t>(&dim))
        return *number;
    if (const auto* symbol = std::get_if<std::string>(&dim))
        return *symbol;
    return nullptr;
}

json toJson(const std::vector<ManifestValue>& values) {
    json all = json::array();
    for (const ManifestValue& value : values) {
        json dims = json::array();
        for (const ManifestDim& dim : value.dims)
            dims.push_back(toJson(dim));
        all.push_back({{"name", value.name}, {"dtype", value.dtype}, {"dims", dims}});
    }
    return all;
}

json toJson(const Manifest::Model& model) {
    json versions = json::object(), data = json::array();
    for (const auto& [domain, version] : model.versions)
        versions[domain] = version;
    for (const Manifest::Model::Data& file : model.externalData)
        data.push_back({{"file", file.file}, {"sha256", file.sha256}});
    return {{"file", model.file},         {"format", model.format},   {"sha256", model.sha256},
            {"producer", model.producer}, {"license", model.licence}, {"opset_imports", versions},
            {"external_data", data}};
}

json toJson(const std::vector<ManifestVariant>& variants) {
    json all = json::array();
    for (const ManifestVariant& variant : variants) {
        const bool any = variant.machine == anyMachine;
        all.push_back({{"path", variant.path},
                       {"tag", variant.tag},
                       {"triple", variant.triple},
                       {"target", variant.target},
                       {"requires",
                        {{"os", any ? anyMachine : "linux"},
                         {"machine", variant.machine},
                         {"endianness", "little"},
                         {"word_bits", any ? 0 : 64},
                         {"cpu", variant.cpu},
                         {"isa", variant.isa},
                         {"vector_length_bits", variant.vectorBits},
                         {"max_page_size", variant.maxPageSize},
                         {"glibc", variant.glibc},
                         {"glibcxx", variant.glibcxx}}}});
    }
    return all;
}

/// Reads fields one after the other; the first that is wrong is kept.
class ManifestReader {
public:
    explicit ManifestReader(const json& root) : root_(root) {}

    Result<Manifest> read();

private:
    Result<void> model(const FieldsOf& fields, Manifest::Model& model);
    Result<void> variants(Manifest& manifest);
    Result<void> values(const char* name, std::vector<ManifestValue>& into);
    Result<void> symbols(Manifest& manifest);
    Result<void> golden(Manifest& manifest);
    Result<void> files(Manifest& manifest);
    Result<void> checkPaths(const Manifest& manifest);

    const json& root_;
};

Result<void> ManifestReader::model(const FieldsOf& fields, Manifest::Model& model) {
    LATHE_CHECKED(fields.text("file", model.file));
    LATHE_CHECKED(fields.text("format", model.format));
    LATHE_CHECKED(fields.text("sha256", model.sha256));
    LATHE_CHECKED(fields.text("producer", model.producer));
    LATHE_CHECKED(fields.text("license", model.licence));
    LATHE_TRY(const FieldsOf versions, fields.object("opset_imports"));
    for (const auto& [domain, unused] : versions.items()) {
        LATHE_CHECKED(versions.number(domain.c_str(), model.versions.emplace_back(domain, 0).second));
    }
    if (!fields.isNull("signature"))
        LATHE_CHECKED(fields.text("signature", model.signature));
    return fields.each("external_data", [&](const FieldsOf& file) -> Result<void> {
        auto& data = model.externalData.emplace_back();
        LATHE_CHECKED(file.text("file", data.file));
        return file.text("sha256", data.sha256);
    });
}

Result<void> ManifestReader::variants(Manifest& manifest) {
    return FieldsOf(root_, "").each("variants", [&](const FieldsOf& fields) -> Result<void> {
        ManifestVariant& variant = manifest.variants.emplace_back();
        LATHE_CHECKED(fields.text("path", variant.path));
        LATHE_CHECKED(fields.text("tag", variant.tag));
        LATHE_CHECKED(fields.text("triple", variant.triple));
        LATHE_CHECKED(fields.text("target", variant.target));
        LATHE_TRY(const FieldsOf needs, fields.object("requires"));
        LATHE_CHECKED(needs.text("machine", variant.machine));
        LATHE_CHECKED(needs.text("cpu", variant.cpu));
        LATHE_CHECKED(needs.number("vector_length_bits", variant.vectorBits));
        // Older bundles do not say them.
        if (!needs.isNull("max_page_size"))
            LATHE_CHECKED(needs.number("max_page_size", variant.maxPageSize));
        for (const auto& [field, into] : {std::pair{"glibc", &variant.glibc}, std::pair{"glibcxx", &variant.glibcxx}})
            if (!needs.isNull(field))
                LATHE_CHECKED(needs.text(field, *into));
        return needs.texts("isa", variant.isa);
    });
}

Result<void> ManifestReader::values(const char* name, std::vector<ManifestValue>& into) {
    return FieldsOf(root_, "").each(name, [&](const FieldsOf& fields) -> Result<void> {
        ManifestValue& value = into.emplace_back();
        LATHE_CHECKED(fields.text("name", value.name));
        LATHE_CHECKED(fields.text("dtype", value.dtype));
        if (!parseDataType(value.dtype))
            return fields.wrong("dtype", "is no type of elements");
        LATHE_TRY(const json* dims, fields.array("dims"));
        for (const json& dim : *dims) {
            const auto number = integer<int64_t>(dim);
            if (number && *number >= 0)
                value.dims.emplace_back(*number);
            else if (dim.is_string())
                value.dims.emplace_back(dim.get<std::string>());
            else if (dim.is_null())
                value.dims.emplace_back();
            else
                return fields.wrong("dims", "has a dim that is neither a size, a symbol nor null");
        }
        return {};
    });
}

Result<void> ManifestReader::symbols(Manifest& manifest) {
    LATHE_TRY(const FieldsOf all, FieldsOf(root_, "").object("symbols"));
    for (const auto& [name, unused] : all.items()) {
        LATHE_TRY(const FieldsOf fields, all.object(name.c_str()));
        SymbolRange range;
        LATHE_CHECKED(fields.number("min", range.least));
        LATHE_CHECKED(fields.number("default", range.usual));
        if (!fields.isNull("max")) {
            range.most = 0;
            LATHE_CHECKED(fields.number("max", *range.most));
        }
        if (range.usual < range.least || (range.most && *range.most < range.usual))
            return fields.wrong("default", "lies outside of min and max");
        manifest.symbols[name] = range;
    }
    return {};
}

Result<void> ManifestReader::golden(Manifest& manifest) {
    LATHE_TRY(const FieldsOf fields, FieldsOf(root_, "").object("golden"));
    LATHE_TRY(const FieldsOf tolerance, fields.object("tolerance"));
    LATHE_CHECKED(tolerance.real("absolute", manifest.tolerance.absolute));
    LATHE_CHECKED(tolerance.real("of_range", manifest.tolerance.ofRange));
    return fields.each("cases", [&](const FieldsOf& one) -> Result<void> {
        ManifestCase& golden = manifest.golden.emplace_back();
        LATHE_CHECKED(one.text("name", golden.name));
        LATHE_CHECKED(one.text("source", golden.source));
        if (!isBundlePath(golden.name) || golden.name.contains('/'))
            return one.wrong("name", "is no name of a folder");
        return {};
    });
}

Result<void> ManifestReader::files(Manifest& manifest) {
    return FieldsOf(root_, "").each("files", [&](const FieldsOf& fields) -> Result<void> {
        ManifestFile& file = manifest.files.emplace_back();
        int64_t bytes = 0;
        LATHE_CHECKED(fields.text("path", file.path));
        LATHE_CHECKED(fields.number("bytes", bytes));
        LATHE_CHECKED(fields.text("sha256", file.sha256));
        LATHE_CHECKED(fields.text("kind", file.kind));
        file.bytes = static_cast<uint64_t>(bytes);
        if (!isBundlePath(file.path))
            return fields.wrong("path", "is no path within the bundle");
        if (!isSha256(file.sha256))
            return fields.wrong("sha256", "is no SHA-256");
        return {};
    });
}

Result<void> ManifestReader::checkPaths(const Manifest& manifest) {
    std::set<std::string_view> paths;
    for (const ManifestFile& file : manifest.files)
        if (file.path == "manifest.json" || file.path == "SHA256SUMS" || !paths.insert(file.path).second)
            return failure(fmt::format("'files' names '{}' where it may not stand, or twice", file.path));
    for (const ManifestVariant& variant : manifest.variants)
        if (!paths.contains(variant.path))
            return failure(fmt::format("the artifact '{}' is none of 'files'", variant.path));
    if (manifest.form != BundleForm::Folder && manifest.variants.size() != 1)
        return failure("'variants' are not one, and this form has one");
    return {};
}

Result<Manifest> ManifestReader::read() {
    const FieldsOf root(root_, "");
    Manifest manifest;
    std::string schema;
    LATHE_CHECKED(root.text("schema", schema));
    if (schema != manifestSchema)
        return failure(fmt::format("its schema is '{}', and this version of Lathe reads {}", schema, manifestSchema),
                       "use the version of Lathe that made the bundle, or a later one");
    if (!root.isNull("form")) { // older bundles are folders
        std::string form;
        LATHE_CHECKED(root.text("form", form));
        LATHE_TRY(manifest.form, parseForm(form));
    }
    LATHE_CHECKED(root.text("bundle_id", manifest.bundleId));
    LATHE_CHECKED(root.text("name", manifest.name));
    LATHE_CHECKED(root.text("version", manifest.version));
    if (!isModelName(manifest.name))
        return root.wrong("name", "is no name of a model");
    if (!isSha256(manifest.bundleId))
        return root.wrong("bundle_id", "is no SHA-256");
    LATHE_CHECKED(root.number("created_seconds", manifest.created));
    if (manifest.created > latestTime)
        return root.wrong("created_seconds", "is after the year 9999");
    LATHE_TRY(const FieldsOf made, root.object("made_by"));
    LATHE_CHECKED(made.text("lathe", manifest.latheVersion));
    LATHE_CHECKED(made.text("llvm", manifest.llvmVersion));
    if (!root.isNull("plugins")) {
        LATHE_TRY(manifest.plugins, readPlugins(root));
    }
    LATHE_CHECKED(root.number("abi_version", manifest.abiVersion));
    std::string numerics;
    LATHE_CHECKED(root.text("numerics", numerics));
    LATHE_TRY(manifest.numerics, driver::keptNumerics(numerics));
    LATHE_TRY(const FieldsOf modelFields, root.object("model"));
    LATHE_CHECKED(model(modelFields, manifest.model));
    LATHE_CHECKED(variants(manifest));
    LATHE_CHECKED(values("inputs", manifest.inputs));
    LATHE_CHECKED(values("outputs", manifest.outputs));
    if (!root.isNull("states"))
        LATHE_CHECKED(values("states", manifest.states));
    LATHE_CHECKED(symbols(manifest));
    LATHE_CHECKED(root.text("peak_bytes", manifest.peakBytes));
    if (!root.isNull("peak_bytes_at_default"))
        LATHE_CHECKED(root.number("peak_bytes_at_default", manifest.usualPeakBytes.emplace()));
    LATHE_CHECKED(golden(manifest));
    LATHE_TRY(const FieldsOf limits, root.object("limits"));
    LATHE_CHECKED(limits.real("p50_ms", manifest.limits.p50Ms));
    LATHE_CHECKED(limits.real("p99_ms", manifest.limits.p99Ms));
    LATHE_CHECKED(limits.real("load_ms", manifest.limits.loadMs));
    LATHE_CHECKED(limits.number("resident_bytes", manifest.limits.residentBytes));
    LATHE_CHECKED(limits.number("size_bytes", manifest.limits.sizeBytes));
    LATHE_CHECKED(files(manifest));
    LATHE_CHECKED(checkPaths(manifest));
    return manifest;
}

} // namespace

std::string_view toString(BundleForm form) {
    return formNames[static_cast<size_t>(form)];
}

Result<BundleForm> parseForm(std::string_view text) {
    const auto at = std::ranges::find(formNames, text);
    if (at == std::end(formNames))
        return failure(ErrorKind::Usage, fmt::format("'{}' is no form of a bundle", text),
                       fmt::format("use {}", fmt::join(formNames, ", ")));
    return static_cast<BundleForm>(at - std::begin(formNames));
}

std::string toString(const ManifestDim& dim) {
    if (const auto* number = std::get_if<int64_t>(&dim))
        return std::to_string(*number);
    const auto* symbol = std::get_if<std::string>(&dim);
    return symbol ? *symbol : "?";
}

std::string createdText(const Manifest& manifest) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(manifest.created)));
}

std::string toJson(const Manifest& manifest) {
    json symbols = json::object(), cases = json::array(), files = json::array();
    for (const auto& [name, range] : manifest.symbols)
        symbols[name] = {
            {"min", range.least}, {"max", range.most ? json(*range.most) : json()}, {"default", range.usual}};
    for (const ManifestCase& golden : manifest.golden)
        cases.push_back({{"name", golden.name}, {"source", golden.source}});
    for (const ManifestFile& file : manifest.files)
        files.push_back({{"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}, {"kind", file.kind}});
    const Limits& limits = manifest.limits;
    json root = {
        {"schema", manifestSchema},
        {"form", toString(manifest.form)},
        {"bundle_id", manifest.bundleId},
        {"name", manifest.name},
        {"version", manifest.version},
        {"created", createdText(manifest)},
        {"created_seconds", manifest.created},
        {"made_by", {{"lathe", manifest.latheVersion}, {"llvm", manifest.llvmVersion}}},
        {"abi_version", manifest.abiVersion},
        {"numerics", toString(manifest.numerics)},
        {"model", toJson(manifest.model)},
        {"variants", toJson(manifest.variants)},
        {"inputs", toJson(manifest.inputs)},
        {"outputs", toJson(manifest.outputs)},
        {"symbols", symbols},
        {"peak_bytes", manifest.peakBytes},
        {"peak_bytes_at_default", manifest.usualPeakBytes ? json(*manifest.usualPeakBytes) : json()},
        {"golden",
         {{"cases", cases},
          {"tolerance", {{"absolute", manifest.tolerance.absolute}, {"of_range", manifest.tolerance.ofRange}}}}},
        {"limits",
         {{"p50_ms", limits.p50Ms},
          {"p99_ms", limits.p99Ms},
          {"load_ms", limits.loadMs},
          {"resident_bytes", limits.residentBytes},
          {"size_bytes", limits.sizeBytes}}},
        {"files", files}};
    // What most bundles have not is left out, as older ones leave it out.
    if (!manifest.states.empty())
        root["states"] = toJson(manifest.states);
    if (!manifest.model.signature.empty())
        root["model"]["signature"] = manifest.model.signature;
    if (!manifest.plugins.empty())
        root["plugins"] = toJson(manifest.plugins);
    return dump(root, 2) + "\n";
}

Result<Manifest> parseManifest(std::string_view text) {
    const std::optional<json> root = parseJson(text);
    if (!root || !root->is_object())
        return failure("it is no JSON object");
    return ManifestReader(*root).read();
}

} // namespace lathe::deploy
