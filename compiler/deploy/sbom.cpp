// SPDX-License-Identifier: Apache-2.0
#include "deploy/sbom.h"

#include "abi/dlpack.h"
#include "base/json.h"
#include "base/sha1.h"
#include "base/sha256.h"
#include "deploy/licence.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <xxhash.h>

namespace lathe::deploy {
namespace {

using nlohmann::json;

constexpr std::string_view runtimeLicence = "Apache-2.0";

/// A UUID that follows from what it names. Version 8 (RFC 9562): made by a hash of one's own choice.
std::string uuidOf(std::string_view named) {
    std::string digits = sha256(named).substr(0, 32);
    digits[12] = '8';
    digits[16] = "89ab"[static_cast<size_t>(digits[16] <= '9' ? digits[16] - '0' : digits[16] - 'a' + 10) % 4];
    return fmt::format("{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4), digits.substr(12, 4),
                       digits.substr(16, 4), digits.substr(20));
}

std::string identityOf(const Manifest& manifest) {
    std::string text = manifest.name + " " + manifest.version;
    for (const ManifestFile& file : manifest.files)
        text += "\n" + file.sha256 + " " + file.path;
    return uuidOf(text);
}

std::string text(const json& value) {
    return dump(value, 2) + "\n";
}

struct Component {
    std::string id, name, version, licence, sha256, purpose;
};

/// What others made of the runtime of a form and of the programs in it. Versions are those of what Lathe itself is built with: the sysroots of
/// other machines come with the same distribution.
std::vector<Component> othersWork(BundleForm form) {
    if (form == BundleForm::CSource)
        return {};
    std::vector<Component> all = {{"DLPack", "dlpack", fmt::format("{}.{}", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION),
                                   "Apache-2.0", "", "LIBRARY"},
                                  {"xxHash", "xxhash",
                                   fmt::format("{}.{}.{}", XXH_VERSION_MAJOR, XXH_VERSION_MINOR, XXH_VERSION_RELEASE),
                                   "BSD-2-Clause", "", "LIBRARY"}};
    if (form == BundleForm::Library)
        return all;
    const std::string gcc = std::to_string(_GLIBCXX_RELEASE);
    const std::string gccLicence = "GPL-3.0-or-later WITH GCC-exception-3.1";
    all.insert(
        all.end(),
        {{"fmt", "fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100), "MIT",
          "", "LIBRARY"},
         {"JSON", "nlohmann-json",
          fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                      NLOHMANN_JSON_VERSION_PATCH),
          "MIT", "", "LIBRARY"},
         {"glibc", "glibc", fmt::format("{}.{}", __GLIBC__, __GLIBC_MINOR__), "LGPL-2.1-or-later", "", "LIBRARY"},
         {"libstdcxx", "libstdc++", gcc, gccLicence, "", "LIBRARY"},
         {"libgcc", "libgcc", gcc, gccLicence, "", "LIBRARY"}});
    return all;
}

std::vector<Component> componentsOf(const Manifest& manifest) {
    std::vector<Component> all = {
        {"SourceModel", manifest.model.file, "NOASSERTION", manifest.model.licence, manifest.model.sha256, "SOURCE"},
    };
    if (manifest.form != BundleForm::CSource)
        all.push_back({"Runtime", "liblathe_rt", manifest.latheVersion, std::string(runtimeLicence), "", "LIBRARY"});
    std::ranges::move(othersWork(manifest.form), std::back_inserter(all));
    for (size_t i = 0; i < manifest.variants.size(); ++i)
        for (const ManifestFile& file : manifest.files)
            if (file.path == manifest.variants[i].path)
                all.push_back({fmt::format("Artifact-{}", i), file.path, manifest.version, manifest.model.licence,
                               file.sha256, "APPLICATION"});
    return all;
}

/// SPDX 2.3, 7.9: a hash of the hashes of all files, in order of the hashes.
std::string verificationCode(const std::map<std::string, std::string>& sha1s) {
    std::vector<std::string> sorted;
    for (const auto& [path, hash] : sha1s)
        sorted.push_back(hash);
    std::ranges::sort(sorted);
    std::string all;
    for (const std::string& hash : sorted)
        all += hash;
    return sha1(all);
}

std::string spdx(const Manifest& manifest, const std::vector<Component>& components,
                 const std::map<std::string, std::string>& sha1s) {
    json packages = json::array(), files = json::array(), relations = json::array();
    packages.push_back(
        {{"SPDXID", "SPDXRef-Bundle"},
         {"name", manifest.name},
         {"versionInfo", manifest.version},
         {"downloadLocation", "NOASSERTION"},
         {"filesAnalyzed", true},
         {"packageVerificationCode",
          {{"packageVerificationCodeValue", verificationCode(sha1s)},
           {"packageVerificationCodeExcludedFiles",
            {"./SHA256SUMS", "./SHA256SUMS.sig", "./manifest.json", "./sbom.cdx.json", "./sbom.spdx.json"}}}},
         {"licenseConcluded", "NOASSERTION"},
         {"licenseDeclared", "NOASSERTION"},
         {"copyrightText", "NOASSERTION"}});
    relations.push_back({{"spdxElementId", "SPDXRef-DOCUMENT"},
                         {"relationshipType", "DESCRIBES"},
                         {"relatedSpdxElement", "SPDXRef-Bundle"}});
    for (const Component& one : components) {
        json package = {{"SPDXID", "SPDXRef-" + one.id},
                        {"name", one.name},
                        {"versionInfo", one.version},
                        {"downloadLocation", "NOASSERTION"},
                        {"filesAnalyzed", false},
                        {"primaryPackagePurpose", one.purpose},
                        {"licenseConcluded", "NOASSERTION"},
                        {"licenseDeclared", one.licence},
                        {"copyrightText", "NOASSERTION"}};
        if (!one.sha256.empty())
            package["checksums"] = json::array({{{"algorithm", "SHA256"}, {"checksumValue", one.sha256}}});
        packages.push_back(std::move(package));
        relations.push_back({{"spdxElementId", "SPDXRef-Bundle"},
                             {"relationshipType", one.purpose == "SOURCE" ? "GENERATED_FROM" : "CONTAINS"},
                             {"relatedSpdxElement", "SPDXRef-" + one.id}});
    }
    for (size_t i = 0; i < manifest.files.size(); ++i) {
        const std::string id = fmt::format("SPDXRef-File-{}", i);
        files.push_back({{"SPDXID", id},
                         {"fileName", "./" + manifest.files[i].path},
                         {"checksums", // SPDX 2.3, 8.4 asks for SHA-1; nobody should rely on that any more
                          json::array({{{"algorithm", "SHA1"}, {"checksumValue", sha1s.at(manifest.files[i].path)}},
                                       {{"algorithm", "SHA256"}, {"checksumValue", manifest.files[i].sha256}}})},
                         {"licenseConcluded", "NOASSERTION"},
                         {"copyrightText", "NOASSERTION"}});
        relations.push_back(
            {{"spdxElementId", "SPDXRef-Bundle"}, {"relationshipType", "CONTAINS"}, {"relatedSpdxElement", id}});
    }
    json ownLicences = json::array(); // SPDX 2.3, 10: licences that are on no list
    for (const std::string& ref : licenceRefsOf(manifest.model.licence))
        ownLicences.push_back({{"licenseId", ref}, {"extractedText", "Ask whoever made the bundle for these terms."}});
    return text(
        {{"spdxVersion", "SPDX-2.3"},
         {"dataLicense", "CC0-1.0"},
         {"SPDXID", "SPDXRef-DOCUMENT"},
         {"name", manifest.name + "-" + manifest.version},
         {"documentNamespace", "urn:uuid:" + identityOf(manifest)},
         {"creationInfo",
          {{"created", createdText(manifest)}, {"creators", json::array({"Tool: Lathe-" + manifest.latheVersion})}}},
         {"packages", packages},
         {"hasExtractedLicensingInfos", ownLicences},
         {"files", files},
         {"relationships", relations}});
}

std::string cycloneDx(const Manifest& manifest, const std::vector<Component>& components) {
    json listed = json::array();
    for (const Component& one : components) {
        json component = {{"bom-ref", one.id},
                          {"type", one.purpose == "LIBRARY" ? "library" : "machine-learning-model"},
                          {"name", one.name},
                          {"version", one.version}};
        if (one.licence != "NOASSERTION")
            component["licenses"] = json::array({{{"expression", one.licence}}});
        if (!one.sha256.empty())
            component["hashes"] = json::array({{{"alg", "SHA-256"}, {"content", one.sha256}}});
        listed.push_back(std::move(component));
    }
    return text(
        {{"$schema", "http://cyclonedx.org/schema/bom-1.6.schema.json"},
         {"bomFormat", "CycloneDX"},
         {"specVersion", "1.6"},
         {"serialNumber", "urn:uuid:" + identityOf(manifest)},
         {"version", 1},
         {"metadata",
          {{"timestamp", createdText(manifest)},
           {"tools",
            {{"components",
              json::array({{{"type", "application"}, {"name", "Lathe"}, {"version", manifest.latheVersion}}})}}},
           {"component",
            {{"bom-ref", "bundle"},
             {"type", "machine-learning-model"},
             {"name", manifest.name},
             {"version", manifest.version}}}}},
         {"components", listed}});
}

} // namespace

