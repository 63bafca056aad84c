// SPDX-License-Identifier: Apache-2.0
#include "driver/model_tables.h"

#include "abi/abi.h"
#include "arith/analysis.h"
#include "base/json.h"
#include "device/input_integers.h"
#include "driver/constants.h"
#include "lower/diagnose.h"
#include "relay/data_types.h"
#include "relay/element.h"
#include "relay/taken_integers.h"
#include "relay/type_map.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::driver {
namespace {

using relay::asTensor;

codegen::ModelTables::Value describe(const std::string& name, const relay::Type& type,
                                     const std::vector<arith::Var>& symbols) {
    codegen::ModelTables::Value value;
    value.name = name;
    relay::Type inner = type;
    for (; relay::asDataType(inner); inner = relay::elementOf(inner))
        value.form += relay::isList(inner) ? 'l' : 'o';
    value.holdsNothing = !inner;
    if (value.holdsNothing)
        return value;
    const relay::TensorType* tensor = asTensor(inner);
    LATHE_ASSERT(tensor, "inputs and outputs of an artifact are tensors, or lists and optionals of them");
    value.dtype = tensor->dtype;
    for (const arith::Expr& dim : relay::storedShape(tensor->shape, tensor->layout)) {
        int64_t encoded = std::numeric_limits<int64_t>::min();
        if (auto number = relay::isAny(dim) ? std::nullopt : arith::asInt(dim))
            encoded = *number;
        for (size_t i = 0; i < symbols.size() && value.form.empty(); ++i)
            if (dim.same(symbols[i]))
                encoded = -static_cast<int64_t>(i) - 1;
        value.dims.push_back(encoded);
    }
    return value;
}

/// Of the checks of a kernel or of the entry, by ordinal.
std::vector<codegen::ModelTables::CheckText> checkTexts(const std::vector<lower::CheckInfo>& checks) {
    std::vector<codegen::ModelTables::CheckText> texts;
    for (const lower::CheckInfo& check : checks)
        texts.push_back({static_cast<int>(check.kind), check.origin, check.message});
    return texts;
}

/// A limit that holds whatever the sizes are that no input says: such a table is taken to have one element at least.
device::InputIntegers::Limit limitOf(const relay::TakenIntegers::Limit& limit, const std::vector<arith::Var>& symbols) {
    for (size_t i = 0; i < symbols.size(); ++i)
        if (limit.size.same(symbols[i]))
            return {-static_cast<int64_t>(i) - 1, limit.more};
    return {std::max<int64_t>(arith::bounds(limit.size).lower, 1), limit.more};
}

/// The metadata, which are JSON, with the integers that the module's inputs are.
std::string withIntegers(const std::string& metadata, const relay::Module& module) {
    const auto taken = relay::takenIntegers(module);
    if (taken.empty())
        return metadata;
    nlohmann::json all = parseJson(metadata).value();
    const std::vector<arith::Var> symbols = inputSymbols(module.main());
    for (const auto& [input, integers] : taken) {
        nlohmann::json& said = all[device::integersKey][input];
        said = {{"least", integers.least}, {"below", nlohmann::json::array()}};
        for (const relay::TakenIntegers::Limit& each : integers.below) {
            const device::InputIntegers::Limit limit = limitOf(each, symbols);
            said["below"].push_back({limit.dim, limit.more});
        }
    }
    return dump(all);
}

/// Of the entry, and of the functions that it calls.
Hash128 hashOfAll(std::span<const std::vector<std::byte>> objects) {
    if (objects.size() == 1)
        return hashBytes(objects.front());
    Hasher hasher;
    for (const std::vector<std::byte>& object : objects)
        hasher.add(hashBytes(object));
    return hasher.finish();
}

/// The metadata, with hashes of what the artifact holds.
std::string withContents(const codegen::ModelTables& tables, std::span<const std::vector<std::byte>> objects) {
    nlohmann::json metadata = parseJson(tables.metadata).value();
    const auto hashOf = [&](size_t object) { return toString(hashBytes(objects[object])); };
    for (size_t i = 0; i < tables.kernels.size(); ++i)
        metadata["kernels"][tables.kernels[i].name] = hashOf(i);
    metadata["entry"] = toString(hashOfAll(objects.subspan(tables.kernels.size())));
    for (const codegen::ModelTables::Constant& constant : tables.constants)
        metadata["constants"].push_back({toString(constant.hash), constant.bytes});
    return dump(metadata);
}

} // namespace

