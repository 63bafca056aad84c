// SPDX-License-Identifier: Apache-2.0
//
// NAME_main.c, which runs the model on files: an example, and what proves the code on a machine that has files. NAME_load.c.
#include "codegen/c/model.h"
#include "codegen/c/names.h"
#include "codegen/c/types.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::codegen {
namespace {

constexpr std::string_view programHead = R"(#include "@NAME@.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void end(const char *what, const char *which) {
    fprintf(stderr, "%s: %s\n", which, what);
    exit(1);
}

/* Memory that is aligned for anything; never NULL. */
static void *memory(size_t bytes) {
    void *at = malloc(bytes > 0 ? bytes : 1);
    if (at == NULL)
        end("not enough memory", "@NAME@");
    return at;
}
)";

constexpr std::string_view programReader = R"(
/* All of a file; `bytes`: how many it must have. */
static void *read_file(const char *path, size_t bytes) {
    FILE *file = fopen(path, "rb");
    void *at = memory(bytes);
    if (file == NULL)
        end("cannot be opened", path);
    if (fread(at, 1, bytes, file) != bytes || fgetc(file) != EOF)
        end("does not have the bytes of the input", path);
    fclose(file);
    return at;
}
)";

constexpr std::string_view programWriter = R"(
static void write_file(const char *path, const void *from, size_t bytes) {
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(from, 1, bytes, file) != bytes || fclose(file) != 0)
        end("cannot be written", path);
}
)";

constexpr std::string_view loaderText = R"(#include "@NAME@.h"

#include <stdio.h>

int lathe_@NAME@_load(const char *path, void *memory) {
    const unsigned char *bytes = (const unsigned char *)memory;
    const size_t size = LATHE_@UPPER@_WEIGHTS_BYTES;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t i, got;
    int more;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return LATHE_@UPPER@_BAD_WEIGHTS;
    got = fread(memory, 1, size, file);
    more = fgetc(file) != EOF;
    fclose(file);
    for (i = 0; i < got; ++i)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    if (got != size || more || hash != UINT64_C(@HASH@))
        return LATHE_@UPPER@_BAD_WEIGHTS;
    lathe_@NAME@_weights = memory;
    return LATHE_@UPPER@_OK;
}
)";

/// Of an output: its bytes, and its dims as text, after a good run.
std::string writeOutput(const CModel& model, const CModule& module, size_t i) {
    const ModelTables::Value& value = model.tables.outputs[i];
    std::string text;
    if (module.dynamicOutput[i]) {
        text += fmt::format(
            "    write_file(argv[outputs_at + {0}], outputs[{0}], args.output_bytes[{0}]);\n    printf(\"output {0}:",
            i);
        for (size_t axis = 0; axis < value.dims.size(); ++axis)
            text += " %ld";
        text += "\\n\"";
        for (size_t axis = 0; axis < value.dims.size(); ++axis)
            text += fmt::format(", (long)args.output_dims[{}][{}]", i, axis);
        return text + ");\n";
    }
    text += fmt::format("    write_file(argv[outputs_at + {0}], outputs[{0}], {1});\n    printf(\"output {0}:", i,
                        bytesOf(value));
    for (const int64_t dim : value.dims)
        text += fmt::format(" {}", dim);
    return text + "\\n\");\n";
}

/// The bytes of an input in C; over the symbols where it is so.
std::string inputBytes(const CModel& model, size_t i) {
    std::string text = fmt::format("(size_t){}", model.tables.inputs[i].dtype.bytes());
    for (size_t axis = 0; axis < model.inputDims[i].size(); ++axis) {
        const int64_t dim = model.tables.inputs[i].dims[axis];
        text += dim >= 0 ? fmt::format(" * {}", dim) : fmt::format(" * (size_t)args.symbols[{}]", -(dim + 1));
    }
    return text;
}

bool hasDynamicOutput(const CModule& module) {
    return std::ranges::any_of(module.dynamicOutput, [](bool dynamic) { return dynamic; });
}

/// The call that runs the model; again with more room, as long as an output or the arena is too small.
std::string runWithRoom(const CModel& model, const CModule& module) {
    const std::string upper = cUpper(model.name);
    const size_t outs = model.tables.outputs.size();
    const bool anyDynamic = hasDynamicOutput(module);
    std::string text;
    const bool grows = anyDynamic || !model.peakBytes;
    if (grows)
        text += "    for (;;) {\n";
    const std::string pad = grows ? "        " : "    ";
    if (anyDynamic)
        text +=
            fmt::format("        for (i = 0; i < {}; ++i)\n            args.output_bytes[i] = capacity[i];\n", outs);
    text += fmt::format("{}status = lathe_{}_run(inputs, outputs, arena, &args);\n", pad, model.name);
    if (grows) {
        text += fmt::format("        if (lathe_{}_kind(status) != LATHE_{}_OUT_OF_MEMORY)\n            break;\n",
                            model.name, upper);
        if (anyDynamic) {
            std::string fixed;
            for (size_t i = 0; i < outs; ++i)
                if (!module.dynamicOutput[i])
                    fixed += fmt::format("{}i == {}", fixed.empty() ? "" : " || ", i);
            text += fmt::format(
                "        grown = 0;\n        for (i = 0; i < {}; ++i) {{\n{}"
                "            if (args.output_bytes[i] > capacity[i]) {{\n"
                "                free(outputs[i]);\n                capacity[i] = args.output_bytes[i];\n"
                "                outputs[i] = memory(capacity[i]);\n                grown = 1;\n            }}\n       "
                " }}\n"
                "        if (grown)\n            continue;\n",
                outs, fixed.empty() ? "" : fmt::format("            if ({})\n                continue;\n", fixed));
        }
        if (model.peakBytes)
            text += "        break;\n";
        else
            text += "        if (args.arena_bytes >= (size_t)1 << 30)\n            break;\n"
                    "        free(arena);\n        args.arena_bytes *= 4;\n        arena = memory(args.arena_bytes);\n";
        text += "    }\n";
    }
    return text;
}

} // namespace

