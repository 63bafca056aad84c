// SPDX-License-Identifier: Apache-2.0
#include "deploy/model_interface.h"

#include "base/json.h"
#include "model/size_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace lathe::deploy {
namespace {

driver::Shapes shapesOf(const ModelInterface& interface, bool largest) {
    driver::Shapes shapes;
    for (const device::RunnerValue& input : interface.inputs) {
        std::vector<int64_t> dims = input.dims;
        for (int64_t& dim : dims)
            if (device::isSymbol(dim)) {
                const SymbolRange& range = interface.ranges.at(interface.symbols.at(static_cast<size_t>(-(dim + 1))));
                dim = largest ? range.most.value_or(range.usual) : range.usual;
            }
        shapes.emplace_back(input.name, std::move(dims));
    }
    return shapes;
}

} // namespace

Result<ModelInterface> interfaceOf(std::string name, std::string version, const device::RunnerModel& loaded,
                                   const SymbolRanges& asked) {
    ModelInterface interface{.name = std::move(name),
                             .version = std::move(version),
                             .inputs = loaded.inputs,
                             .outputs = loaded.outputs,
                             .states = loaded.states,
                             .symbols = loaded.symbols,
                             .ranges = {},
                             .random = std::vector<bool>(loaded.outputs.size(), false)};
    for (const auto* values : {&loaded.inputs, &loaded.outputs})
        for (const device::RunnerValue& value : *values)
            if (!value.form.empty())
                return failure(ErrorKind::Unsupported,
                               fmt::format("'{}' is {}: bundles are of models that take and give tensors alone",
                                           value.name, device::typeText(value)),
                               "compile the model to an artifact, and run that with the runtime");
    std::vector<std::string> names = loaded.symbols;
    for (const auto* values : {&loaded.inputs, &loaded.outputs, &loaded.states})
        for (const device::RunnerValue& value : *values)
            names.push_back(value.name);
    for (const std::string& each : names)
        if (const auto said = parseJson(dump(each)); !said || *said != each)
            return failure(fmt::format("the name '{}' of an input, an output, a state or a size is no UTF-8", each),
                           "a manifest cannot say it: rename it in the model");
    for (const std::string& symbol : loaded.symbols)
        interface.ranges[symbol] = {};
    for (const auto& [symbol, range] : asked)
        interface.ranges.at(symbol) = range;
    return interface;
}

Result<SymbolRanges> bySymbol(const device::RunnerModel& loaded, const SymbolRanges& asked) {
    SymbolRanges ranges;
    for (const auto& [name, range] : asked) {
        const auto symbol = model::sizeMeant(loaded.symbols, name);
        if (!symbol)
            return failure(ErrorKind::Usage, fmt::format("the model leaves no size '{}' open", name),
                           loaded.symbols.empty() ? "all its sizes are fixed"
                                                  : fmt::format("it has {}", fmt::join(loaded.symbols, ", ")));
        if (!ranges.emplace(*symbol, range).second)
            return failure(ErrorKind::Usage, fmt::format("the sizes of '{}' are given twice", *symbol),
                           "give them once");
    }
    return ranges;
}

std::vector<ManifestValue> manifestValues(const std::vector<device::RunnerValue>& values) {
    std::vector<ManifestValue> all;
    for (const device::RunnerValue& value : values) {
        ManifestValue& one = all.emplace_back(ManifestValue{value.name, lathe::toString(value.dtype), {}});
        for (size_t i = 0; i < value.dims.size(); ++i) {
            if (value.dims[i] >= 0)
                one.dims.emplace_back(value.dims[i]);
            else if (device::isSymbol(value.dims[i]) && i < value.sizes.size())
                one.dims.emplace_back(value.sizes[i]);
            else
                one.dims.emplace_back();
        }
    }
    return all;
}

driver::Shapes usualShapes(const ModelInterface& interface) {
    return shapesOf(interface, false);
}
driver::Shapes largestShapes(const ModelInterface& interface) {
    return shapesOf(interface, true);
}

std::optional<std::string> sizeOutside(const ModelInterface& interface, const std::vector<model::HostTensor>& inputs) {
    for (size_t i = 0; i < std::min(inputs.size(), interface.inputs.size()); ++i)
        // Of another rank nothing is asked here: the run says what is wrong.
        for (size_t axis = 0; axis < std::min(inputs[i].shape.size(), interface.inputs[i].dims.size()); ++axis) {
            const int64_t dim = interface.inputs[i].dims[axis], size = inputs[i].shape[axis];
            if (!device::isSymbol(dim))
                continue;
            const std::string& symbol = interface.symbols.at(static_cast<size_t>(-(dim + 1)));
            const SymbolRange& range = interface.ranges.at(symbol);
            if (size < range.least || size > range.most.value_or(size))
                return fmt::format("'{}' is {} there, and the bundle is for {} {}", symbol, size, range.least,
                                   range.most ? fmt::format("to {}", *range.most) : "and more");
        }
    return std::nullopt;
}

std::vector<std::string> identifiersOf(const std::vector<std::string>& names) {
    constexpr std::string_view suffixes[] = {"",      "_NAME",     "_CODE", "_BITS",  "_RANK",
                                             "_DIMS", "_ELEMENTS", "_MIN",  "_USUAL", "_MAX"};
    std::set<std::string> taken;
    const auto isFree = [&](const std::string& identifier) {
        return std::ranges::none_of(
            suffixes, [&](std::string_view suffix) { return taken.contains(identifier + std::string(suffix)); });
    };
    std::vector<std::string> identifiers;
    for (const std::string& name : names) {
        std::string identifier;
        for (const char c : name) {
            if (c >= 'a' && c <= 'z')
                identifier += static_cast<char>(c - 'a' + 'A');
            else if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
                identifier += c;
            else if (!identifier.ends_with('_'))
                identifier += '_';
        }
        identifier.resize(std::min<size_t>(identifier.size(), 60));
        const std::string base = identifier;
        for (int i = 2; !isFree(identifier); ++i)
            identifier = fmt::format("{}_{}", base, i);
        for (const std::string_view suffix : suffixes)
            taken.insert(identifier + std::string(suffix));
        identifiers.push_back(identifier);
    }
    return identifiers;
}

std::string cLiteral(std::string_view text) {
    std::string literal = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte > 0x7e || c == '"' || c == '\\' || c == '?') // "??" may begin a trigraph
            literal += fmt::format("\\{:03o}", byte);
        else
            literal += c;
    }
    return literal + "\"";
}

} // namespace lathe::deploy
