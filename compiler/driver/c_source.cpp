// SPDX-License-Identifier: Apache-2.0
#include "driver/c_source.h"

#include "abi/abi.h"
#include "base/new_file.h"
#include "driver/constants.h"
#include "driver/model_tables.h"
#include "lower/diagnose.h"
#include "lower/pipeline.h"
#include "relay/element.h"
#include "relay/type_map.h"
#include "tir/visit.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <list>

namespace lathe::driver {
namespace {

using relay::asTensor;

/// The dims of a value as it is stored, as far as they are made of these symbols; null for others.
std::vector<arith::Expr> dimsOver(const relay::Type& type, const std::vector<arith::Var>& symbols) {
    const relay::TensorType* tensor = asTensor(type);
    LATHE_ASSERT(tensor, "inputs and outputs of a model are tensors");
    std::vector<arith::Expr> dims;
    for (const arith::Expr& dim : relay::storedShape(tensor->shape, tensor->layout)) {
        const std::vector<arith::Var> vars = arith::freeVars(dim);
        const bool known = std::ranges::all_of(vars, [&](const arith::Var& var) {
            return std::ranges::any_of(symbols, [&](const arith::Var& symbol) { return symbol.same(var); });
        });
        dims.push_back(known ? dim : arith::Expr());
    }
    return dims;
}

/// One after the other, each whole before any gets its name.
class NewFiles {
public:
    NewFiles(std::filesystem::path folder, const std::function<Result<void>(const std::filesystem::path&)>& mayWrite)
        : folder_(std::move(folder)), mayWrite_(mayWrite) {}

    Result<NewFile*> add(const std::string& name) {
        LATHE_CHECKED(mayWrite_(folder_ / name));
        return &files_.emplace_back(folder_ / name, NewFile::Kind::Text);
    }
    Result<void> add(const std::string& name, std::string_view text) {
        LATHE_TRY(NewFile * file, add(name));
        return write(*file, text);
    }
    static Result<void> write(NewFile& file, std::string_view text) {
        return write(file, std::as_bytes(std::span(text)));
    }
    static Result<void> write(NewFile& file, std::span<const std::byte> bytes) {
        if (!file.write(bytes))
            return Failure(file.problem());
        return {};
    }
    Result<void> keep() {
        for (NewFile& file : files_)
            if (!file.keep())
                return Failure(file.problem());
        return {};
    }

private:
    std::filesystem::path folder_;
    const std::function<Result<void>(const std::filesystem::path&)>& mayWrite_;
    std::list<NewFile> files_;
};

bool isMadeByUs(const std::filesystem::path& path) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) // a pipe would be waited for
        return false;
    std::ifstream file(path);
    std::string title;
    return std::getline(file, title) && title.contains("made by Lathe: changes are lost");
}

/// A folder that goes again, if it was made and nothing is in it.
struct MadeFolder {
    std::filesystem::path path;
    ~MadeFolder() {
        std::error_code ignored;
        if (!path.empty())
            std::filesystem::remove(path, ignored);
    }
};

