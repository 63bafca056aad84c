// SPDX-License-Identifier: Apache-2.0
#include "driver/trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::driver {

std::vector<const KernelRecord*> kernelsNamed(const Trace& trace, std::string_view name) {
    std::vector<const KernelRecord*> found;
    for (const KernelRecord& kernel : trace.kernels) {
        const auto calls = [&](const CallRecord& call) { return call.function == name && call.kernel == kernel.name; };
        if (name.empty() || kernel.name == name || kernel.workload == name || std::ranges::any_of(trace.calls, calls))
            found.push_back(&kernel);
    }
    return found;
}

int32_t homeOf(const CallRecord& call, const model::SpanTable& spans) {
    const auto working = std::ranges::find_if(call.origins, [](model::Span origin) { return !origin.empty(); });
    return working == call.origins.end() ? -1 : spans.ids(*working).front();
}

std::string_view outcomeOf(const PassRecord& record) {
    if (!record.enabled)
        return "off";
    if (!record.ran)
        return "not run";
    if (std::ranges::any_of(record.diagnostics, [](const auto& each) { return each.severity == Severity::Error; }))
        return "failed";
    if (record.changed)
        return "changed";
    return record.stage == Stage::Relay || record.stage == Stage::Tir ? "unchanged" : "done";
}

Result<void> keepsModel(const std::filesystem::path& out, const std::filesystem::path& model, const Trace& trace) {
    std::vector<std::filesystem::path> files = trace.files;
    files.push_back(model);
    std::error_code ignored; // one that is not there is not the model
    for (const std::filesystem::path& file : files)
        if (std::filesystem::equivalent(file, out, ignored))
            return failure(ErrorKind::Usage,
                           fmt::format("'{}' {}", out.string(),
                                       file == model ? "is the model itself" : "holds tensors of the model"),
                           "name another file for the result");
    return {};
}

} // namespace lathe::driver
