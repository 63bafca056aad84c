// SPDX-License-Identifier: Apache-2.0
//
// The command line `lathe`: the same driver as the workbench, with no Qt. Arguments are read here and nowhere else.
#include "app/cli/command_texts.h"
#include "app/cli/commands.h"
#include "app/cli/common_options.h"
#include "app/cli/print_line.h"
#include "app/cli/unknown_word.h"
#include "app/cli/validators.h"
#include "base/guarded.h"
#include "base/json.h"
#include "base/standard_streams.h"
#include "base/version.h"
#include "tuning/build_worker.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <span>

namespace {

using namespace lathe::cli;

/// `lathe devices` and what else is done with devices.
void addDevices(CLI::App& app, DevicesArgs& args, Common& common) {
    CLI::App* list = app.add_subcommand("devices", "machines and emulators that have names for --device");
    list->require_subcommand(0, 1);
    CLI::App* add = list->add_subcommand("add", "give one a name");
    CLI::App* remove = list->add_subcommand("remove", "forget a name");
    CLI::App* test = list->add_subcommand("test", "what it is, and what it can run (exit code 1 if it is not there)");
    for (const auto& [command, what] :
         {std::pair{add, DevicesArgs::Do::Add}, {remove, DevicesArgs::Do::Remove}, {test, DevicesArgs::Do::Test}}) {
        command->add_option("name", args.name, "its name")->required();
        command->callback([&args, what] { args.what = what; });
    }
    add->add_option("device", args.device, "local, qemu, qemu:CPU or ssh:HOST, as ssh takes it")->required();
    add->add_option("--folder", args.folder, "where files are put there while they are needed ($TMPDIR, or /tmp)");
    add->add_option("--env", args.environment, "NAME=VALUE for what runs there; may be given several times")
        ->allow_extra_args(false);
    add->add_option("--cores", args.cores, "those to use there, such as 0-3,6 (all)");
    add->add_option("--note", args.note, "for people");
    add->add_flag("--force", args.force, "give the name another meaning, if it has one");
    for (CLI::App* command : {list, add, remove, test})
        addPrinting(*command, common);
}

/// `lathe plugin list` and `lathe plugin info`.
void addPlugin(CLI::App& app, PluginArgs& args, Common& common) {
    CLI::App* plugin = app.add_subcommand("plugin", "what adds operators, and whether it is on");
    plugin->require_subcommand(1);
    CLI::App* list = plugin->add_subcommand("list", "the plugins that are there");
    CLI::App* info = plugin->add_subcommand("info", "one of them: its licence, its folder, what it adds");
    info->add_option("id", args.id, "its id")->required();
    for (CLI::App* command : {list, info}) {
        addPlugins(*command, common);
        addPrinting(*command, common);
    }
}

/// `lathe bundle` and what else is done with bundles.
void addBundle(CLI::App& app, BundleArgs& args, Common& common) {
    CLI::App* make = app.add_subcommand("bundle", "a model with all that it needs on another machine");
    make->require_subcommand(0, 1);
    make->add_option("model", args.model, "the model file");
    make->add_option("-o,--output", args.out, "a new folder, or an archive: NAME.tar.zst, NAME.zip");
    make->add_option("--name", args.name, "of the model, an identifier: a-z, 0-9 and _ (the file's)");
    make->add_option("--version", args.version, "of the model (0.1.0)");
    make->add_option("--model-license", args.licence, "an SPDX identifier such as Apache-2.0");
    make->add_option("--target", args.targets, std::string(targetText) + "; may be given several times, best first")
        ->allow_extra_args(false);
    oneOf(make->add_option("--form", args.form,
                           "folder; exe: one static program; static: a static library and its header; c: C source with "
                           "a Makefile, for any compiler"),
          "folder|exe|static|c")
        ->check(CLI::IsMember({"folder", "exe", "static", "c"}).description(""));
    for (auto& [name, parts, text] :
         {std::tuple{"--with", &args.with, "only these parts: c,cpp,python,examples,golden,sbom,reproduce"},
          std::tuple{"--without", &args.without, "all parts but these"}})
        make->add_option(name, *parts, text)->delimiter(',')->allow_extra_args(false);
    make->add_option("--symbol", args.symbols, "sizes of an open dim: NAME=LEAST..MOST:USUAL, such as n=1..64:8")
        ->allow_extra_args(false);
    make->add_option("--cases", args.cases, "golden cases at most (3)")->check(CLI::Range(0, 1000));
    make->add_option("--tolerance", args.tolerance,
                     "how far outputs may be off, as a share of their range; 0: not at all (0.001)")
        ->check(between(0, 1));
    make->add_option("--options", args.options, "a file of options, as reproduce/options.json of a bundle");
    make->add_option("--sign", args.sign, "a key of ssh-keygen, which signs SHA256SUMS");
    make->add_flag("--force", args.force, "replace the bundle that is there");
    make->add_flag("--dry-run", args.dryRun, "say what would be written, and how large it is");
    CLI::App* commands[] = {
        make->add_subcommand("check", "whether it is whole and right on this machine (exit code 1 if not)"),
        make->add_subcommand("info", "what it is, and what is in it"),
        make->add_subcommand("diff", "how two differ (exit code 1 if they do)"),
        make->add_subcommand("reproduce", "make it again of its model, and compare (exit code 1 if it differs)"),
        make->add_subcommand("image", "a container image of static programs (--form exe), one a machine")};
    constexpr BundleArgs::Do what[] = {BundleArgs::Do::Check, BundleArgs::Do::Info, BundleArgs::Do::Diff,
                                       BundleArgs::Do::Reproduce, BundleArgs::Do::Image};
    for (size_t i = 0; i < std::size(commands); ++i) {
        CLI::Option* bundles =
            commands[i]
                ->add_option("bundle", args.bundles,
                             what[i] == BundleArgs::Do::Reproduce ? "a folder or an archive, and the model"
                                                                  : "a folder or an archive")
                ->required();
        if (what[i] == BundleArgs::Do::Image)
            bundles->expected(1, -1);
        else
            bundles->expected(what[i] == BundleArgs::Do::Diff || what[i] == BundleArgs::Do::Reproduce ? 2 : 1);
        addPrinting(*commands[i], common);
        commands[i]->callback([&args, which = what[i]] { args.what = which; });
    }
    commands[4]->add_option("-o,--output", args.out, "the image: NAME.tar");
    commands[4]->add_flag("--force", args.force, "replace the file that is there");
    commands[0]->add_option("--verify-key", args.verifyKey, "public keys, one of which must have signed it");
    for (CLI::App* command : {make, commands[3]}) {
        command->add_option("--golden", args.golden,
                            "a folder with input_N.pb and output_N.pb, or with several test_data_set_N");
        command->add_option("--runtime-dir", args.runtimeDir, "where runtime packages lie, a folder a triple");
    }
    for (CLI::App* command : {make, commands[0]})
        addDevice(*command, args.device);
    commands[0]->add_option("--repeat", args.repeat, "timed runs at most")->check(CLI::Range(0, 100000));
    addThreads(*commands[0], common, "threads to run with (0: all)");
    for (CLI::App* command : {make, commands[0]})
        command->add_option("--limit", args.limits,
                            "what a run may take: p50=, p99=, load=, resident=, size=; such as p99=15ms,size=30MB");
    addCompiling(*make, common);
    for (CLI::App* command : {make, commands[3]})
        addProgress(*command, common);
    addTuned(*make, common);
}

/// An empty value is a script's variable that is not set, and no wish: it would count as an option that is not given.
void refuseEmptyValues(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options())
        for (const std::string& value : option->results())
            if (value.empty())
                throw CLI::ValidationError(option->get_name(), "its value is empty");
    for (const CLI::App* command : app.get_subcommands())
        refuseEmptyValues(*command);
}

