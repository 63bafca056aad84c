// SPDX-License-Identifier: Apache-2.0
//
// NAME.c: helpers, a static function a kernel, the entry, and what the header declares.
#include "abi/abi.h"
#include "codegen/c/model.h"
#include "codegen/c/types.h"
#include "tir/structure.h"
#include "tir/visit.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::codegen {

using arith::ExprKind;
using arith::Intrinsic;

namespace {

/// Calls `fn` with the ordinal of each call of the runtime, and the call.
void visitRuntimeCalls(const tir::PrimFunc& function, const std::function<void(int64_t, const Expr&)>& fn) {
    tir::visitExprs(function.body, [&](const Expr& root) {
        if (root)
            arith::visit(root, [&](const Expr& e) {
                if (e.kind() == ExprKind::Call && e->intrinsic == Intrinsic::RtCall)
                    fn(arith::asInt(e->args[0]).value_or(-1), e);
                return true;
            });
    });
}

/// The sizes of inputs that are numbers, in place of questions for them: what is checked of them then goes.
class BindSizes : public tir::Mutator {
public:
    explicit BindSizes(const CModel& model) : model_(model) {}
    Expr mutate(const Expr& root) override {
        return root ? arith::rewrite(root, [&](const Expr& e) { return bound(e); }) : root;
    }
    using tir::Mutator::mutate;

private:
    const CModel& model_;

