// SPDX-License-Identifier: Apache-2.0
//
// Text of diagnostics.
#include "base/diagnostic.h"

#include "base/printable.h"

#include <fmt/format.h>

namespace lathe {

std::string_view toString(Severity severity) {
    static constexpr std::string_view names[] = {"note", "warning", "error"};
    return names[static_cast<size_t>(severity)];
}

std::string_view toString(ErrorKind kind) {
    static constexpr std::string_view names[] = {"invalid", "unsupported", "usage", "cancelled", "internal"};
    return names[static_cast<size_t>(kind)];
}

std::string toString(const Diagnostic& diagnostic) {
    const bool internal = diagnostic.severity == Severity::Error && diagnostic.kind == ErrorKind::Internal;
    std::string text = fmt::format("{}{}: ", internal ? "internal " : "", toString(diagnostic.severity));
    if (!diagnostic.file.empty())
        text += diagnostic.line > 0 ? fmt::format("{}:{}: ", diagnostic.file, diagnostic.line) : diagnostic.file + ": ";
    else if (diagnostic.line > 0)
        text += fmt::format("line {}: ", diagnostic.line);
    if (!diagnostic.node.empty())
        text += fmt::format("node '{}'", diagnostic.node);
    if (!diagnostic.op.empty())
        text += fmt::format("{}({})", diagnostic.node.empty() ? "" : " ", diagnostic.op);
    if (!diagnostic.node.empty() || !diagnostic.op.empty())
        text += ": ";
    text += diagnostic.what;
    if (!diagnostic.hint.empty())
        text += fmt::format(" ({})", diagnostic.hint);
    return printable(text);
}

Diagnostic error(ErrorKind kind, std::string what, std::string hint) {
    Diagnostic result;
    result.kind = kind;
    result.what = std::move(what);
    result.hint = std::move(hint);
    return result;
}

} // namespace lathe
