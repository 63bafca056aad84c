// SPDX-License-Identifier: Apache-2.0
//
// `lathe passes --kernels`: each kernel's workload, schedule, what its schedule asks, and what was tried and refused.
#include "app/cli/commands.h"
#include "app/cli/print_line.h"
#include "base/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::cli {
namespace {

nlohmann::json toJson(const driver::KernelRecord& kernel) {
    nlohmann::json questions = nlohmann::json::array(), refused = nlohmann::json::array();
    for (const schedule::Question& question : kernel.schedule.questions)
        questions.push_back({{"name", question.name},
                             {"kind", schedule::toString(question.kind)},
                             {"candidates", question.candidates},
                             {"preferred", question.preferred}});
    for (const schedule::Refusal& refusal : kernel.schedule.refusals)
        refused.push_back({{"tried", refusal.tried}, {"reason", refusal.reason}});
    return {{"kernel", kernel.name},
            {"workload", kernel.workload},
            {"from", lower::toString(kernel.schedule.from)},
            {"schedule", schedule::print(kernel.schedule.trace)},
            {"questions", std::move(questions)},
            {"refused", std::move(refused)}};
}

} // namespace

void printKernels(const driver::Trace& trace, bool json) {
    for (const driver::KernelRecord& kernel : trace.kernels) {
        if (json) {
            fmt::print("{}\n", dump(toJson(kernel)));
            continue;
        }
        fmt::print("{}  {}  ({})\n{}", kernel.name, kernel.workload, lower::toString(kernel.schedule.from),
                   schedule::print(kernel.schedule.trace));
        for (const schedule::Question& question : kernel.schedule.questions)
            printLine("asked {}: {} of {}", question.name, fmt::join(question.preferred, ", "),
                      fmt::join(question.candidates, ", "));
        for (const schedule::Refusal& refusal : kernel.schedule.refusals)
            printLine("refused: {}: {}", refusal.tried, refusal.reason);
        printLine("");
    }
}

} // namespace lathe::cli