    Expr bound(const Expr& e) const {
        if (e.kind() != ExprKind::Call || e->intrinsic != Intrinsic::RtCall ||
            !arith::isConst(e->args[0], LATHE_FN_INPUT_DIM))
            return e;
        const Expr& dim = model_.inputDims.at(static_cast<size_t>(*arith::asInt(e->args[1])))
                              .at(static_cast<size_t>(*arith::asInt(e->args[2])));
        const auto isSymbol = [&](const arith::Var& symbol) { return dim.same(symbol); };
        return std::ranges::any_of(model_.symbols, isSymbol) ? e : dim;
    }
};

int checksIn(const tir::PrimFunc& function) {
    int count = 0;
    tir::visitStmts(function.body, [&](const tir::Stmt& stmt) {
        count += stmt->as<tir::Check>() != nullptr;
        return true;
    });
    return count;
}

/// A place, or the second of two that a loop uses by turns: the first one and 0 or 1.
int lastPlace(const Expr& place) {
    if (const auto known = arith::asInt(place))
        return static_cast<int>(*known);
    int first = 0;
    for (const Expr& part : place->args)
        first += place.kind() == ExprKind::Add ? static_cast<int>(arith::asInt(part).value_or(0)) : 0;
    return first + 1;
}

CModule makeModule(const CModel& model) {
    CModule module{model, {}, {}, {}, {}, 0};
    for (size_t i = 0; i < model.kernels.size(); ++i) {
        CKernel kernel;
        kernel.name = "k_" + cIdentifier(model.kernels[i]->name);
        for (int suffix = 2;
             std::ranges::any_of(module.kernels, [&](const auto& other) { return other.second.name == kernel.name; });
             ++suffix)
            kernel.name = fmt::format("k{}_{}", suffix, cIdentifier(model.kernels[i]->name));
        kernel.mayFail = checksIn(*model.kernels[i]) > 0;
        visitRuntimeCalls(*model.kernels[i], [&](int64_t called, const Expr&) {
            kernel.needsRun = kernel.needsRun || (called != LATHE_FN_COPY && called != LATHE_FN_FILL);
        });
        module.kernels[model.kernels[i]->name] = kernel;
    }
    int next = static_cast<int>(model.tables.entryChecks.size());
    for (const ModelTables::Call& call : model.tables.calls) {
        module.statusOfCall.push_back(next);
        next += static_cast<int>(model.tables.kernels.at(static_cast<size_t>(call.kernel)).checks.size());
    }
    for (const auto& dims : model.outputDims)
        module.dynamicOutput.push_back(!isFixed(dims));
    visitRuntimeCalls(*model.entry, [&](int64_t function, const Expr& e) {
        if (function == LATHE_FN_KEEP)
            module.keptPlaces = std::max(module.keptPlaces, lastPlace(e->args[1]) + 1);
    });
    return module;
}

/// A row a status, from 1 on: what failed, and its kind.
std::string messages(const CModel& model) {
    std::string rows;
    const auto add = [&](const std::vector<ModelTables::CheckText>& checks, const std::vector<std::string>& nodes) {
        for (const ModelTables::CheckText& check : checks) {
            const bool known = check.origin >= 0 && static_cast<size_t>(check.origin) < nodes.size();
            const std::string node = known ? nodes[static_cast<size_t>(check.origin)] : "";
            rows +=
                fmt::format("    {{{}, {}}},\n", check.kind,
                            cString(node.empty() ? check.message : fmt::format("node '{}': {}", node, check.message)));
        }
    };
    add(model.tables.entryChecks, model.tables.entryNodes);
    for (const ModelTables::Call& call : model.tables.calls)
        add(model.tables.kernels.at(static_cast<size_t>(call.kernel)).checks, call.nodes);
    return rows;
}

std::string messageFunctions(const CModel& model) {
    const std::string upper = cUpper(model.name), rows = messages(model);
    std::string text;
    if (!rows.empty())
        text += fmt::format(
            "\nstatic const struct {{\n    int kind;\n    const char *message;\n}} checks[] = {{\n{}}};\n", rows);
    text += fmt::format("\nint lathe_{}_kind(int status) {{\n", model.name);
    text +=
        rows.empty()
            ? fmt::format("    (void)status;\n    return LATHE_{}_NO_KIND;\n}}\n", upper)
            : fmt::format("    const int count = (int)(sizeof checks / sizeof checks[0]);\n"
                          "    return status < 1 || status > count ? LATHE_{}_NO_KIND : checks[status - 1].kind;\n}}\n",
                          upper);
    text += fmt::format("\nconst char *lathe_{0}_message(int status) {{\n"
                        "    if (status == LATHE_{1}_MISSING)\n"
                        "        return \"an input, an output, the arena or the sizes are missing\";\n"
                        "    if (status == LATHE_{1}_NO_WEIGHTS)\n"
                        "        return \"the weights are not loaded\";\n"
                        "    if (status == LATHE_{1}_BAD_WEIGHTS)\n"
                        "        return \"the file of weights cannot be read, or is not this model's\";\n",
                        model.name, upper);
    if (!rows.empty())
        text += "    if (status >= 1 && status <= (int)(sizeof checks / sizeof checks[0]))\n"
                "        return checks[status - 1].message;\n";
    return text + "    return status == 0 ? \"\" : \"an unknown status\";\n}\n";
}

std::string runRecord(const CModel& model, const CModule& module) {
    std::string text = "\n/* One run. */\ntypedef struct lathe_run {\n"
                       "    const void *const *inputs;\n    void *const *outputs;\n    unsigned char *arena;\n"
                       "    size_t arena_bytes, top;\n";
    text += fmt::format("    lathe_{}_args *args;\n", model.name);
    if (drawsRandom(model))
        text += "    uint64_t seed;\n";
    if (model.weights == CWeights::File)
        text += "    const unsigned char *weights;\n";
    if (module.keptPlaces > 0)
        text += fmt::format("    void *kept[{0}];\n    size_t kept_bytes[{0}];\n", module.keptPlaces);
    return text + "} lathe_run;\n";
}

std::string runFunction(const CModel& model, const CModule& module) {
    const std::string upper = cUpper(model.name);
    const std::optional<int64_t> arena = arenaBytes(model);
    std::string text;
    if (arena.value_or(0) > 0)
        text += fmt::format("\n#ifdef LATHE_{0}_STATIC_ARENA\n"
                            "static uint64_t static_arena[(LATHE_{0}_ARENA_BYTES + 7) / 8];\n#endif\n",
                            upper);
    text += fmt::format(
        "\nint lathe_{0}_run(const void *const *inputs, void *const *outputs, void *arena, lathe_{0}_args *args) {{\n"
        "    lathe_run x;\n    int status;\n",
        model.name);
    if (needsArgs(model, module))
        text += fmt::format("    if (args == NULL)\n        return LATHE_{}_MISSING;\n", upper);
    const auto need = [&](const char* list, const std::vector<ModelTables::Value>& values,
                          const std::vector<std::vector<Expr>>& dims) {
        std::string missing;
        for (size_t i = 0; i < values.size(); ++i)
            if (isFixed(dims[i]) && bytesOf(values[i]) > 0)
                missing += fmt::format("{}{}[{}] == NULL", missing.empty() ? "" : " || ", list, i);
        if (!missing.empty())
            text += fmt::format("    if ({})\n        return LATHE_{}_MISSING;\n", missing, upper);
    };
    need("inputs", model.tables.inputs, model.inputDims);
    need("outputs", model.tables.outputs, model.outputDims);
    text += "    memset(&x, 0, sizeof x);\n    x.inputs = inputs;\n    x.outputs = outputs;\n    x.args = args;\n";
    if (arena)
        text += fmt::format(
            "    x.arena_bytes = args == NULL || args->arena_bytes == 0 ? LATHE_{}_ARENA_BYTES : args->arena_bytes;\n",
            upper);
    else
        text += "    x.arena_bytes = args->arena_bytes;\n";
    if (arena.value_or(0) > 0)
        text += fmt::format("#ifdef LATHE_{0}_STATIC_ARENA\n"
                            "    if (arena == NULL) {{\n        arena = static_arena;\n        x.arena_bytes = sizeof "
                            "static_arena;\n    }}\n"
                            "#endif\n"
                            "    if (arena == NULL)\n        return LATHE_{0}_MISSING;\n",
                            upper);
    text += "    x.arena = (unsigned char *)arena;\n";
    if (drawsRandom(model))
        text += "    x.seed = args == NULL ? 0 : args->seed;\n";
    if (model.weights == CWeights::File && !model.tables.constants.empty())
        text += fmt::format("    x.weights = (const unsigned char *)lathe_{}_weights;\n"
                            "    if (x.weights == NULL)\n        return LATHE_{}_NO_WEIGHTS;\n",
                            model.name, upper);
    text += "    status = run(&x);\n";
    if (module.keptPlaces > 0)
        text += fmt::format("    {{\n        int place;\n        for (place = 0; place < {}; ++place)\n"
                            "            free(x.kept[place]);\n    }}\n",
                            module.keptPlaces);
    return text + "    return status;\n}\n";
}

} // namespace

