// SPDX-License-Identifier: Apache-2.0
//
// The commands of `lathe`, each a function that adds its options to the parser, and one from its arguments to an exit code:
// 0 good, 1 the input's fault, 2 usage, 3 Lathe's own fault. An option is added by the command that heeds it, so that no other
// takes it. Facts go to standard output, for people or with --json for programs; diagnostics and progress to
// standard error.
#pragma once

#include "driver/compile.h"
#include "driver/data_plugin.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lathe::cli {

/// What several commands take.
struct Common {
    std::string target = "native";
    int threads = 0;
    std::optional<std::string> numerics; // none: that of the options that it is put into
    std::string decisionsFile;
    int optionalLimit = -1;
    bool verify = false, json = false, quiet = false, noCache = false;
    std::vector<std::string> shapes;         // NAME=1,3,224,224
    bool tuned = false;                      // with recorded schedules, of the default file
    std::string tunedFrom;                   // with those of this file
    bool nearRecords = false;                // with those of kernels alike, too
    bool progress = false;                   // for programs, as lines of JSON on standard error
    std::string signature;                   // of a model that has several
    std::vector<std::string> inputs;         // values that a part of the model begins at
    std::vector<std::string> outputs;        // and ends at
    std::vector<std::string> types;          // NAME=int64
    std::vector<std::string> arguments;      // NAME=VALUE
    std::vector<std::string> plugins;        // folders of them
    std::vector<std::string> withoutPlugins; // ids
    std::vector<std::string> ofCompiling;    // options given that only a compilation heeds
};
/// Options and Decisions of the common arguments, those with what is recorded where that is asked for; `options` are what holds
/// where an argument is not given. Fails with a Diagnostic for a malformed one. What cannot be read of the records is reported.
Result<driver::Options> makeOptions(const Common& common, driver::Options options = {});
/// For C source: the target is a machine without anything special, unless one is named.
Result<driver::Options> makeSourceOptions(const Common& common);
Result<driver::Decisions> makeDecisions(const Common& common);
/// Fails, with kind Usage, for "-", which is standard input where a model is named: elsewhere a file of that name is hardly meant.
Result<void> isFile(const std::string& path);
/// Fails, with kind Usage, if `out` is one of the files that the command reads: what is written there would destroy it. Inputs
/// may be given as NAME=FILE. Or if it is of the records in use, or of those `records`, where these are named: nothing makes them
/// again. Or if it is no file.
Result<void> keepsFiles(const std::string& out, const std::vector<std::string>& files, const std::string& records);
/// A new file, whole or not at all.
Result<void> writeText(const std::filesystem::path& path, const std::string& text);
/// Progress on standard error, if that is a terminal, or for programs that ask for it: {"progress":STAGE,"fraction":0.25}.
driver::Progress makeProgress(const Common& common);
/// About this file, unless it names one.
Diagnostic inFile(Diagnostic diagnostic, const std::string& file);
/// Prints diagnostics to standard error (as JSON lines with --json); gives the exit code: 3 if one is an internal error, else
/// 2 if one is of usage, else 1.
int report(const std::vector<Diagnostic>& diagnostics, const Common& common);

/// The plugins that are there, and whether they are on.
Result<std::vector<driver::FoundPlugin>> pluginsOf(const Common& common);

struct PluginArgs {
    std::string id; // one of them; empty: all
};
void addPluginOptions(CLI::App& app, PluginArgs& args, Common& common);
int pluginCommand(const PluginArgs& args, const Common& common);

struct CompileArgs {
    std::string model, out, emit, function;
    std::string weights = "auto", name; // name: of C source
};
void addCompileOptions(CLI::App& app, CompileArgs& args, Common& common);
int compileCommand(const CompileArgs& args, const Common& common);

struct TestArgs {
    std::vector<std::string> paths;
    std::vector<std::string> except; // names left out
    std::string tolerance = "onnx";
    int jobs = 0;
    double timeout = 300;
    uint64_t seed = 0;
    std::string device = "local"; // as in RunArgs
    std::string cc;               // by way of C source, which this command compiles
};
void addTestOptions(CLI::App& app, TestArgs& args, Common& common);
int testCommand(const TestArgs& args, const Common& common);
/// The child of `test`, which is told over its standard input what to run.
int testWorkerCommand(const Common& common);

