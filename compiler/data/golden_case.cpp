// SPDX-License-Identifier: Apache-2.0
#include "data/golden_case.h"

#include "base/json.h"
#include "data/npy.h"
#include "data/stored_type.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace lathe::data {
namespace {

namespace fs = std::filesystem;
using model::HostTensor;

Failure ofFile(const fs::path& file, Diagnostic problem) {
    if (problem.file.empty())
        problem.file = file.string();
    return Failure(std::move(problem));
}

/// A number that a limit can be, by its key; as it was without one.
bool readLimit(const nlohmann::json& from, const char* key, double& limit) {
    const auto found = from.find(key);
    if (found == from.end())
        return true;
    if (!found->is_number())
        return false;
    limit = found->get<double>();
    return std::isfinite(limit) && limit >= 0;
}

} // namespace

Result<HostTensor> readTensor(const fs::path& path, DataType type) {
    std::error_code failed;
    const uint64_t bytes = fs::file_size(path, failed);
    std::ifstream file;
    if (!failed)
        file.open(path, std::ios::binary);
    char magic[data::npyMagic.size()] = {};
    if (!file.read(magic, sizeof magic) || std::string_view(magic, sizeof magic) != data::npyMagic)
        return ofFile(path, error("it is no NumPy array that can be read"));
    LATHE_TRY(HostTensor tensor, data::readNpy(path, file, bytes));
    if (tensor.dtype != type && !areBitsOf(tensor.dtype, type))
        return ofFile(path, error(fmt::format("it holds {}, and the model has {} there", toString(tensor.dtype),
                                              toString(type))));
    tensor.dtype = type;
    return tensor;
}

Result<GoldenCase> readCase(const fs::path& bundle, const std::string& name, const ValueTypes& types) {
    const fs::path folder = bundle / "golden" / name, description = folder / "case.json";
    std::ifstream file(description, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto wrong = [&](std::string what) { return ofFile(description, error(std::move(what))); };
    const auto root = parseJson(text);
    if (!root || !root->is_object())
        return wrong("it is no JSON object");

    GoldenCase golden;
    golden.name = name;
    golden.rules.relative = 0;
    golden.rules.absolute = 1e-6;
    golden.rules.absoluteOfRange = 1e-3;
    const nlohmann::json tolerance = root->value("tolerance", nlohmann::json::object());
    if (!tolerance.is_object() || !readLimit(tolerance, "absolute", golden.rules.absolute) ||
        !readLimit(tolerance, "of_range", golden.rules.absoluteOfRange))
        return wrong("its tolerance is malformed");

    for (size_t i = 0; i < types.inputs.size(); ++i) {
        LATHE_TRY(golden.inputs.emplace_back(), readTensor(folder / fmt::format("input_{}.npy", i), types.inputs[i]));
    }
    const auto outputs = root->find("outputs");
    if (outputs == root->end() || !outputs->is_array() || outputs->size() > types.outputs.size())
        return wrong(fmt::format("its outputs are not those of the model, which has {}", types.outputs.size()));
    for (const nlohmann::json& output : *outputs) {
        const size_t i = golden.outputs.size();
        LATHE_TRY(golden.outputs.emplace_back(),
                  readTensor(folder / fmt::format("output_{}.npy", i), types.outputs[i]));
        const auto compare = output.is_object() ? output.find("compare") : output.end();
        golden.compared.push_back(!output.is_object() || compare == output.end() || !compare->is_boolean() ||
                                  compare->get<bool>());
    }
    return golden;
}

CaseResult compareCase(const GoldenCase& golden, const std::vector<HostTensor>& got,
                       const std::vector<std::string>& names) {
    const std::vector<HostTensor>& expected = golden.outputs;
    CaseResult result;
    if (got.size() < expected.size()) {
        result.wrong = {fmt::format("{} outputs, where {} are expected", got.size(), expected.size())};
        return result;
    }
    for (size_t i = 0; i < expected.size(); ++i) {
        if (!golden.compared[i])
            continue;
        const data::Comparison comparison = data::compare(got[i], expected[i], golden.rules);
        result.ofRange = std::max(result.ofRange, comparison.ofRange);
        result.elements += comparison.elements;
        result.nan += comparison.nan;
        result.infinite += comparison.infinite;
        if (!comparison.right)
            result.wrong.push_back(
                fmt::format("output '{}': {}", i < names.size() ? names[i] : "", comparison.message));
    }
    return result;
}

std::string CaseResult::unknown() const {
    if (elements == 0)
        return "no values are compared: nothing is known of them";
    data::Comparison all;
    all.elements = elements;
    all.nan = nan;
    all.infinite = infinite;
    const std::string odd = data::notFiniteText(all);
    return odd.empty() ? odd : odd + ": nothing is known of these";
}

std::string CaseResult::verdict(std::string_view right) const {
    const std::string open = unknown();
    return known() == 0 ? "it ran: " + open : fmt::format("{}{}{}", right, open.empty() ? "" : "; ", open);
}

} // namespace lathe::data
