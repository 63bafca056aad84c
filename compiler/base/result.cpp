// SPDX-License-Identifier: Apache-2.0
//
// Text of diagnostics and of internal errors.
#include "base/result.h"

#include <fmt/format.h>

namespace lathe {

std::string toString(const Diagnostic& diagnostic) {
    static constexpr const char* names[] = {"note", "warning", "error"};
    std::string text = fmt::format("{}: ", names[static_cast<int>(diagnostic.severity)]);
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
    return text;
}

void internalError(const char* file, int line, const char* condition, const std::string& message) {
    throw InternalError(fmt::format("{}:{}: {} [{}]", file, line, message, condition));
}

} // namespace lathe