struct InspectArgs {
    std::string model;
};
void addInspectOptions(CLI::App& app, InspectArgs& args, Common& common);
int inspectCommand(const InspectArgs& args, const Common& common);

struct TargetArgs {
    bool measure = false; // this machine
};
void addTargetOptions(CLI::App& app, TargetArgs& args, Common& common);
/// What is compiled for; what this machine can do.
int targetCommand(const TargetArgs& args, const Common& common);

struct PassesArgs {
    std::string model, after, diff, function, dump;
    bool kernels = false; // their schedules instead
    bool choices = false; // of variants and layouts, instead
    bool fusion = false;  // what was fused, what not and why, instead
};
/// Workload, schedule, questions and refusals of each kernel; as JSON a line each.
void printKernels(const driver::Trace& trace, bool json);
/// Each fused function with its operators, and the neighbours that are not in it, with the reasons; as JSON a line each.
void printFusion(const driver::FusionRecord& fusion, const std::string& function, bool json);
void addPassesOptions(CLI::App& app, PassesArgs& args, Common& common);
int passesCommand(const PassesArgs& args, const Common& common);

struct BisectArgs {
    std::string model, slowerThan, count;
    bool crash = false; // none of the three: wrong values
    std::vector<std::string> data, inputs;
    std::string tolerance = "model";
    uint64_t seed = 0;
    double timeout = 60;
};
void addBisectOptions(CLI::App& app, BisectArgs& args, Common& common);
/// Which pass is to blame; 0 if one was found, 1 if not.
int bisectCommand(const BisectArgs& args, const Common& common);

struct CheckArgs {
    std::string model;
    std::vector<std::string> against; // files and folders; none: the model without optional passes
    bool compareNumerics = false;     // instead: the model under strict numerics
    std::vector<std::string> inputs;
    std::string tolerance = "model";
    uint64_t seed = 0;
    double timeout = 300;
};
void addCheckOptions(CLI::App& app, CheckArgs& args, Common& common);
/// Every intermediate value; 0 if all are within the tolerance, 1 if one diverges, and for errors 2 or 3.
int checkCommand(const CheckArgs& args, const Common& common);

struct DiffArgs {
    std::string before, after;
};
void addDiffOptions(CLI::App& app, DiffArgs& args, Common& common);
/// Two models or projects, or two artifacts; 0 if they are equal, 1 if not, and for errors 2 or 3.
int diffCommand(const DiffArgs& args, const Common& common);

/// What a model is run with; the rest is drawn at random.
struct InputArgs {
    std::vector<std::string> files; // NAME=FILE
    std::string data;               // a folder with input_N.pb; files go before
};

struct RunArgs {
    std::string model, save;
    InputArgs inputs;
    uint64_t seed = 0;
    int64_t memoryMegabytes = 0;
    double timeout = 300;
    bool choices = false;            // of profile: with what was chosen for each function
    bool counters = false;           // of profile: with what the processor counted
    bool advice = false;             // of profile: with what to do next
    std::string timeline;            // of profile: a file for one more run in time
    std::string sweep;               // of profile: NAME=FROM:TO:STEP or NAME=1,2,4: whole runs at these sizes instead
    std::string device = "local";    // where it runs: local, qemu or qemu:CPU
    std::vector<std::string> states; // of run: NAME=FILE or NAME=NUMBER, how states begin
    std::string keepStates;          // of run: the folder that they go on from, and are left in
    bool resetStates = false;        // of run: they do not
};
/// The model, the inputs that are given as files, decisions and records.
std::vector<std::string> filesOf(const RunArgs& args, const Common& common);
void addRunOptions(CLI::App& app, RunArgs& args, Common& common);
int runCommand(const RunArgs& args, const Common& common);
void addProfileOptions(CLI::App& app, RunArgs& args, Common& common);
/// Runs with profile: time a fused function; or whole runs at several sizes.
int profileCommand(const RunArgs& args, const Common& common);

