// SPDX-License-Identifier: Apache-2.0
//
// `lathe compile`: an artifact, C source, or the text of a stage. Ctrl+C ends it, and nothing half-written is left.
#include "app/cli/commands.h"
#include "app/cli/common_options.h"
#include "app/cli/interrupts.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "app/cli/stage_text.h"

#include "base/counted.h"
#include "base/json.h"
#include "relay/text.h"
#include "tir/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view stages[] = {"relay", "tir", "llvm", "asm"};

bool wanted(const std::string& name, const std::string& filter) {
    return filter.empty() || name == filter;
}

Result<std::string> emit(const driver::Trace& trace, const CompileArgs& args) {
    std::string text;
    std::vector<std::string> names; // of functions
    if (args.emit == "relay") {
        for (auto it = trace.passes.rbegin(); it != trace.passes.rend() && names.empty(); ++it)
            if (it->after)
                for (const auto& [name, function] : it->after->functions) {
                    names.push_back(name);
                    if (wanted(name, args.function))
                        text += relay::print(*function, *it->after, name);
                }
    } else if (args.emit == "tir") {
        for (const driver::KernelRecord* kernel : driver::kernelsNamed(trace, args.function))
            if (!kernel->stages.empty())
                text += tir::print(*kernel->stages.back().second);
        names = functionNames(trace);
        std::vector<tir::PrimFuncPtr> functions = trace.entryFunctions;
        if (trace.entry)
            functions.insert(functions.begin(), trace.entry);
        for (const tir::PrimFuncPtr& function : functions) {
            names.push_back(function->name);
            if (wanted(function->name, args.function))
                text += tir::print(*function);
        }
    } else {
        for (const driver::KernelRecord* kernel : driver::kernelsNamed(trace, args.function)) {
            LATHE_TRY(const driver::Listing listing, kernel->listing());
            text += args.emit == "llvm" ? listing.llvmIr : driver::print(listing, trace);
        }
        names = functionNames(trace);
    }
    if (text.empty() && !args.function.empty())
        return Failure(noFunction(args.function, names));
    return text;
}

/// Fails for an option that is of another form than what is made.
Result<void> allMeanSomething(const CompileArgs& args, codegen::CWeights weights) {
    const bool isSource = args.emit == "c", isText = !args.emit.empty() && !isSource;
    if (!isSource && !args.name.empty())
        return failure(ErrorKind::Usage, "--name is of C source", "an artifact is called as its file: -o NAME.so");
    if (!isText && !args.function.empty())
        return failure(ErrorKind::Usage, "--function is of the stages that are printed",
                       fmt::format("give --emit {} too, or leave it out", fmt::join(stages, "|")));
    if (isText && weights != codegen::CWeights::Auto)
        return failure(ErrorKind::Usage, "--weights is of an artifact and of C source: a stage has none",
                       "leave it out, or leave out --emit");
    return {};
}

std::string kernelsOf(const driver::Trace& trace) {
    return fmt::format("{} for {}", counted(trace.kernels.size(), "kernel", "kernels"),
                       counted(trace.calls.size(), "call", "calls"));
}

nlohmann::json asJson(const CompileArgs& args, const std::string& text) {
    nlohmann::json json{{"stage", args.emit}};
    if (!args.function.empty())
        json["function"] = args.function;
    if (args.out.empty())
        json["text"] = text;
    else
        json["file"] = args.out;
    return json;
}

} // namespace

void addCompileOptions(CLI::App& app, CompileArgs& args, Common& common) {
    app.add_option("model", args.model, "the model file")->required();
    app.add_option("-o,--output", args.out, "the artifact; of C source the folder");
    oneOf(app.add_option("--emit", args.emit, "print a stage instead; c: write C source"), "relay|tir|llvm|asm|c");
    oneOf(app.add_option("--weights", args.weights,
                         "file: into NAME.weights beside NAME.so; of C source also arrays; auto: into the "
                         "artifact, of C source into arrays if they are few"),
          "auto|file|arrays");
    app.add_option("--name", args.name, "of C source: names its files and functions (default: the model's)");
    app.add_option("--function", args.function, "only this function");
    addTarget(app, common);
    addCompiling(app, common);
    addProgress(app, common);
    addTuned(app, common);
}

int compileCommand(const CompileArgs& args, const Common& common) {
    auto options = args.emit == "c" ? makeSourceOptions(common) : makeOptions(common);
    auto decisions = makeDecisions(common);
    if (!options || !decisions)
        return report({options ? decisions.error() : options.error()}, common);
    if (const auto near = addNearRecords(*decisions, args.model, *options, common); !near)
        return report({near.error()}, common);
    driver::Trace trace;
    const bool source = args.emit == "c";
    bool text = !args.emit.empty() && !source;
    if (!text && args.out.empty())
        return report(
            {error(ErrorKind::Usage, "there is nothing to write to or to print", "give -o OUT, or --emit STAGE")},
            common);
    auto weights = driver::parseWeights(args.weights);
    if (!weights)
        return report({weights.error()}, common);
    options->weights = *weights;
    if (const auto heeded = allMeanSomething(args, *weights); !heeded)
        return report({heeded.error()}, common);
    options->name = args.name;
    if (text && std::ranges::find(stages, args.emit) == std::end(stages))
        return report({error(ErrorKind::Usage, fmt::format("unknown stage '{}'", args.emit),
                             fmt::format("use {}, or c for C source", fmt::join(stages, ", ")))},
                      common);
    std::error_code ignored;
    if (const auto other = keepsFiles(args.out, {args.model, common.decisionsFile}, common.tunedFrom); !other)
        return report({other.error()}, common);
    const Interrupts interrupts;
    driver::Progress progress = makeProgress(common);
    progress.cancelled = Interrupts::asked;
    auto artifact =
        driver::compileFile(args.model, text ? fs::path{} : fs::path(args.out), *decisions, *options, trace, progress);
    const int code = report(trace.diagnostics, common); // warnings of a good compilation too
    markStale(trace, common);
    if (!artifact)
        return artifact.error().kind == ErrorKind::Cancelled ? Interrupts::code() : code;
    if (source) {
        if (common.json)
            fmt::print("{}\n", dump({{"folder", args.out}, {"seconds", artifact->seconds}}));
        else if (!common.quiet)
            printLine("{}: {:.2f} s, {}", args.out, artifact->seconds, kernelsOf(trace));
        return 0;
    }
    if (!text) {
        const uintmax_t size = fs::is_regular_file(args.out, ignored) ? fs::file_size(args.out, ignored) : 0;
        if (common.json)
            fmt::print("{}\n", dump({{"artifact", args.out}, {"seconds", artifact->seconds}, {"bytes", size}}));
        else if (!common.quiet)
            printLine("{}: {:.2f} s, {}, {:.1f} MB", args.out, artifact->seconds, kernelsOf(trace),
                      static_cast<double>(size) / 1e6);
        return 0;
    }
    if (const auto other = driver::keepsModel(args.out, args.model, trace); !other)
        return report({other.error()}, common);
    auto emitted = emit(trace, args);
    if (!emitted)
        return report({emitted.error()}, common);
    if (!args.out.empty())
        if (const auto written = writeText(args.out, *emitted); !written)
            return report({written.error()}, common);
    if (common.json)
        fmt::print("{}\n", dump(asJson(args, *emitted)));
    else if (args.out.empty())
        fmt::print("{}", *emitted);
    return 0;
}

} // namespace lathe::cli