bool isFixed(const std::vector<Expr>& dims) {
    return std::ranges::all_of(dims, [](const Expr& dim) { return dim && arith::asInt(dim); });
}

int64_t bytesOf(const ModelTables::Value& value) {
    int64_t bytes = value.dtype.bytes();
    for (const int64_t dim : value.dims)
        bytes *= dim;
    return bytes;
}

std::optional<int64_t> arenaBytes(const CModel& model) {
    return model.peakBytes ? arith::asInt(model.peakBytes) : std::nullopt;
}

bool needsArgs(const CModel& model, const CModule& module) {
    return !model.symbols.empty() || !arenaBytes(model) ||
           std::ranges::any_of(module.dynamicOutput, [](bool dynamic) { return dynamic; });
}

bool drawsRandom(const CModel& model) {
    bool found = false;
    for (const tir::PrimFuncPtr& kernel : model.kernels)
        visitRuntimeCalls(*kernel, [&](int64_t function, const Expr&) { found = found || function == LATHE_FN_SEED; });
    return found;
}

std::string cTitle(const CModel& model, std::string_view what) {
    return fmt::format("/* {} of {}, made by Lathe: changes are lost when it is made again. */\n", what, model.name);
}

CFiles emitC(const CModel& model) {
    CModule module = makeModule(model);
    int64_t stackBytes = 0;
    std::string functions;
    for (const tir::PrimFuncPtr& kernel : model.kernels) {
        CFunction function(module, *kernel);
        functions += fmt::format("\n{}", function.kernel(module.kernels.at(kernel->name)));
        stackBytes = std::max(stackBytes, function.stackBytes());
    }
    const tir::PrimFuncPtr entry = tir::withBody(model.entry, BindSizes(model).mutate(model.entry->body));
    CFunction function(module, *entry);
    functions += "\n/* The model: its kernels in order, each with places in the run's memory. */\n" + function.entry();
    stackBytes += function.stackBytes();
    std::string arena;
    if (model.peakBytes && !arenaBytes(model)) {
        arena = fmt::format("\nsize_t lathe_{}_arena_bytes(const int64_t *symbols) {{\n{}}}\n", model.name,
                            CFunction(module, *entry).ofSymbols(model.peakBytes));
    }

    CFiles files;
    files.header = cHeader(model, module, stackBytes);
    files.program = cProgram(model, module);
    if (model.weights == CWeights::File && !model.tables.constants.empty())
        files.loader = cLoader(model);
    std::string& text = files.source;
    text = cTitle(model, "The code");
    text += fmt::format(
        "#include \"{}.h\"\n\n#include <math.h>\n#include <stdbool.h>\n#include <stdlib.h>\n#include <string.h>\n",
        model.name);
    text += "\n/* Results are as told only if a product and a sum are rounded one after the other. GCC does so by "
            "-std=c99 or\n"
            "   -ffp-contract=off, and does not know the pragma. */\n"
            "#if defined(__clang__) || !defined(__GNUC__)\n#pragma STDC FP_CONTRACT OFF\n#endif\n"
            "#if defined(__GNUC__) && !defined(__clang__)\n/* It cannot follow what loops have written. */\n"
            "#pragma GCC diagnostic ignored \"-Wmaybe-uninitialized\"\n#endif\n";
    text += "\n/* A kernel stays a function: what the arena holds changes its type from one to the next, and the stack "
            "holds one\n"
            "   at a time. */\n"
            "#if defined(__GNUC__)\n#define LATHE_KERNEL static __attribute__((noinline))\n#else\n"
            "#define LATHE_KERNEL static\n#endif\n";
    if (model.weights == CWeights::Arrays)
        for (size_t i = 0; i < model.tables.constants.size(); ++i)
            text +=
                fmt::format("{}extern const {} lathe_{}_weights_{}[];\n", i == 0 ? "\n" : "",
                            cStorage(DataType{TypeCode::UInt, static_cast<uint8_t>(model.constants[i].bytes() * 8)}),
                            model.name, i);
    else if (!model.tables.constants.empty())
        text += fmt::format("\nconst void *lathe_{}_weights = NULL;\n", model.name);
    text += runRecord(model, module);
    text += module.helpers.text() + functions + arena + messageFunctions(model) + runFunction(model, module);
    return files;
}

