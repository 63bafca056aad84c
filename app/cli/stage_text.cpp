// SPDX-License-Identifier: Apache-2.0
#include "app/cli/stage_text.h"

#include "base/text_diff.h"
#include "relay/text.h"
#include "tir/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

namespace lathe::cli {
namespace {

std::vector<std::string> functionNames(const relay::Module& module) {
    std::vector<std::string> names;
    for (const auto& [name, function] : module.functions)
        names.push_back(name);
    return names;
}

Result<std::string> relayText(const relay::Module& module, const std::string& function) {
    if (function.empty())
        return relay::print(module);
    const auto found = module.functions.find(function);
    if (found == module.functions.end())
        return Failure(noFunction(function, functionNames(module)));
    return relay::print(*found->second, module, function);
}

/// Each once, in the order in which they ran.
std::vector<std::string> passNames(const driver::Trace& trace) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        if (std::ranges::find(names, name) == names.end())
            names.push_back(name);
    };
    for (const driver::PassRecord& record : trace.passes)
        if (record.after)
            add(record.name);
    for (const driver::KernelRecord& kernel : trace.kernels)
        for (const auto& [stage, text] : kernel.stages)
            add(stage);
    return names;
}

} // namespace

Diagnostic noFunction(const std::string& name, const std::vector<std::string>& functions) {
    constexpr size_t most = 12; // a model has hundreds
    const std::span shown(functions.data(), std::min(functions.size(), most));
    return error(ErrorKind::Usage, fmt::format("there is no function '{}'", name),
                 fmt::format("{} are there: {}{}", functions.size(), fmt::join(shown, ", "),
                             functions.size() > most ? ", …" : ""));
}

std::vector<std::string> functionNames(const driver::Trace& trace) {
    std::vector<std::string> names;
    for (const driver::KernelRecord& kernel : trace.kernels)
        names.push_back(kernel.name);
    return names;
}

Result<std::string> textAt(const driver::Trace& trace, const std::string& pass, const std::string& function,
                           bool before) {
    for (const driver::PassRecord& record : trace.passes)
        if (record.name == pass && (before ? record.before : record.after))
            return relayText(before ? *record.before : *record.after, function);
    const std::vector<std::string> passes = passNames(trace);
    if (std::ranges::find(passes, pass) == passes.end())
        return failure(ErrorKind::Usage, fmt::format("there is no pass '{}'", pass),
                       fmt::format("there are {}", fmt::join(passes, ", ")));
    const auto kernels = driver::kernelsNamed(trace, function);
    if (kernels.empty())
        return Failure(noFunction(function, functionNames(trace)));
    std::string text;
    for (const driver::KernelRecord* kernel : kernels)
        for (size_t i = 0; i < kernel->stages.size(); ++i)
            if (kernel->stages[i].first == pass && !(before && i == 0))
                text += tir::print(*kernel->stages[before ? i - 1 : i].second);
    return text;
}

std::vector<std::string> differences(const std::string& before, const std::string& after) {
    const std::vector<std::string> a = splitLines(before), b = splitLines(after);
    std::vector<std::string> lines, added;
    const auto flush = [&] {
        lines.insert(lines.end(), added.begin(), added.end());
        added.clear();
    };
    for (const DiffRow& row : diffLines(a, b)) {
        if (row.kind == DiffRow::Kind::Same) {
            flush();
            continue;
        }
        if (row.before >= 0)
            lines.push_back("- " + a[static_cast<size_t>(row.before)]);
        if (row.after >= 0)
            added.push_back("+ " + b[static_cast<size_t>(row.after)]);
    }
    flush();
    return lines;
}

} // namespace lathe::cli
