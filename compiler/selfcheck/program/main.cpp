// SPDX-License-Identifier: Apache-2.0
//
// The main function of a program that holds a model: runs it on NumPy files, or checks itself as lathe-check does a bundle.
// It is linked with all that it needs but the model, long before there is one (lib/static/liblathe_program.a of a runtime
// package).
#include "base/counted.h"
#include "base/printable.h"
#include "data/golden_case.h"
#include "data/npy.h"
#include "runtime/limits.h"
#include "selfcheck/arguments.h"
#include "selfcheck/check.h"
#include "selfcheck/report.h"
#include "selfcheck/trial.h"

#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <string_view>

/// The model: a name that is another for the model's own symbol when the program is linked.
extern "C" const lathe_linked_model lathe_program_model;

namespace {

using namespace lathe;
using model::HostTensor;

constexpr const char* usage =
    "usage: %s [--input NAME=FILE.npy]... [--output NAME=FILE.npy]... [OPTION]...\n"
    "       %s --check [FOLDER] [OPTION]...\n"
    "  --input NAME=FILE   what goes in: each input once\n"
    "  --output NAME=FILE  where an output is written\n"
    "  --check [FOLDER]    checks the bundle in FOLDER, by default the current one, with this model\n"
    "  --json              of --check: an object a line instead of text\n"
    "  --threads N         threads of a run; 0, the default: all\n"
    "  --repeat N          timed runs at most; 0 without --check, else 50\n"
    "  --timeout S         of --check: seconds that a step may take; 300\n"
    "Exit code: 0 all is good, 1 something is not, 2 usage.\n";

struct Arguments {
    std::map<std::string, std::string> inputs, outputs; // files by name
    bool check = false, json = false;
    selfcheck::Wish wish;
    int repeat = -1, seconds = 300;
};

/// NAME=FILE: names may have '=' in them, files that are written to rarely do.
bool file(std::string_view text, std::map<std::string, std::string>& into) {
    const size_t equals = text.rfind('=');
    return equals != std::string_view::npos && equals + 1 < text.size() &&
           into.emplace(text.substr(0, equals), text.substr(equals + 1)).second;
}

/// The index of the argument that is not understood; 0: all are.
int parse(int argc, char** argv, Arguments& arguments) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const char* next = i + 1 < argc ? argv[i + 1] : "";
        bool good = true;
        if (word == "--check") {
            arguments.check = true;
            if (*next && *next != '-')
                arguments.wish.bundle = argv[++i];
        } else if (word == "--json") {
            arguments.json = true;
        } else if (word == "--input") {
            good = file(next, arguments.inputs), ++i;
        } else if (word == "--output") {
            good = file(next, arguments.outputs), ++i;
        } else if (word == "--threads") {
            good = selfcheck::number(next, 0, runtime::limits::threads, arguments.wish.threads), ++i;
        } else if (word == "--repeat") {
            good = selfcheck::number(next, 0, selfcheck::mostRepeats, arguments.repeat), ++i;
        } else if (word == "--timeout") {
            good = selfcheck::number(next, 1, selfcheck::mostSeconds, arguments.seconds), ++i;
        } else {
            good = false;
        }
        if (!good)
            return std::min(i, argc - 1);
    }
    return 0;
}

std::string valueText(const lathe_value_info& info) {
    std::vector<std::string> dims;
    for (int32_t axis = 0; axis < info.rank; ++axis)
        dims.push_back(info.dims[axis] >= 0 ? std::to_string(info.dims[axis]) : "?");
    return fmt::format("{}: {}[{}]", printable(info.name), toString(selfcheck::typeOf(info.dtype)),
                       fmt::join(dims, ","));
}

/// What the model takes and gives, for whoever asks how to call it.
void listValues(const lathe_model* model) {
    lathe_value_info info;
    for (int32_t i = 0; lathe_model_input(model, i, &info) == LATHE_OK; ++i)
        std::printf("input %s\n", valueText(info).c_str());
    for (int32_t i = 0; lathe_model_output(model, i, &info) == LATHE_OK; ++i)
        std::printf("output %s\n", valueText(info).c_str());
}

/// NumPy lacks some types: their elements stand in files as unsigned integers of that width.
Result<void> write(const std::string& path, const HostTensor& tensor) {
    std::string_view code = data::npyCode(tensor.dtype);
    if (code.empty())
        code = tensor.dtype.bytes() == 2 ? "<u2" : "|u1";
    const std::string prefix = data::npyPrefix(code, tensor.shape);
    std::FILE* file = std::fopen(path.c_str(), "wb");
    bool good = file && std::fwrite(prefix.data(), 1, prefix.size(), file) == prefix.size() &&
                std::fwrite(tensor.bytes.data(), 1, tensor.bytes.size(), file) == tensor.bytes.size();
    good = file && std::fclose(file) == 0 && good;
    if (good)
        return {};
    Diagnostic problem = error("it cannot be written", "look for space and for the right to write there");
    problem.file = path;
    return Failure(problem);
}

