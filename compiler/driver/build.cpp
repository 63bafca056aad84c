// SPDX-License-Identifier: Apache-2.0
//
// The back half of compile().
#include "driver/build.h"

#include "bundle/artifact.h"
#include "codegen/codegen.h"
#include "driver/kernel_cache.h"
#include "driver/parallel.h"
#include "lower/diagnose.h"
#include "lower/lower.h"
#include "relay/text.h"
#include "tir/text.h"
#include "tir/transform/number_checks.h"
#include "tir/verify.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
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

int64_t bytesOf(const relay::Constant& constant) {
    return constant.elements() * asTensor(constant.type)->dtype.bytes();
}

codegen::ModelTables makeTables(const relay::Module& module, const model::ModelGraph* graph,
                                const lower::Kernels& kernels, const lower::Entry& entry,
                                const tir::PrimFuncPtr& entryFunction, const Options& options, Built& built) {
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
    bundle::ConstantLayout layout;
    for (const relay::ConstantPtr& constant : entry.constants) {
        int64_t offset = layout.add(bytesOf(*constant));
        built.offsets.push_back(offset);
        tables.constants.push_back({constant->hash, offset, bytesOf(*constant)});
    }
    built.constants = entry.constants;
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
    metadata["target"] = toString(options.target);
    metadata["peak_bytes"] = arith::toString(entry.peakBytes);
    tables.metadata = metadata.dump();
    return tables;
}

double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

Result<Built> build(const relay::Module& fused, const model::ModelGraph* graph, const Options& options,
                    const Decisions& decisions, PassHook& hook, Trace& trace) {
    hook.report("kernels", 0);
    LATHE_TRY(lower::Kernels kernels, lower::makeKernels(fused, graph));
    size_t count = kernels.kernels.size();
    trace.kernels.clear();
    trace.kernels.resize(count);
    codegen::CodegenOptions codegenOptions{options.target, false, false};
    KernelCache cache(options.cache);
    std::vector<std::vector<std::byte>> objects(count + 2);
    std::vector<std::optional<Diagnostic>> errors(count);
    std::atomic<size_t> finished = 0;

    // Names are symbols: unique in the artifact.
    std::set<std::string> names;
    for (lower::Kernel& kernel : kernels.kernels) {
        std::string name = kernel.name;
        for (int suffix = 2; !names.insert(name).second; ++suffix)
            name = fmt::format("{}_{}", kernel.name, suffix);
        kernel.name = name;
    }

    auto start = std::chrono::steady_clock::now();
    parallelFor(count, options.threads, [&](size_t i) {
        hook.checkCancelled();
        lower::Kernel& kernel = kernels.kernels[i];
        auto named = std::make_shared<tir::PrimFunc>(*kernel.computation);
        named->name = kernel.name;
        kernel.computation = named;
        KernelRecord& record = trace.kernels[i];
        record.name = kernel.name;
        Hasher workload;
        workload.add(tir::structuralHash(*kernel.computation));
        workload.add(toString(options.target));
        record.workload = toString(workload.finish());
        record.stages.emplace_back("computation", kernel.computation);
        auto pins = decisions.pins.find(record.workload);
        if (auto lowered =
                lower::lowerKernel(kernel, options.target,
                                   pins == decisions.pins.end() ? schedule::Pins{} : pins->second, hook.forKernel(i));
            !lowered) {
            errors[i] = lowered.error();
            return;
        }
        record.schedule = kernel.trace;
        tir::PrimFuncPtr function = kernel.lowered;
        record.llvmIr = [function, codegenOptions]() -> Result<std::string> {
            codegen::CodegenOptions keep = codegenOptions;
            keep.keepIr = true;
            LATHE_TRY(codegen::KernelCode code, codegen::compileFunction(*function, keep));
            return std::move(code.llvmIr);
        };
        record.assembly = [function, codegenOptions]() -> Result<std::string> {
            codegen::CodegenOptions keep = codegenOptions;
            keep.keepAsm = true;
            LATHE_TRY(codegen::KernelCode code, codegen::compileFunction(*function, keep));
            return std::move(code.assembly);
        };
        if (!options.emitCode)
            return;
        std::string key = cache.key(*function, options.target);
        if (auto object = cache.find(key)) {
            objects[i] = std::move(*object);
        } else if (auto code = codegen::compileFunction(*function, codegenOptions)) {
            cache.store(key, code->object);
            objects[i] = std::move(code->object);
        } else {
            errors[i] = code.error();
        }
        hook.report("kernels", static_cast<double>(++finished) / static_cast<double>(count));
    });
    for (const auto& error : errors)
        if (error)
            return Failure(*error);
    hook.step("generate code", Stage::Codegen, since(start));

    start = std::chrono::steady_clock::now();
    LATHE_TRY(lower::Entry entry, lower::makeEntry(fused, kernels, graph));
    trace.entry = entry.function;
    trace.peakBytes = entry.peakBytes;
    for (size_t i = 0; i < entry.calls.size(); ++i) {
        const lower::Call& call = entry.calls[i];
        trace.calls.push_back({static_cast<int>(i), call.function,
                               kernels.kernels[static_cast<size_t>(call.kernel)].name, call.origins, call.span,
                               call.flops, call.bytes});
    }
    Built built;
    if (!options.emitCode)
        return built;
    tir::PrimFuncPtr entryFunction =
        lower::lowerEntry(entry.function, options.target, {[](std::string_view) { return true; }, {}, options.verify});
    LATHE_TRY(codegen::KernelCode entryCode, codegen::compileFunction(*entryFunction, codegenOptions));
    objects[count] = std::move(entryCode.object);
    codegen::ModelTables tables = makeTables(fused, graph, kernels, entry, entryFunction, options, built);
    LATHE_TRY(objects[count + 1], codegen::emitModelTables(tables, codegenOptions));
    hook.step("entry", Stage::Codegen, since(start));
    hook.report("link", 0);
    start = std::chrono::steady_clock::now();
    LATHE_TRY(built.sharedObject, codegen::linkShared(objects, {"lathe_model"}));
    hook.step("link", Stage::Codegen, since(start));
    return built;
}

