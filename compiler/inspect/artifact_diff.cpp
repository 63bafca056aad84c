// SPDX-License-Identifier: Apache-2.0
#include "inspect/artifact_diff.h"

#include "base/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace lathe::inspect {
namespace {

/// By name: what stands under it. Names that stand several times are numbered.
class Table {
public:
    void add(const std::string& name, std::string text) {
        const int times = ++seen_[name];
        rows[times == 1 ? name : fmt::format("{} ({})", name, times)] = std::move(text);
    }
    std::map<std::string, std::string> rows;

private:
    std::map<std::string, int> seen_;
};

/// The tables of an artifact that an older Lathe wrote may say less; what is malformed counts as not there.
std::map<std::string, Table> tablesOf(const ArtifactFacts& facts) {
    std::map<std::string, Table> tables;
    const nlohmann::json metadata = parseJson(facts.model.metadata).value_or(nlohmann::json::object());
    const auto text = [&](const char* key) {
        const auto found = metadata.is_object() ? metadata.find(key) : metadata.end();
        return found == metadata.end() ? "" : found->is_string() ? found->get<std::string>() : dump(*found);
    };
    tables["name"].add("", facts.model.name);
    for (const auto& [what, key] : {std::pair("target", "target"), {"peak bytes", "peak_bytes"}, {"entry", "entry"}})
        if (std::string said = text(key); !said.empty())
            tables[what].add("", std::move(said));
    for (const device::RunnerValue& value : facts.model.inputs)
        tables["input"].add(value.name, device::typeText(value));
    for (const device::RunnerValue& value : facts.model.outputs)
        tables["output"].add(value.name, device::typeText(value));
    for (const device::RunnerCall& call : facts.model.calls)
        tables["call"].add(call.function, fmt::format("{} ({})", call.kernel, fmt::join(call.nodes, "; ")));
    if (!metadata.is_object())
        return tables;
    if (metadata.contains("kernels") && metadata["kernels"].is_object())
        for (const auto& [name, hash] : metadata["kernels"].items())
            tables["kernel"].add(name, dump(hash));
    if (metadata.contains("constants") && metadata["constants"].is_array())
        for (const nlohmann::json& constant : metadata["constants"])
            if (constant.is_array() && constant.size() == 2 && constant[0].is_string() && constant[1].is_number())
                tables["constant"].add(constant[0].get<std::string>(), fmt::format("{} bytes", dump(constant[1])));
    return tables;
}

} // namespace

Result<ArtifactFacts> readFacts(const std::filesystem::path& artifact, device::RunnerClient& runner) {
    const std::optional<artifact::Parts> parts = artifact::partsOf(artifact);
    if (!parts)
        return failure(fmt::format("'{}' is no artifact", artifact.string()));
    LATHE_TRY(device::RunnerModel model, runner.load(artifact));
    return ArtifactFacts{*parts, std::move(model)};
}

std::vector<ArtifactChange> diffArtifacts(const ArtifactFacts& before, const ArtifactFacts& after) {
    std::map<std::string, Table> a = tablesOf(before), b = tablesOf(after);
    std::vector<ArtifactChange> changes;
    for (const char* what :
         {"name", "target", "peak bytes", "input", "output", "kernel", "call", "constant", "entry"}) {
        const auto &from = a[what].rows, &to = b[what].rows;
        for (const auto& [name, text] : from)
            if (const auto found = to.find(name); found == to.end() || found->second != text)
                changes.push_back({what, name, text, found == to.end() ? "" : found->second});
        for (const auto& [name, text] : to)
            if (!from.contains(name))
                changes.push_back({what, name, "", text});
    }
    if (changes.empty() &&
        (before.parts.codeHash != after.parts.codeHash || before.parts.constantBytes != after.parts.constantBytes)) {
        const auto text = [](const artifact::Parts& parts) {
            return fmt::format("{:016x}, {} bytes and {} of constants", parts.codeHash, parts.codeBytes,
                               parts.constantBytes);
        };
        changes.push_back({"code", "", text(before.parts), text(after.parts)});
    }
    return changes;
}

} // namespace lathe::inspect
