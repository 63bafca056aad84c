// SPDX-License-Identifier: Apache-2.0
//
// `lathe records`: what is recorded of tuning, as tables or as JSON a line each.
#include "app/cli/common_options.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "app/cli/records_study.h"
#include "app/cli/records_upkeep.h"
#include "base/counted.h"
#include "base/json.h"
#include "base/new_file.h"
#include "records/best.h"
#include "records/lines.h"
#include "records/row_lines.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <ranges>
#include <string_view>

namespace lathe::cli {
namespace {

using records::File;

constexpr size_t shortHash = 12; // digits that people are shown

std::string shortOf(const std::string& hash) {
    return hash.substr(0, shortHash);
}

nlohmann::json toJson(const records::Best& best) {
    return {{"workload", best.workload.key},
            {"kernel", best.workload.kernel},
            {"target", best.workload.target},
            {"machine", best.setting.machine},
            {"threads", best.setting.threads},
            {"numerics", best.setting.numerics},
            {"study", best.trial.study},
            {"us", best.trial.us},
            {"ratio", best.trial.ratio.middle},
            {"ratio_high", best.trial.ratio.high},
            {"answers", parseJson(best.trial.answers).value_or(nlohmann::json::object())},
            {"schedule", best.trial.trace}};
}

void print(const std::vector<records::Best>& all, bool json) {
    if (!json)
        printLine("{:12} {:44} {:>7} {:8} {:>10} {:>6}  {}", "workload", "kernel", "threads", "numerics", "us", "time",
                  "machine");
    for (const records::Best& best : all) {
        if (json)
            fmt::print("{}\n", dump(toJson(best)));
        else
            printLine("{:12} {:44} {:7} {:8} {:10.2f} {:5.1f}%  {}", shortOf(best.workload.key), best.workload.kernel,
                      best.setting.threads, best.setting.numerics, best.trial.us, 100 * best.trial.ratio.middle,
                      best.setting.machine.substr(0, best.setting.machine.find(';')));
    }
}

Result<void> list(const File& file, const RecordsArgs&, const Common& common) {
    LATHE_TRY(const std::vector<records::Best> all, file.best());
    print(all, common.json);
    return {};
}

Result<records::Workload> workloadNamed(const File& file, const std::string& begin) {
    LATHE_TRY(const std::vector<records::Workload> all, file.workloads());
    std::vector<const records::Workload*> found;
    for (const records::Workload& workload : all)
        if (workload.key.starts_with(begin))
            found.push_back(&workload);
    if (found.size() != 1)
        return failure(ErrorKind::Usage,
                       fmt::format("{} recorded workloads begin with '{}'", found.empty() ? "no" : "several", begin),
                       found.empty() ? "lathe records list has some, lathe passes --kernels those of a model"
                                     : "give more of its hash");
    return *found.front();
}

Result<void> show(const File& file, const RecordsArgs& args, const Common& common) {
    LATHE_TRY(const records::Workload workload, workloadNamed(file, args.workload));
    LATHE_TRY(const std::vector<records::Task> tasks, file.tasks());
    if (!common.json) {
        printLine("{}  {}  {}", workload.key, workload.kernel, workload.target);
        for (const auto line : std::views::split(workload.text, '\n'))
            printLine("{}", std::string_view(line.begin(), line.end()));
        printLine("{:12} {:>6} {:10} {:12} {:>10} {:>7}  {}", "study", "trial", "made", "verdict", "us", "time",
                  "answers");
    }
    for (const records::Task& task : tasks) {
        if (task.workload != workload.key)
            continue;
        LATHE_TRY(const std::vector<records::Trial> trials, file.trialsOf(task.study, task.workload));
        for (const records::Trial& trial : trials) {
            if (common.json)
                fmt::print("{}\n", dump({{"workload", trial.workload},
                                         {"study", trial.study},
                                         {"trial", trial.number},
                                         {"made", tune::toString(trial.made)},
                                         {"verdict", tune::toString(trial.verdict)},
                                         {"message", trial.message},
                                         {"us", trial.us},
                                         {"ratio", trial.ratio.middle},
                                         {"accepted", trial.accepted},
                                         {"in_place", tune::toString(trial.inPlace)},
                                         {"answers", parseJson(trial.answers).value_or(nullptr)},
                                         {"schedule", trial.trace}}));
            else
                printLine("{:12} {:6} {:10} {:12} {:10.2f} {:6.1f}%  {}{}", shortOf(trial.study), trial.number,
                          tune::toString(trial.made), tune::toString(trial.verdict), trial.us, 100 * trial.ratio.middle,
                          trial.answers, trial.accepted ? "  accepted" : "");
        }
        LATHE_TRY(const std::vector<records::Round> rounds, file.roundsOf(task.study, task.workload));
        for (const records::Round& round : rounds) {
            const tune::Quality& quality = round.quality;
            if (common.json)
                fmt::print("{}\n", records::lineOf(round));
            else if (quality.count > 0)
                printLine("{:12} batch {:4}: {:6} ordered {:5.1f}% of {} pairs, recall of 5 {:.2f}{}",
                          shortOf(round.study), round.number, round.of, 100 * quality.pairs.right, quality.pairs.count,
                          quality.recall5, round.asked ? ", chose it" : "");
        }
    }
    return {};
}

/// Those of the model's workloads, for the options that it would be compiled with.
Result<void> bestOf(const File& file, const RecordsArgs& args, const Common& common) {
    LATHE_CHECKED(keepsFiles(args.out, {args.model}, args.records));
    LATHE_TRY(driver::Options options, makeOptions(common));
    LATHE_TRY(driver::Decisions decisions, makeDecisions(common));
    options.emitCode = false;
    driver::Trace trace;
    LATHE_CHECKED(driver::compileFile(args.model, {}, decisions, options, trace, makeProgress(common)));
    const records::Setting setting = records::settingHere(options.threads, driver::toString(options.numerics));
    LATHE_TRY(std::vector<records::Best> all, file.best(&setting));
    std::erase_if(all, [&](const records::Best& best) {
        return std::ranges::find(trace.kernels, best.workload.key, &driver::KernelRecord::workload) ==
               trace.kernels.end();
    });
    print(all, common.json);
    if (args.out.empty())
        return {};
    for (const records::Best& best : all) {
        LATHE_TRY(decisions.kernels[best.workload.key].trace, schedule::parseTrace(best.trial.trace));
    }
    return writeText(args.out, driver::toJson(decisions));
}

constexpr double worthHandingOn = 0.03; // of the default's time: less may be another machine's noise

Result<void> exportTo(const File& file, const RecordsArgs& args, const Common&) {
    const auto exported = [&](const std::function<void(const std::string&)>& take) {
        return args.best ? records::exportBest(file, worthHandingOn, take) : records::exportLines(file, take);
    };
    if (args.out.empty())
        return exported([](const std::string& line) { fmt::print("{}\n", line); });
    LATHE_CHECKED(keepsFiles(args.out, {}, args.records));
    NewFile out(args.out, NewFile::Kind::Text);
    bool good = true;
    LATHE_CHECKED(exported([&](const std::string& line) {
        const std::string ended = line + "\n";
        good = good && out.write(std::as_bytes(std::span(ended)));
    }));
    if (!(good && out.keep()))
        return Failure(out.problem());
    return {};
}

void say(const std::string& from, const records::Imported& imported, const Common& common) {
    if (common.json)
        fmt::print("{}\n", dump({{"file", from},
                                 {"lines", imported.lines},
                                 {"skipped", imported.skipped},
                                 {"first_skipped", imported.first}}));
    else if (!common.quiet)
        printLine("{}: {} records, {} skipped{}", from, imported.lines, imported.skipped,
                  imported.skipped > 0 ? " (" + imported.first + ")" : "");
}

Result<void> import(File& file, const RecordsArgs& args, const Common& common) {
    for (const std::string& from : args.files) {
        std::ifstream lines(from);
        auto imported = lines ? records::importLines(lines, file)
                              : failure("cannot be read", "name a file that lathe records export has written");
        if (!imported)
            return Failure(inFile(imported.error(), from));
        say(from, *imported, common);
    }
    return {};
}

Result<void> merge(File& file, const RecordsArgs& args, const Common& common) {
    for (const std::string& from : args.files) {
        LATHE_TRY(const File other, File::open(from, File::Access::Read));
        LATHE_TRY(const records::Imported imported, records::merge(other, file));
        say(from, imported, common);
    }
    return {};
}

Result<void> prune(File& file, const RecordsArgs& args, const Common& common) {
    LATHE_TRY(const int64_t removed, file.prune(args.keep));
    if (common.json)
        fmt::print("{}\n", dump({{"removed", removed}}));
    else if (!common.quiet)
        printLine("{} removed", counted(removed, "trial", "trials"));
    return {};
}

Result<void> stats(const File& file, const RecordsArgs&, const Common& common) {
    LATHE_TRY(const records::Stats stats, file.stats());
    LATHE_TRY(const std::vector<records::Study> studies, file.studies());
    if (common.json) {
        nlohmann::json all = nlohmann::json::array(), trials = nlohmann::json::object();
        for (const auto& [verdict, count] : stats.trials)
            trials[verdict] = count;
        for (const records::Study& study : studies)
            all.push_back({{"study", study.id},
                           {"name", study.name},
                           {"model", study.model},
                           {"machine", study.setting.machine},
                           {"threads", study.setting.threads},
                           {"numerics", study.setting.numerics},
                           {"started", study.started},
                           {"state", records::toString(study.state)}});
        fmt::print("{}\n", dump({{"file", file.path().string()},
                                 {"format", stats.format},
                                 {"bytes", stats.bytes},
                                 {"workloads", stats.workloads},
                                 {"tasks", stats.tasks},
                                 {"best", stats.best},
                                 {"trials", trials},
                                 {"studies", all}}));
        return {};
    }
    printLine("{}: {:.1f} MB, format {}", file.path().string(), static_cast<double>(stats.bytes) / 1e6, stats.format);
    printLine("{} workloads, {} tasks in {} studies, {} fastest schedules", stats.workloads, stats.tasks, stats.studies,
              stats.best);
    for (const auto& [verdict, count] : stats.trials)
        printLine("{:8} trials {}", count, verdict);
    for (const records::Study& study : studies)
        printLine("{:12} {:24} {:>3} threads {:8} {:8} {}", shortOf(study.id), study.name, study.setting.threads,
                  study.setting.numerics, records::toString(study.state), study.model);
    return {};
}

Result<void> run(const RecordsArgs& args, const Common& common) {
    using Do = RecordsArgs::Do;
    const std::filesystem::path path =
        args.records.empty() ? records::defaultFile() : std::filesystem::path(args.records);
    std::error_code ignored;
    const bool isThere = std::filesystem::exists(path, ignored);
    const bool makes = args.what == Do::Import || args.what == Do::Merge; // a file of records, if there is none
    if (makes)
        for (const std::string& from : args.files)
            if (!std::filesystem::exists(from, ignored))
                return Failure(inFile(failure("there is no such file").error(), from));
    const bool writes = makes || (isThere && (args.what == Do::Prune || args.what == Do::Rehash));
    if (args.what == Do::Verify && isThere) // what fits no more is marked, where that may be written
        if (auto file = File::open(path, File::Access::Write))
            return verifyRecords(*file, args, common);
    LATHE_TRY(File file, openRecords(args.records, writes ? File::Access::Write : File::Access::Read, common));
    switch (args.what) {
    case Do::List:
        return list(file, args, common);
    case Do::Show:
        return show(file, args, common);
    case Do::Study:
        return showStudy(file, args, common);
    case Do::Best:
        return bestOf(file, args, common);
    case Do::Export:
        return exportTo(file, args, common);
    case Do::Import:
        return import(file, args, common);
    case Do::Merge:
        return merge(file, args, common);
    case Do::Prune:
        return prune(file, args, common);
    case Do::Verify:
        return verifyRecords(file, args, common);
    case Do::Rehash:
        return rehashRecords(file, common);
    case Do::EvaluateModel:
        return evaluateModel(file, common);
    case Do::Stats:
        return stats(file, args, common);
    }
    return {};
}

} // namespace

void addRecordsOptions(CLI::App& app, RecordsArgs& args, Common& common) {
    using Do = RecordsArgs::Do;
    app.require_subcommand(1);
    const auto add = [&](const char* name, Do what, const char* text) {
        CLI::App* command = app.add_subcommand(name, text);
        command->add_option("--records", args.records, "another file of records");
        command->callback([&args, what] { args.what = what; });
        return command;
    };
    CLI::App* list = add("list", Do::List, "the fastest schedule of each workload");
    CLI::App* show = add("show", Do::Show, "all trials of a workload");
    CLI::App* study = add("study", Do::Study, "what a study found, as decisions");
    CLI::App* best = add("best", Do::Best, "the fastest schedules of a model's kernels, as decisions");
    CLI::App* exporting = add("export", Do::Export, "print all as lines of JSON");
    CLI::App* import = add("import", Do::Import, "read such lines; what is wrong is skipped and counted");
    CLI::App* merge = add("merge", Do::Merge, "take over what other files of records hold");
    CLI::App* prune = add("prune", Do::Prune, "forget most of what is slow");
    CLI::App* verify =
        add("verify", Do::Verify, "whether the file is whole, and its schedules still fit (exit code 1 if not)");
    CLI::App* rehash = add("rehash", Do::Rehash, "hash workloads anew, after a change of how that is done");
    CLI::App* evaluate = add("evaluate-model", Do::EvaluateModel,
                             "what the cost model is worth on recorded kernels that it has not seen");
    CLI::App* stats = add("stats", Do::Stats, "how much there is");
    exporting->add_flag("--best", args.best, "only the fastest schedules, of those that are faster by 3 % at least");
    show->add_option("workload", args.workload, "its hash, or how that begins")->required();
    study->add_option("study", args.study, "its name or id, or how the id begins")->required();
    best->add_option("model", args.model, "the model file")->required();
    for (CLI::App* command : {study, best, exporting})
        command->add_option("-o,--output", args.out, "write it to this file");
    import->add_option("files", args.files, "files of lines")->required();
    merge->add_option("files", args.files, "files of records")->required();
    prune->add_option("--keep", args.keep, "how many of the fastest of each kernel to keep")
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
    verify->add_flag("--time", args.time, "time those of this machine and these threads beside their defaults");
    for (CLI::App* command : {list, show, study, exporting, import, merge, prune, verify, rehash, evaluate, stats})
        addPrinting(*command, common);
    addTarget(*best, common);
    addCompiling(*best, common); // with addPrinting
    addProgress(*best, common);
    for (CLI::App* command : {verify, evaluate}) {
        addThreads(*command, common, "threads of the runs that were recorded (0: all)");
        addNumerics(*command, common);
    }
}

int recordsCommand(const RecordsArgs& args, const Common& common) {
    const auto done = run(args, common);
    return done ? 0 : report({done.error()}, common);
}

} // namespace lathe::cli
