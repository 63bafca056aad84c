// SPDX-License-Identifier: Apache-2.0
#include "driver/options.h"

#include "base/json.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::driver {
namespace {

using nlohmann::json;

constexpr std::pair<NumericsLevel, std::string_view> numericsNames[] = {{NumericsLevel::Strict, "strict"},
                                                                        {NumericsLevel::Default, "default"}};

constexpr std::pair<codegen::CWeights, std::string_view> weightsNames[] = {
    {codegen::CWeights::Auto, "auto"}, {codegen::CWeights::File, "file"}, {codegen::CWeights::Arrays, "arrays"}};

/// Reads one value of the object; false if it is of another type or out of range.
bool read(const json& value, bool& into) {
    if (value.is_boolean())
        into = value.get<bool>();
    return value.is_boolean();
}

template <std::signed_integral T>
bool read(const json& value, T least, T most, T& into) {
    const std::optional<T> number = integer<T>(value);
    if (!number || *number < least || *number > most)
        return false;
    into = *number;
    return true;
}

bool read(const json& value, std::vector<int64_t>& into) {
    if (!value.is_array())
        return false;
    for (const json& element : value)
        if (!read(element, int64_t{-1}, INT64_MAX, into.emplace_back()))
            return false;
    return true;
}

bool read(const json& value, std::vector<std::string>& into) {
    if (!value.is_array() || !std::ranges::all_of(value, [](const json& element) { return element.is_string(); }))
        return false;
    into = value.get<std::vector<std::string>>();
    return true;
}

bool read(const json& value, std::vector<std::pair<std::string, std::string>>& into) {
    if (!value.is_object())
        return false;
    for (const auto& [name, text] : value.items()) {
        if (!text.is_string())
            return false;
        into.emplace_back(name, text.get<std::string>());
    }
    return true;
}

bool read(const json& value, std::vector<std::pair<std::string, DataType>>& into) {
    std::vector<std::pair<std::string, std::string>> texts;
    if (!read(value, texts))
        return false;
    for (const auto& [name, text] : texts) {
        const std::optional<DataType> dtype = parseDataType(text);
        if (!dtype)
            return false;
        into.emplace_back(name, *dtype);
    }
    return true;
}

bool read(const json& value, std::vector<std::pair<std::string, int64_t>>& into) {
    if (!value.is_object())
        return false;
    for (const auto& [name, size] : value.items())
        if (!read(size, int64_t{0}, INT64_MAX, into.emplace_back(name, 0).second))
            return false;
    return true;
}

bool read(const json& value, Shapes& into) {
    if (!value.is_object())
        return false;
    for (const auto& [name, dims] : value.items())
        if (!read(dims, into.emplace_back(name, std::vector<int64_t>()).second))
            return false;
    return true;
}

bool read(const json& value, model::SizeNames& into) {
    if (!value.is_object())
        return false;
    for (const auto& [name, names] : value.items())
        if (!read(names, into.emplace_back(name, std::vector<std::string>()).second))
            return false;
    return true;
}

bool read(const json& value, model::Cut& into) {
    if (!value.is_object())
        return false;
    for (const auto& [key, names] : value.items())
        if (!(key == "inputs" && read(names, into.inputs)) && !(key == "outputs" && read(names, into.outputs)))
            return false;
    return true;
}

bool read(const json& value, InputFiles& into) {
    if (!value.is_object())
        return false;
    for (const auto& [key, part] : value.items()) {
        if (key == "folder" && part.is_string())
            into.folder = part.get<std::string>();
        else if (key == "files" && part.is_object() &&
                 std::ranges::all_of(part, [](const json& file) { return file.is_string(); }))
            into.byName = part.get<std::map<std::string, std::string>>();
        else
            return false;
    }
    return true;
}

} // namespace

std::string_view toString(NumericsLevel level) {
    for (const auto& [value, name] : numericsNames)
        if (value == level)
            return name;
    return "default";
}

Result<NumericsLevel> parseNumerics(std::string_view text) {
    for (const auto& [value, name] : numericsNames)
        if (name == text)
            return value;
    return failure(ErrorKind::Usage, fmt::format("unknown numerics level '{}'", text), "use strict or default");
}

Result<NumericsLevel> keptNumerics(std::string_view text) {
    return text == "fast" ? NumericsLevel::Default : parseNumerics(text);
}

std::string_view toString(codegen::CWeights weights) {
    return std::ranges::find(weightsNames, weights, &std::pair<codegen::CWeights, std::string_view>::first)->second;
}

Result<codegen::CWeights> parseWeights(std::string_view text) {
    for (const auto& [value, name] : weightsNames)
        if (name == text)
            return value;
    return failure(ErrorKind::Usage, fmt::format("unknown form of weights '{}'", text), "use auto, file or arrays");
}