Result<void> writeFiles(const Built& built, const std::filesystem::path& folder, const relay::Module& module,
                        relay::Evaluator& evaluator, const Budget& budget, int threads,
                        const std::function<Result<void>(const std::filesystem::path&)>& mayWrite,
                        const std::function<Result<void>()>& evaluated) {
    codegen::CModel source = *built.source;
    NewFiles files(folder, mayWrite);
    const bool arrays = source.weights == codegen::CWeights::Arrays;
    const std::string arraysFile = source.name + "_weights.c", weightsFile = source.name + ".weights",
                      loaderFile = source.name + "_load.c";
    if (!built.constants.empty()) {
        LATHE_TRY(NewFile * file, files.add(arrays ? arraysFile : weightsFile));
        if (arrays)
            LATHE_CHECKED(NewFiles::write(*file, codegen::cWeightsHead(source)));
        ConstantBytes constants(built.constants, module, evaluator, budget, threads);
        source.weightHash = codegen::cHash({});
        for (size_t i = 0; i < built.constants.size(); ++i) {
            LATHE_TRY(const std::span<const std::byte> bytes, constants.next());
            if (arrays) {
                LATHE_CHECKED(NewFiles::write(*file, codegen::cWeightsArray(source, i, bytes)));
                continue;
            }
            const std::vector<std::byte> padding(static_cast<size_t>(built.offsets[i] - file->position()));
            source.weightHash = codegen::cHash(bytes, codegen::cHash(padding, source.weightHash));
            if (!file->padTo(built.offsets[i]))
                return Failure(file->problem());
            LATHE_CHECKED(NewFiles::write(*file, bytes));
        }
    }
    if (evaluated)
        LATHE_CHECKED(evaluated());
    const codegen::CFiles text = codegen::emitC(source);
    LATHE_CHECKED(files.add(source.name + ".h", text.header));
    LATHE_CHECKED(files.add(source.name + ".c", text.source));
    LATHE_CHECKED(files.add(source.name + "_main.c", text.program));
    if (!text.loader.empty())
        LATHE_CHECKED(files.add(loaderFile, text.loader));
    LATHE_CHECKED(files.keep());
    // What an earlier compilation with weights of the other form has left would be compiled along.
    for (const auto& [name, made] :
         {std::pair(arraysFile, arrays && !built.constants.empty()), std::pair(loaderFile, !text.loader.empty())})
        if (!made && isMadeByUs(folder / name)) {
            std::error_code ignored;
            std::filesystem::remove(folder / name, ignored);
        }
    return {};
}

/// Whether values are objects of the runtime: sequences, optionals, and what a loop stacks whose sizes only a run knows.
bool holdsObjects(const relay::Function& main, const tir::PrimFunc& entry) {
    bool found = std::ranges::any_of(
        main.params, [](const relay::Param& param) { return relay::asDataType(param.type) != nullptr; });
    tir::visitExprs(entry.body, [&](const arith::Expr& root) {
        if (root)
            arith::visit(root, [&](const arith::Expr& e) {
                if (e.kind() == arith::ExprKind::Call && e->intrinsic == arith::Intrinsic::RtCall) {
                    const int64_t called = arith::asInt(e->args[0]).value_or(-1);
                    found = found || (called >= LATHE_FN_OBJECT_INPUT && called <= LATHE_FN_OBJECT_RELEASE);
                }
                return !found;
            });
    });
    return found;
}

/// Whether a fused function decodes images.
bool decodesImages(const relay::Module& module) {
    return std::ranges::any_of(module.functions, [](const auto& entry) {
        return std::ranges::any_of(entry.second->body->bindings, [](const relay::BindingPtr& binding) {
            const auto* call = binding->as<relay::OpCall>();
            return call && call->op == relay::Op::DecodeImage;
        });
    });
}

bool isOfStrings(const relay::Type& type) {
    return std::ranges::any_of(relay::fieldTypes(type), [](const relay::Type& field) {
        return asTensor(field) && asTensor(field)->dtype == types::String;
    });
}

/// The first binding, nested Blocks included, whose value are strings; null if there is none.
relay::BindingPtr firstOfStrings(const relay::Module& module) {
    std::vector<const relay::Block*> open = {module.main().body.get()};
    while (!open.empty()) {
        const relay::Block* const block = open.back();
        open.pop_back();
        for (const relay::BindingPtr& binding : block->bindings) {
            if (isOfStrings(binding->type))
                return binding;
            for (const relay::BlockPtr& nested : relay::blocksOf(binding->rhs))
                open.push_back(nested.get());
        }
    }
    return nullptr;
}

} // namespace

