// SPDX-License-Identifier: Apache-2.0
//
// `lathe target`: what is compiled for, and with --measure what this machine can do and what records call it.
#include "app/cli/commands.h"
#include "app/cli/common_options.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "base/json.h"
#include "codegen/target.h"
#include "inspect/machine_peaks.h"
#include "records/best.h"

namespace lathe::cli {
namespace {

nlohmann::json toJson(const Peak& peak) {
    return {{"gflops", peak.gflops}, {"gbs", peak.gbs}};
}

nlohmann::json toJson(const Target& target) {
    return {{"target", toString(target)},
            {"triple", target.triple},
            {"cpu", target.cpu},
            {"features", target.features},
            {"vector_bits", target.vectorBits},
            {"vector_registers", target.vectorRegisters},
            {"scalable_bits", target.scalableBits},
            {"isa", codegen::requiredOf(target).isa},
            {"cores", target.cores},
            {"l1", target.l1Bytes},
            {"l2", target.l2Bytes},
            {"l3", target.l3Bytes}};
}

/// What the registers of CPUs have to be like that run its code, where that differs among CPUs.
std::string lengthOf(const Target& target) {
    if (target.scalableBits > 0)
        return fmt::format(", on CPUs where they have {}{}",
                           target.architecture == Architecture::AArch64 ? "exactly " : "at least ",
                           target.scalableBits);
    return target.architecture == Architecture::RiscV64 ? ", made of those of floats" : "";
}

void print(const Target& target) {
    printLine("{:10} {}", "triple", target.triple);
    printLine("{:10} {}{}{}", "cpu", target.cpu, target.features.empty() ? "" : ", ", target.features);
    printLine("{:10} {} registers of {} bits{}", "vectors", target.vectorRegisters, target.vectorBits,
              lengthOf(target));
    printLine("{:10} {}", "needs", fmt::join(codegen::requiredOf(target).isa, " "));
    printLine("{:10} {}", "cores", target.cores);
    printLine("{:10} L1 {} KiB, L2 {} KiB, L3 {} KiB", "caches", target.l1Bytes >> 10, target.l2Bytes >> 10,
              target.l3Bytes >> 10);
}

} // namespace

void addTargetOptions(CLI::App& app, TargetArgs& args, Common& common) {
    CLI::Option* measure = app.add_flag(
        "--measure", args.measure,
        "measure this machine's peaks, by which --target native chooses between kernels from then on, and say what "
        "records call it");
    addTarget(app, common);
    addThreads(app, common, "threads to measure with (0: all)");
    addCacheless(app, common);
    for (const char* option : {"--threads", "--no-cache"})
        app.get_option(option)->needs(measure);
    addPrinting(app, common);
}

int targetCommand(const TargetArgs& args, const Common& common) {
    const auto options = args.measure ? makeRunOptions(common) : makeOptions(common);
    if (!options)
        return report({options.error()}, common);
    const Target& target = options->target;
    if (!args.measure) {
        if (common.json)
            fmt::print("{}\n", dump(toJson(target)));
        else
            print(target);
        return 0;
    }
    const inspect::MachinePeaks peaks = inspect::machinePeaks(common.threads, !common.noCache);
    if (!common.noCache)
        inspect::keepBalance(peaks);
    const auto balance = common.noCache ? std::nullopt : inspect::measuredBalance("native");
    const std::string machine = records::settingHere(options->threads, driver::toString(options->numerics)).machine;
    const std::string instance = inspect::machineInstance(!common.noCache);
    if (common.json) {
        nlohmann::json all = toJson(target);
        all["machine"] = machine;
        all["instance"] = instance;
        all["shipped"] = records::shippedName(machine);
        all["processor"] = peaks.cpu;
        all["one_thread"] = toJson(peaks.one);
        all["threads"] = peaks.threads;
        all["all_threads"] = toJson(peaks.all);
        all["bytes_per_multiply_add"] = balance ? nlohmann::json(*balance) : nlohmann::json(nullptr);
        fmt::print("{}\n", dump(all));
        return 0;
    }
    print(target);
    printLine("{:10} {}", "processor", peaks.cpu);
    printLine("{:10} {:.1f} GFLOP/s, {:.1f} GB/s", "1 thread", peaks.one.gflops, peaks.one.gbs);
    if (peaks.threads > 1)
        printLine("{:10} {:.1f} GFLOP/s, {:.1f} GB/s", fmt::format("{} threads", peaks.threads), peaks.all.gflops,
                  peaks.all.gbs);
    if (balance)
        printLine("{:10} {:.3g} bytes from memory a multiply-add of a thread, kept: --target native chooses by it",
                  "balance", *balance);
    printLine("{:10} {}", "class", machine);
    printLine("{:10} {}", "shipped", records::shippedName(machine));
    printLine("{:10} {}", "instance", instance.empty() ? "none: there is no folder to keep it in" : instance);
    return 0;
}

} // namespace lathe::cli
