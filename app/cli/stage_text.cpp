// SPDX-License-Identifier: Apache-2.0
#include "app/cli/stage_text.h"

#include "driver/text_diff.h"
#include "relay/text.h"
#include "tir/text.h"

namespace lathe::cli {
namespace {

std::string relayText(const relay::Module& module, const std::string& function) {
    if (function.empty())
        return relay::print(module);
    auto it = module.functions.find(function);
    return it == module.functions.end() ? std::string() : relay::print(*it->second, module, function);
}

} // namespace

std::string textAt(const driver::Trace& trace, const std::string& pass, const std::string& function, bool before) {
    for (const driver::PassRecord& record : trace.passes)
        if (record.name == pass && (before ? record.before : record.after))
            return relayText(before ? *record.before : *record.after, function);
    std::string text;
    for (const driver::KernelRecord* kernel : driver::kernelsNamed(trace, function))
        for (size_t i = 0; i < kernel->stages.size(); ++i)
            if (kernel->stages[i].first == pass && !(before && i == 0))
                text += tir::print(*kernel->stages[before ? i - 1 : i].second);
    return text;
}

std::vector<std::string> differences(const std::string& before, const std::string& after) {
    const std::vector<std::string> a = driver::splitLines(before), b = driver::splitLines(after);
    std::vector<std::string> lines, added;
    const auto flush = [&] {
        lines.insert(lines.end(), added.begin(), added.end());
        added.clear();
    };
    for (const driver::DiffRow& row : driver::diffLines(a, b)) {
        if (row.kind == driver::DiffRow::Kind::Same) {
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