uint64_t cHash(std::span<const std::byte> bytes, uint64_t before) {
    uint64_t hash = before;
    for (const std::byte byte : bytes)
        hash = (hash ^ static_cast<uint64_t>(byte)) * 0x100000001b3U;
    return hash;
}

std::string cWeightsHead(const CModel& model) {
    return cTitle(model, "The weights") + "#include <stdint.h>\n";
}

std::string cWeightsArray(const CModel& model, size_t index, std::span<const std::byte> bytes) {
    const auto width = static_cast<size_t>(model.constants[index].bytes());
    const DataType type{TypeCode::UInt, static_cast<uint8_t>(width * 8)};
    const std::string name = fmt::format("lathe_{}_weights_{}", model.name, index);
    std::string text = fmt::format("\nextern const {0} {1}[];\nconst {0} {1}[{2}] = {{", cStorage(type), name,
                                   std::max<size_t>(1, bytes.size() / width));
    for (size_t at = 0, row = 0; at + width <= bytes.size(); at += width, ++row) {
        uint64_t value = 0;
        for (size_t i = 0; i < width; ++i)
            value |= static_cast<uint64_t>(bytes[at + i]) << (8 * i);
        text += row % 8 == 0 ? "\n    " : " ";
        text += width == 8 ? fmt::format("UINT64_C(0x{:x}),", value) : fmt::format("0x{:x},", value);
    }
    return text + (bytes.empty() ? "0};\n" : "\n};\n");
}

Target cTarget(Target like) {
    like.cores = 1;
    like.hasFma = false;
    like.hasHalfConversion = false;
    return like;
}

} // namespace lathe::codegen
