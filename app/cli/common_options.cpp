// SPDX-License-Identifier: Apache-2.0
#include "app/cli/common_options.h"

#include "app/cli/validators.h"
#include "runtime/limits.h"

namespace lathe::cli {

const char* const targetText = "native, a cpu such as haswell, x86-64-v3, cortex-a72 or rv64gc, or "
                               "TRIPLE[:CPU[:+FEATURE,-FEATURE…]] such as aarch64-linux-gnu";

CLI::Option* oneOf(CLI::Option* option, const std::string& values) {
    return option->type_name(values);
}

void excludeEachOther(std::span<CLI::Option* const> options) {
    for (CLI::Option* one : options)
        for (CLI::Option* other : options)
            if (one != other)
                one->excludes(other);
}

CLI::Option* ofCompiling(CLI::Option* option, Common& common) {
    return option->each(
        [&common, name = option->get_name()](const std::string&) { common.ofCompiling.push_back(name); });
}

void addPrinting(CLI::App& command, Common& common) {
    command.add_flag("--json", common.json, "print for programs");
    command.add_flag("--quiet", common.quiet, "print only what was asked for");
}

void addProgress(CLI::App& command, Common& common) {
    command.add_flag("--progress", common.progress, "print how far it is, a line of JSON a step, to standard error");
}

void addTarget(CLI::App& command, Common& common) {
    ofCompiling(command.add_option("--target", common.target, targetText), common);
}

void addThreads(CLI::App& command, Common& common, const std::string& text) {
    command.add_option("--threads", common.threads, text)->check(CLI::Range(0, runtime::limits::threads));
}

void addShapes(CLI::App& command, Common& common) {
    command
        .add_option(
            "--shape", common.shapes,
            "an input's sizes, NAME=1,3,224,224: -1 or a name leaves one open, and equal names are one size; NAME= is "
            "of rank 0; or an open size by its own name, n=5")
        ->allow_extra_args(false);
}

/// Names with commas between them; no model's name has one that anybody would cut at.
void addCut(CLI::App& command, Common& common) {
    CLI::Option* inputs =
        command.add_option("--inputs", common.inputs,
                           "compile a part of the model: values that are given to it instead of computed, NAME,NAME or "
                           "NODE:1 for a node's second result");
    CLI::Option* outputs =
        command.add_option("--outputs", common.outputs, "values that it gives, instead of the model's own outputs");
    for (CLI::Option* option : {inputs, outputs})
        ofCompiling(option->delimiter(',')->allow_extra_args(false), common);
}

void addCacheless(CLI::App& command, Common& common) {
    ofCompiling(command.add_flag("--no-cache", common.noCache, "neither read nor write cached kernels"), common);
}

void addNumerics(CLI::App& command, Common& common) {
    CLI::Option* numerics =
        command.add_option("--numerics", common.numerics, "whether floats are computed as they stand");
    ofCompiling(oneOf(numerics, "strict|default"), common);
}

void addPlugins(CLI::App& command, Common& common) {
    CLI::Option* folder = command.add_option("--plugin", common.plugins, "a plugin's folder, for this command alone");
    CLI::Option* without =
        command.add_option("--without-plugin", common.withoutPlugins, "as if the plugin of this id were not there");
    for (CLI::Option* option : {folder, without})
        ofCompiling(option->allow_extra_args(false), common);
}

void addCompiling(CLI::App& command, Common& common) {
    addThreads(command, common);
    addNumerics(command, common);
    ofCompiling(command.add_option("--decisions", common.decisionsFile,
                                   "what to decide otherwise than by default, a JSON file"),
                common);
    ofCompiling(command.add_option("--optional-limit", common.optionalLimit, "run only the first N optional passes")
                    ->check(CLI::Range(0, 1'000'000)),
                common);
    addShapes(command, common);
    ofCompiling(command.add_option("--signature", common.signature,
                                   "which of the model's graphs, by the name that it is called by (TFLite, TensorFlow, "
                                   "TorchScript)"),
                common);
    CLI::Option* type = command.add_option("--type", common.types,
                                           "NAME=int64: the element type of an input that the model does not declare, "
                                           "else float32 (TorchScript), or none (what --inputs names)");
    CLI::Option* argument = command.add_option("--arg", common.arguments,
                                               "NAME=VALUE: an argument that is no tensor, as Python writes it: 16000, "
                                               "True, [1, 2] (TorchScript)");
    for (CLI::Option* option : {type, argument})
        ofCompiling(option->allow_extra_args(false), common);
    addCut(command, common);
    addPlugins(command, common);
    ofCompiling(command.add_flag("--verify", common.verify, "verify the IR after each pass"), common);
    addCacheless(command, common);
    addPrinting(command, common);
}

void addTuned(CLI::App& command, Common& common) {
    CLI::Option* tuned = command.add_flag("--tuned", common.tuned, "with the schedules that lathe tune has recorded");
    CLI::Option* from =
        command.add_option("--records", common.tunedFrom, "the same, from this file of records")->excludes(tuned);
    CLI::Option* near = command.add_flag("--near-records", common.nearRecords,
                                         "and with those of kernels alike, which nobody has measured for these");
    for (CLI::Option* option : {tuned, from, near})
        ofCompiling(option, common);
}

void addDevice(CLI::App& command, std::string& device) {
    command
        .add_option("--device", device,
                    "where it runs: local, qemu or qemu:CPU, which emulates the target, ssh:HOST, or a name of lathe "
                    "devices")
        ->type_name(deviceType);
}

CLI::Option* addTolerance(CLI::App& command, std::string& tolerance, const std::string& what) {
    return oneOf(command.add_option("--tolerance", tolerance,
                                    "onnx: element by element; model: relative to the " + what + "'s range"),
                 "onnx|model");
}

CLI::Option* addInputFiles(CLI::App& command, std::vector<std::string>& files) {
    return command
        .add_option("--input", files,
                    "NAME=FILE (.npy, .npz or .pb), where NAME may have a = behind which no file is, or FILE.npz with "
                    "arrays named after inputs; others are drawn at random")
        ->allow_extra_args(false);
}

std::array<CLI::Option*, 2> addInputs(CLI::App& command, InputArgs& inputs) {
    return {addInputFiles(command, inputs.files),
            command
                .add_option("--data", inputs.data,
                            "a folder with input_N.pb for each input, of which --input may give others")
                ->check(CLI::ExistingDirectory)};
}

void addRunning(CLI::App& command, RunArgs& args, Common& common, const std::string& modelText) {
    command.add_option("model", args.model, modelText)->required();
    addInputs(command, args.inputs);
    command.add_option("--seed", args.seed, "seed of random inputs and operators")->check(seed());
    command.add_option("--memory", args.memoryMegabytes, "limit of the process that runs it, in MiB")
        ->check(CLI::Range(int64_t{0}, int64_t{1} << 32));
    command.add_option("--timeout", args.timeout, "seconds")->check(seconds());
    addTarget(command, common);
    addCompiling(command, common);
    addProgress(command, common);
    addTuned(command, common);
}

} // namespace lathe::cli
