// SPDX-License-Identifier: Apache-2.0
//
// Unique and quoted names for the printer of loop IR.
#include "tir/names.h"

#include "arith/scalar.h"
#include "arith/scanner.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::tir {
namespace {

constexpr std::string_view reservedWords[] = {
    "primfunc",  "outputs",  "entry",    "var",    "buffer", "strides",  "offset",     "align",    "workspace",
    "local",     "global",   "for",      "in",     "from",   "parallel", "vectorized", "unrolled", "thread",
    "block",     "iter",     "spatial",  "reduce", "opaque", "where",    "reads",      "writes",   "init",
    "let",       "same",     "if",       "else",   "while",  "seq",      "allocate",   "check",    "eval",
    "call",      "id",       "bind",     "true",   "false",  "inf",      "nan",        "cast",     "ramp",
    "broadcast", "floordiv", "floormod", "min",    "max",    "select",   "null",       "reading",
};

void appendEscaped(std::string& out, std::string_view text, char quote) {
    out += quote;
    for (char c : text) {
        if (c == quote || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    out += quote;
}

} // namespace

bool isReserved(std::string_view word) {
    return std::ranges::find(reservedWords, word) != std::end(reservedWords) ||
           arith::intrinsicOf(word) != arith::Intrinsic::None;
}

std::string quoteName(std::string_view name) {
    bool plain = !name.empty() && arith::isWordStart(name.front()) && std::ranges::all_of(name, arith::isWordPart) &&
                 !isReserved(name);
    if (plain)
        return std::string(name);
    std::string out;
    appendEscaped(out, name, '`');
    return out;
}

std::string quoteText(std::string_view text) {
    std::string out;
    appendEscaped(out, text, '"');
    return out;
}

const std::string& NameTable::nameOf(const void* object, const std::string& wanted) {
    auto [place, isNew] = names_.try_emplace(object);
    if (!isNew)
        return place->second;
    std::string name = wanted;
    while (!taken_.insert(name).second)
        name = fmt::format("{}_{}", wanted, ++next_[wanted]);
    place->second = quoteName(name);
    return place->second;
}

const char* nameOf(ForKind kind) {
    switch (kind) {
    case ForKind::Serial:
        return "serial";
    case ForKind::Parallel:
        return "parallel";
    case ForKind::Vectorized:
        return "vectorized";
    case ForKind::Unrolled:
        return "unrolled";
    }
    return "";
}

const char* nameOf(IterKind kind) {
    switch (kind) {
    case IterKind::Spatial:
        return "spatial";
    case IterKind::Reduce:
        return "reduce";
    case IterKind::Opaque:
        return "opaque";
    }
    return "";
}

const char* nameOf(CheckKind kind) {
    switch (kind) {
    case CheckKind::IndexOutOfRange:
        return "index_out_of_range";
    case CheckKind::DivisionByZero:
        return "division_by_zero";
    case CheckKind::ShapeMismatch:
        return "shape_mismatch";
    case CheckKind::OutOfMemory:
        return "out_of_memory";
    case CheckKind::InvalidValue:
        return "invalid_value";
    }
    return "";
}

const char* nameOf(Scope scope) {
    switch (scope) {
    case Scope::Global:
        return "global";
    case Scope::Workspace:
        return "workspace";
    case Scope::Local:
        return "local";
    }
    return "";
}

} // namespace lathe::tir