Result<relay::ConstantPtr> materialize(const relay::ConstantPtr& constant, const relay::Module& module,
                                       relay::Evaluator& evaluator) {
    if (constant->recipe) {
        std::vector<relay::ConstantPtr> args;
        for (const relay::ConstantPtr& arg : constant->recipeArgs) {
            LATHE_TRY(relay::ConstantPtr made, materialize(arg, module, evaluator));
            args.push_back(std::move(made));
        }
        LATHE_TRY(std::vector<relay::ConstantPtr> results, evaluator.evaluate(module, *constant->recipe, args));
        return materialize(results.at(0), module, evaluator);
    }
    if (!constant->splat)
        return constant;
    const relay::TensorType& type = *asTensor(constant->type);
    size_t size = static_cast<size_t>(type.dtype.bytes()), count = static_cast<size_t>(constant->elements());
    auto bytes = std::make_shared<std::vector<std::byte>>(size * count);
    for (size_t i = 0; i < count; ++i)
        std::memcpy(bytes->data() + i * size, constant->bytes.view.data(), size);
    std::vector<int64_t> shape;
    for (const arith::Expr& dim : type.shape)
        shape.push_back(arith::asInt(dim).value());
    return relay::makeConstant(type.dtype, shape, {bytes, std::span(*bytes)});
}

Result<void> write(const Built& built, const std::filesystem::path& path, const relay::Module& module,
                   relay::Evaluator& evaluator) {
    std::vector<bundle::ConstantSource> sources;
    relay::ConstantPtr current;
    for (size_t i = 0; i < built.constants.size(); ++i) {
        const relay::ConstantPtr& constant = built.constants[i];
        sources.push_back(
            {built.offsets[i], bytesOf(*constant),
             [&current, &module, &evaluator, constant]() -> Result<std::vector<std::span<const std::byte>>> {
                 LATHE_TRY(current, materialize(constant, module, evaluator));
                 return std::vector<std::span<const std::byte>>{current->bytes.view};
             }});
    }
    return bundle::writeArtifact(path, built.sharedObject, sources);
}

} // namespace lathe::driver
