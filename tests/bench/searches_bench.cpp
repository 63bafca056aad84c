// SPDX-License-Identifier: Apache-2.0
//
// Is a search worth more than drawing at random? Kernels of a model are timed once for all answers to some of their questions,
// as many as give a few hundred programs: the table. Then each search looks in the table instead of at the machine, with
// many seeds: how many trials it takes to within 5 % of the table's fastest, and how much is missing after 64.
//
//   searches-bench MODEL [SPACE [PROGRAMS [SEEDS [THREADS [KERNEL…]]]]]
//
// Prints Markdown. Run it on a machine that has nothing else to do.
#include "codegen/target.h"
#include "tune/paired.h"
#include "tune/samples.h"
#include "tune/spaces.h"
#include "tuning/kernel_bench.h"
#include "tuning/tune_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

using namespace lathe;

namespace {

constexpr size_t batch = 16;
constexpr int64_t mostTrials = 512;
constexpr double close = 0.95; // of the speed of the fastest
constexpr size_t early = 64;   // trials

[[noreturn]] void fail(const Diagnostic& problem) {
    fmt::print(stderr, "{}\n", toString(problem));
    std::exit(1);
}
template <class Value>
Value orFail(Result<Value> result) {
    if (!result)
        fail(result.error());
    return std::move(*result);
}

/// Questions that are open; all others are answered as by default.
class Open final : public schedule::Chooser {
public:
    Open(std::shared_ptr<const schedule::Chooser> chooser, const std::vector<std::string>& names)
        : chooser_(std::move(chooser)), names_(names) {}
    std::vector<int64_t> answer(const schedule::Question& question) const override {
        return std::ranges::find(names_, question.name) != names_.end() ? chooser_->answer(question)
                                                                        : question.preferred;
    }

private:
    std::shared_ptr<const schedule::Chooser> chooser_;
    std::vector<std::string> names_;
};

/// The space with as many questions open as have at most `most` answers together: those with the fewest answers.
tune::Space cut(const tune::Space& space, const tir::PrimFuncPtr& computation, size_t most) {
    const auto made = orFail(space.generate(computation, std::make_shared<schedule::Preferred>()));
    std::vector<std::pair<size_t, std::string>> all;
    for (const schedule::Question& question : made.questions)
        all.emplace_back(schedule::answersTo(question).size(), question.name);
    std::ranges::sort(all);
    std::vector<std::string> names;
    size_t count = 1;
    for (const auto& [answers, name] : all)
        if (count * answers <= most) {
            count *= answers;
            names.push_back(name);
        }
    tune::Space smaller = space;
    smaller.generate = [whole = space.generate,
                        names](const tir::PrimFuncPtr& function,
                               const std::shared_ptr<const schedule::Chooser>& chooser) -> Result<tune::Candidate> {
        LATHE_TRY(tune::Candidate candidate, whole(function, std::make_shared<Open>(chooser, names)));
        const auto isClosed = [&](const std::string& name) { return std::ranges::find(names, name) == names.end(); };
        std::erase_if(candidate.questions, [&](const schedule::Question& each) { return isClosed(each.name); });
        std::erase_if(candidate.answers, [&](const auto& each) { return isClosed(each.first); });
        return candidate;
    };
    return smaller;
}

struct Table {
    tune::Task task;
    tune::Space space;
    std::map<Hash128, tune::Trial> trials; // by program; ratios to the default's time
    double best = 1;
};

/// Of what was looked at only at a glance the time is known as well.
double ratioOf(const tune::Trial& trial) {
    const auto ratio = tune::relativeTime(trial);
    return ratio ? ratio->middle : std::numeric_limits<double>::infinity();
}

/// Times all of the space, each beside the default.
Table timed(const tune::Task& task, const tune::Space& space, tuning::KernelBench& bench) {
    Table table{task, space, {}};
    tune::Explorer explorer(space, task.computation);
    tune::Candidate first = *explorer.make({}, std::nullopt, tune::Made::Default);
    std::vector<tune::Trial> all = orFail(bench.screen(task, nullptr, {first}));
    if (all.front().verdict != tune::Verdict::Measured)
        fail(error(fmt::format("{}: its default is {}", task.kernel, tune::toString(all.front().verdict))));
    const auto grid = orFail(tune::makeSearch("grid", 0));
    for (;;) {
        std::vector<tune::Candidate> candidates = grid->propose(batch, explorer, all);
        if (candidates.empty())
            break;
        for (tune::Trial& trial : orFail(bench.screen(task, &first, std::move(candidates))))
            all.push_back(std::move(trial));
    }
    for (tune::Trial& trial : all) {
        const double ratio = ratioOf(trial);
        table.best = std::min(table.best, ratio);
        table.trials[trial.candidate.program] = std::move(trial);
    }
    return table;
}

class TableBench final : public tune::Bench {
public:
    explicit TableBench(const Table& table) : table_(table) {}