Result<void> run(const Arguments& arguments) {
    selfcheck::Trial trial;
    LATHE_CHECKED(trial.open(lathe_program_model));
    const lathe_model* model = trial.model();
    if (arguments.inputs.empty() && lathe_model_input_count(model) > 0) {
        listValues(model);
        return failure(ErrorKind::Usage, "an --input NAME=FILE.npy is needed for each of them");
    }
    for (const auto& [name, path] : arguments.inputs)
        if (lathe_model_find_input(model, name.c_str()) < 0)
            return failure(ErrorKind::Usage, fmt::format("there is no input '{}'", name));
    for (const auto& [name, path] : arguments.outputs)
        if (lathe_model_find_output(model, name.c_str()) < 0)
            return failure(ErrorKind::Usage, fmt::format("there is no output '{}'", name));
    std::vector<HostTensor> inputs;
    lathe_value_info info;
    for (int32_t i = 0; lathe_model_input(model, i, &info) == LATHE_OK; ++i) {
        const auto named = arguments.inputs.find(info.name);
        if (named == arguments.inputs.end())
            return failure(ErrorKind::Usage, fmt::format("the input '{}' is missing", info.name));
        LATHE_TRY(inputs.emplace_back(), data::readTensor(named->second, selfcheck::typeOf(info.dtype)));
    }
    LATHE_TRY(const std::vector<HostTensor> outputs, trial.run(inputs, arguments.wish.threads));
    for (int32_t i = 0; lathe_model_output(model, i, &info) == LATHE_OK; ++i) {
        const HostTensor& output = outputs[static_cast<size_t>(i)];
        std::printf("%s: %s [%s]\n", printable(info.name).c_str(), toString(output.dtype).c_str(),
                    fmt::format("{}", fmt::join(output.shape, ",")).c_str());
        if (const auto named = arguments.outputs.find(info.name); named != arguments.outputs.end())
            LATHE_CHECKED(write(named->second, output));
    }
    if (arguments.repeat > 0) {
        LATHE_TRY(const data::Latency latency, trial.time(inputs, arguments.wish.threads, arguments.repeat));
        std::printf("first run %.3f ms; p50 %.3f ms, p90 %.3f ms, p99 %.3f ms of %s; %s\n", latency.first, latency.p50,
                    latency.p90, latency.p99, counted(latency.runs, "run", "runs").c_str(),
                    counted(trial.threads(), "thread", "threads").c_str());
    }
    return {};
}

int failed(const char* program, const Diagnostic& problem) {
    const std::string file = problem.file.empty() ? std::string() : printable(problem.file) + ": ";
    std::fprintf(stderr, "%s: %s%s%s\n", program, file.c_str(), printable(problem.what).c_str(),
                 problem.hint.empty() ? "" : (" (" + printable(problem.hint) + ")").c_str());
    return problem.kind == ErrorKind::Usage ? 2 : 1;
}

} // namespace

int main(int argc, char** argv) {
    const char* program = argc > 0 ? argv[0] : "model";
    if (argc == 2 && (!std::strcmp(argv[1], "--help") || !std::strcmp(argv[1], "-h"))) {
        std::printf(usage, program, program);
        return 0;
    }
    Arguments arguments;
    if (const int wrong = parse(argc, argv, arguments)) {
        std::fprintf(stderr, "%s: '%s' is not understood\n", program, argv[wrong]);
        std::fprintf(stderr, usage, program, program);
        return 2;
    }
    try {
        if (!arguments.check) {
            const auto ran = run(arguments);
            return ran ? 0 : failed(program, ran.error());
        }
        selfcheck::Report report(arguments.json, static_cast<unsigned>(arguments.seconds));
        arguments.wish.linked = &lathe_program_model;
        if (arguments.repeat >= 0)
            arguments.wish.repeat = arguments.repeat;
        selfcheck::checkBundle(arguments.wish, report);
        return report.allGood() ? 0 : 1;
    } catch (const std::bad_alloc&) {
        return failed(program, error("this machine has too little memory for it"));
    } catch (const std::exception& problem) {
        return failed(program, error(ErrorKind::Internal, problem.what(), "please report the model"));
    }
}
