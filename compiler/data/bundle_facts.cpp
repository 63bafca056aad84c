// SPDX-License-Identifier: Apache-2.0
#include "data/bundle_facts.h"

#include "base/json.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace lathe::data {
namespace {

using nlohmann::json;

constexpr std::string_view knownSchema = "lathe-bundle/1", caseFolder = "golden/", caseFile = "/case.json";

bool isListed(const std::vector<ListedFile>& listed, const std::string& path) {
    return std::ranges::find(listed, path, &ListedFile::path) != listed.end();
}

/// A text field of an object; nothing: it has none.
const std::string* textField(const json& object, const char* field) {
    const auto found = object.is_object() ? object.find(field) : object.end();
    return object.is_object() && found != object.end() ? found->get_ptr<const std::string*>() : nullptr;
}

/// Reads what is there of the limits: a limit that is not said is none.
bool readLimitsOf(const json& from, Limits& limits) {
    constexpr double most = 9e15; // bytes, exact as an integer and as a double
    const auto number = [&](const char* field, auto& into) {
        const auto found = from.find(field);
        if (found == from.end())
            return true;
        if (!found->is_number() || !(found->template get<double>() >= 0))
            return false;
        using Number = std::remove_reference_t<decltype(into)>;
        into = static_cast<Number>(std::min(found->template get<double>(), most));
        return true;
    };
    return from.is_object() && number("p50_ms", limits.p50Ms) && number("p99_ms", limits.p99Ms) &&
           number("load_ms", limits.loadMs) && number("resident_bytes", limits.residentBytes) &&
           number("size_bytes", limits.sizeBytes);
}

/// Of manifest.json: all but the cases that it does not name. Nothing: all went well.
std::optional<Diagnostic> readManifestOf(const std::string& text, const std::vector<ListedFile>& listed,
                                         BundleFacts& facts) {
    const auto root = parseJson(text);
    if (!root || !root->is_object())
        return error("it is no JSON object");
    if (const json schema = root->value("schema", json()); schema != knownSchema)
        return error(fmt::format("its schema is {}, this program reads {}", dump(schema), knownSchema),
                     "use the lathe-check that came with the bundle");
    const json variants = root->value("variants", json::array());
    if (!variants.is_array())
        return error("its variants are no list");
    for (const json& variant : variants) {
        const std::string* path = textField(variant, "path");
        if (!path || !isListed(listed, *path))
            return error("one of its variants names no file that SHA256SUMS lists");
        facts.artifacts.push_back(*path);
    }
    if (!readLimitsOf(root->value("limits", json::object()), facts.limits))
        return error("its limits are no object of numbers from 0 on");
    const json golden = root->value("golden", json::object());
    const json cases = golden.is_object() ? golden.value("cases", json::array()) : json();
    if (!cases.is_array())
        return error("its golden cases are no list");
    for (const json& each : cases) {
        const std::string* name = textField(each, "name");
        if (!name || !isListed(listed, fmt::format("{}{}{}", caseFolder, *name, caseFile)))
            return error("one of its golden cases has no case.json that SHA256SUMS lists");
        if (std::ranges::find(facts.cases, *name) == facts.cases.end())
            facts.cases.push_back(*name);
    }
    return std::nullopt;
}

} // namespace

Result<BundleFacts> readBundleFacts(const std::filesystem::path& bundle, const std::vector<ListedFile>& listed) {
    BundleFacts facts;
    if (isListed(listed, manifestName)) {
        std::ifstream file(bundle / manifestName, std::ios::binary);
        const std::string text((std::istreambuf_iterator<char>(file)), {});
        if (auto problem = readManifestOf(text, listed, facts)) {
            problem->file = manifestName;
            return Failure(*std::move(problem));
        }
    } else {
        for (const ListedFile& file : listed)
            if (file.path.starts_with("model/") && file.path.ends_with(".so"))
                facts.artifacts.push_back(file.path);
    }
    for (const ListedFile& file : listed) {
        if (!file.path.starts_with(caseFolder) || !file.path.ends_with(caseFile) ||
            file.path.size() <= caseFolder.size() + caseFile.size())
            continue;
        std::string name = file.path.substr(caseFolder.size(), file.path.size() - caseFolder.size() - caseFile.size());
        if (std::ranges::find(facts.cases, name) == facts.cases.end())
            facts.cases.push_back(std::move(name));
    }
    return facts;
}

} // namespace lathe::data