struct TuneArgs {
    std::string model, out; // out: the Decisions that were found
    InputArgs inputs;       // of the whole model's runs
    double seconds = 300;
    int64_t trials = 0; // 0: as many as there is time for
    std::string search = "evolution", space = "template";
    std::string kernel;   // only kernels with this in their names
    std::string sizes;    // of a size that the model leaves open: tuning::parseTunedSizes
    double leastGain = 1; // per cent
    uint64_t seed = 0;
    std::string study;   // its name; empty: the model's
    std::string records; // the file; empty: the default one
    bool resume = false, noRecords = false;
    bool noLayouts = false;       // schedules alone
    std::string device = "local"; // where it measures: local, ssh:HOST or a name
};
void addTuneOptions(CLI::App& app, TuneArgs& args, Common& common);
/// 0: measured, whether something faster was found or not; 3: nothing could be measured; 130: interrupted before anything was
/// measured.
int tuneCommand(const TuneArgs& args, const Common& common);

struct RecordsArgs {
    enum class Do {
        List,
        Show,
        Study,
        Best,
        Export,
        Import,
        Merge,
        Prune,
        Verify,
        Rehash,
        EvaluateModel,
        Stats
    } what = Do::List;
    std::string records; // the file; empty: the default one
    std::string workload, study, model, out;
    std::vector<std::string> files;
    int64_t keep = 200;
    bool time = false; // verify: time them again
    bool best = false; // export: only what is worth handing on
};
void addRecordsOptions(CLI::App& app, RecordsArgs& args, Common& common);
/// What is recorded of tuning. verify: 1 if something is wrong with it.
int recordsCommand(const RecordsArgs& args, const Common& common);

struct ReportArgs {
    RunArgs run;
    std::string out;
    bool noRun = false;
};
void addReportOptions(CLI::App& app, ReportArgs& args, Common& common);
/// All that is known of a model, its compilation and its run, as one page; also of one that fails.
int reportCommand(const ReportArgs& args, const Common& common);

struct BundleArgs {
    enum class Do { Make, Check, Info, Diff, Reproduce, Image } what = Do::Make;
    std::string model, out, options; // options: a file of them, which other arguments go before
    std::string name, version, licence, form, golden, limits, runtimeDir;
    std::vector<std::string> targets, with, without, symbols;
    int cases = -1;               // -1: not given
    double tolerance = -1;        // likewise
    int repeat = 50;              // of check: timed runs
    std::string device = "local"; // as in RunArgs: where check runs it, and where a new one is tried
    bool force = false, dryRun = false;
    std::vector<std::string> bundles; // of check, info, diff and image; of reproduce the bundle and the model
    std::string sign, verifyKey;      // files of ssh-keygen: a private key; public keys that may have signed
};
void addBundleOptions(CLI::App& app, BundleArgs& args, Common& common);
/// A model as a bundle; what a bundle is, whether it is whole and right here (1 if not), how two differ (1 if they do); programs
/// as a container image.
int bundleCommand(const BundleArgs& args, const Common& common);

struct DevicesArgs {
    enum class Do { List, Add, Remove, Test } what = Do::List;
    std::string name, device; // device: as --device takes it, without names
    std::string folder, cores, note;
    std::vector<std::string> environment; // NAME=VALUE
    bool force = false;                   // in place of the one of this name
};
void addDevicesOptions(CLI::App& app, DevicesArgs& args, Common& common);
/// The devices that have names; test says what one is and what it can run.
int devicesCommand(const DevicesArgs& args, const Common& common);

struct BenchArgs {
    std::vector<std::string> models;
    InputArgs inputs;
    int rounds = 20;
    std::vector<std::string> against; // commands that speak the bench protocol: see bench_command.cpp
    std::string kernel;               // name or workload: time this one alone
    std::vector<std::string> sizes;   // of that kernel: NAME=VALUE
    bool cold = false;                // of that kernel: with caches flushed before each call
    std::string device = "local";     // as in RunArgs
};
/// What benchCommand does for one kernel.
int benchKernel(const std::string& model, const BenchArgs& args, const Common& common);
void addBenchOptions(CLI::App& app, BenchArgs& args, Common& common);
int benchCommand(const BenchArgs& args, const Common& common);

struct HelpArgs {
    const CLI::App* program = nullptr;
    std::vector<std::string> command; // words: one within the other; none: of the program
};
void addHelpOptions(CLI::App& app, HelpArgs& args, Common& common);
int helpCommand(const HelpArgs& args, const Common& common);

struct VersionArgs {};
void addVersionOptions(CLI::App& app, VersionArgs& args, Common& common);
int versionCommand(const VersionArgs& args, const Common& common);

} // namespace lathe::cli
