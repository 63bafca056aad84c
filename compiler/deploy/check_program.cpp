// SPDX-License-Identifier: Apache-2.0
#include "deploy/check_program.h"

#include "base/child_process.h"
#include "base/guarded.h"
#include "base/printable.h"
#include "deploy/json_reader.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <ranges>

namespace lathe::deploy {
namespace {

constexpr size_t longestReport = size_t{1} << 20;
constexpr std::chrono::minutes longestCheck{10};

} // namespace

Result<void> checkProgram(const device::RunnerCommand& command, const OpenBundle& bundle, const CheckWish& wish,
                          const driver::Progress& progress, BundleCheck& check,
                          const std::function<void(std::string name, bool good, std::string text)>& step) {
    std::vector<std::string> arguments = command.arguments;
    for (std::string word : {std::string("--check"), bundle.folder().string(), std::string("--json"),
                             std::string("--repeat"), std::to_string(std::max(0, wish.repeat)),
                             std::string("--threads"), std::to_string(std::max(0, wish.threads))})
        arguments.push_back(std::move(word));
    ChildProcess child;
    child.setCancelled(progress.cancelled);
    LATHE_CHECKED(child.start(command.program, arguments));
    child.endInput();
    std::string said;
    const auto ended = child.readToEnd(said, longestReport, std::chrono::steady_clock::now() + longestCheck);
    if (ended == ChildProcess::Io::Cancelled)
        throw Cancelled{};
    if (ended != ChildProcess::Io::Done) {
        child.kill();
        return failure("the program does not end, or says too much");
    }
    const std::string how = child.reap();
    bool failedStep = false;
    for (const auto row : std::views::split(std::string_view(said), '\n')) {
        const std::string_view line(row.begin(), row.end());
        const auto object = line.empty() ? std::nullopt : parseJson(line);
        if (!object || !object->is_object())
            continue;
        const FieldsOf fields(*object, "");
        std::string name, verdict, text;
        if (!fields.text("step", name) || !fields.text("verdict", verdict) || !fields.text("text", text))
            continue;
        for (const auto& [field, into] :
             {std::pair{"load_ms", &check.loadMs}, std::pair{"first_ms", &check.firstMs},
              std::pair{"p50_ms", &check.p50Ms}, std::pair{"p90_ms", &check.p90Ms}, std::pair{"p99_ms", &check.p99Ms}})
            if (!fields.isNull(field))
                LATHE_CHECKED(fields.real(field, *into));
        double resident = static_cast<double>(check.residentBytes), ofRange = check.ofRange, threads = check.threads;
        if (!fields.isNull("resident_bytes"))
            LATHE_CHECKED(fields.real("resident_bytes", resident));
        if (!fields.isNull("threads"))
            LATHE_CHECKED(fields.real("threads", threads));
        check.threads = static_cast<int>(std::clamp(threads, 0.0, 1e6));
        if (!fields.isNull("of_range"))
            LATHE_CHECKED(fields.real("of_range", ofRange));
        check.residentBytes = static_cast<int64_t>(std::min(resident, 9e15));
        check.ofRange = std::max(check.ofRange, ofRange);
        // Files were looked at before it was run, and limits hold for what this machine is.
        if (name == "limits")
            continue;
        failedStep = failedStep || verdict == "failed";
        if (std::ranges::count(bundle.manifest().golden, name, &ManifestCase::name) > 0) {
            check.cases += verdict == "good";
            check.unknown += verdict == "skipped";
        }
        if (name != "files")
            step(printable(name), verdict != "failed", printable(text));
    }
    if (!child.succeeded() && !failedStep && !(child.exitCode() == 1 && said.contains("limits")))
        return failure(fmt::format("the program {}", how), "it does not check itself as programs of Lathe do");
    return {};
}

} // namespace lathe::deploy
