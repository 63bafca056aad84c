// SPDX-License-Identifier: Apache-2.0
#include "driver/option_words.h"

#include "model/model_graph.h"
#include "model/size_name.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace lathe::driver {
namespace {

/// A size; -1, ? or a name, which leave it open. Nothing if it is none of these.
std::optional<model::Dim> parseSize(std::string_view text) {
    int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status == std::errc() && end == text.data() + text.size() && value >= -1)
        return model::Dim{value, {}};
    // As exporters name sizes: "batch", "_", "batch-size"; "2 * n" is none.
    const auto begins = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    const bool isName =
        text == "?" || (!text.empty() && begins(text[0]) && text.find_first_of(" \t=") == std::string_view::npos);
    return isName ? std::optional(model::Dim{-1, std::string(text)}) : std::nullopt;
}

/// What is said of one name, once.
template <class T>
Result<void> addOnce(std::vector<std::pair<std::string, T>>& all, std::string name, T said, std::string_view what) {
    if (std::ranges::find(all, name, &std::pair<std::string, T>::first) != all.end())
        return failure(ErrorKind::Usage, fmt::format("the {} of '{}' is given twice", what, name), "give it once");
    all.emplace_back(std::move(name), std::move(said));
    return {};
}

} // namespace

Result<void> addShape(const std::string& text, Options& options) {
    const auto malformed = [&] {
        return failure(ErrorKind::Usage, fmt::format("malformed shape '{}'", text),
                       "use NAME=1,3,224,224; -1 or a name leaves a size open, NAME= is of rank 0, and n=5 is for the "
                       "open size n");
    };
    const size_t equals = text.rfind('='); // names of inputs may have an equals sign, sizes have none
    if (equals == std::string::npos || equals == 0)
        return malformed();
    std::vector<int64_t> sizes;
    std::vector<std::string> names;
    for (size_t at = equals + 1; at < text.size();) {
        const size_t comma = std::min(text.find(',', at), text.size());
        const std::optional<model::Dim> size = parseSize(std::string_view(text).substr(at, comma - at));
        if (!size || comma + 1 == text.size())
            return malformed();
        sizes.push_back(size->value);
        names.push_back(size->name);
        at = comma + 1;
    }
    const std::string name = text.substr(0, equals);
    if (std::ranges::any_of(names, model::isSizeName))
        options.sizeNames.emplace_back(name, std::move(names));
    options.shapes.emplace_back(name, std::move(sizes));
    return {};
}

Result<void> addType(const std::string& text, Options& options) {
    const size_t equals = text.rfind('='); // names of inputs may have an equals sign
    const std::optional<DataType> dtype =
        equals == std::string::npos || equals == 0 ? std::nullopt : parseDataType(text.substr(equals + 1));
    if (!dtype)
        return failure(ErrorKind::Usage, fmt::format("malformed type '{}'", text), "use NAME=int64");
    return addOnce(options.types, text.substr(0, equals), *dtype, "type");
}

Result<void> addArgument(const std::string& text, Options& options) {
    const size_t equals = text.find('='); // values may have one
    if (equals == std::string::npos || equals == 0)
        return failure(ErrorKind::Usage, fmt::format("malformed argument '{}'", text), "use NAME=VALUE");
    return addOnce(options.arguments, text.substr(0, equals), text.substr(equals + 1), "value");
}

std::vector<std::string> shapeWords(const Options& options) {
    std::vector<std::string> words;
    for (const auto& [input, dims] : options.shapes) {
        std::vector<std::string> sizes;
        for (const int64_t dim : dims)
            sizes.push_back(std::to_string(dim));
        const auto named = std::ranges::find(options.sizeNames, input, &model::SizeNames::value_type::first);
        for (size_t i = 0; named != options.sizeNames.end() && i < std::min(dims.size(), named->second.size()); ++i)
            if (model::isSizeName(named->second[i]))
                sizes[i] = named->second[i];
        words.push_back(fmt::format("{}={}", input, fmt::join(sizes, ",")));
    }
    return words;
}

} // namespace lathe::driver
