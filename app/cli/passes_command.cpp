// SPDX-License-Identifier: Apache-2.0
//
// `lathe passes`: the pass strip, the IR after a pass, what a pass changed, or everything into a folder.
#include "app/cli/choices.h"
#include "app/cli/commands.h"
#include "app/cli/common_options.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "app/cli/stage_text.h"

#include "base/json.h"
#include "inspect/pass_figures.h"
#include "relay/text.h"
#include "tir/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::cli {
namespace {

Result<void> dumpTrace(const driver::Trace& trace, const std::filesystem::path& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    int ordinal = 0;
    const auto fileName = [](std::string pass) { // those of plugins have a slash
        std::ranges::replace(pass, '/', '-');
        return pass;
    };
    for (const driver::PassRecord& record : trace.passes) {
        if (record.after)
            LATHE_CHECKED(writeText(folder / fmt::format("{:02} {}.relay", ordinal, fileName(record.name)),
                                    relay::print(*record.after)));
        ++ordinal;
    }
    for (const driver::KernelRecord& kernel : trace.kernels)
        for (size_t i = 0; i < kernel.stages.size(); ++i)
            LATHE_CHECKED(
                writeText(folder / fmt::format("{} {:02} {}.tir", kernel.name, i, fileName(kernel.stages[i].first)),
                          tir::print(*kernel.stages[i].second)));
    if (trace.entry)
        LATHE_CHECKED(writeText(folder / "entry.tir", tir::print(*trace.entry)));
    for (const tir::PrimFuncPtr& function : trace.entryFunctions)
        LATHE_CHECKED(writeText(folder / (function->name + ".tir"), tir::print(*function)));
    return {};
}

/// What is not known is left out.
nlohmann::json asJson(const driver::PassRecord& record, const inspect::PassFigures& figures) {
    nlohmann::json json{{"pass", record.name},         {"stage", driver::toString(record.stage)},
                        {"required", record.required}, {"enabled", record.enabled},
                        {"ran", record.ran},           {"ms", record.ms},
                        {"changed", record.changed}};
    if (!record.plugin.empty())
        json["plugin"] = record.plugin;
    // A count is a whole number as long as it fits into one.
    const auto counted = [](double count) {
        return std::abs(count) < 0x1p63 ? nlohmann::json(std::llround(count)) : nlohmann::json(count);
    };
    const auto add = [&](const std::string& name, std::optional<double> inspect::Figures::* figure) {
        if (const std::optional<double>& after = figures.after.*figure)
            json[name] = counted(*after);
        if (const std::optional<double>& delta = figures.delta.*figure)
            json[name + "_delta"] = counted(*delta);
    };
    add("bindings", &inspect::Figures::bindings);
    add("statements", &inspect::Figures::statements);
    add("flops", &inspect::Figures::flops);
    add("bytes", &inspect::Figures::bytes);
    add("peak_bytes", &inspect::Figures::peakBytes);
    return json;
}

/// How much there is after the pass, and what it changed of that: "288 bindings", "+12".
std::pair<std::string, std::string> amountOf(const inspect::PassFigures& figures) {
    if (figures.after.statements)
        return {fmt::format("{:.0f} statements", *figures.after.statements),
                inspect::deltaText(figures.delta.statements)};
    return {figures.after.bindings ? fmt::format("{:.0f} bindings", *figures.after.bindings) : "",
            inspect::deltaText(figures.delta.bindings)};
}

/// What became of the pass, and the plugin that it is of.
std::string endOf(const driver::PassRecord& record) {
    const std::string_view outcome = driver::outcomeOf(record);
    return record.plugin.empty() ? std::string(outcome) : fmt::format("{:10} plugin: {}", outcome, record.plugin);
}

/// One line a pass: what it cost, how much there is after it, and what it changed of that.
void printStrip(const driver::Trace& trace, bool json) {
    const std::vector<inspect::PassFigures> figures = inspect::passFigures(trace);
    if (!json)
        printLine("{:24} {:8} {:9} {:>9} {:>17} {:>8} {:>9} {:>9} {:>9}  {}", "pass", "stage", "", "ms", "after it",
                  "change", "FLOPs", "bytes", "peak", "");
    for (size_t i = 0; i < trace.passes.size(); ++i) {
        const driver::PassRecord& record = trace.passes[i];
        const inspect::Figures& delta = figures[i].delta;
        const auto [amount, change] = amountOf(figures[i]);
        if (json)
            fmt::print("{}\n", dump(asJson(record, figures[i])));
        else
            printLine("{:24} {:8} {:9} {:9.2f} {:>17} {:>8} {:>9} {:>9} {:>9}  {}", record.name,
                      driver::toString(record.stage), record.required ? "required" : "optional", record.ms, amount,
                      change, inspect::deltaText(delta.flops), inspect::deltaText(delta.bytes),
                      inspect::deltaText(delta.peakBytes), endOf(record));
    }
}

/// The text after the pass, or the lines of it that differ from before.
void printPass(const std::string& pass, const PassesArgs& args, const std::string& after, const driver::Trace& trace,
               bool json) {
    std::vector<std::string> changed;
    if (!args.diff.empty()) // a function need not be there before
        changed = differences(textAt(trace, pass, args.function, true).value_or(std::string()), after);
    if (json) {
        nlohmann::json line{{"pass", pass}};
        if (!args.function.empty())
            line["function"] = args.function;
        if (args.diff.empty())
            line["text"] = after;
        else
            line["diff"] = changed;
        fmt::print("{}\n", dump(line));
    } else if (args.diff.empty()) {
        fmt::print("{}", after);
    } else {
        for (const std::string& line : changed)
            printLine("{}", line);
    }
}

} // namespace

