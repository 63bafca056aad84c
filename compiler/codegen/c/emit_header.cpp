// SPDX-License-Identifier: Apache-2.0
//
// NAME.h: what a program needs to know of the model, as macros, and its functions.
#include "codegen/c/model.h"
#include "codegen/c/types.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::codegen {
namespace {

std::string dimsText(const std::vector<Expr>& dims) {
    std::string text;
    for (const Expr& dim : dims)
        text += (text.empty() ? "" : ", ") + (dim ? arith::toString(dim) : std::string("..."));
    return "[" + text + "]";
}

/// A part of macros' names that was not there before, alone and with any of the endings.
std::string uniquePart(const std::string& text, std::unordered_set<std::string>& taken) {
    constexpr std::string_view endings[] = {"", "_TYPE", "_RANK", "_DIMS", "_ELEMENTS", "_BYTES"};
    const std::string wanted = cUpper(cIdentifier(text));
    std::string name = wanted;
    const auto isTaken = [&](std::string_view ending) { return taken.contains(name + std::string(ending)); };
    for (int suffix = 2; std::ranges::any_of(endings, isTaken); ++suffix)
        name = fmt::format("{}_{}", wanted, suffix);
    for (const std::string_view ending : endings)
        taken.insert(name + std::string(ending));
    return name;
}

/// Macros of one input or output: its place, type and sizes.
std::string valueMacros(const CModel& model, const char* direction, const std::vector<ModelTables::Value>& values,
                        const std::vector<std::vector<Expr>>& dims) {
    const std::string upper = cUpper(model.name);
    std::string text = fmt::format("\n#define LATHE_{}_{}PUTS {}\n", upper, direction, values.size());
    std::unordered_set<std::string> taken{"OF_MEMORY"}; // of LATHE_…_OUT_OF_MEMORY
    for (size_t i = 0; i < values.size(); ++i) {
        const ModelTables::Value& value = values[i];
        const std::string name = uniquePart(value.name, taken);
        const std::string macro = fmt::format("#define LATHE_{}_{}_{}", upper, direction, name);
        text += fmt::format("/* \"{}\": {}{} */\n{} {}\n{}_TYPE {}\n{}_RANK {}\n", cComment(value.name),
                            toString(value.dtype), cComment(dimsText(dims[i])), macro, i, macro, cStorage(value.dtype),
                            macro, value.dims.size());
        if (!isFixed(dims[i]))
            continue;
        std::string list;
        for (const int64_t dim : value.dims)
            list += fmt::format("{}{}", list.empty() ? "" : ", ", dim);
        if (!list.empty())
            text += fmt::format("{}_DIMS {{{}}}\n", macro, list);
        text += fmt::format("{}_ELEMENTS {}\n{}_BYTES {}\n", macro, bytesOf(value) / value.dtype.bytes(), macro,
                            bytesOf(value));
    }
    return text;
}

std::string argsRecord(const CModel& model, const CModule& module) {
    const std::string upper = cUpper(model.name);
    std::string text = "\n/* What a run is told beside its buffers, and what it tells. */\n";
    text += fmt::format("typedef struct lathe_{}_args {{\n", model.name);
    text += arenaBytes(model)
                ? fmt::format("    size_t arena_bytes; /* of the arena; 0: LATHE_{}_ARENA_BYTES */\n", upper)
                : "    size_t arena_bytes; /* of the arena */\n";
    if (!model.symbols.empty())
        text += fmt::format("    int64_t symbols[{}]; /* sizes, in the order of LATHE_{}_SYMBOL_... */\n",
                            model.symbols.size(), upper);
    if (std::ranges::any_of(module.dynamicOutput, [](bool dynamic) { return dynamic; })) {
        size_t rank = 1;
        for (const ModelTables::Value& value : model.tables.outputs)
            rank = std::max(rank, value.dims.size());
        text += fmt::format(
            "    size_t output_bytes[{0}]; /* what each output's buffer holds; after the run, what it needs.\n"
            "                               Only of outputs without ..._BYTES. */\n"
            "    int64_t output_dims[{0}][{1}]; /* after the run, of the same outputs */\n",
            model.tables.outputs.size(), rank);
    }
    if (drawsRandom(model))
        text += "    uint64_t seed; /* of what is drawn at random */\n";
    return text + fmt::format("}} lathe_{}_args;\n", model.name);
}

std::string symbolMacros(const CModel& model) {
    if (model.symbols.empty())
        return {};
    const std::string upper = cUpper(model.name);
    std::string text = fmt::format("\n/* Sizes that the model leaves open. */\n#define LATHE_{}_SYMBOLS {}\n", upper,
                                   model.symbols.size());
    std::unordered_set<std::string> taken;
    for (size_t i = 0; i < model.symbols.size(); ++i) {
        const std::string name = uniquePart(model.symbols[i]->name, taken);
        text +=
            fmt::format("#define LATHE_{}_SYMBOL_{} {} /* {} */\n", upper, name, i, cComment(model.symbols[i]->name));
    }
    return text;
}

} // namespace

