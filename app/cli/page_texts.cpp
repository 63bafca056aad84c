// SPDX-License-Identifier: Apache-2.0
#include "app/cli/page_texts.h"

#include <algorithm>

namespace lathe::cli {
namespace {

constexpr PageText pages[] = {
    {"",
     "Lathe compiles trained models, of ONNX, TFLite, TensorFlow, Keras and PyTorch, to native code, shows each step "
     "of that, looks for faster schedules on the machine that they are for, and packs what runs elsewhere. Facts go to "
     "standard output, diagnostics and progress to standard error; with --json both are a JSON object a line. A model "
     "is named by its file, or by - for standard input where it is read once (not in tune and bundle); ./- is a file "
     "of that name.",
     "lathe inspect model.onnx\n"
     "lathe run model.onnx --shape x=8,3,224,224\n"
     "lathe compile model.onnx -o model.so\n"},
    {"compile",
     "Compiles a model to an artifact, a shared library that lathe run and the runtime load; to C source, or to a "
     "static library (-o libNAME.a). With --emit it prints a stage instead, with --json as the text of one object. "
     "What is written is there whole or not at all.",
     "lathe compile model.onnx -o model.so\n"
     "lathe compile model.onnx --target cortex-a72 --shape x=1,3,224,224 -o model-arm.so\n"
     "lathe compile model.onnx --emit c -o folder\n"
     "lathe compile model.onnx --emit asm --function dense_1\n"},
    {"inspect",
     "Says what a model takes and gives, what it keeps from one run to the next (its states), which operators it is "
     "made of, what it computes and how much memory that takes, and which nodes are not supported (then the exit code "
     "is 1).",
     "lathe inspect model.onnx\n"
     "lathe inspect model.onnx --shape batch=8 --json\n"},
    {"target",
     "Says what code is compiled for: registers, extensions, cores and caches; of this machine with --measure also "
     "how fast it computes and reads, and what records call it. What was measured is kept: from then on "
     "--target native chooses between direct and transformed convolutions by it, and may make other code than before.",
     "lathe target\n"
     "lathe target --measure\n"
     "lathe target --target rv64gcv\n"},
    {"passes",
     "Says what every pass did: its time, how much there is after it, and what it changed of operations, bytes and "
     "memory. Or prints the IR after one pass, the lines that it changed, how operators are computed, or what was "
     "fused. With --json the IR is the text of one object, and the lines are its diff.",
     "lathe passes model.onnx\n"
     "lathe passes model.onnx --after fuse\n"
     "lathe passes model.onnx --diff 'choose layouts'\n"},
    {"bisect",
     "Finds the pass that makes outputs wrong, the program crash or code slow, by compiling with ever fewer passes; "
     "for one that changes kernels also which kernel.",
     "lathe bisect model.onnx --data test_data_set_0\n"
     "lathe bisect model.onnx --slower-than 1.2x\n"},
    {"check",
     "Holds every intermediate value of the compiled model against the unoptimized computation, against files, or "
     "against strict numerics, and names the first one that diverges.",
     "lathe check model.onnx\n"
     "lathe check model.onnx --against values --input x=x.npy\n"},
    {"diff",
     "Says how two models differ node by node, or two artifacts by their parts. A project stands for its model, and "
     "what was decided is compared too.",
     "lathe diff before.onnx after.onnx\n"
     "lathe diff before.so after.so\n"},
    {"run",
     "Runs a model or an artifact once, on inputs from files or drawn at random, and prints or saves its outputs. "
     "States are what they are before the first run, unless --state or --keep-states says otherwise. An artifact is "
     "compiled already: options that only a compilation "
     "heeds are refused with it.",
     "lathe run model.onnx --input x=x.npy --save outputs\n"
     "lathe run model.so --threads 2\n"
     "lathe run stream.tflite --input x=frame_2.npy --keep-states stream\n"
     "lathe run model.onnx --target rv64gc --device qemu\n"},
    {"profile",
     "Times each fused function over many runs, beside what the machine could do; or whole runs at several sizes.",
     "lathe profile model.onnx --threads 1\n"
     "lathe profile model.onnx --advice\n"
     "lathe profile model.onnx --sweep n=1:64:8\n"
     "lathe profile model.onnx --timeline trace.json\n"},
    {"report",
     "Writes one HTML page with graph, passes, fusion, kernels, profile and memory plan. It needs no network.",
     "lathe report model.onnx -o model.html\n"},
    {"tune",
     "Looks for faster schedules of a model's kernels, and for other variants, layouts and fusion, by building and "
     "timing them. What is not faster by a paired test and in the whole model is not taken. What was tried is "
     "recorded; Ctrl+C ends it and keeps what was found.",
     "lathe tune model.onnx --time 5m -o found.json\n"
     "lathe compile model.onnx --decisions found.json -o model.so\n"
     "lathe tune model.onnx --resume\n"},
    {"records", "Lists, merges, checks and prunes what is recorded of tuning.",
     "lathe records list\n"
     "lathe records export -o all.jsonl\n"
     "lathe records merge other.db\n"},
    {"bundle",
     "Packs a compiled model with runtime, headers, a Python module, examples and golden cases, so that it runs "
     "where there is no Lathe, and can be checked there.",
     "lathe bundle model.onnx -o out --name digits --target x86-64-v3 --target x86-64-v2\n"
     "lathe bundle check out\n"
     "lathe bundle info out --json\n"},
    {"plugin",
     "Says which plugins are there: the user's own, those that came with Lathe, and those that are named. A plugin of "
     "data adds operators as bodies of others; no code of it runs, and it is on unless it is left out.",
     "lathe plugin list\n"
     "lathe plugin info contrib\n"
     "lathe compile model.onnx --without-plugin contrib\n"},
    {"devices", "Gives names to machines and emulators, for --device of other commands.",
     "lathe devices add board ssh:board --note 'on the desk'\n"
     "lathe devices test board\n"},
    {"bench",
     "Times models by medians of alternating rounds, beside other runtimes if some are named; or one kernel alone.",
     "lathe bench model.onnx --threads 1 --rounds 50\n"},
    {"test",
     "Runs tests in the form of ONNX: a model beside folders test_data_set_N with inputs and expected outputs. A "
     "folder with a meta.json is a test of any format: it names the runs in their order, with inputs and outputs by "
     "name in .npz files, states the tolerance, and may expect that the model is refused.",
     "lathe test node --jobs 2\n"
     "lathe test model --cc 'gcc -std=c99 -O2'\n"},
};

constexpr PageTerm environment[] = {
    {"LATHE_CACHE", "The folder of cached kernels, instead of lathe in $XDG_CACHE_HOME."},
    {"LATHE_CACHE_SIZE", "How large it may become: a number of bytes, or 512K, 64M, 2G."},
    {"LATHE_RECORDS", "The file of records of tuning, instead of lathe/records.db in $XDG_DATA_HOME."},
    {"LATHE_RUNNER", "The program that runs models, instead of lathe-runner beside lathe."},
    {"LATHE_PROGRAM", "The program lathe that the Python package calls."},
    {"LATHE_TIMING_LOCK",
     "The file at which what measures waits for others that do, instead of /tmp/lathe-timing-UID."},
    {"SOURCE_DATE_EPOCH",
     "The time that a bundle says it was made at, in seconds since 1970, instead of the model file's: with "
     "it the same model and options give the same bytes."},
    {"XDG_CACHE_HOME, XDG_CONFIG_HOME, XDG_DATA_HOME",
     "Where a user's own files lie, by default ~/.cache, ~/.config and ~/.local/share. Relative paths are ignored."},
    {"TMPDIR", "Where files are put while they are needed, by default /tmp."},
};

constexpr PageTerm files[] = {
    {"~/.cache/lathe", "Compiled kernels, and what was measured of this machine."},
    {"~/.config/lathe/devices.json", "Devices that have names."},
    {"~/.local/share/lathe/records.db", "Records of tuning."},
    {"~/.local/share/lathe/plugins", "Plugins that are installed, a folder each."},
    {"~/.local/share/lathe/runtimes", "Runtimes for other machines, a folder each."},
};

} // namespace

const PageText* pageTextOf(std::string_view command) {
    const auto* found = std::ranges::find(pages, command, &PageText::command);
    return found == std::end(pages) ? nullptr : found;
}

std::span<const PageTerm> environmentTerms() {
    return environment;
}

std::span<const PageTerm> fileTerms() {
    return files;
}

} // namespace lathe::cli
