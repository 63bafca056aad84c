// SPDX-License-Identifier: Apache-2.0
//
// NAME.h. Names of values are any bytes: they stand in string literals alone, never in comments.
#include "codegen/link.h"
#include "deploy/model_interface.h"
#include "runtime/lathe_rt.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::deploy {
namespace {

std::string upper(std::string text) {
    for (char& c : text)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
    return text;
}

std::vector<std::string> namesOf(const std::vector<device::RunnerValue>& values) {
    std::vector<std::string> names;
    for (const device::RunnerValue& value : values)
        names.push_back(value.name);
    return names;
}

/// The code of DLPack, as dlpack.h names it.
std::string_view dlpackCode(DataType dtype) {
    switch (dtype.code) {
    case TypeCode::Bool:
        return "kDLBool";
    case TypeCode::Int:
        return "kDLInt";
    case TypeCode::UInt:
        return "kDLUInt";
    case TypeCode::Float:
        return "kDLFloat";
    case TypeCode::BFloat:
        return "kDLBfloat";
    case TypeCode::Float8E4M3FN:
        return "kDLFloat8_e4m3fn";
    case TypeCode::Float8E4M3FNUZ:
        return "kDLFloat8_e4m3fnuz";
    case TypeCode::Float8E5M2:
        return "kDLFloat8_e5m2";
    case TypeCode::Float8E5M2FNUZ:
        return "kDLFloat8_e5m2fnuz";
    case TypeCode::Float8E8M0:
        return "kDLFloat8_e8m0fnu";
    case TypeCode::Float4E2M1:
        return "kDLFloat4_e2m1fn";
    default: // strings: lathe_string of lathe_rt.h
        return "kDLOpaqueHandle";
    }
}

/// Of an element in a tensor of the interface.
int bitsOf(DataType dtype) {
    return dtype == types::String ? 8 * static_cast<int>(sizeof(lathe_string)) : dtype.bits;
}

/// Words of a model in a comment: letters that cannot end it.
std::string commentWord(std::string_view text) {
    std::string word;
    for (const char c : text.substr(0, 80))
        word += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                        std::string_view("_.-:").contains(c)
                    ? c
                    : '?';
    return word;
}

std::string dimText(int64_t dim) {
    return dim == INT64_MIN ? "INT64_MIN" : std::to_string(dim);
}

/// Values of one kind, as the header calls them.
struct ValueKind {
    std::string_view which, all; // "IN", "INPUTS"
    const std::vector<device::RunnerValue>& values;
};
std::array<ValueKind, 3> kindsOf(const ModelInterface& interface) {
    return {ValueKind{"IN", "INPUTS", interface.inputs}, ValueKind{"OUT", "OUTPUTS", interface.outputs},
            ValueKind{"STATE", "STATES", interface.states}};
}

/// Ordinals, and what is known of each value.
std::string valueLines(const std::string& prefix, const ValueKind& kind) {
    const auto& [which, all, values] = kind;
    const std::vector<std::string> ids = identifiersOf(namesOf(values));
    std::string text = "enum {\n";
    for (size_t i = 0; i < values.size(); ++i)
        text += fmt::format("    {}_{}_{} = {},\n", prefix, which, ids[i], i);
    text += fmt::format("    {}_{} = {} /* how many */\n}};\n", prefix, all, values.size());
    for (size_t i = 0; i < values.size(); ++i) {
        const std::string value = fmt::format("{}_{}_{}", prefix, which, ids[i]);
        std::vector<std::string> dims;
        for (const int64_t dim : values[i].dims)
            dims.push_back(dimText(dim));
        text += fmt::format("#define {}_NAME {}\n#define {}_CODE {} /* {} */\n#define {}_BITS {}\n#define {}_RANK {}\n",
                            value, cLiteral(values[i].name), value, dlpackCode(values[i].dtype),
                            toString(values[i].dtype), value, bitsOf(values[i].dtype), value, values[i].dims.size());
        if (!dims.empty())
            text += fmt::format("#define {}_DIMS {{{}}}\n", value, fmt::join(dims, ", "));
        const auto elements = model::elementsOf(values[i].dims);
        if (std::ranges::all_of(values[i].dims, [](int64_t dim) { return dim >= 0; }) && elements)
            text += fmt::format("#define {}_ELEMENTS {}\n", value, *elements);
    }
    return text;
}

/// The table that NAME_check goes by.
std::string tableRows(const std::string& prefix, const ValueKind& kind) {
    const auto& [which, all, values] = kind;
    const std::vector<std::string> ids = identifiersOf(namesOf(values));
    std::string rows;
    for (size_t i = 0; i < values.size(); ++i) {
        const std::string value = fmt::format("{}_{}_{}", prefix, which, ids[i]);
        rows += fmt::format("        {{{0}_NAME, {0}_CODE, {0}_BITS, {0}_RANK, {1}}},\n", value,
                            values[i].dims.empty() ? "{0}" : value + "_DIMS");
    }
    return rows;
}

constexpr std::string_view aboutStates = R"(
/* What a context keeps from one run to the next: ordinals for lathe_get_state and lathe_set_state. lathe_reset_states makes
 * all of them what they are in a new context. */
)";