/// Likewise "--option=", which would have the next argument for its value.
void refuseEmptyValues(std::span<char*> arguments) {
    for (const std::string_view argument : arguments)
        if (argument.starts_with("--") && argument.find('=') == argument.size() - 1)
            throw CLI::ValidationError(std::string(argument.substr(0, argument.size() - 1)), "its value is empty");
}

/// Options that print a text made of all commands, and end.
void addTexts(CLI::App& app) {
    const auto print = [](const std::string& option, const std::string& text, const std::string& value) {
        if (text.empty())
            throw CLI::ValidationError(option, "'" + value + "' is none of them");
        std::fwrite(text.data(), 1, text.size(), stdout);
        throw CLI::Success();
    };
    const auto completes = [&app, print](const std::string& shell) {
        print("--completion", completion(app, shell), shell);
    };
    app.add_option_function<std::string>("--completion", completes,
                                         "print a script that completes commands in this shell: bash, zsh or fish")
        ->trigger_on_parse();
    const auto pages = [&app, print](const std::string& command) {
        print("--man", manPage(app, command == "lathe" ? "" : command, lathe::base::version()), command);
    };
    app.add_option_function<std::string>("--man", pages, "print the manual page of this command; lathe: of all")
        ->trigger_on_parse();
}

int printHelp(const CLI::App& app, const std::vector<std::string>& command, const Common& common) {
    const auto named = commandNamed(app, command);
    if (!named)
        return report({named.error()}, common);
    fmt::print("{}", app.get_formatter()->make_help(*named, calledAs(**named), CLI::AppFormatMode::Normal));
    return 0;
}

