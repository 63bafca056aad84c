// SPDX-License-Identifier: Apache-2.0
//
// `lathe bisect`: each step with its verdict as it goes, then the guilty pass and what it changed.
#include "app/cli/common_options.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "app/cli/stage_text.h"
#include "app/cli/validators.h"
#include "base/json.h"
#include "diagnose/bisect.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::cli {
namespace {

/// The exit code where all went well, and no pass makes the difference.
constexpr int nothingToBlame = 4;

Result<double> parsePositive(const std::string& text, const char* option, const char* hint) {
    double value = 0;
    size_t used = 0;
    try {
        value = std::stod(text, &used);
    } catch (const std::exception&) {
        used = 0;
    }
    if (used == 0 || used != text.size() || !std::isfinite(value) || value <= 0)
        return failure(ErrorKind::Usage, fmt::format("malformed {} '{}'", option, text), hint);
    return value;
}

Result<diagnose::Fault> makeFault(const BisectArgs& args, data::Tolerance tolerance) {
    if (!args.slowerThan.empty()) {
        const char* hint = "use milliseconds, or a factor of the unoptimized: 12.5 or 0.8x";
        diagnose::SlowerThan slower;
        std::string number = args.slowerThan;
        slower.ofUnoptimized = number.ends_with('x');
        if (slower.ofUnoptimized)
            number.pop_back();
        LATHE_TRY(slower.limit, parsePositive(number, "time", hint));
        return slower;
    }
    if (!args.count.empty()) {
        const size_t colon = args.count.find(':');
        diagnose::MoreThan more;
        more.what = args.count.substr(0, colon);
        const char* hint = "use OPERATOR:N or kernels:N: more than N are bad";
        const std::string number = colon == std::string::npos ? "" : args.count.substr(colon + 1);
        if (number.empty() || number.size() > 9 || number.find_first_not_of("0123456789") != std::string::npos)
            return failure(ErrorKind::Usage, fmt::format("malformed count '{}'", args.count), hint);
        more.limit = std::stoll(number);
        return more;
    }
    if (args.crash)
        return diagnose::Crashes{};
    return diagnose::WrongValues{tolerance};
}

Result<diagnose::BisectQuestion> makeQuestion(const BisectArgs& args, const Common& common) {
    diagnose::BisectQuestion question;
    LATHE_TRY(const data::Tolerance tolerance, data::parseTolerance(args.tolerance));
    LATHE_TRY(question.fault, makeFault(args, tolerance));
    const bool runs = !std::holds_alternative<diagnose::MoreThan>(question.fault);
    LATHE_TRY(question.options, runs ? makeRunOptions(common) : makeOptions(common));
    LATHE_TRY(question.decisions, makeDecisions(common));
    question.data.assign(args.data.begin(), args.data.end());
    LATHE_TRY(question.chosen.files, inputFiles({args.inputs, {}}));
    if (runs)
        question.shapes = leaveSizesToTheRun(question.options, question.chosen.files);
    question.chosen.seed = args.seed;
    question.runner.threads = common.threads;
    question.runner.timeout = std::chrono::milliseconds(static_cast<int64_t>(args.timeout * 1000));
    return question;
}

void print(const diagnose::BisectStep& step, size_t number, const Common& common) {
    if (common.json)
        fmt::print("{}\n", dump({{"step", number},
                                 {"passes", step.passes},
                                 {"decisions", parseJson(driver::toJson(step.decisions)).value()},
                                 {"verdict", step.bad ? "bad" : "good"},
                                 {"reason", step.reason},
                                 {"caveat", step.caveat},
                                 {"seconds", step.seconds}}));
    else
        printLine("{:2}  {:4}  {:36} {:6.2f} s  {}{}{}", number, step.bad ? "bad" : "good", step.passes, step.seconds,
                  step.reason, step.caveat.empty() ? "" : "; ", step.caveat);
    std::fflush(stdout);
}

/// Nothing was found: why.
std::string sentence(const diagnose::Bisection& found, const diagnose::BisectQuestion& question) {
    switch (found.answer) {
    case diagnose::BisectAnswer::GoodWithAll:
        return "good with all passes: there is nothing to look for" +
               (found.steps.back().caveat.empty()
                    ? std::string()
                    : "; but nothing is known of what is no finite number: " + found.steps.back().caveat);
    case diagnose::BisectAnswer::Endless:
        return fmt::format("without any optional pass it does not end within {} s either: the model itself works that "
                           "long, and no pass is to blame; --timeout gives it more",
                           static_cast<double>(question.runner.timeout.count()) / 1000);
    case diagnose::BisectAnswer::Unsteady:
        return "equal compilations were judged differently: the fault comes and goes";
    default:
        break;
    }
    if (std::holds_alternative<diagnose::SlowerThan>(question.fault) ||
        std::holds_alternative<diagnose::MoreThan>(question.fault))
        return "bad without any optional pass and with all of them, and no pass alone makes the difference";
    return "bad without any optional pass: the fault is in a required pass or in the import";
}

void print(const diagnose::Bisection& found, const diagnose::BisectQuestion& question, const Common& common) {
    static constexpr const char* answers[] = {"found", "good with all", "bad without any", "endless", "unsteady"};
    const bool isFound = found.answer == diagnose::BisectAnswer::Found;
    std::vector<std::string> changed;
    if (isFound) {
        const std::string function = found.kernel ? found.kernel->kernel : "";
        changed = differences(textAt(found.trace, found.pass, function, true).value_or(std::string()),
                              textAt(found.trace, found.pass, function, false).value_or(std::string()));
    }
    if (common.json) {
        nlohmann::json json{{"answer", answers[static_cast<size_t>(found.answer)]},
                            {"steps", found.steps.size()},
                            {"drawn_inputs", found.inputs.drawn}};
        if (isFound) {
            json.update({{"pass", found.pass},
                         {"stage", driver::toString(found.stage)},
                         {"mends", found.mends},
                         {"diff", changed}});
            if (found.kernel)
                json["kernel"] = {{"name", found.kernel->kernel},
                                  {"alone", found.kernel->alone},
                                  {"of_constants", found.kernel->ofConstants},
                                  {"functions", found.kernel->functions},
                                  {"nodes", model::displayNames(*found.trace.graph, found.kernel->nodes)}};
        } else {
            json["why"] = sentence(found, question);
        }
        fmt::print("{}\n", dump(json));
        return;
    }
    if (!isFound) {
        printLine("{}", sentence(found, question));
        return;
    }
    printLine("guilty: \"{}\" ({}, optional)", found.pass, driver::toString(found.stage));
    printLine("{}", found.mends ? "Without it alone all is good."
                                : "It is the first that makes it bad; without it alone it is bad as well: other passes "
                                  "have the fault too.");
    if (found.kernel) {
        const std::vector<std::string> names = model::displayNames(*found.trace.graph, found.kernel->nodes);
        printLine("kernel: {}{}{}", found.kernel->kernel, found.kernel->ofConstants ? ", which computes constants" : "",
                  found.kernel->alone ? "" : ", and others");
        printLine("nodes: {}", fmt::join(names, ", "));
    }
    for (const std::string& line : changed)
        printLine("{}", line);
}

} // namespace

