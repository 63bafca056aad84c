// SPDX-License-Identifier: Apache-2.0
#include "diagnose/check.h"

#include "arith/analysis.h"
#include "base/guarded.h"
#include "base/memory_file.h"
#include "data/stored_type.h"
#include "diagnose/check_files.h"
#include "diagnose/check_rows.h"
#include "inspect/data_set.h"
#include "inspect/provenance.h"
#include "model/random_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unordered_map>

namespace lathe::diagnose {
namespace {

/// Progress of a part of the work.
driver::Progress part(const driver::Progress& whole, std::string what, double from, double to) {
    driver::Progress progress{.report = {}, .cancelled = whole.cancelled};
    if (whole.report)
        progress.report = [&whole, what = std::move(what), from, to](std::string_view stage, double fraction) {
            whole.report(fmt::format("{}: {}", what, stage), from + (to - from) * std::clamp(fraction, 0.0, 1.0));
        };
    return progress;
}

device::RunnerOptions runnerOptions(const CheckQuestion& question, const driver::Progress& progress) {
    device::RunnerOptions options = question.runner;
    options.seed = question.chosen.seed;
    options.cancelled = progress.cancelled;
    return options;
}

/// One of the two computations: compiled with some of the values as outputs, loaded in a child, and run.
class Side {
public:
    Side(std::string what, driver::Options options, driver::Decisions decisions, device::RunnerOptions runner)
        : what_(std::move(what)), options_(std::move(options)), decisions_(std::move(decisions)),
          runner_(std::move(runner)) {}

    /// Takes the place of what was compiled before.
    Result<void> compile(driver::Session& session, std::vector<std::string> observe, const driver::Progress& progress) {
        options_.observe = std::move(observe);
        trace_ = std::make_shared<driver::Trace>();
        artifact_.emplace("lathe-check");
        LATHE_CHECKED(session.compile(artifact_->path(), decisions_, options_, *trace_, progress));
        auto loaded = runner_.load(artifact_->path());
        if (!loaded)
            return failed(loaded.error());
        loaded_ = *std::move(loaded);
        outputs_.clear();
        for (size_t i = 0; i < loaded_.outputs.size(); ++i)
            outputs_.emplace(loaded_.outputs[i].name, static_cast<int>(i));
        return {};
    }

    Result<void> run(std::span<const model::HostTensor> inputs) {
        for (size_t i = 0; i < inputs.size(); ++i)
            LATHE_CHECKED(runner_.setInput(loaded_.inputs.at(i).name, inputs[i]));
        if (const auto ran = runner_.run(1); !ran)
            return failed(ran.error());
        return {};
    }

    bool gives(const std::string& value) const { return outputs_.contains(value); }
    Result<model::HostTensor> value(const std::string& name) { return runner_.output(outputs_.at(name)); }
    const device::RunnerModel& loaded() const { return loaded_; }
    const std::shared_ptr<driver::Trace>& trace() const { return trace_; }

private:
    Result<void> failed(Diagnostic diagnostic) const {
        diagnostic.what = fmt::format("{}: {}", what_, diagnostic.what);
        if (runner_.outcome() == device::RunnerOutcome::Refused) // nobody knows whether a model takes random inputs
            diagnostic.hint = "give inputs that the model takes";
        else if (runner_.outcome() == device::RunnerOutcome::Crashed ||
                 runner_.outcome() == device::RunnerOutcome::Timeout)
            diagnostic.hint = "`lathe bisect MODEL --crash` finds the pass";
        return Failure(std::move(diagnostic));
    }

    std::string what_;
    driver::Options options_;
    driver::Decisions decisions_;
    device::RunnerClient runner_;
    std::optional<MemoryFile> artifact_;
    std::shared_ptr<driver::Trace> trace_;
    device::RunnerModel loaded_;
    std::unordered_map<std::string, int> outputs_;
};

/// The question with the sizes that its files say, where the model cannot be imported without.
CheckQuestion withSizesOfFiles(driver::Session& session, const CheckQuestion& question,
                               const driver::Progress& progress) {
    CheckQuestion sized = question;
    const auto* files = std::get_if<AgainstFiles>(&question.against);
    driver::Trace imported;
    if (!files || session.open(question.options, imported, {.report = {}, .cancelled = progress.cancelled}) ||
        !imported.graph || !imported.graph->graph)
        return sized;
    const auto named = readModelTensors(files->files, *imported.graph);
    if (!named) // what the import says comes first
        return sized;
    driver::Shapes given;
    for (const auto& [name, tensor] : named->inputs)
        given.emplace_back(name, tensor.shape);
    sized.options.shapesAtNeed = driver::shapesOfRun(question.options.shapesAtNeed, given);
    return sized;
}

class Checker {
public:
    Checker(driver::Session& session, const CheckQuestion& question, const driver::Progress& progress)
        : session_(session), question_(question), progress_(progress),
          checked_("the compiled model", question.options, question.decisions, runnerOptions(question, progress)) {}