Sbom sbomOf(const Manifest& manifest, const std::map<std::string, std::string>& sha1) {
    const std::vector<Component> components = componentsOf(manifest);
    return {spdx(manifest, components, sha1), cycloneDx(manifest, components)};
}

std::string thirdPartyText(const Manifest& manifest) {
    if (manifest.form == BundleForm::CSource)
        return "# Whose work is in this bundle\n\n"
               "- `source/`: the model's, under its own licence (see `manifest.json`), in code that Lathe made of it.\n"
               "- `Makefile`, `golden/compare.c`, `golden/npy.h`: Lathe, Apache-2.0 (`Apache-2.0.txt`).\n";
    if (manifest.form == BundleForm::Library)
        return "# Whose work is in this bundle\n\n"
               "- `lib/liblathe_rt*.a`, `include/lathe/`, `examples/`: Lathe, Apache-2.0 (`Apache-2.0.txt`).\n"
               "- `include/lathe/dlpack.h`: DLPack, Apache-2.0.\n"
               "- In `lib/liblathe_rt*.a`: xxHash, BSD-2-Clause (`xxhash.txt`).\n"
               "- `lib/`, the model's library: the model's, under its own licence (see `manifest.json`), in code that "
               "Lathe made\n  of it.\n";
    if (manifest.form == BundleForm::Program)
        return "# Whose work is in this bundle\n\n"
               "- `bin/`: the model's, under its own licence (see `manifest.json`), in code that Lathe made of it, and "
               "Lathe's\n  runtime, Apache-2.0 (`Apache-2.0.txt`), which includes DLPack, fmt (MIT), JSON for Modern "
               "C++ "
               "(MIT) and xxHash\n  (BSD-2-Clause); `fmt.txt`, `json.txt`, `xxhash.txt`. It is linked statically with "
               "the GNU C library "
               "(LGPL-2.1-or-later), "
               "libstdc++ and libgcc\n  (GPL-3.0-or-later with the GCC Runtime Library Exception). Whoever passes it "
               "on "
               "has to offer what serves to link it\n  anew with another version of them: the model's library, which "
               "`lathe bundle --form static` makes of the same\n  options (`reproduce/`), and Lathe's sources.\n";
    return "# Whose work is in this bundle\n\n"
           "- `lib/`, `include/lathe/`, `python/`, `examples/`: Lathe, Apache-2.0 (`Apache-2.0.txt`).\n"
           "- `include/lathe/dlpack.h`: DLPack, Apache-2.0.\n"
           "- `model/`: the model's, under its own licence (see `manifest.json`), in code that Lathe made of it.\n"
           "- In `lib/` and `bin/*/lathe-check`: xxHash, BSD-2-Clause (`xxhash.txt`). In `bin/*/lathe-check`: fmt "
           "(`fmt.txt`)\n"
           "  and JSON for Modern C++ (`json.txt`), MIT.\n"
           "- `bin/*/lathe-check` is linked statically with the GNU C library (LGPL-2.1-or-later), libstdc++ and "
           "libgcc\n"
           "  (GPL-3.0-or-later with the GCC Runtime Library Exception). `lib/*/liblathe_rt.a` and Lathe's sources "
           "serve to\n"
           "  link it anew with another version of them.\n";
}

} // namespace lathe::deploy