void addBisectOptions(CLI::App& app, BisectArgs& args, Common& common) {
    app.add_option("model", args.model, "the model file")->required();
    CLI::Option* data =
        app.add_option("--data", args.data, "a folder with input_N.pb and output_N.pb; may be given several times")
            ->allow_extra_args(false)
            ->check(CLI::ExistingDirectory);
    CLI::Option* input = addInputFiles(app, args.inputs)->excludes(data);
    CLI::Option* tolerance = addTolerance(app, args.tolerance, "output");
    CLI::Option* questions[] = {
        app.add_flag("--crash", args.crash, "look for crashes and hangs alone, not for wrong values"),
        app.add_option("--slower-than", args.slowerThan, "milliseconds, or times the unoptimized: 0.8x; slower is bad"),
        app.add_option("--count", args.count, "OPERATOR:N or kernels:N after all passes; more are bad"),
    };
    excludeEachOther(questions);
    for (CLI::Option* question : questions) // whether values are right is another
        question->excludes(tolerance);
    CLI::Option* seedOfRun = app.add_option("--seed", args.seed, "seed of random inputs and operators")->check(seed());
    CLI::Option* timeout =
        app.add_option("--timeout", args.timeout, "seconds for one run; longer is bad")->check(seconds());
    for (CLI::Option* ofRun : {data, input, seedOfRun, timeout}) // nothing is run to count
        questions[2]->excludes(ofRun);
    addTarget(app, common);
    addCompiling(app, common);
}

int bisectCommand(const BisectArgs& args, const Common& common) {
    const auto question = makeQuestion(args, common);
    if (!question)
        return report({question.error()}, common);
    driver::Session session(args.model);
    size_t number = 0;
    const auto found = diagnose::bisect(session, *question,
                                        [&](const diagnose::BisectStep& step) {
                                            ++number;
                                            if (common.json || !common.quiet)
                                                print(step, number, common);
                                        },
                                        {});
    if (!found)
        return report({inFile(found.error(), args.model)}, common);
    noteOpenSizes(found->inputs.takenAsOne, common);
    noteDrawnInputs(found->inputs.drawn, common);
    print(*found, *question, common);
    return found->answer == diagnose::BisectAnswer::Found ? 0 : nothingToBlame;
}

} // namespace lathe::cli
