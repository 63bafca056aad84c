// SPDX-License-Identifier: Apache-2.0
//
// How often a paired test is wrong: a kernel against itself, which nothing may accept, and against one that does 97 hundredths
// of its work, which should be. On this machine as it is; with `busy`, beside a loop that keeps a CPU busy.
//
//   acceptance-bench [COUNT [busy]]
//
// Prints Markdown.
#include "codegen/target.h"
#include "tune/paired.h"
#include "tuning/kernel_bench.h"
#include "tuning/made_up_kernels.h"

#include <atomic>
#include <cmath>
#include <fmt/format.h>
#include <thread>

using namespace lathe;

namespace {

constexpr double leastGain = 0.01; // as tuning asks for

std::string times(int count) {
    return "  for r in " + std::to_string(count) + " {\n" +
           testing::loop("Y[i] = max(Y[i], X[i] / 3:float32 / 7:float32)") + "  }\n";
}

tune::Candidate candidate(uint64_t number) {
    tune::Candidate made;
    made.program = {7, number};
    return made;
}

} // namespace

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::stoi(argv[1]) : 400;
    const bool isBusy = argc > 2 && std::string_view(argv[2]) == "busy";
    std::atomic<bool> over = false;
    std::thread other([&] {
        while (isBusy && !over) {
        }
    });
    driver::Options options;
    options.target = *codegen::parseTarget("native");
    options.cache = false;
    device::RunnerOptions runner;
    runner.threads = 1;
    tune::Task task;
    task.workload = task.kernel = "f";
    task.computation = testing::kernelOf(times(100));
    auto maker = std::make_unique<testing::MadeUpKernels>(options, times(100));
    maker->bodies["candidate_" + toString(candidate(2).program)] = times(97);
    tuning::KernelBench bench(options, runner, std::move(maker));
    fmt::print("| against | tests | accepted | pairs, mean | ratio, median of medians |\n|---|---|---|---|---|\n");
    for (const auto& [name, number] : {std::pair{"itself", 1}, std::pair{"97 % of its work", 2}}) {
        int accepted = 0;
        size_t pairs = 0;
        std::vector<double> medians;
        for (int i = 0; i < count; ++i) {
            const auto found = bench.compare(task, candidate(0), candidate(static_cast<uint64_t>(number)), leastGain);
            if (!found) {
                fmt::print(stderr, "{}\n", toString(found.error()));
                std::_Exit(1);
            }
            accepted += tune::isFaster(found->logRatios, leastGain) == tune::Faster::Yes;
            pairs += found->logRatios.size();
            medians.push_back(tune::medianInterval(found->logRatios).middle);
        }
        fmt::print("| {} | {} | {} | {:.1f} | {:.4f} |\n", name, count, accepted,
                   static_cast<double>(pairs) / std::max(count, 1), std::exp(tune::medianInterval(medians).middle));
    }
    over = true;
    other.join();
}