std::string cHeader(const CModel& model, const CModule& module, int64_t stackBytes) {
    const std::string upper = cUpper(model.name);
    std::string text = cTitle(model, "What a program needs to know");
    text += fmt::format("#ifndef LATHE_{0}_H\n#define LATHE_{0}_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n"
                        "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n",
                        upper);
    text += symbolMacros(model);
    text += valueMacros(model, "IN", model.tables.inputs, model.inputDims);
    text += valueMacros(model, "OUT", model.tables.outputs, model.outputDims);
    text += "\n/* Memory in bytes: of the arena, which the caller gives; on the stack at most, beside what calls take. "
            "*/\n";
    if (const auto bytes = arenaBytes(model))
        text += fmt::format("#define LATHE_{}_ARENA_BYTES {}\n", upper, *bytes);
    text += fmt::format("#define LATHE_{0}_ARENA_ALIGNMENT 16\n#define LATHE_{0}_STACK_BYTES {1}\n", upper, stackBytes);
    if (model.peakBytes && !arenaBytes(model))
        text += fmt::format(
            "/* Bytes of the arena for these sizes. */\nsize_t lathe_{}_arena_bytes(const int64_t *symbols);\n",
            model.name);
    else if (!model.peakBytes)
        text += "/* How large the arena has to be, data decides: a run that has too little fails with kind "
                "OUT_OF_MEMORY. */\n";
    if (model.weights == CWeights::File && !model.tables.constants.empty())
        text += fmt::format("\n/* The weights: all bytes of {0}.weights, in the order of the file, at an aligned "
                            "address. Set it before the\n"
                            "   first run; all runs read it. lathe_{0}_load ({0}_load.c) reads the file into `memory`, "
                            "checks that it is this\n"
                            "   model's and sets it; it returns LATHE_{1}_OK or LATHE_{1}_BAD_WEIGHTS. */\n"
                            "#define LATHE_{1}_WEIGHTS_BYTES {2}\n#define LATHE_{1}_WEIGHTS_ALIGNMENT 16\n"
                            "extern const void *lathe_{0}_weights;\n"
                            "int lathe_{0}_load(const char *path, void *memory);\n",
                            model.name, upper, model.weightBytes);
    text += argsRecord(model, module);
    text += fmt::format(
        "\n/* What a run returns: LATHE_{0}_OK, one of these, or the number of a check that failed, above 0. */\n"
        "#define LATHE_{0}_OK 0\n#define LATHE_{0}_MISSING (-1)     /* a pointer is NULL */\n"
        "#define LATHE_{0}_NO_WEIGHTS (-2)  /* they are not set */\n"
        "#define LATHE_{0}_BAD_WEIGHTS (-3) /* of lathe_{1}_load */\n",
        upper, model.name);
    text +=
        fmt::format("/* Kinds of checks. */\n#define LATHE_{0}_NO_KIND (-1)\n#define LATHE_{0}_INDEX_OUT_OF_RANGE 0\n"
                    "#define LATHE_{0}_DIVISION_BY_ZERO 1\n#define LATHE_{0}_SHAPE_MISMATCH 2\n"
                    "#define LATHE_{0}_OUT_OF_MEMORY 3 /* the arena, or a buffer of an output */\n#define "
                    "LATHE_{0}_INVALID_VALUE 4\n",
                    upper);
    text += fmt::format(
        "\n/* Runs the model once. Buffers are row-major and compact, aligned for their type; outputs overlap "
        "nothing.\n"
        "   args: {}. Runs at the same time need arenas and outputs of their own. */\n"
        "int lathe_{}_run(const void *const *inputs, void *const *outputs, void *arena, lathe_{}_args *args);\n"
        "/* What a status means, in English, and its kind. */\n"
        "const char *lathe_{}_message(int status);\nint lathe_{}_kind(int status);\n",
        needsArgs(model, module) ? "the sizes" : "may be NULL", model.name, model.name, model.name, model.name);
    text += "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
    return text;
}

} // namespace lathe::codegen
