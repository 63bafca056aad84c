// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/trial_code.h"

#include "base/guarded.h"
#include "driver/kernel_artifact.h"
#include "tune/features.h"
#include "views/models/loops/kernel_texts.h"
#include "views/models/tuning/trial_set.h"

#include <fmt/format.h>
#include <set>

namespace lathe::views::models {
namespace {

Comparison comparisonOf(const std::string& before, const std::string& after) {
    const std::vector<std::string> left = splitLines(before), right = splitLines(after);
    Comparison comparison;
    comparison.rows = diffLines(left, right);
    for (const std::string& line : left)
        comparison.before << QString::fromStdString(line);
    for (const std::string& line : right)
        comparison.after << QString::fromStdString(line);
    comparison.align();
    return comparison;
}

struct Made {
    std::array<std::string, trialLevels> texts;
    CodeFigures figures;
    QString problem;
};

/// Addresses differ in all lines after one more instruction: without them lines that do the same are alike.
std::string withoutAddresses(const QString& assembly) {
    QStringList lines;
    for (const QString& line : assembly.split('\n'))
        lines << line.mid(line.indexOf(QLatin1String("  ")) + 2);
    return lines.join('\n').toStdString();
}

Made madeOf(const TrialKernel& kernel, const ShownTrial& trial) {
    Made made;
    made.texts[size_t(TrialLevel::Trace)] = textOf(trial.trace, trial.answers);
    if (!kernel.computation)
        return made;
    driver::Decisions decisions = kernel.decisions;
    decisions.kernels[kernel.workload] = {};
    decisions.kernels[kernel.workload].trace = trial.trace;
    const auto compiled = driver::compileKernelAlone(kernel.computation, kernel.name, true, decisions, kernel.options);
    if (!compiled) {
        made.problem = QString::fromStdString(toString(compiled.error()));
        return made;
    }
    const driver::KernelRecord& record = (*compiled)->record;
    const LoopTexts loops = loopTexts(record);
    const CodeTexts code = codeTexts(record);
    made.texts[size_t(TrialLevel::Schedule)] = loops.levels[size_t(KernelLevel::Schedule)].text.toStdString();
    made.texts[size_t(TrialLevel::Loops)] = loops.levels[size_t(KernelLevel::Loops)].text.toStdString();
    made.texts[size_t(TrialLevel::Assembly)] = withoutAddresses(code.assembly.text);
    made.problem = code.problem;
    made.figures.instructions = code.instructions;
    made.figures.loopInstructions = code.loopInstructions;
    made.figures.loopStack = code.loopStack;
    for (const auto& [name, function] : record.stages)
        if (name == "schedule") {
            const auto features = guarded([&]() -> Result<tune::Features> {
                return tune::featuresOf(tune::nestsOf(function, kernel.sizes), kernel.machine);
            });
            if (features) {
                made.figures.priorUs = features->priorUs;
                for (size_t i = 0; i < features->row.size(); ++i)
                    made.figures.features.emplace_back(tune::featureNames()[i], features->row[i]);
            }
        }
    return made;
}

} // namespace

std::string textOf(const schedule::ScheduleTrace& trace, const schedule::Answers& answers) {
    std::string text;
    for (const schedule::Step& step : trace.steps) {
        std::string line = schedule::print({{step}});
        while (line.ends_with('\n'))
            line.pop_back();
        std::set<std::string> named; // each once a line
        for (const schedule::StepNumber& number : step.numbers)
            if (const auto* from = std::get_if<schedule::DecisionRef>(&number))
                named.insert(from->decision);
        if (step.primitive == "choose" && !step.texts.empty())
            named.insert(step.texts.front());
        for (const std::string& name : named)
            if (const auto answer = answers.find(name); answer != answers.end())
                line += fmt::format("   ◂ {} = {}", name, textOf(answer->second));
        text += line + '\n';
    }
    return text;
}

TrialCode trialCode(const TrialKernel& kernel, const ShownTrial& before, const ShownTrial& after,
                    const std::function<bool()>& cancelled) {
    TrialCode code{before.name, after.name, {}, {}, {}};
    std::optional<tune::Control::Hold> hold;
    if (kernel.control)
        hold.emplace(*kernel.control, cancelled);
    if (cancelled && cancelled())
        return code;
    const Made one = madeOf(kernel, before);
    if (cancelled && cancelled())
        return code;
    const Made other = madeOf(kernel, after);
    for (size_t level = 0; level < trialLevels; ++level)
        code.levels[level] = comparisonOf(one.texts[level], other.texts[level]);
    code.figures = {one.figures, other.figures};
    code.problem = one.problem.isEmpty() ? other.problem : one.problem;
    return code;
}

} // namespace lathe::views::models