int printVersion(const Common& common) {
    if (common.json)
        fmt::print("{}\n", lathe::dump({{"version", lathe::base::version()}}));
    else
        printLine("{}", lathe::base::version());
    return 0;
}

/// failed: becomes the least exit code of what prevents the command, where 1 is an answer of it.
int run(int argc, char** argv, int& failed) {
    CLI::App app{"Lathe: see, tune and deploy models"};
    app.footer("Exit codes: 0 good, 1 the input's fault or a file that cannot be written, 2 wrong usage, 3 a fault of\n"
               "Lathe. Where 1 is an answer of a command, as its help says, what prevents the answer is 2 or 3.");
    app.set_version_flag("--version", std::string(lathe::base::version()));
    addTexts(app);
    app.require_subcommand(1);
    Common common;

    CompileArgs compile;
    CLI::App* compileApp = app.add_subcommand("compile", "compile a model to an artifact");
    compileApp->add_option("model", compile.model, "the model file")->required();
    compileApp->add_option("-o,--output", compile.out, "the artifact; of C source the folder");
    oneOf(compileApp->add_option("--emit", compile.emit, "print a stage instead; c: write C source"),
          "relay|tir|llvm|asm|c");
    oneOf(compileApp->add_option("--weights", compile.weights,
                                 "file: into NAME.weights beside NAME.so; of C source also arrays; auto: into the "
                                 "artifact, of C source into arrays if they are few"),
          "auto|file|arrays");
    compileApp->add_option("--name", compile.name, "of C source: names its files and functions (default: the model's)");
    compileApp->add_option("--function", compile.function, "only this function");
    addTarget(*compileApp, common);
    addCompiling(*compileApp, common);
    addProgress(*compileApp, common);
    addTuned(*compileApp, common);

    InspectArgs inspect;
    CLI::App* inspectApp =
        app.add_subcommand("inspect", "inputs, outputs, operators, costs, and what is not supported");
    inspectApp->add_option("model", inspect.model, "the model file")->required();
    addTarget(*inspectApp, common);
    addCompiling(*inspectApp, common);
    addProgress(*inspectApp, common);

    TargetArgs target;
    CLI::App* targetApp = app.add_subcommand("target", "what is compiled for, and what this machine can do");
    CLI::Option* measure = targetApp->add_flag(
        "--measure", target.measure,
        "measure this machine's peaks, by which --target native chooses between kernels from then on, and say what "
        "records call it");
    addTarget(*targetApp, common);
    addThreads(*targetApp, common, "threads to measure with (0: all)");
    addCacheless(*targetApp, common);
    for (const char* option : {"--threads", "--no-cache"})
        targetApp->get_option(option)->needs(measure);
    addPrinting(*targetApp, common);

    PassesArgs passes;
    CLI::App* passesApp = app.add_subcommand("passes", "what every pass did");
    passesApp->add_option("model", passes.model, "the model file")->required();
    CLI::Option* printed[] = {
        passesApp->add_option("--after", passes.after, "print the IR after this pass"),
        passesApp->add_option("--diff", passes.diff, "print the lines that this pass changed"),
        passesApp->add_flag(
            "--choices", passes.choices,
            "print how operators are computed and how values and weights are stored, among what; decisions pin it"),
        passesApp->add_flag(
            "--fusion", passes.fusion,
            "print each fused function, and why its neighbours are not in it; decisions keep some apart"),
        passesApp->add_flag("--kernels", passes.kernels,
                            "print the kernels' workloads, schedules, questions and refusals"),
        passesApp->add_option("--dump", passes.dump, "write the IR after every pass to this folder"),
    };
    for (CLI::Option* one : printed)
        for (CLI::Option* other : printed)
            if (one != other)
                one->excludes(other);
    passesApp->add_option("--function", passes.function, "only this function");
    addTarget(*passesApp, common);
    addCompiling(*passesApp, common);
    addProgress(*passesApp, common);
    addTuned(*passesApp, common);

    BisectArgs bisect;
    CLI::App* bisectApp = app.add_subcommand(
        "bisect", "which pass makes outputs wrong, a crash, or code slow (exit code 4 if none is to blame)");
    bisectApp->add_option("model", bisect.model, "the model file")->required();
    CLI::Option* data =
        bisectApp
            ->add_option("--data", bisect.data, "a folder with input_N.pb and output_N.pb; may be given several times")
            ->allow_extra_args(false)
            ->check(CLI::ExistingDirectory);
    CLI::Option* input = addInputFiles(*bisectApp, bisect.inputs)->excludes(data);
    oneOf(bisectApp->add_option("--tolerance", bisect.tolerance,
                                "onnx: element by element; model: relative to the output's range"),
          "onnx|model");
    CLI::Option* questions[] = {
        bisectApp->add_flag("--crash", bisect.crash, "look for crashes and hangs alone, not for wrong values"),
        bisectApp->add_option("--slower-than", bisect.slowerThan,
                              "milliseconds, or times the unoptimized: 0.8x; slower is bad"),
        bisectApp->add_option("--count", bisect.count, "OPERATOR:N or kernels:N after all passes; more are bad"),
    };
    for (CLI::Option* one : questions)
        for (CLI::Option* other : questions)
            if (one != other)
                one->excludes(other);
    questions[2]->excludes(data)->excludes(input); // nothing is run
    bisectApp->add_option("--seed", bisect.seed, "seed of random inputs and operators")->check(seed());
    bisectApp->add_option("--timeout", bisect.timeout, "seconds for one run; longer is bad")->check(seconds());
    addTarget(*bisectApp, common);
    addCompiling(*bisectApp, common);

    CheckArgs check;
    CLI::App* checkApp = app.add_subcommand(
        "check", "every intermediate value against the unoptimized computation (exit code 1 if one diverges)");
    checkApp->add_option("model", check.model, "the model file")->required();
    CLI::Option* against =
        checkApp
            ->add_option(
                "--against", check.against,
                "instead against a .npy or .pb file named after its value, or a folder of them, inputs too; may "
                "be given several times")
            ->allow_extra_args(false)
            ->check(CLI::ExistingPath);
    checkApp->add_flag("--compare-numerics", check.compareNumerics, "instead against strict numerics")
        ->excludes(against);
    addInputFiles(*checkApp, check.inputs);
    oneOf(checkApp->add_option("--tolerance", check.tolerance,
                               "onnx: element by element; model: relative to the value's range"),
          "onnx|model");
    checkApp->add_option("--seed", check.seed, "seed of random inputs and operators")->check(seed());
    checkApp->add_option("--timeout", check.timeout, "seconds for one run")->check(seconds());
    addTarget(*checkApp, common);
    addCompiling(*checkApp, common);
    addProgress(*checkApp, common);

    DiffArgs diff;
    CLI::App* diffApp =
        app.add_subcommand("diff", "how two models or projects, or two artifacts, differ (exit code 1 if they do)");
    diffApp->add_option("before", diff.before, "a model, a project or an artifact")->required();
    diffApp->add_option("after", diff.after, "another one")->required();
    addThreads(*diffApp, common, "threads to import with (0: all)");
    addShapes(*diffApp, common);
    for (const char* option : {"--threads", "--shape"}) // artifacts are not imported
        ofCompiling(diffApp->get_option(option), common);
    addPrinting(*diffApp, common);

    RunArgs run;
    CLI::App* runApp = app.add_subcommand("run", "run a model or an artifact once");
    CLI::App* profileApp = app.add_subcommand("profile", "time a model by fused function");
    ReportArgs report;
    CLI::App* reportApp = app.add_subcommand("report", "all that is known of a model, in one HTML page");
    for (CLI::App* command : {runApp, profileApp, reportApp}) {
        command->add_option("model", run.model, command == reportApp ? "the model" : "the model or artifact")
            ->required();
        addInputs(*command, run.inputs);
        command->add_option("--seed", run.seed, "seed of random inputs and operators")->check(seed());
        command->add_option("--memory", run.memoryMegabytes, "limit of the process that runs it, in MiB")
            ->check(CLI::Range(int64_t{0}, int64_t{1} << 32));
        command->add_option("--timeout", run.timeout, "seconds")->check(seconds());
        addTarget(*command, common);
        addCompiling(*command, common);
        addProgress(*command, common);
        addTuned(*command, common);
    }
    for (CLI::App* command : {runApp, profileApp})
        addDevice(*command, run.device);
    runApp->add_option("--save", run.save, "write outputs to this folder as .npy");
    CLI::Option* choices = profileApp->add_flag(
        "--choices", run.choices, "with how each function is computed and stored, among what; decisions pin it");
    CLI::Option* counters = profileApp->add_flag("--counters", run.counters,
                                                 "with what the processor counted, where the machine allows that");
    CLI::Option* sweep = profileApp->add_option(
        "--sweep", run.sweep,
        "time whole runs at several sizes instead: NAME=FROM:TO, NAME=FROM:TO:STEP or NAME=1,2,4");
    CLI::Option* timeline = profileApp->add_option(
        "--timeline", run.timeline, "write one more run here, by thread: JSON in the trace event format (Perfetto)");
    sweep->excludes(choices)->excludes(counters)->excludes(timeline);

    reportApp->add_option("-o,--output", report.out, "the page")->required();
    reportApp->add_flag("--no-run", report.noRun, "compile it only");

    TuneArgs tune;
    CLI::App* tuneApp =
        app.add_subcommand("tune", "look for faster schedules of a model's kernels, on this machine or a device");
    tuneApp->add_option("model", tune.model, "the model file")->required();
    tuneApp->add_option("-o,--output", tune.out,
                        "write what was found as decisions, for --decisions of other commands");
    tuneApp
        ->add_option("--time", tune.seconds,
                     "how long to look, 90s, 5m or 1h, once the model was compiled and run; what was found is then "
                     "still checked")
        ->transform(duration());
    tuneApp->add_option("--trials", tune.trials, "try at most so many")
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
    oneOf(tuneApp->add_option("--search", tune.search, "how candidates are chosen"),
          "evolution|annealing|genetic|descent|random|grid|replay");
    oneOf(tuneApp->add_option("--space", tune.space, "what may be tried"), "template|sketch|rules|all");
    tuneApp->add_option("--kernel", tune.kernel, "only kernels whose names have this in them");
    tuneApp->add_option(
        "--sizes", tune.sizes,
        "what a size that the model leaves open mostly is, NAME=7,64,128: its kernels are to be fast at "
        "these, four at most");
    addInputs(*tuneApp, tune.inputs);
    tuneApp->add_option("--min-gain", tune.leastGain, "per cent that a schedule must gain")->check(between(0, 50));
    tuneApp->add_option("--seed", tune.seed, "of what is drawn")->check(seed());
    tuneApp->add_flag("--no-layouts", tune.noLayouts, "schedules alone: no other variants, layouts or fusion");
    CLI::Option* resume = tuneApp->add_flag("--resume", tune.resume, "go on with the last study of this model");
    tuneApp->add_option("--study", tune.study, "the study's name, or that of the one to go on with");
    CLI::Option* recordsFile =
        tuneApp->add_option("--records", tune.records, "write what is tried to another file of records");
    tuneApp->add_flag("--no-records", tune.noRecords, "neither read nor write records")
        ->excludes(resume)
        ->excludes(recordsFile);
    tuneApp
        ->add_option("--device", tune.device,
                     "where it measures: local, ssh:HOST, or a name of lathe devices; --target says what is compiled "
                     "for")
        ->type_name(deviceType);
    addTarget(*tuneApp, common);
    addCompiling(*tuneApp, common);
    addProgress(*tuneApp, common);

    RecordsArgs records;
    CLI::App* recordsApp = app.add_subcommand("records", "what is recorded of tuning");
    recordsApp->require_subcommand(1);
    const auto addRecords = [&](const char* name, RecordsArgs::Do what, const char* text) {
        CLI::App* command = recordsApp->add_subcommand(name, text);
        command->add_option("--records", records.records, "another file of records");
        command->callback([&records, what] { records.what = what; });
        return command;
    };
    CLI::App* recordsCommands[] = {
        addRecords("list", RecordsArgs::Do::List, "the fastest schedule of each workload"),
        addRecords("show", RecordsArgs::Do::Show, "all trials of a workload"),
        addRecords("best", RecordsArgs::Do::Best, "the fastest schedules of a model's kernels, as decisions"),
        addRecords("export", RecordsArgs::Do::Export, "print all as lines of JSON"),
        addRecords("import", RecordsArgs::Do::Import, "read such lines; what is wrong is skipped and counted"),
        addRecords("merge", RecordsArgs::Do::Merge, "take over what other files of records hold"),
        addRecords("prune", RecordsArgs::Do::Prune, "forget most of what is slow"),
        addRecords("verify", RecordsArgs::Do::Verify,
                   "whether the file is whole, and its schedules still fit (exit code 1 if not)"),
        addRecords("rehash", RecordsArgs::Do::Rehash, "hash workloads anew, after a change of how that is done"),
        addRecords("evaluate-model", RecordsArgs::Do::EvaluateModel,
                   "what the cost model is worth on recorded kernels that it has not seen"),
        addRecords("stats", RecordsArgs::Do::Stats, "how much there is"),
    };
    recordsCommands[3]->add_flag("--best", records.best,
                                 "only the fastest schedules, of those that are faster by 3 % at least");
    recordsCommands[1]->add_option("workload", records.workload, "its hash, or how that begins")->required();
    recordsCommands[2]->add_option("model", records.model, "the model file")->required();
    for (CLI::App* command : {recordsCommands[2], recordsCommands[3]})
        command->add_option("-o,--output", records.out, "write it to this file");
    recordsCommands[4]->add_option("files", records.files, "files of lines")->required();
    recordsCommands[5]->add_option("files", records.files, "files of records")->required();
    recordsCommands[6]
        ->add_option("--keep", records.keep, "how many of the fastest of each kernel to keep")
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
    recordsCommands[7]->add_flag("--time", records.time,
                                 "time those of this machine and these threads beside their defaults");
    for (CLI::App* command : recordsCommands)
        if (command != recordsCommands[2])
            addPrinting(*command, common);
    addTarget(*recordsCommands[2], common);
    addCompiling(*recordsCommands[2], common);
    addProgress(*recordsCommands[2], common);
    for (CLI::App* command : {recordsCommands[7], recordsCommands[9]}) {
        addThreads(*command, common, "threads of the runs that were recorded (0: all)");
        addNumerics(*command, common);
    }

    BundleArgs bundle;
    addBundle(app, bundle, common);
    const CLI::App* bundleApp = app.get_subcommand("bundle");

    DevicesArgs devices;
    addDevices(app, devices, common);
    const CLI::App* devicesApp = app.get_subcommand("devices");

    PluginArgs plugin;
    addPlugin(app, plugin, common);
    const CLI::App* pluginApp = app.get_subcommand("plugin");

    BenchArgs bench;
    CLI::App* benchApp = app.add_subcommand("bench", "medians of alternating rounds");
    benchApp->add_option("models", bench.models, "model files")->required();
    benchApp->add_option("--rounds", bench.rounds, "rounds")->check(CLI::Range(1, 100000));
    benchApp->add_option("--against", bench.against, "another runtime: NAME=COMMAND; may be given several times")
        ->allow_extra_args(false);
    CLI::Option* kernel =
        benchApp->add_option("--kernel", bench.kernel, "time this kernel alone: its name, or its workload");
    benchApp->add_option("--size", bench.sizes, "a size of that kernel: NAME=VALUE")->allow_extra_args(false);
    benchApp->add_flag("--cold", bench.cold, "flush the caches before each call of that kernel");
    for (CLI::Option* input : addInputs(*benchApp, bench.inputs))
        input->excludes(kernel);
    addDevice(*benchApp, bench.device);
    addTarget(*benchApp, common);
    addCompiling(*benchApp, common);
    addProgress(*benchApp, common);
    addTuned(*benchApp, common);

    TestArgs test;
    CLI::App* testApp =
        app.add_subcommand("test", "run the ONNX tests found below paths (exit code 1 if one is not right)");
    testApp->add_option("paths", test.paths, "folders or models")->required();
    testApp->add_option("--except", test.except, "leave out tests whose path contains this")->allow_extra_args(false);
    testApp->add_option("--jobs", test.jobs, "tests at one time (0: one a core)");
    testApp->add_option("--cc", test.cc, "by way of C source, which this command compiles: \"gcc -std=c99 -O2\"");
    oneOf(testApp->add_option("--tolerance", test.tolerance,
                              "onnx: element by element; model: relative to the output's range"),
          "onnx|model");
    testApp->add_option("--timeout", test.timeout, "seconds for one test, compilation included")->check(seconds());
    testApp->add_option("--seed", test.seed, "seed of random operators")->check(seed());
    addDevice(*testApp, test.device);
    addTarget(*testApp, common);
    addCompiling(*testApp, common);
    std::vector<std::string> helpOf;
    CLI::App* helpApp = app.add_subcommand("help", "what a command does and takes");
    helpApp->add_option("command", helpOf, "a command, or one of another, such as bundle check");
    CLI::App* versionApp = app.add_subcommand("version", "which Lathe this is");
    addPrinting(*versionApp, common);
    CLI::App* testWorkerApp = app.add_subcommand("test-worker", "")->group("");
    app.add_subcommand("build-worker", "")->group("");

    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    try {
        refuseEmptyValues(std::span(argv, static_cast<size_t>(argc)));
        app.parse(argc, argv);
        refuseEmptyValues(app);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0)
            return app.exit(error);
        common.json = std::ranges::find(words, "--json") != words.end(); // perhaps not read yet
        return lathe::cli::report({usageFault(app, words, error.what())}, common);
    }
    if (*helpApp)
        return printHelp(app, helpOf, common);
    if (*versionApp)
        return printVersion(common);
    if (*diffApp || *checkApp || *testApp || *recordsCommands[7] || devices.what == DevicesArgs::Do::Test ||
        bundle.what != BundleArgs::Do::Make)
        failed = 2;
    if (*compileApp)
        return compileCommand(compile, common);
    if (*inspectApp)
        return inspectCommand(inspect, common);
    if (*targetApp)
        return targetCommand(target, common);
    if (*passesApp)
        return passesCommand(passes, common);
    if (*bisectApp)
        return bisectCommand(bisect, common);
    if (*checkApp)
        return checkCommand(check, common);
    if (*diffApp)
        return diffCommand(diff, common);
    if (*runApp)
        return runCommand(run, common);
    if (*profileApp)
        return profileCommand(run, common);
    if (*reportApp) {
        report.run = run;
        return reportCommand(report, common);
    }
    if (*tuneApp)
        return tuneCommand(tune, common);
    if (*recordsApp)
        return recordsCommand(records, common);
    if (*bundleApp)
        return bundleCommand(bundle, common);
    if (*devicesApp)
        return devicesCommand(devices, common);
    if (*pluginApp)
        return pluginCommand(plugin, common);
    if (*benchApp)
        return benchCommand(bench, common);
    if (*testApp)
        return testCommand(test, common);
    if (*testWorkerApp)
        return testWorkerCommand(common);
    return lathe::tuning::serveBuilds();
}

} // namespace

int main(int argc, char** argv) {
    lathe::reserveStandardStreams();
    int failed = 1;
    auto code = lathe::guarded([&]() -> lathe::Result<int> { return run(argc, argv, failed); });
    const int before = code.value_or(0);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) // which printing has perhaps thrown for
        code = lathe::failure(fmt::format("standard output cannot be written: {}", std::strerror(errno)),
                              "free space where it goes");
    return code ? *code : std::max({before, failed, report({code.error()}, {})});
}