    Result<std::vector<tune::Trial>> screen(const tune::Task&, const tune::Candidate* incumbent,
                                            std::vector<tune::Candidate> candidates) override {
        std::vector<tune::Trial> trials;
        for (tune::Candidate& candidate : candidates) {
            const auto found = table_.trials.find(candidate.program);
            if (found == table_.trials.end())
                return failure("a program that is not in the table");
            tune::Trial trial = found->second;
            // The study multiplies by the incumbent's ratio to the default.
            const double base = incumbent ? table_.trials.at(incumbent->program).ratio.middle : 1;
            for (double* ratio : {&trial.ratio.low, &trial.ratio.middle, &trial.ratio.high})
                *ratio /= base;
            trial.candidate = std::move(candidate);
            trials.push_back(std::move(trial));
        }
        return trials;
    }
    Result<tune::PairedTimes> compare(const tune::Task&, const tune::Candidate& incumbent,
                                      const tune::Candidate& candidate, double) override {
        const auto logOf = [&](const tune::Candidate& each) {
            return std::log(table_.trials.at(each.program).ratio.middle);
        };
        return tune::PairedTimes{.logRatios = std::vector<double>(25, logOf(candidate) - logOf(incumbent))};
    }
    Result<std::optional<tune::Fault>> check(const tune::Task&, const tune::Candidate&,
                                             const tune::Candidate&) override {
        return std::nullopt;
    }

private:
    const Table& table_;
};

struct Found {
    int64_t trials = mostTrials + 1; // until it was close; more than there were: never
    double missing = 0;              // of the speed of the fastest, after the early ones
};

Found search(const Table& table, std::string_view name, uint64_t seed, const MachineModel& machine) {
    tune::Plan plan;
    plan.time = std::chrono::hours(24);
    plan.trials = mostTrials;
    plan.batch = batch;
    plan.seed = seed;
    plan.search = name;
    plan.machine = machine;
    TableBench bench(table);
    tune::Task task = table.task;
    task.floorUs = 0; // it ends when nothing is gained
    const tune::StudyResult result = tune::runStudy({task}, table.space, plan, bench);
    if (result.failed)
        fail(*result.failed);
    const std::vector<tune::Trial>& trials = result.study.tasks.front().trials;
    Found found;
    double least = 1;
    for (size_t i = 0; i < trials.size(); ++i) {
        least = std::min(least, ratioOf(trials[i]));
        if (i == std::min(early, trials.size() - 1))
            found.missing = 1 - table.best / least;
        if (table.best / least >= close) {
            found.trials = std::min(found.trials, static_cast<int64_t>(i));
        }
    }
    return found;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// The most expensive kernel of each kind, by the operators in its name.
std::vector<tune::Task> chosen(const std::vector<tune::Task>& tasks, const std::vector<std::string>& names) {
    std::map<std::string, size_t> kinds;
    std::vector<tune::Task> all;
    for (const tune::Task& task : tasks) {
        const bool isNamed =
            std::ranges::any_of(names, [&](const std::string& name) { return task.kernel.contains(name); });
        if (names.empty() ? kinds.emplace(task.kernel.substr(0, task.kernel.rfind('_')), 0).second : isNamed)
            all.push_back(task);
    }
    return all;
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.empty()) {
        fmt::print(stderr, "searches-bench MODEL [SPACE [PROGRAMS [SEEDS [THREADS [KERNEL…]]]]]\n");
        return 2;
    }
    const auto argument = [&](size_t i, const char* otherwise) {
        return i < arguments.size() ? arguments[i] : std::string(otherwise);
    };
    const std::string spaceName = argument(1, "template");
    const size_t programs = std::stoul(argument(2, "500"));
    const uint64_t seeds = std::stoul(argument(3, "20"));
    const int threads = std::stoi(argument(4, "1"));
    const std::vector<std::string> names(arguments.begin() + std::min<ptrdiff_t>(5, std::ssize(arguments)),
                                         arguments.end());
    driver::Options options;
    options.target = orFail(codegen::parseTarget("native"));
    options.threads = threads;
    device::RunnerOptions runner;
    runner.threads = threads;
    driver::Session session(arguments[0]);
    const auto model = orFail(tuning::wholeModel(session, {}, options, runner));
    const inspect::Profile profile = orFail(inspect::profile(*model->runner, model->loaded, model->trace,
                                                             model->inputs.shapes, {.leastRuns = 3, .mostRuns = 10}));
    model->runner->stop();
    const inspect::MachinePeaks peaks = inspect::machinePeaks(threads, true);
    const MachineModel machine = tuning::tuningMachine(options.target, peaks, threads);
    std::vector<std::string> leftOut;
    tuning::KernelBench bench(options, runner);
    const tune::Space space =
        orFail(tune::makeSpace(spaceName, tuning::templateSpace(options.target), options.target, threads));
    std::map<std::string_view, std::vector<double>> trials, missing;
    fmt::print("| kernel | programs | fastest of the default |");
    for (const std::string_view name : tune::searchNames())
        if (name != "grid" && name != "replay")
            fmt::print(" {} |", name);
    fmt::print("\n");
    for (const tune::Task& task :
         chosen(tuning::tuningTasks(model->trace, profile, peaks, threads, {}, leftOut), names)) {
        const Table table = timed(task, cut(space, task.computation, programs), bench);
        fmt::print("| {} | {} | {:.2f} |", task.kernel, table.trials.size(), table.best);
        for (const std::string_view name : tune::searchNames()) {
            if (name == "grid" || name == "replay")
                continue;
            std::vector<double> count, rest;
            for (uint64_t seed = 0; seed < seeds; ++seed) {
                const Found found = search(table, name, seed, machine);
                count.push_back(static_cast<double>(found.trials));
                rest.push_back(found.missing);
            }
            fmt::print(" {} |", median(count));
            std::fflush(stdout);
            std::ranges::copy(count, std::back_inserter(trials[name]));
            std::ranges::copy(rest, std::back_inserter(missing[name]));
        }
        fmt::print("\n");
    }
    fmt::print("\n| search | trials, median | without, {} trials | missing after {}, mean |\n", mostTrials, early);
    for (const auto& [name, counts] : trials) {
        const auto never = std::ranges::count_if(counts, [](double count) { return count > mostTrials; });
        double sum = 0;
        for (const double each : missing[name])
            sum += each;
        fmt::print("| {} | {} | {} of {} | {:.1f} % |\n", name, median(counts), never, counts.size(),
                   100 * sum / static_cast<double>(counts.size()));
    }
}