constexpr std::string_view functions = R"(
/* LATHE_OK if this header was made for the model; else LATHE_MISMATCH: take the header of the same bundle. */
static inline lathe_status @_check(const lathe_model* model) {
    static const struct {
        const char* name;
        int code, bits;
        int32_t rank;
        int64_t dims[@RANK@];
    } values[] = {
@ROWS@        {0, 0, 0, 0, {0}}};
    const int32_t inputs = ^_INPUTS, outputs = ^_OUTPUTS, states = ^_STATES;
    int32_t i, axis;
    if (!model || lathe_model_input_count(model) != inputs || lathe_model_output_count(model) != outputs ||
        lathe_model_state_count(model) != states)
        return LATHE_MISMATCH;
    for (i = 0; i < inputs + outputs + states; ++i) {
        lathe_value_info info;
        const lathe_status status = i < inputs             ? lathe_model_input(model, i, &info)
                                    : i < inputs + outputs ? lathe_model_output(model, i - inputs, &info)
                                                           : lathe_model_state(model, i - inputs - outputs, &info);
        if (status != LATHE_OK)
            return status;
        if (strcmp(info.name, values[i].name) != 0 || info.dtype.code != values[i].code ||
            info.dtype.bits != values[i].bits || info.rank != values[i].rank)
            return LATHE_MISMATCH;
        for (axis = 0; axis < info.rank; ++axis)
            if (info.dims[axis] != values[i].dims[axis])
                return LATHE_MISMATCH;
    }
    return LATHE_OK;
}
)";

constexpr std::string_view loader = R"(
/* Loads the first artifact of the bundle in this folder that the machine can run, and checks it. One that is damaged or
 * not there is an error, whatever follows it. */
static inline lathe_status @_load(const char* bundle, lathe_model** model) {
    static const char* const artifacts[] = ^_ARTIFACTS;
    lathe_status status = LATHE_INVALID_ARGUMENT;
    size_t i;
    for (i = 0; i < sizeof artifacts / sizeof artifacts[0]; ++i) {
        char path[4096];
        const int length = snprintf(path, sizeof path, "%s/%s", bundle, artifacts[i]);
        if (length < 0 || (size_t)length >= sizeof path)
            return LATHE_INVALID_ARGUMENT;
        status = lathe_model_load(path, model);
        if (status == LATHE_OK) {
            status = @_check(*model);
            if (status != LATHE_OK) {
                lathe_model_free(*model);
                *model = NULL;
            }
        }
        if (status != LATHE_UNSUPPORTED)
            return status;
    }
    return status;
}
)";

constexpr std::string_view opener = R"(
/* The model, as its library defines it. */
extern const lathe_linked_model @SYMBOL@;

/* Opens and checks it. */
static inline lathe_status @_open(lathe_model** model) {
    lathe_status status = lathe_linked_model_open(&@SYMBOL@, model);
    if (status == LATHE_OK) {
        status = @_check(*model);
        if (status != LATHE_OK) {
            lathe_model_free(*model);
            *model = NULL;
        }
    }
    return status;
}
)";

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

} // namespace

