// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/golden_case.h"

#include "driver/json.h"
#include "driver/npy.h"
#include "runtime/dtype.h"

#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace lathe::selfcheck {
namespace {

namespace fs = std::filesystem;
using model::HostTensor;

Failure named(const fs::path& file, Diagnostic problem) {
    if (problem.file.empty())
        problem.file = file.string();
    return Failure(std::move(problem));
}

/// NumPy lacks some types: their elements stand in files as unsigned integers of that width.
bool standsFor(DataType stored, DataType meant) {
    if (stored == meant)
        return true;
    const bool lacks = !meant.isBool() && (meant.bits < 8 || (meant.isFloat() && meant.code != TypeCode::Float));
    return lacks && stored.code == TypeCode::UInt && stored.bytes() == meant.bytes();
}

Result<HostTensor> readTensor(const fs::path& path, DataType type) {
    std::error_code failed;
    const uint64_t bytes = fs::file_size(path, failed);
    std::ifstream file;
    if (!failed)
        file.open(path, std::ios::binary);
    char magic[driver::npyMagic.size()] = {};
    if (!file.read(magic, sizeof magic) || std::string_view(magic, sizeof magic) != driver::npyMagic)
        return named(path, error("it is no NumPy array that can be read"));
    LATHE_TRY(HostTensor tensor, driver::readNpy(path, file, bytes));
    if (!standsFor(tensor.dtype, type))
        return named(path, error(fmt::format("it holds {}, and the model has {} there", toString(tensor.dtype),
                                             toString(type))));
    tensor.dtype = type;
    return tensor;
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

DataType typeOf(DLDataType type) {
    for (int32_t code = 0; code <= static_cast<int32_t>(runtime::TypeCode::String); ++code) {
        DLDataType candidate;
        if (runtime::toDlpack(code, type.bits, candidate) && runtime::sameType(candidate, type))
            return {static_cast<TypeCode>(code), type.bits}; // the codes are the same
    }
    return types::Void;
}

Result<GoldenCase> readCase(const fs::path& bundle, const std::string& name, const lathe_model* model) {
    const fs::path folder = bundle / "golden" / name, description = folder / "case.json";
    std::ifstream file(description, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto wrong = [&](std::string what) { return named(description, error(std::move(what))); };
    const auto root = driver::parseJson(text);
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

    const int32_t inputs = lathe_model_input_count(model), most = lathe_model_output_count(model);
    lathe_value_info info;
    for (int32_t i = 0; i < inputs; ++i) {
        lathe_model_input(model, i, &info);
        LATHE_TRY(HostTensor tensor, readTensor(folder / fmt::format("input_{}.npy", i), typeOf(info.dtype)));
        golden.inputs.push_back(std::move(tensor));
    }
    const nlohmann::json outputs = root->value("outputs", nlohmann::json::array());
    if (!outputs.is_array() || outputs.size() > static_cast<size_t>(most))
        return wrong(fmt::format("its outputs are not those of the model, which has {}", most));
    for (const nlohmann::json& output : outputs) {
        const auto i = static_cast<int32_t>(golden.outputs.size());
        lathe_model_output(model, i, &info);
        LATHE_TRY(HostTensor tensor, readTensor(folder / fmt::format("output_{}.npy", i), typeOf(info.dtype)));
        golden.outputs.push_back(std::move(tensor));
        const auto compare = output.is_object() ? output.find("compare") : output.end();
        golden.compared.push_back(!output.is_object() || compare == output.end() || !compare->is_boolean() ||
                                  compare->get<bool>());
    }
    return golden;
}

} // namespace lathe::selfcheck
