// SPDX-License-Identifier: Apache-2.0
#include "driver/model_tables.h"

#include "lower/diagnose.h"
#include "tir/transform/number_checks.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lathe::driver {
namespace {

using relay::asTensor;

std::vector<relay::Type> outputTypes(const relay::Function& main) {
    if (const relay::TupleType* tuple = relay::asTuple(main.resultType))
        return tuple->fields;
    return {main.resultType};
}

/// Symbols of the inputs, in the order in which their dims first name them.
std::vector<arith::Var> inputSymbols(const relay::Function& main) {
    std::vector<arith::Var> symbols;
    for (const relay::Param& param : main.params)
        if (const relay::TensorType* type = asTensor(param.type))
            for (const arith::Expr& dim : type->shape)
                for (const arith::Var& var : arith::freeVars(dim))
                    if (std::none_of(symbols.begin(), symbols.end(),
                                     [&](const arith::Var& known) { return known.same(var); }))
                        symbols.push_back(var);
    return symbols;
}

codegen::ModelTables::Value describe(const std::string& name, const relay::Type& type,
                                     const std::vector<arith::Var>& symbols) {
    codegen::ModelTables::Value value;
    value.name = name;
    const relay::TensorType* tensor = asTensor(type);
    LATHE_ASSERT(tensor, "inputs and outputs of an artifact are tensors");
    value.dtype = tensor->dtype;
    for (const arith::Expr& dim : tensor->shape) {
        int64_t encoded = std::numeric_limits<int64_t>::min();
        if (auto number = arith::asInt(dim))
            encoded = *number;
        for (size_t i = 0; i < symbols.size(); ++i)
            if (dim.same(symbols[i]))
                encoded = -static_cast<int64_t>(i) - 1;
        value.dims.push_back(encoded);
    }
    return value;
}

} // namespace

int64_t bytesOf(const relay::Constant& constant) {
    return constant.elements() * asTensor(constant.type)->dtype.bytes();
}

codegen::ModelTables makeTables(const relay::Module& module, const model::ModelGraph* graph,
                                const lower::Kernels& kernels, const lower::Entry& entry,
                                const tir::PrimFuncPtr& entryFunction, const std::vector<int64_t>& offsets,
                                const Target& target) {
    const relay::Function& main = module.main();
    codegen::ModelTables tables;
    tables.name = graph ? std::filesystem::path(graph->file).stem().string() : "";
    tables.entry = entryFunction->name;
    std::vector<arith::Var> symbols = inputSymbols(main);
    for (const arith::Var& symbol : symbols)
        tables.symbols.push_back(symbol->name);
    for (const relay::Param& param : main.params)
        tables.inputs.push_back(describe(param.name, param.type, symbols));
    std::vector<relay::Type> outputs = outputTypes(main);
    for (size_t i = 0; i < outputs.size(); ++i)
        tables.outputs.push_back(describe(
            i < main.outputNames.size() ? main.outputNames[i] : fmt::format("output{}", i), outputs[i], symbols));
    for (size_t i = 0; i < offsets.size(); ++i)
        tables.constants.push_back({entry.constants[i]->hash, offsets[i], bytesOf(*entry.constants[i])});
    for (const lower::Kernel& kernel : kernels.kernels) {
        codegen::ModelTables::Kernel description{kernel.name, {}};
        for (const lower::CheckInfo& check : kernel.checks)
            description.checks.push_back({static_cast<int>(check.kind), check.origin, check.message});
        tables.kernels.push_back(std::move(description));
    }
    for (const lower::Call& call : entry.calls) {
        // The artifact holds numbers: what depends on symbols is evaluated where their values are known (the trace has it).
        auto number = [](const arith::Expr& expr) { return static_cast<double>(arith::asInt(expr).value_or(0)); };
        codegen::ModelTables::Call description{call.function, call.kernel, {}, number(call.flops), number(call.bytes)};
        for (model::Span span : call.origins)
            description.nodes.push_back(lower::nodeNames(span, *module.spans, graph));
        tables.calls.push_back(std::move(description));
    }
    for (const tir::CheckEntry& check : tir::checksOf(*entryFunction))
        tables.entryChecks.push_back({static_cast<int>(check.kind), check.origin, check.message});
    nlohmann::json metadata;
    metadata["target"] = toString(target);
    if (entry.peakBytes)
        metadata["peak_bytes"] = arith::toString(entry.peakBytes);
    tables.metadata = metadata.dump();
    return tables;
}

} // namespace lathe::driver