std::string headerOf(const Manifest& manifest, const ModelInterface& interface, size_t goldenOutputs) {
    const std::string prefix = upper(interface.name);
    const bool linked = manifest.form == BundleForm::Library;
    const std::string& signature = manifest.model.signature;
    std::string text = fmt::format(
        "/* {0} {1}, made by Lathe {2}. C99.\n"
        "{5}"
        " *\n"
        " * Dims: a size, or -(symbol + 1), or INT64_MIN where only a run tells.\n"
        " */\n"
        "#ifndef LATHE_MODEL_{3}_H\n#define LATHE_MODEL_{3}_H\n\n#include \"{4}.h\"\n\n#include <stdio.h>\n"
        "#include <string.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n#define {3}_VERSION \"{1}\"\n\n",
        interface.name, interface.version, manifest.latheVersion, prefix, linked ? "linked_model" : "lathe_rt",
        signature.empty() ? "" : fmt::format(" * Of the model's signature {}.\n", commentWord(signature)));
    const std::array<ValueKind, 3> kinds = kindsOf(interface);
    for (const ValueKind& kind : kinds) {
        text += kind.which == "STATE" && !kind.values.empty() ? aboutStates : kind.which == "IN" ? "" : "\n";
        text += valueLines(prefix, kind);
    }
    const std::vector<std::string> symbols = identifiersOf(interface.symbols);
    for (size_t i = 0; i < symbols.size(); ++i) {
        const SymbolRange& range = interface.ranges.at(interface.symbols[i]);
        const std::string symbol = fmt::format("{}_SYM_{}", prefix, symbols[i]);
        text += fmt::format("\n#define {0} {1} /* stands as {2} in dims */\n#define {0}_NAME {3}\n#define {0}_MIN {4}\n"
                            "#define {0}_USUAL {5}\n",
                            symbol, i, -static_cast<int64_t>(i) - 1, cLiteral(interface.symbols[i]), range.least,
                            range.usual);
        if (range.most)
            text +=
                fmt::format("#define {}_MAX {} /* for programs to keep to: larger ones run, and take more memory */\n",
                            symbol, *range.most);
    }
    std::vector<std::string> artifacts;
    std::vector<int> random;
    for (const ManifestVariant& variant : manifest.variants)
        artifacts.push_back(cLiteral(variant.path));
    for (const bool output : interface.random)
        random.push_back(output);
    if (!linked)
        text += fmt::format(
            "\n/* The artifacts, best first, relative to the bundle's folder. */\n#define {}_ARTIFACTS {{{}}}\n",
            prefix, fmt::join(artifacts, ", "));
    if (!manifest.golden.empty())
        text += fmt::format("\n/* Of the golden cases. */\n#define {0}_CASE {1}\n#define {0}_GOLDEN_OUTPUTS {2}\n"
                            "#define {0}_TOLERANCE_ABSOLUTE {3}\n#define {0}_TOLERANCE_OF_RANGE {4}\n"
                            "#define {0}_RANDOM_OUTPUTS {{{5}}}\n",
                            prefix, cLiteral(manifest.golden.front().name), goldenOutputs, manifest.tolerance.absolute,
                            manifest.tolerance.ofRange, fmt::join(random, ", "));
    size_t rank = 1;
    std::string rows;
    for (const ValueKind& kind : kinds) {
        for (const device::RunnerValue& value : kind.values)
            rank = std::max(rank, value.dims.size());
        rows += tableRows(prefix, kind);
    }
    std::string code(functions);
    code += linked ? opener : loader;
    replaceAll(code, "@SYMBOL@", codegen::linkedSymbol(interface.name));
    replaceAll(code, "@RANK@", std::to_string(rank));
    replaceAll(code, "@ROWS@", rows);
    replaceAll(code, "@_", interface.name + "_");
    replaceAll(code, "^_", prefix + "_");
    return text + code + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

} // namespace lathe::deploy