std::string toJson(const Options& options) {
    json object = {
        {"target", toString(options.target)}, {"threads", options.threads}, {"numerics", toString(options.numerics)},
        {"verify", options.verify},           {"cache", options.cache},     {"emit_code", options.emitCode}};
    if (options.form == Form::CSource)
        object.update({{"form", "c"}, {"name", options.name}});
    if (options.weights != codegen::CWeights::Auto)
        object["weights"] = toString(options.weights);
    for (const auto& [name, size] : options.symbols)
        object["symbols"][name] = size;
    for (const auto& [name, dims] : options.shapes)
        object["shapes"][name] = dims;
    for (const auto& [name, names] : options.sizeNames)
        object["size_names"][name] = names;
    if (!options.signature.empty())
        object["signature"] = options.signature;
    if (!options.cut.empty())
        object["cut"] = {{"inputs", options.cut.inputs}, {"outputs", options.cut.outputs}};
    for (const auto& [name, dtype] : options.types)
        object["types"][name] = toString(dtype);
    for (const auto& [name, value] : options.arguments)
        object["arguments"][name] = value;
    for (const auto& [name, dims] : options.shapesAtNeed)
        object["shapes_at_need"][name] = dims;
    for (const auto& [name, file] : options.inputsAtNeed.byName)
        object["inputs_at_need"]["files"][name] = file;
    if (!options.inputsAtNeed.folder.empty())
        object["inputs_at_need"]["folder"] = options.inputsAtNeed.folder;
    if (options.bytesPerMultiplyAdd)
        object["bytes_per_multiply_add"] = *options.bytesPerMultiplyAdd;
    if (!options.observe.empty())
        object["observe"] = options.observe;
    if (options.offeredAlone)
        object["offered_alone"] = true;
    return dump(object);
}

Result<Options> parseOptions(std::string_view text) {
    const auto object = parseJson(text);
    if (!object || !object->is_object())
        return failure("options are not a JSON object", R"(for example {"target":"native","threads":2})");
    Options options;
    for (const auto& [key, value] : object->items()) {
        bool good = false;
        if (key == "target" && value.is_string()) {
            LATHE_TRY(options.target, codegen::parseTarget(value.get<std::string>()));
            good = true;
        } else if (key == "numerics" && value.is_string()) {
            LATHE_TRY(options.numerics, keptNumerics(value.get<std::string>()));
            good = true;
        } else if (key == "form" && value.is_string()) {
            good = value == "artifact" || value == "c";
            options.form = value == "c" ? Form::CSource : Form::Artifact;
        } else if (key == "weights" && value.is_string()) {
            LATHE_TRY(options.weights, parseWeights(value.get<std::string>()));
            good = true;
        } else if (key == "name" && value.is_string()) {
            options.name = value.get<std::string>();
            good = true;
        } else if (key == "threads") {
            good = read(value, 0, INT32_MAX, options.threads);
        } else if (key == "level") {
            good = value.is_number();
        } else if (key == "verify") {
            good = read(value, options.verify);
        } else if (key == "cache") {
            good = read(value, options.cache);
        } else if (key == "emit_code") {
            good = read(value, options.emitCode);
        } else if (key == "symbols") {
            good = read(value, options.symbols);
        } else if (key == "shapes") {
            good = read(value, options.shapes);
        } else if (key == "size_names") {
            good = read(value, options.sizeNames);
        } else if (key == "signature" && value.is_string()) {
            options.signature = value.get<std::string>();
            good = true;
        } else if (key == "cut") {
            good = read(value, options.cut);
        } else if (key == "types") {
            good = read(value, options.types);
        } else if (key == "arguments") {
            good = read(value, options.arguments);
        } else if (key == "shapes_at_need") {
            good = read(value, options.shapesAtNeed);
        } else if (key == "inputs_at_need") {
            good = read(value, options.inputsAtNeed);
        } else if (key == "bytes_per_multiply_add" && value.is_number() && value > 0) {
            options.bytesPerMultiplyAdd = value.get<double>();
            good = true;
        } else if (key == "observe") {
            good = read(value, options.observe);
        } else if (key == "offered_alone") {
            good = read(value, options.offeredAlone);
        }
        if (!good)
            return failure(
                fmt::format("unknown or malformed option '{}'", key),
                "known: target, threads, numerics, verify, cache, emit_code, form, weights, name, "
                "symbols, shapes, size_names, signature, cut, types, arguments, shapes_at_need, inputs_at_need, "
                "bytes_per_multiply_add, observe, "
                "offered_alone");
    }
    return options;
}

} // namespace lathe::driver
