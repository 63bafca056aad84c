// SPDX-License-Identifier: Apache-2.0
//
// Templates, with $T for the type, $U for its unsigned one, $S for the suffix of names, $MIN and $MAX for the limits of the
// integer that is converted to, $LOW and $HIGH for the floats around them.
#include "codegen/c/helpers.h"
#include "codegen/c/names.h"

#include "base/result.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <vector>

namespace lathe::codegen {
namespace {

struct Helper {
    std::string name;
    std::string text;
};

struct Template {
    std::string_view name, text;
};

// A divisor of 0 counts as 1: checks and masks keep it from mattering. The least integer by -1 wraps.
constexpr Template ofSigned[] = {
    {"div", "static inline $T lathe_div_$S($T a, $T b) {\n"
            "    return b == 0 ? a : b == -1 ? ($T)(($U)0 - ($U)a) : a / b;\n"
            "}\n"},
    {"mod", "static inline $T lathe_mod_$S($T a, $T b) {\n"
            "    return b == 0 || b == -1 ? 0 : a % b;\n"
            "}\n"},
    {"floordiv", "static inline $T lathe_floordiv_$S($T a, $T b) {\n"
                 "    if (b == 0 || b == -1)\n"
                 "        return b == 0 ? a : ($T)(($U)0 - ($U)a);\n"
                 "    return a % b != 0 && (a < 0) != (b < 0) ? a / b - 1 : a / b;\n"
                 "}\n"},
    {"floormod", "static inline $T lathe_floormod_$S($T a, $T b) {\n"
                 "    $T r = b == 0 || b == -1 ? 0 : a % b;\n"
                 "    return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n"
                 "}\n"},
    {"abs", "static inline $T lathe_abs_$S($T a) {\n"
            "    return a < 0 ? ($T)(($U)0 - ($U)a) : a;\n"
            "}\n"},
    {"shr", "/* Arithmetic, of a value of so many bits. */\n"
            "static inline $T lathe_shr_$S($T a, $U by, unsigned bits) {\n"
            "    if (by >= bits)\n"
            "        by = bits - 1;\n"
            "    return a < 0 ? ~(~a >> by) : a >> by;\n"
            "}\n"},
};

constexpr Template ofUnsigned[] = {
    {"div", "static inline $T lathe_div_$S($T a, $T b) {\n"
            "    return b == 0 ? a : a / b;\n"
            "}\n"},
    {"mod", "static inline $T lathe_mod_$S($T a, $T b) {\n"
            "    return b == 0 ? 0 : a % b;\n"
            "}\n"},
    {"shl", "static inline $T lathe_shl_$S($T a, $T by, unsigned bits) {\n"
            "    return by < bits ? a << by : 0;\n"
            "}\n"},
    {"shr", "static inline $T lathe_shr_$S($T a, $T by, unsigned bits) {\n"
            "    return by < bits ? a >> by : 0;\n"
            "}\n"},
    {"popcount", "static inline int lathe_popcount_$S($T a) {\n"
                 "    int count = 0;\n"
                 "    for (; a != 0; a &= a - 1)\n"
                 "        ++count;\n"
                 "    return count;\n"
                 "}\n"},
};

constexpr Template ofIntegers[] = {
    {"min", "static inline $T lathe_min_$S($T a, $T b) {\n"
            "    return b < a ? b : a;\n"
            "}\n"},
    {"max", "static inline $T lathe_max_$S($T a, $T b) {\n"
            "    return b > a ? b : a;\n"
            "}\n"},
};

constexpr Template ofFloats[] = {
    {"min", "static inline $T lathe_min_$S($T a, $T b) {\n"
            "    return b < a || b != b ? b : a;\n"
            "}\n"},
    {"max", "static inline $T lathe_max_$S($T a, $T b) {\n"
            "    return b > a || b != b ? b : a;\n"
            "}\n"},
    {"isnan", "static inline bool lathe_isnan_$S($T a) {\n"
              "    return a != a;\n"
              "}\n"},
    {"isinf", "static inline bool lathe_isinf_$S($T a) {\n"
              "    return a - a != 0 && a == a;\n"
              "}\n"},
    {"floormod", "static inline $T lathe_floormod_$S($T a, $T b) {\n"
                 "    const $T r = fmod$F(a, b);\n"
                 "    return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n"
                 "}\n"},
    {"root", "/* A power of 1/2: of -infinity it is infinity, of -0 it is 0. */\n"
             "static inline $T lathe_root_$S($T a) {\n"
             "    return a == -($T)INFINITY ? ($T)INFINITY : fabs$F(sqrt$F(a));\n"
             "}\n"},
    {"sigmoid", "static inline $T lathe_sigmoid_$S($T a) {\n"
                "    const $T e = exp$F(-fabs$F(a));\n"
                "    return (a < 0 ? e : 1) / (e + 1);\n"
                "}\n"},
};

// Towards zero, and to the nearest limit where it is beyond; NaN is 0.
constexpr std::string_view toSigned = "static inline $T lathe_$S($F a) {\n"
                                      "    if (a >= $HIGH)\n"
                                      "        return $MAX;\n"
                                      "    if (a < -$HIGH)\n"
                                      "        return $MIN;\n"
                                      "    return a != a ? 0 : ($T)a;\n"
                                      "}\n";
constexpr std::string_view toUnsigned = "static inline $T lathe_$S($F a) {\n"
                                        "    if (a >= $HIGH)\n"
                                        "        return $MAX;\n"
                                        "    return a > 0 ? ($T)a : 0;\n"
                                        "}\n";

constexpr Template others[] = {
    {"bits_f32", "static inline uint32_t lathe_bits_f32(float a) {\n"
                 "    uint32_t bits;\n"
                 "    memcpy(&bits, &a, sizeof bits);\n"
                 "    return bits;\n"
                 "}\n"},
    {"bits_f64", "static inline uint64_t lathe_bits_f64(double a) {\n"
                 "    uint64_t bits;\n"
                 "    memcpy(&bits, &a, sizeof bits);\n"
                 "    return bits;\n"
                 "}\n"},
    {"f32_of", "static inline float lathe_f32_of(uint32_t bits) {\n"
               "    float a;\n"
               "    memcpy(&a, &bits, sizeof a);\n"
               "    return a;\n"
               "}\n"},
    {"f64_of", "static inline double lathe_f64_of(uint64_t bits) {\n"
               "    double a;\n"
               "    memcpy(&a, &bits, sizeof a);\n"
               "    return a;\n"
               "}\n"},
    {"pow", "/* By repeated squaring, wrapping; of a negative exponent what a division of 1 leaves. */\n"
            "static inline int64_t lathe_pow(int64_t base, int64_t exponent) {\n"
            "    uint64_t product = 1, square = (uint64_t)base, rest = (uint64_t)exponent;\n"
            "    if (exponent < 0)\n"
            "        return base == 1 ? 1 : base == -1 ? (rest % 2 != 0 ? -1 : 1) : 0;\n"
            "    for (; rest != 0; rest /= 2) {\n"
            "        if (rest % 2 != 0)\n"
            "            product *= square;\n"
            "        square *= square;\n"
            "    }\n"
            "    return (int64_t)product;\n"
            "}\n"},
    {"upow", "static inline uint64_t lathe_upow(uint64_t base, uint64_t exponent) {\n"
             "    uint64_t product = 1;\n"
             "    for (; exponent != 0; exponent /= 2) {\n"
             "        if (exponent % 2 != 0)\n"
             "            product *= base;\n"
             "        base *= base;\n"
             "    }\n"
             "    return product;\n"
             "}\n"},
    {"random", "/* The finalizer of SplitMix64 over seed and counter, upper half. */\n"
               "static inline uint32_t lathe_random(uint64_t seed, uint64_t counter) {\n"
               "    uint64_t z = seed + (counter + 1) * UINT64_C(0x9e3779b97f4a7c15);\n"
               "    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);\n"
               "    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);\n"
               "    return (uint32_t)((z ^ (z >> 31)) >> 32);\n"
               "}\n"},
    {"copy", "static inline void lathe_copy(void *to, const void *from, int64_t bytes) {\n"
             "    if (bytes > 0)\n"
             "        memmove(to, from, (size_t)bytes);\n"
             "}\n"},
    {"fill", "static inline void lathe_fill(void *to, int byte, int64_t bytes) {\n"
             "    if (bytes > 0)\n"
             "        memset(to, byte, (size_t)bytes);\n"
             "}\n"},
    {"push", "/* The run's memory is a stack. */\n"
             "static void *lathe_push(lathe_run *x, int64_t bytes) {\n"
             "    const size_t left = x->arena_bytes - x->top;\n"
             "    void *at = x->arena == NULL ? (void *)x : (void *)(x->arena + x->top);\n"
             "    if (bytes < 0 || (uint64_t)bytes > left || (x->arena == NULL && bytes > 0))\n"
             "        return NULL;\n"
             "    x->top += (size_t)bytes;\n"
             "    return at;\n"
             "}\n"},
    {"output", "/* Where an output goes that needs so many bytes; NULL if it has fewer. */\n"
               "static void *lathe_output(lathe_run *x, int output, int64_t bytes) {\n"
               "    const uint64_t capacity = x->args->output_bytes[output];\n"
               "    x->args->output_bytes[output] = (size_t)bytes;\n"
               "    if (bytes > 0 && (uint64_t)bytes > capacity)\n"
               "        return NULL;\n"
               "    return bytes > 0 ? x->outputs[output] : (void *)x;\n"
               "}\n"},
    {"keep", "/* Memory that a loop hands on: it grows, and its contents stay. */\n"
             "static void *lathe_keep(lathe_run *x, int32_t place, int64_t bytes) {\n"
             "    const size_t wanted = bytes > 0 ? (size_t)bytes : 1;\n"
             "    if (wanted > x->kept_bytes[place]) {\n"
             "        const size_t twice = 2 * x->kept_bytes[place], more = wanted > twice ? wanted : twice;\n"
             "        void *at = realloc(x->kept[place], more);\n"
             "        if (at == NULL)\n"
             "            return NULL;\n"
             "        x->kept[place] = at;\n"
             "        x->kept_bytes[place] = more;\n"
             "    }\n"
             "    return x->kept[place];\n"
             "}\n"},
};

struct Instance {
    std::string_view suffix, type, unsignedType;
};
constexpr Instance signedTypes[] = {{"i32", "int32_t", "uint32_t"}, {"i64", "int64_t", "uint64_t"}};
constexpr Instance unsignedTypes[] = {{"u32", "uint32_t", "uint32_t"}, {"u64", "uint64_t", "uint64_t"}};

void instantiate(std::span<const Template> templates, const Instance& type, std::vector<Helper>& all) {
    for (const Template& each : templates)
        all.push_back({fmt::format("{}_{}", each.name, type.suffix),
                       replaced(std::string(each.text), {{"$T", std::string(type.type)},
                                                         {"$U", std::string(type.unsignedType)},
                                                         {"$S", std::string(type.suffix)},
                                                         {"$F", type.type == "float" ? "f" : ""}})});
}

const std::vector<Helper>& all() {
    static const std::vector<Helper> made = [] {
        std::vector<Helper> helpers;
        for (const Template& each : others)
            helpers.push_back({std::string(each.name), std::string(each.text)});
        for (const Instance& type : signedTypes) {
            instantiate(ofSigned, type, helpers);
            instantiate(ofIntegers, type, helpers);
        }
        for (const Instance& type : unsignedTypes) {
            instantiate(ofUnsigned, type, helpers);
            instantiate(ofIntegers, type, helpers);
        }
        for (const Instance& type : {Instance{"f32", "float", ""}, Instance{"f64", "double", ""}})
            instantiate(ofFloats, type, helpers);
        for (const bool isDouble : {false, true})
            for (const bool isSigned : {true, false})
                for (const int bits : {8, 16, 32, 64}) {
                    const std::string name =
                        fmt::format("{}_{}{}", isDouble ? "f64" : "f32", isSigned ? "i" : "u", bits);
                    const std::string high = fmt::format("0x1p{}{}", isSigned ? bits - 1 : bits, isDouble ? "" : "f");
                    helpers.push_back({name, replaced(std::string(isSigned ? toSigned : toUnsigned),
                                                      {{"$T", fmt::format("{}int{}_t", isSigned ? "" : "u", bits)},
                                                       {"$S", name},
                                                       {"$F", isDouble ? "double" : "float"},
                                                       {"$HIGH", high},
                                                       {"$MAX", fmt::format("{}INT{}_MAX", isSigned ? "" : "U", bits)},
                                                       {"$MIN", fmt::format("INT{}_MIN", bits)}})});
                }
        return helpers;
    }();
    return made;
}

} // namespace

std::string CHelpers::use(std::string_view name) {
    const auto found = std::ranges::find(all(), name, &Helper::name);
    LATHE_ASSERT(found != all().end(), fmt::format("there is no helper {}", name));
    used_.insert(found->name);
    return fmt::format("lathe_{}", name);
}

std::string CHelpers::text() const {
    std::string text;
    for (const Helper& helper : all())
        if (used_.contains(helper.name))
            text += "\n" + helper.text;
    return text;
}

} // namespace lathe::codegen