Result<codegen::CModel> makeSource(const relay::Module& module, const model::ModelGraph* graph,
                                   const lower::Kernels& kernels, const lower::Entry& entry,
                                   const std::vector<int64_t>& offsets, const Options& options,
                                   const std::function<void()>& checkpoint) {
    if (const std::vector<relay::StateValue>& states = module.main().states; !states.empty())
        return failure(
            ErrorKind::Unsupported,
            fmt::format("the model keeps {} from one run to the next ('{}'{}), which C source does not do yet",
                        states.size() == 1 ? "a state" : fmt::format("{} states", states.size()), states.front().name,
                        states.size() == 1 ? "" : ", …"),
            "compile it to an artifact and run that with the runtime");
    if (!entry.functions.empty())
        return failure(ErrorKind::Unsupported,
                       "the model has functions that call themselves, which C source does not do yet",
                       "compile it to an artifact and run that with the runtime");
    if (holdsObjects(module.main(), *entry.function))
        return failure(
            ErrorKind::Unsupported,
            "the model has sequences, optionals or stacks of values whose sizes only a run knows, which C source "
            "does not do yet",
            "compile it to an artifact and run that with the runtime");
    if (decodesImages(module))
        return failure(ErrorKind::Unsupported, "the model decodes images, which C source has no library for",
                       "compile it to an artifact and run that with the runtime");
    if (const relay::BindingPtr of = firstOfStrings(module))
        return Failure(lower::refuse(of->span, *module.spans, graph, "C source does not compute with strings yet",
                                     "compile it to an artifact and run that with the runtime"));
    for (const relay::Param& param : module.main().params)
        if (isOfStrings(param.type))
            return failure(
                ErrorKind::Unsupported,
                fmt::format("input '{}' is of strings, with which C source does not compute yet", param.name),
                "compile it to an artifact and run that with the runtime");
    codegen::CModel source;
    const std::string stem = graph ? std::filesystem::path(graph->file).stem().string() : "";
    source.name = codegen::cIdentifier(options.name.empty() ? stem : options.name);
    const lower::LoweredEntry lowered =
        lower::lowerEntry(entry.function, {}, options.target, {{}, {}, options.verify, checkpoint});
    source.entry = lowered.entry;
    const std::vector<std::vector<std::byte>> noObjects(kernels.kernels.size() + 1);
    source.tables = makeTables(module, graph, kernels, entry, lowered, offsets, noObjects, options);
    for (const lower::Kernel& kernel : kernels.kernels)
        source.kernels.push_back(kernel.lowered);
    const relay::Function& main = module.main();
    source.symbols = inputSymbols(main);
    for (const relay::Param& param : main.params)
        source.inputDims.push_back(dimsOver(param.type, source.symbols));
    for (const relay::Type& type : relay::outputTypes(main))
        source.outputDims.push_back(dimsOver(type, source.symbols));
    const auto isSymbol = [&](const arith::Var& var) {
        return std::ranges::any_of(source.symbols, [&](const arith::Var& symbol) { return symbol.same(var); });
    };
    if (entry.peakBytes && std::ranges::all_of(arith::freeVars(entry.peakBytes), isSymbol))
        source.peakBytes = entry.peakBytes;
    for (const relay::ConstantPtr& constant : entry.constants)
        source.constants.push_back(asTensor(constant->type)->dtype);
    if (!entry.constants.empty())
        source.weightBytes = offsets.back() + bytesOf(*entry.constants.back());
    source.weights = options.weights != codegen::CWeights::Auto   ? options.weights
                     : source.weightBytes <= codegen::cArrayBytes ? codegen::CWeights::Arrays
                                                                  : codegen::CWeights::File;
    return source;
}

Result<void> writeSource(const Built& built, const std::filesystem::path& folder, const relay::Module& module,
                         relay::Evaluator& evaluator, const Budget& budget, int threads,
                         const std::function<Result<void>(const std::filesystem::path&)>& mayWrite,
                         const std::function<Result<void>()>& evaluated) {
    std::error_code failed;
    const bool isNew = std::filesystem::create_directories(folder, failed);
    if (failed)
        return failure(fmt::format("the folder '{}' cannot be made: {}", folder.string(), failed.message()));
    const MadeFolder made{isNew ? folder : std::filesystem::path()};
    return writeFiles(built, folder, module, evaluator, budget, threads, mayWrite, evaluated);
}

} // namespace lathe::driver
