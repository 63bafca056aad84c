// SPDX-License-Identifier: Apache-2.0
//
// `lathe check`: each value that the compiled model computes on the way, against something that is held to be right. What
// diverges first stands on top.
#include "app/cli/common_options.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "app/cli/validators.h"
#include "base/counted.h"
#include "base/json.h"
#include "diagnose/check.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::cli {
namespace {

/// 1 says "diverges", so whatever prevented the check is 2, or 3 if it is Lathe's fault.
int fail(Diagnostic diagnostic, const CheckArgs& args, const Common& common) {
    return std::max(2, report({inFile(std::move(diagnostic), args.model)}, common));
}

Result<diagnose::CheckQuestion> makeQuestion(const CheckArgs& args, const Common& common) {
    diagnose::CheckQuestion question;
    LATHE_TRY(question.tolerance, data::parseTolerance(args.tolerance));
    LATHE_TRY(question.options, makeRunOptions(common));
    LATHE_TRY(question.decisions, makeDecisions(common));
    if (args.compareNumerics && question.options.numerics == driver::NumericsLevel::Strict)
        return failure(ErrorKind::Usage, "strict numerics are to be compared with themselves",
                       "--numerics says what is held against strict ones");
    if (args.compareNumerics)
        question.against = diagnose::AgainstNumerics{};
    else if (!args.against.empty())
        question.against = diagnose::AgainstFiles{{args.against.begin(), args.against.end()}};
    LATHE_TRY(question.chosen.files, inputFiles({args.inputs, {}}));
    question.shapes = leaveSizesToTheRun(question.options, question.chosen.files);
    question.chosen.seed = args.seed;
    question.runner.threads = common.threads;
    question.runner.timeout = std::chrono::milliseconds(static_cast<int64_t>(args.timeout * 1000));
    return question;
}

std::string_view stateName(diagnose::CheckState state) {
    static constexpr std::string_view names[] = {"within", "diverges", "not compared"};
    return names[static_cast<size_t>(state)];
}

void printJson(const diagnose::Check& check) {
    for (const diagnose::CheckRow& row : check.rows) {
        nlohmann::json line{{"value", row.value},
                            {"state", stateName(row.state)},
                            {"nodes", model::displayNames(*check.trace->graph, row.nodes)}};
        if (row.state == diagnose::CheckState::NotCompared) {
            line["why"] = row.why;
        } else {
            const data::Comparison& comparison = row.comparison;
            line.update({{"first", row.first},
                         {"dtype", toString(row.dtype)},
                         {"shape", row.shape},
                         {"error", numberOrText(comparison.largest)},
                         {"of_limit", numberOrText(comparison.ofLimit)},
                         {"beyond", comparison.beyond}});
            if (comparison.nan + comparison.infinite > 0)
                line.update({{"nan_in_both", comparison.nan},
                             {"infinite_in_both", comparison.infinite},
                             {"elements", comparison.elements}});
            if (comparison.worst >= 0)
                line.update({{"at", data::indexText(row.shape, comparison.worst)},
                             {"got", numberOrText(comparison.got)},
                             {"expected", numberOrText(comparison.expected)}});
        }
        fmt::print("{}\n", dump(line));
    }
    fmt::print("{}\n", dump({{"within", check.count(diagnose::CheckState::Within)},
                             {"diverge", check.count(diagnose::CheckState::Diverges)},
                             {"not_compared", check.count(diagnose::CheckState::NotCompared)},
                             {"not_finite", check.countNotFinite()},
                             {"nested", check.nested},
                             {"drawn_inputs", check.inputs.drawn}}));
}

void printTable(const diagnose::Check& check, const Common& common) {
    for (const diagnose::CheckRow& row : check.rows)
        if (row.first) {
            printLine("diverges first: {} {}[{}]", row.value, toString(row.dtype), fmt::join(row.shape, ","));
            printLine("    {}", row.why);
            printLine("    nodes: {}", fmt::join(model::displayNames(*check.trace->graph, row.nodes), ", "));
        }
    printLine("  {:>9} {:>9} {:>10}  value", "error", "of limit", "beyond");
    for (const diagnose::CheckRow& row : check.rows) {
        if (row.state == diagnose::CheckState::NotCompared) {
            printLine("  {:>30}  {}: {}", "–", row.value, row.why);
            continue;
        }
        const data::Comparison& comparison = row.comparison;
        std::string line =
            fmt::format("{} {:9.2g} {:9.2g} {:10}  {}", row.state == diagnose::CheckState::Diverges ? '!' : ' ',
                        comparison.largest, comparison.ofLimit, comparison.beyond, row.value);
        if (comparison.worst >= 0)
            line += fmt::format("  {}: {:.7g}, expected {:.7g}", data::indexText(row.shape, comparison.worst),
                                comparison.got, comparison.expected);
        if (const std::string odd = data::notFiniteText(comparison); !odd.empty())
            line += "  " + odd;
        printLine("{}", line);
    }
    if (common.quiet)
        return;
    const size_t diverge = check.count(diagnose::CheckState::Diverges);
    printLine("{} compared, {}; {} not{}",
              counted(check.count(diagnose::CheckState::Within) + diverge, "value", "values"),
              diverge ? counted(diverge, "diverges", "diverge") : "all within the tolerance",
              check.count(diagnose::CheckState::NotCompared),
              check.nested ? fmt::format("; {} left out within branches and loops", check.nested) : "");
    if (const size_t odd = check.countNotFinite())
        printLine("in {} of them values are no finite numbers on both sides, as the table says: nothing is known of "
                  "these",
                  odd);
}

} // namespace

void addCheckOptions(CLI::App& app, CheckArgs& args, Common& common) {
    app.add_option("model", args.model, "the model file")->required();
    CLI::Option* against =
        app.add_option(
               "--against", args.against,
               "instead against a .npy, .npz or .pb file named after its value, or a folder of them, inputs too; may "
               "be given several times")
            ->allow_extra_args(false)
            ->check(CLI::ExistingPath);
    app.add_flag("--compare-numerics", args.compareNumerics, "instead against strict numerics")->excludes(against);
    addInputFiles(app, args.inputs);
    addTolerance(app, args.tolerance, "value");
    app.add_option("--seed", args.seed, "seed of random inputs and operators")->check(seed());
    app.add_option("--timeout", args.timeout, "seconds for one run")->check(seconds());
    addTarget(app, common);
    addCompiling(app, common);
    addProgress(app, common);
}

int checkCommand(const CheckArgs& args, const Common& common) {
    const auto question = makeQuestion(args, common);
    if (!question)
        return fail(question.error(), args, common);
    driver::Session session(args.model);
    const auto checked = diagnose::check(session, *question, makeProgress(common));
    if (!checked)
        return fail(checked.error(), args, common);
    reportWarnings(*checked->trace, common);
    const std::string options = "--input NAME=FILE or --against FOLDER";
    noteOpenSizes(checked->inputs.takenAsOne, common, options);
    noteDrawnInputs(checked->inputs.drawn, common, options);
    if (common.json)
        printJson(*checked);
    else
        printTable(*checked, common);
    const size_t diverge = checked->count(diagnose::CheckState::Diverges);
    if (checked->count(diagnose::CheckState::Within) + diverge == 0)
        return fail(error(ErrorKind::Usage, "no value was compared", "the table says of each why"), args, common);
    return diverge > 0 ? 1 : 0;
}

} // namespace lathe::cli