void addPassesOptions(CLI::App& app, PassesArgs& args, Common& common) {
    app.add_option("model", args.model, "the model file")->required();
    CLI::Option* printed[] = {
        app.add_option("--after", args.after, "print the IR after this pass"),
        app.add_option("--diff", args.diff, "print the lines that this pass changed"),
        app.add_flag(
            "--choices", args.choices,
            "print how operators are computed and how values and weights are stored, among what; decisions pin it"),
        app.add_flag("--fusion", args.fusion,
                     "print each fused function, and why its neighbours are not in it; decisions keep some apart"),
        app.add_flag("--kernels", args.kernels, "print the kernels' workloads, schedules, questions and refusals"),
        app.add_option("--dump", args.dump, "write the IR after every pass to this folder"),
    };
    excludeEachOther(printed);
    app.add_option("--function", args.function, "only this function");
    addTarget(app, common);
    addCompiling(app, common);
    addProgress(app, common);
    addTuned(app, common);
}

int passesCommand(const PassesArgs& args, const Common& common) {
    if (!args.function.empty() && args.after.empty() && args.diff.empty() && !args.fusion)
        return report({error(ErrorKind::Usage, "--function is of the IR, and of what is fused",
                             "give --after, --diff or --fusion too, or leave it out")},
                      common);
    auto options = makeOptions(common);
    auto decisions = makeDecisions(common);
    if (!options || !decisions)
        return report({options ? decisions.error() : options.error()}, common);
    if (const auto near = addNearRecords(*decisions, args.model, *options, common); !near)
        return report({near.error()}, common);
    driver::Trace trace;
    auto compiled = driver::compileFile(args.model, {}, *decisions, *options, trace, makeProgress(common));
    const int reported = report(trace.diagnostics, common); // warnings of a good compilation too
    const int code = compiled ? 0 : reported;
    if (args.kernels) {
        printKernels(trace, common.json);
    } else if (args.choices) {
        for (const ChoiceLine& choice : choiceLines(trace))
            fmt::print("{}\n", common.json ? dump(choice.json) : choice.text);
    } else if (args.fusion) {
        std::vector<std::string> fused;
        for (const driver::FusedFunction& function : driver::functionsOf(trace.fusion))
            fused.push_back(function.name);
        if (compiled && !args.function.empty() && std::ranges::find(fused, args.function) == fused.end())
            return report({noFunction(args.function, fused)}, common);
        printFusion(trace.fusion, args.function, common.json);
    } else if (!args.dump.empty()) {
        if (auto dumped = dumpTrace(trace, args.dump); !dumped)
            return report({dumped.error()}, common);
    } else if (!args.after.empty() || !args.diff.empty()) {
        const std::string& pass = args.after.empty() ? args.diff : args.after;
        const auto after = textAt(trace, pass, args.function, false);
        if (!after) // of one that failed before that pass the reason has been said
            return compiled ? report({after.error()}, common) : code;
        printPass(pass, args, *after, trace, common.json);
    } else {
        printStrip(trace, common.json);
    }
    return code;
}

} // namespace lathe::cli