std::string cProgram(const CModel& model, const CModule& module) {
    const std::string upper = cUpper(model.name);
    const bool hasFile = model.weights == CWeights::File && !model.tables.constants.empty();
    const size_t ins = model.tables.inputs.size(), outs = model.tables.outputs.size(), sizes = model.symbols.size();
    std::string names;
    for (const arith::Var& symbol : model.symbols)
        names += " " + cUpper(cIdentifier(symbol->name));
    std::string text = cTitle(model, "A program that runs it on files");
    text += fmt::format("/* {}_main{}{} INPUT... OUTPUT...: files of numbers as they lie in memory. */\n", model.name,
                        hasFile ? " WEIGHTS" : "", names);
    text += replaced(std::string(programHead), {{"@NAME@", model.name}});
    if (ins > 0)
        text += programReader;
    if (outs > 0)
        text += programWriter;
    text += "\nint main(int argc, char **argv) {\n";
    const bool anyDynamic = hasDynamicOutput(module);
    text += fmt::format("    const int sizes_at = {}, inputs_at = sizes_at + {}, outputs_at = inputs_at + {};\n",
                        hasFile ? 2 : 1, sizes, ins);
    text += fmt::format("    const void *inputs[{}] = {{NULL}};\n    void *outputs[{}] = {{NULL}};\n    void *arena;\n",
                        std::max<size_t>(1, ins), std::max<size_t>(1, outs));
    if (anyDynamic)
        text += fmt::format("    size_t capacity[{}] = {{0}};\n    int grown, i;\n", outs);
    text += fmt::format("    lathe_{}_args args;\n    int status;\n    memset(&args, 0, sizeof args);\n", model.name);
    text += fmt::format("    if (argc != outputs_at + {})\n        end(\"usage:{}{} INPUT... OUTPUT...\", argv[0]);\n",
                        outs, hasFile ? " WEIGHTS" : "", names);
    if (hasFile)
        text += fmt::format("    status = lathe_{0}_load(argv[1], memory(LATHE_{1}_WEIGHTS_BYTES));\n"
                            "    if (status != LATHE_{1}_OK)\n        end(lathe_{0}_message(status), argv[1]);\n",
                            model.name, upper);
    for (size_t i = 0; i < sizes; ++i)
        text += fmt::format("    args.symbols[{0}] = strtol(argv[sizes_at + {0}], NULL, 10);\n", i);
    for (size_t i = 0; i < ins; ++i)
        text += fmt::format("    inputs[{0}] = read_file(argv[inputs_at + {0}], {1});\n", i, inputBytes(model, i));
    for (size_t i = 0; i < outs; ++i)
        text += module.dynamicOutput[i]
                    ? fmt::format("    capacity[{0}] = 4096;\n    outputs[{0}] = memory(capacity[{0}]);\n", i)
                    : fmt::format("    outputs[{}] = memory({});\n", i, bytesOf(model.tables.outputs[i]));
    if (arenaBytes(model))
        text += fmt::format("    args.arena_bytes = LATHE_{}_ARENA_BYTES;\n", upper);
    else if (model.peakBytes)
        text += fmt::format("    args.arena_bytes = lathe_{}_arena_bytes(args.symbols);\n", model.name);
    else
        text += "    args.arena_bytes = 1 << 20; /* more where it is not enough */\n";
    text += "    arena = memory(args.arena_bytes);\n";
    text += runWithRoom(model, module);
    text += fmt::format("    if (status != LATHE_{}_OK)\n        end(lathe_{}_message(status), argv[0]);\n", upper,
                        model.name);
    for (size_t i = 0; i < outs; ++i)
        text += writeOutput(model, module, i);
    for (size_t i = 0; i < ins; ++i)
        text += fmt::format("    free((void *)inputs[{}]);\n", i);
    for (size_t i = 0; i < outs; ++i)
        text += fmt::format("    free(outputs[{}]);\n", i);
    text += "    free(arena);\n";
    if (hasFile)
        text += fmt::format("    free((void *)lathe_{}_weights);\n", model.name);
    return text + "    return 0;\n}\n";
}

std::string cLoader(const CModel& model) {
    return cTitle(model, "What reads the weights") +
           replaced(std::string(loaderText), {{"@NAME@", model.name},
                                              {"@UPPER@", cUpper(model.name)},
                                              {"@HASH@", fmt::format("0x{:016x}", model.weightHash)}});
}

} // namespace lathe::codegen
