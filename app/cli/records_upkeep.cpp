// SPDX-License-Identifier: Apache-2.0
#include "app/cli/records_upkeep.h"

#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "base/counted.h"
#include "base/json.h"
#include "records/best.h"
#include "records/evaluate.h"
#include "tuning/kernel_bench.h"
#include "tuning/tune_model.h"

#include <fmt/format.h>

namespace lathe::cli {
namespace {

void print(const records::TimedAgain& timed, const Common& common) {
    const records::Best& best = timed.best;
    if (common.json)
        fmt::print("{}\n", dump({{"workload", best.workload.key},
                                 {"kernel", best.workload.kernel},
                                 {"recorded", best.trial.ratio.middle},
                                 {"ratio", {timed.ratio.low, timed.ratio.middle, timed.ratio.high}},
                                 {"wrong", timed.wrong},
                                 {"problem", timed.problem}}));
    else if (!timed.problem.empty())
        printLine("{:44} {}{}", best.workload.kernel, timed.wrong ? "wrong: " : "", timed.problem);
    else
        printLine("{:44} {:5.1f}% of its default's time, {:.1f} to {:.1f}; recorded {:.1f}%", best.workload.kernel,
                  100 * timed.ratio.middle, 100 * timed.ratio.low, 100 * timed.ratio.high,
                  100 * best.trial.ratio.middle);
    std::fflush(stdout);
}

/// Fails where a schedule computes something wrong, or is slower than the default beyond doubt.
Result<void> timeAgain(const records::File& file, const Common& common) {
    LATHE_TRY(const driver::Options options, makeRunOptions(common));
    device::RunnerOptions runner;
    runner.threads = common.threads;
    tuning::KernelBench bench(options, runner);
    int64_t wrong = 0, slower = 0;
    LATHE_CHECKED(records::timeAgain(file, records::settingHere(options.threads, driver::toString(options.numerics)),
                                     bench, [&](const records::TimedAgain& timed) {
                                         wrong += timed.wrong;
                                         slower += timed.problem.empty() && timed.ratio.low > 1;
                                         print(timed, common);
                                     }));
    if (wrong + slower == 0)
        return {};
    Diagnostic problem = error(fmt::format("of recorded schedules, {} compute something wrong and {} are slower than "
                                           "the default now",
                                           wrong, slower),
                               "tune these kernels again");
    problem.file = file.path().string();
    return Failure(problem);
}

nlohmann::json toJson(const tune::Quality& quality) {
    return {{"pairs", quality.pairs.right}, {"pairs_told", quality.pairs.count}, {"spearman", quality.spearman},
            {"recall1", quality.recall1},   {"recall5", quality.recall5},        {"recall16", quality.recall16},
            {"peak5", quality.peak5}};
}

} // namespace

Result<void> verifyRecords(records::File& file, const RecordsArgs& args, const Common& common) {
    LATHE_TRY(const std::vector<std::string> problems, file.problems());
    LATHE_TRY(const records::Verified verified, records::verify(file));
    if (common.json)
        fmt::print("{}\n", dump({{"good", verified.good}, {"do_not_fit", verified.bad}, {"damaged", problems}}));
    else
        printLine("{} schedules fit, {} do not", verified.good, verified.bad.size());
    if (problems.empty() && args.time) // also where some do not fit: of the others it can be told
        LATHE_CHECKED(timeAgain(file, common));
    if (problems.empty() && verified.bad.empty())
        return {};
    Diagnostic wrong = error(problems.empty() ? "recorded schedules do not fit any more: " + verified.bad.front()
                                              : "the records are damaged: " + problems.front(),
                             problems.empty() ? "tune these kernels again" : "restore a copy");
    wrong.file = file.path().string();
    return Failure(wrong);
}

Result<void> rehashRecords(records::File& file, const Common& common) {
    LATHE_TRY(const records::Rehashed done, records::rehash(file));
    if (common.json)
        fmt::print("{}\n", dump({{"same", done.same}, {"renamed", done.renamed}, {"unread", done.unread}}));
    else if (!common.quiet)
        printLine("{} workloads have other hashes now, {} the same, {} cannot be read{}", done.renamed, done.same,
                  done.unread.size(), done.unread.empty() ? "" : ": " + done.unread.front());
    return {};
}

Result<void> evaluateModel(const records::File& file, const Common& common) {
    LATHE_TRY(const driver::Options options, makeRunOptions(common));
    const records::Setting setting = records::settingHere(options.threads, driver::toString(options.numerics));
    const MachineModel machine =
        tuning::tuningMachine(options.target, inspect::machinePeaks(common.threads, true), common.threads);
    LATHE_TRY(const records::Evaluated done, records::evaluate(file, setting, machine));
    const tune::HeldOut& held = done.heldOut;
    if (held.tasks == 0) {
        Diagnostic few = error("too little is recorded for this machine and these threads to say anything: trials of "
                               "two workloads at least",
                               "lathe tune");
        few.file = file.path().string();
        return Failure(few);
    }
    const std::pair<const char*, const tune::Quality*> rows[] = {
        {"random", &held.random}, {"prior", &held.prior}, {"trees", &held.trees}, {"both", &held.both}};
    if (common.json) {
        nlohmann::json all{{"tasks", held.tasks}, {"trials", done.trials}, {"unread", done.unread}};
        for (const auto& [name, quality] : rows)
            all[name] = toJson(*quality);
        fmt::print("{}\n", dump(all));
        return {};
    }
    printLine("{} of {} of {}, each held out once; {} not fit any more", held.trials,
              counted(done.trials, "trial", "trials"), counted(held.tasks, "task", "tasks"),
              counted(done.unread, "does", "do"));
    printLine("{:8} {:>8} {:>9} {:>9} {:>9} {:>9} {:>8}", "", "pairs", "spearman", "recall@1", "recall@5", "recall@16",
              "peak@5");
    for (const auto& [name, quality] : rows)
        printLine("{:8} {:7.1f}% {:9.2f} {:9.2f} {:9.2f} {:9.2f} {:8.2f}", name, 100 * quality->pairs.right,
                  quality->spearman, quality->recall1, quality->recall5, quality->recall16, quality->peak5);
    return {};
}

} // namespace lathe::cli