    Result<Check> run() {
        LATHE_CHECKED(begin());
        std::vector<std::string> names;
        for (const CheckRow& row : result_.rows)
            if (!files_ || files_->values.contains(row.value))
                names.push_back(row.value);
        LATHE_CHECKED(checked_.compile(session_, names, part(progress_, "compiling", 0, 0.4)));
        LATHE_CHECKED(drawAll());
        result_.trace = checked_.trace();
        explainRows(result_.rows, result_.trace);
        for (CheckRow& row : result_.rows)
            if (files_ && !files_->values.contains(row.value))
                row.why = "no file holds it";
            else if (random_.contains(row.value))
                row.why = "drawn at random";
        const std::vector<std::vector<CheckRow*>> portions = split();
        for (size_t i = 0; i < portions.size(); ++i)
            LATHE_CHECKED(checkPortion(portions[i], portions.size() > 1,
                                       0.4 + 0.6 * double(i) / double(portions.size()), 0.6 / double(portions.size())));
        markFirst(result_.rows, *graph_->graph);
        return std::move(result_);
    }

    Result<CheckedValue> valueOf(const std::string& name) {
        LATHE_CHECKED(begin());
        std::erase_if(result_.rows, [&](const CheckRow& row) { return row.value != name; });
        if (result_.rows.empty())
            return failure(fmt::format("no node of the model's outermost graph computes a value '{}'", name),
                           "name the output of a node outside of branches and loops");
        LATHE_CHECKED(checked_.compile(session_, {name}, part(progress_, "compiling", 0, 0.3)));
        LATHE_CHECKED(drawAll());
        explainRows(result_.rows, checked_.trace());
        CheckedValue found{.value = name, .got = {}, .expected = {}, .difference = {}, .why = result_.rows.front().why};
        if (reference_) {
            LATHE_CHECKED(reference_->compile(session_, {name}, part(progress_, "compiling the reference", 0.3, 0.6)));
            report("running the reference", 0.6);
            LATHE_CHECKED(reference_->run(inputs_));
            if (reference_->gives(name)) {
                LATHE_TRY(found.expected, reference_->value(name));
            } else {
                found.why = "the reference does not compute it";
            }
        } else if (const auto file = files_->values.find(name); file != files_->values.end()) {
            found.expected = file->second; // perhaps stored as another type
        } else {
            found.why = "no file holds it";
        }
        if (checked_.gives(name)) {
            report("running", 0.8);
            LATHE_CHECKED(checked_.run(inputs_));
            LATHE_TRY(found.got, checked_.value(name));
            if (found.got->isComposed())
                return failure(ErrorKind::Unsupported,
                               fmt::format("'{}' is {}, not a tensor", name, model::formText(*found.got)),
                               "lathe run shows what is in it");
            if (files_ && found.expected) {
                LATHE_TRY(found.expected, fromFile(name, found.got->dtype));
            }
        }
        if (!found.got && !found.expected)
            return failure(fmt::format("'{}' has no value to show: {}", name, found.why),
                           "choose a value that the compiled model computes");
        if (found.got && found.expected)
            found.difference = differenceOf(*found.got, *found.expected);
        return found;
    }

private:
    Result<void> begin() {
        driver::Trace imported;
        driver::Options options = question_.options;
        options.observe.clear();
        LATHE_CHECKED(session_.open(options, imported, {.report = {}, .cancelled = progress_.cancelled}));
        graph_ = imported.graph;
        result_.question = question_;
        result_.rows = checkRows(*graph_);
        result_.nested = countNested(*graph_);
        if (const auto* files = std::get_if<AgainstFiles>(&question_.against)) {
            LATHE_TRY(files_, readModelTensors(files->files, *graph_));
            if (files_->values.empty())
                return failure("no file holds a value to compare with", "name the file of a value that a node gives");
            return {};
        }
        driver::Options other = options;
        driver::Decisions decisions;
        if (const auto* numerics = std::get_if<AgainstNumerics>(&question_.against))
            other.numerics = numerics->level;
        else
            decisions.optionalLimit = 0;
        reference_.emplace("the reference", std::move(other), std::move(decisions),
                           runnerOptions(question_, progress_));
        return {};
    }

    Result<void> drawAll() {
        inspect::Tensors given = files_ ? files_->inputs : inspect::Tensors();
        LATHE_TRY(result_.inputs, inspect::drawChosen(
                                      checked_.loaded().inputs, std::move(given), question_.chosen,
                                      inspect::asDeclared(checked_.trace()->graph.get(), question_.shapes),
                                      [&](size_t, const model::HostTensor& tensor) -> Result<void> {
                                          inputs_.push_back(tensor);
                                          return {};
                                      },
                                      progress_.cancelled));
        random_ = model::randomValues(*graph_, inputs_);
        return {};
    }