std::vector<arith::Var> inputSymbols(const relay::Function& main) {
    arith::VarCollector symbols;
    for (const relay::Param& param : main.params)
        if (const relay::TensorType* type = asTensor(param.type))
            for (const arith::Expr& dim : type->shape)
                symbols.add(dim);
    return symbols.vars();
}

codegen::ModelTables beginTables(std::string name, std::span<const lower::Kernel> kernels,
                                 const lower::LoweredEntry& entry, const Options& options,
                                 const arith::Expr& peakBytes) {
    codegen::ModelTables tables;
    tables.name = std::move(name);
    tables.entry = entry.entry->name;
    tables.flags = options.numerics == NumericsLevel::Strict ? 0 : LATHE_FLUSH_SUBNORMALS;
    for (const lower::Kernel& kernel : kernels)
        tables.kernels.push_back({kernel.name, checkTexts(kernel.checks)});
    tables.entryChecks = checkTexts(entry.checks);
    nlohmann::json metadata;
    metadata["target"] = toString(options.target);
    if (peakBytes)
        metadata["peak_bytes"] = arith::toString(peakBytes);
    tables.metadata = dump(metadata);
    return tables;
}

codegen::ModelTables makeTables(const relay::Module& module, const model::ModelGraph* graph,
                                const lower::Kernels& kernels, const lower::Entry& entry,
                                const lower::LoweredEntry& lowered, const std::vector<int64_t>& offsets,
                                std::span<const std::vector<std::byte>> objects, const Options& options,
                                const relay::Module* source) {
    const relay::Function& main = module.main();
    const std::string name = graph ? std::filesystem::path(graph->file).stem().string() : "";
    codegen::ModelTables tables = beginTables(name, kernels.kernels, lowered, options, entry.peakBytes);
    std::vector<arith::Var> symbols = inputSymbols(main);
    for (const arith::Var& symbol : symbols)
        tables.symbols.push_back(symbol->name);
    for (const relay::Param& param : relay::inputParams(main))
        tables.inputs.push_back(describe(param.name, param.type, symbols));
    std::vector<relay::Type> outputs = relay::outputTypes(main);
    for (size_t i = 0; i < outputs.size(); ++i)
        tables.outputs.push_back(describe(
            i < main.outputNames.size() ? main.outputNames[i] : fmt::format("output{}", i), outputs[i], symbols));
    for (size_t i = 0; i < main.states.size(); ++i)
        tables.states.push_back(
            {describe(main.states[i].name, main.states[i].initial->type, symbols), entry.initialStates.at(i)});
    for (size_t i = 0; i < offsets.size(); ++i)
        tables.constants.push_back({entry.constants[i]->hash, offsets[i], storedBytes(*entry.constants[i]),
                                    std::ssize(entry.constants[i]->strings)});
    for (const lower::Call& call : entry.calls) {
        // The artifact holds numbers: what depends on symbols is evaluated where their values are known (the trace has it).
        auto number = [](const arith::Expr& expr) { return static_cast<double>(arith::asInt(expr).value_or(0)); };
        codegen::ModelTables::Call description{call.function, call.kernel, {}, number(call.flops), number(call.bytes)};
        for (model::Span span : call.origins)
            description.nodes.push_back(lower::nodeNames(span, *module.spans, graph));
        tables.calls.push_back(std::move(description));
    }
    for (const model::Span span : entry.origins)
        tables.entryNodes.push_back(lower::nodeNames(span, *module.spans, graph));
    tables.metadata = withContents(tables, objects);
    if (source)
        tables.metadata = withIntegers(tables.metadata, *source);
    return tables;
}

} // namespace lathe::driver