    /// Rows of what the compiled model gives, so many that they fit together.
    std::vector<std::vector<CheckRow*>> split() {
        const relay::Function& main = inspect::lastModule(*result_.trace)->main();
        const auto symbols = inspect::symbolValues(result_.trace->passes.front().after->main(), result_.inputs.shapes);
        const std::vector<relay::Type> types = relay::fieldTypes(main.resultType);
        std::unordered_map<std::string, int64_t> bytes; // 0: known only while running
        for (size_t i = 0; i < std::min(types.size(), main.outputNames.size()); ++i) {
            const relay::TensorType* type = relay::asTensor(types[i]);
            if (!type)
                continue; // what a list holds, only running tells
            std::vector<int64_t> shape;
            for (const arith::Expr& dim : type->shape)
                shape.push_back(arith::evaluate(dim, symbols).value_or(0));
            bytes[main.outputNames[i]] = model::byteSize(type->dtype, shape).value_or(0);
        }
        std::vector<std::vector<CheckRow*>> portions;
        int64_t taken = 0;
        for (CheckRow& row : result_.rows) {
            if (!checked_.gives(row.value) || (files_ && !files_->values.contains(row.value)))
                continue;
            taken += bytes[row.value];
            if (portions.empty() || taken > question_.bytesAtOnce) {
                portions.emplace_back();
                taken = bytes[row.value];
            }
            portions.back().push_back(&row);
        }
        return portions;
    }

    Result<void> checkPortion(const std::vector<CheckRow*>& rows, bool isOneOfSeveral, double from, double share) {
        std::vector<std::string> names;
        for (const CheckRow* row : rows)
            names.push_back(row->value);
        if (isOneOfSeveral)
            LATHE_CHECKED(
                checked_.compile(session_, names, part(progress_, "compiling again", from, from + 0.3 * share)));
        if (reference_) {
            LATHE_CHECKED(reference_->compile(session_, names,
                                              part(progress_, "compiling the reference", from, from + 0.6 * share)));
            report("running the reference", from + 0.6 * share);
            LATHE_CHECKED(reference_->run(inputs_)); // first: what it does not take either, is no fault of the passes
        }
        report("running", from + 0.8 * share);
        LATHE_CHECKED(checked_.run(inputs_));
        const data::CompareRules rules = inspect::rulesFor(*graph_, question_.tolerance);
        for (size_t i = 0; i < rows.size(); ++i) {
            report(rows[i]->value, from + share * (0.9 + 0.1 * double(i) / double(rows.size())));
            LATHE_CHECKED(compareRow(*rows[i], rules));
        }
        return {};
    }

    Result<void> compareRow(CheckRow& row, const data::CompareRules& rules) {
        if (random_.contains(row.value))
            return {};
        if (reference_ && !reference_->gives(row.value)) {
            row.why = "the reference does not compute it";
            return {};
        }
        LATHE_TRY(const model::HostTensor got, checked_.value(row.value));
        LATHE_TRY(const model::HostTensor expected,
                  files_ ? fromFile(row.value, got.dtype) : reference_->value(row.value));
        if (files_ && (got.dtype != expected.dtype || got.shape != expected.shape))
            return failure(fmt::format("'{}' is {}[{}] in its file, but {}[{}] in the model", row.value,
                                       toString(expected.dtype), fmt::join(expected.shape, ","), toString(got.dtype),
                                       fmt::join(got.shape, ",")),
                           "give the inputs too that it was computed from, named after them");
        row.dtype = got.dtype;
        row.shape = got.shape;
        row.comparison = data::compare(got, expected, rules);
        row.state = row.comparison.right ? CheckState::Within : CheckState::Diverges;
        row.why = row.comparison.message;
        return {};
    }

    /// What the model computes is known of this type now, which is not declared of every value.
    Result<model::HostTensor> fromFile(const std::string& value, DataType dtype) const {
        auto tensor = data::takenAs(files_->values.at(value), dtype);
        if (!tensor)
            tensor.error().what = fmt::format("'{}' in its file: {}", value, tensor.error().what);
        return tensor;
    }

    void report(std::string_view stage, double fraction) const {
        if (progress_.cancelled && progress_.cancelled())
            throw Cancelled{};
        if (progress_.report)
            progress_.report(stage, fraction);
    }

    driver::Session& session_;
    const CheckQuestion& question_;
    const driver::Progress& progress_;
    Side checked_;
    std::optional<Side> reference_; // none: files
    std::optional<ModelTensors> files_;
    model::ModelGraphPtr graph_;
    std::vector<model::HostTensor> inputs_; // in the model's order
    std::unordered_set<std::string> random_;
    Check result_;
};

} // namespace

size_t Check::count(CheckState state) const {
    return static_cast<size_t>(std::ranges::count(rows, state, &CheckRow::state));
}

size_t Check::countNotFinite() const {
    return static_cast<size_t>(std::ranges::count_if(
        rows, [](const CheckRow& row) { return row.comparison.nan + row.comparison.infinite > 0; }));
}

Result<Check> check(driver::Session& session, const CheckQuestion& question, const driver::Progress& progress) {
    return guarded([&] {
        const CheckQuestion sized = withSizesOfFiles(session, question, progress);
        return Checker(session, sized, progress).run();
    });
}

Result<CheckedValue> checkedValue(driver::Session& session, const CheckQuestion& question, const std::string& value,
                                  const driver::Progress& progress) {
    return guarded([&] {
        const CheckQuestion sized = withSizesOfFiles(session, question, progress);
        return Checker(session, sized, progress).valueOf(value);
    });
}

} // namespace lathe::diagnose
