// SPDX-License-Identifier: GPL-3.0-or-later
//
// The lanes, and the work that needs the last result: opening, compiling, running, checking.
#include "app/engine.h"

#include "app/engine_work.h"
#include "app/run_wish.h"
#include "base/guarded.h"
#include "codegen/target.h"
#include "device/runner_client.h"
#include "diagnose/bisect.h"
#include "diagnose/check.h"
#include "driver/session.h"
#include "inspect/computation_diff.h"
#include "inspect/flame.h"
#include "inspect/input_choice.h"
#include "inspect/machine_peaks.h"
#include "inspect/profile.h"
#include "inspect/sweep.h"
#include "records/tried.h"
#include "report/report.h"
#include "tune/control.h"
#include "views/models/graph/model_comparison.h"
#include "views/models/graph/tensor_values.h"
#include "views/models/passes/fusion_model.h"

#include <list>
#include <thread>

namespace lathe::app {

namespace {

device::RunnerOptions runnerOptions(int threads, const Cancelled& cancelled) {
    device::RunnerOptions options;
    options.threads = threads ? threads : int(std::max(1U, std::thread::hardware_concurrency()));
    options.cancelled = cancelled;
    return options;
}

std::vector<std::string> namesOf(const inspect::Tensors& tensors) {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : tensors)
        names.push_back(name);
    return names;
}

/// Of a check's reference, which has no optimizations.
constexpr std::chrono::minutes longestRun{20};

using StatesPtr = std::shared_ptr<const inspect::Tensors>;

/// What one run leaves: those that are measured go on from it, and their number says nothing.
Result<StatesPtr> statesAfter(device::RunnerClient& runner, const device::RunnerModel& loaded, const RunWish& wish) {
    LATHE_TRY(inspect::Tensors begin, inspect::readStates(loaded.states, wish.states));
    if (wish.left)
        begin.insert(wish.left->begin(), wish.left->end()); // those that nothing else is said of
    LATHE_CHECKED(inspect::setStates(runner, begin));
    LATHE_CHECKED(runner.run(1));
    LATHE_TRY(std::vector<model::HostTensor> values, runner.states());
    auto states = std::make_shared<inspect::Tensors>();
    for (size_t i = 0; i < values.size(); ++i)
        states->emplace(loaded.states[i].name, std::move(values[i]));
    return StatesPtr(std::move(states));
}

using FlamePtr = std::shared_ptr<const inspect::Flame>;

/// A Trace that it cannot be made of is a fault of ours, which stands among its diagnostics then.
ProvenancePtr provenanceOf(const std::shared_ptr<driver::Trace>& trace) {
    const auto made =
        guarded([&]() -> Result<ProvenancePtr> { return std::make_shared<const inspect::Provenance>(trace); });
    if (made)
        return *made;
    auto rest = std::make_shared<driver::Trace>();
    rest->graph = trace->graph;
    rest->files = trace->files;
    rest->diagnostics = trace->diagnostics;
    rest->diagnostics.push_back(made.error());
    return std::make_shared<const inspect::Provenance>(std::move(rest));
}

} // namespace

driver::Progress progressTo(const Outbox<Engine>& outbox, const QString& what, const Cancelled& cancelled) {
    driver::Progress result;
    result.cancelled = cancelled;
    const QString before = what.isEmpty() ? QString() : what + QStringLiteral(": ");
    result.report = [outbox, before](std::string_view stage, double fraction) {
        const QString text = before + QString::fromUtf8(stage.data(), qsizetype(stage.size()));
        outbox.post([text, fraction](Engine& engine) { emit engine.progress(text, fraction); });
    };
    return result;
}

/// Used on the lane of the work on it alone, and kept by that work for as long as it goes on.
struct Engine::Model {
    explicit Model(const QString& path) : session(std::filesystem::path(path.toStdString())) {}

    driver::Session session;
};

Engine::Engine(QObject* parent)
    : QObject(parent), outbox_(*this, mailbox_), control_(std::make_shared<tune::Control>()),
      work_([outbox = outbox_] { outbox.post([](Engine& engine) { emit engine.idle(); }); }),
      looks_([outbox = outbox_] { outbox.post([](Engine& engine) { emit engine.looked(); }); }),
      codes_([outbox = outbox_] { outbox.post([](Engine& engine) { emit engine.looked(); }); }),
      figures_([outbox = outbox_] { outbox.post([](Engine& engine) { emit engine.looked(); }); }),
      tuning_([outbox = outbox_] { outbox.post([](Engine& engine) { emit engine.tuningIdle(); }); }) {}

Engine::~Engine() {
    finish(Lane::usualPatience);
}

void Engine::enqueueAlone(Kind kind, Lane::Work work, bool replaces) {
    Lane::Work alone = [outbox = outbox_, control = control_, work = std::move(work)](const Cancelled& cancelled) {
        if (control->isWorking())
            outbox.post([](Engine& engine) { emit engine.progress(tr("Waiting for a batch of the study to end"), 0); });
        const tune::Control::Hold hold(*control, cancelled);
        work(cancelled);
    };
    if (replaces)
        work_.replace(kind, std::move(alone));
    else
        work_.enqueue(kind, std::move(alone));
}

void Engine::cancel() {
    work_.cancel();
}

bool Engine::isBusy() const {
    return work_.isBusy();
}

bool Engine::isLooking() const {
    return looks_.isBusy() || codes_.isBusy() || figures_.isBusy() || !mailbox_.isEmpty();
}

bool Engine::finish(std::chrono::milliseconds patience) {
    bool ended = true;
    control_->abort();
    for (Lane* lane :
         {&work_, &looks_, &codes_, &figures_, &tuning_}) // so that none of them goes on while another is waited for
        lane->cancel();
    for (Lane* lane : {&looks_, &codes_, &figures_, &tuning_, &work_})
        ended &= lane->finish(patience / 5);
    return ended;
}

void Engine::open(const QString& path, driver::Options options) {
    enqueueAlone(Open, [outbox = outbox_, path, options = std::move(options)](const Cancelled& cancelled) {
        auto model = std::make_shared<Model>(path);
        auto trace = std::make_shared<driver::Trace>();
        const auto progress = progressTo(outbox, tr("Opening"), cancelled);
        (void)model->session.open(options, *trace, progress); // what fails stands in the Trace
        answer(outbox, cancelled, [=](Engine& engine) {       // else the model before is still the one that is open
            engine.model_ = model;
            engine.modelPath_ = path;
            engine.looks_.cancel(); // texts of the model before
            engine.codes_.cancel();
            engine.figures_.cancel();
            emit engine.opened(path, trace);
        });
    });
}

void Engine::compile(driver::Options options, driver::Decisions decisions) {
    enqueueAlone(Compile, [outbox = outbox_, model = model_, options = std::move(options),
                           decisions = std::move(decisions)](const Cancelled& cancelled) {
        if (!model)
            return;
        auto trace = std::make_shared<driver::Trace>();
        const auto progress = progressTo(outbox, tr("Compiling"), cancelled);
        auto out = std::make_shared<MemoryFile>("lathe-model");
        const auto artifact = model->session.compile(out->path(), decisions, options, *trace, progress);
        if (cancelled())
            return outbox.post([=](Engine& engine) { emit engine.cancelled(); });
        auto rows = guarded([&]() -> Result<views::models::FusionRows> {
                        return views::models::fusionRows(*trace);
                    }).value_or(views::models::FusionRows());
        Compilation made{.provenance = provenanceOf(trace),
                         .options = options,
                         .decisions = decisions,
                         .fusion = std::make_shared<const views::models::FusionRows>(std::move(rows)),
                         .artifact = artifact ? std::move(out) : nullptr,
                         .seconds = artifact ? artifact->seconds : 0};
        const QString path = QString::fromStdString(model->session.model().string());
        const auto compilation = std::make_shared<const Compilation>(std::move(made));
        outbox.post([=](Engine& engine) { emit engine.compiled(path, compilation); });
    });
}

void Engine::run(std::vector<CompilationPtr> compilations, int threads, RunWish wish) {
    enqueueAlone(Run, [outbox = outbox_, compilations = std::move(compilations), threads,
                       wish = std::move(wish)](const Cancelled& cancelled) {
        using Profiles = std::vector<inspect::Profile>;
        std::shared_ptr<const inspect::Tensors> states; // as the last of them left them
        const auto measured = guarded([&]() -> Result<Profiles> {
            std::list<device::RunnerClient> runners; // of each, what it has loaded is kept beside it
            std::list<device::RunnerModel> loaded;
            std::vector<inspect::Measured> models;
            for (const CompilationPtr& each : compilations) {
                LATHE_CHECKED(codegen::checkRunsHere(each->options.target));
                device::RunnerClient& runner = runners.emplace_back(runnerOptions(threads, cancelled));
                LATHE_TRY(device::RunnerModel model, runner.load(each->artifact->path()));
                loaded.push_back(std::move(model));
                LATHE_TRY(const inspect::Tensors given, inspect::readInputs(loaded.back().inputs, wish.inputs.files));
                const driver::Shapes sizes = inspect::shapesBeside(loaded.back().inputs, given, wish.shapes);
                LATHE_TRY(const driver::Shapes shapes,
                          inspect::setInputs(runner, loaded.back(), given, sizes, wish.inputs.seed, cancelled));
                if (!loaded.back().states.empty()) {
                    LATHE_TRY(states, statesAfter(runner, loaded.back(), wish));
                }
                models.push_back({&runner, &loaded.back(), &each->trace(), shapes, namesOf(given)});
            }
            return inspect::profileByTurns(models, inspect::measuringOfRun,
                                           progressTo(outbox, tr("Running"), cancelled));
        });
        Result<inspect::MachinePeaks> peaks = failure("they are not wanted");
        if (measured && !cancelled()) // without them there is all but a roofline
            peaks = guarded(
                [&]() -> Result<inspect::MachinePeaks> { return inspect::machinePeaks(threads, true, cancelled); });
        Result<FlamePtr> flame = failure("there is no profile");
        if (measured && !cancelled())
            flame = guarded([&]() -> Result<FlamePtr> {
                const model::ModelGraphPtr& model = compilations.back()->trace().graph;
                return std::make_shared<const inspect::Flame>(
                    inspect::flameOf(measured->back(), *graph::groupedGraph(model, model->graph)));
            });
        answer(outbox, cancelled, [=, tried = records::triedWorkloads()](Engine& engine) {
            emit engine.triedRead(tried);
            if (peaks)
                emit engine.measured(*peaks);
            if (flame)
                emit engine.flamed(compilations.back(), *flame);
            if (states && measured)
                emit engine.stated(compilations.back(), states);
            emit engine.ran(compilations, measured.value_or(Profiles()), problemsOf(measured));
        });
    });
}

void Engine::sweep(CompilationPtr compilation, int threads, driver::Shapes shapes, inspect::InputChoice inputs,
                   inspect::SweepQuestion question) {
    enqueueAlone(Sweep, [outbox = outbox_, compilation = std::move(compilation), threads, shapes = std::move(shapes),
                         inputs = std::move(inputs), question = std::move(question)](const Cancelled& cancelled) {
        const auto made = guarded([&]() -> Result<inspect::Sweep> {
            LATHE_CHECKED(codegen::checkRunsHere(compilation->options.target));
            device::RunnerClient runner(runnerOptions(threads, cancelled));
            LATHE_TRY(const device::RunnerModel loaded, runner.load(compilation->artifact->path()));
            LATHE_TRY(const inspect::Tensors given, inspect::readInputs(loaded.inputs, inputs.files));
            return inspect::sweep(runner, loaded, question, given, inspect::shapesBeside(loaded.inputs, given, shapes),
                                  inputs.seed, inspect::measuringOfSize, progressTo(outbox, tr("Running"), cancelled));
        });
        answer(outbox, cancelled, [=](Engine& engine) {
            emit engine.swept(compilation, made.value_or(inspect::Sweep()), problemsOf(made));
        });
    });
}

void Engine::bisect(diagnose::BisectQuestion question) {
    enqueueAlone(
        Bisect, [outbox = outbox_, model = model_, question = std::move(question)](const Cancelled& cancelled) {
            const auto found = guarded([&]() -> Result<diagnose::Bisection> {
                if (!model)
                    return failure("there is no model", "open one first");
                const auto tell = [&](const diagnose::BisectStep& step) {
                    outbox.post([=](Engine& engine) { emit engine.bisectTried(step); });
                };
                return diagnose::bisect(model->session, question, tell, progressTo(outbox, tr("Bisecting"), cancelled));
            });
            const auto shared = found ? std::make_shared<const diagnose::Bisection>(*found) : nullptr;
            answer(outbox, cancelled,
                   [shared, problems = problemsOf(found)](Engine& engine) { emit engine.bisected(shared, problems); });
        });
}

void Engine::check(diagnose::CheckQuestion question) {
    question.runner.timeout = longestRun;
    enqueueAlone(Check, [outbox = outbox_, model = model_, question = std::move(question)](const Cancelled& cancelled) {
        if (!model)
            return;
        const auto made = guarded([&]() -> Result<diagnose::Check> {
            LATHE_CHECKED(codegen::checkRunsHere(question.options.target));
            return diagnose::check(model->session, question, progressTo(outbox, tr("Checking"), cancelled));
        });
        const QString path = QString::fromStdString(model->session.model().string());
        const auto shared = made ? std::make_shared<const diagnose::Check>(*made) : nullptr;
        answer(outbox, cancelled, [path, shared, problems = problemsOf(made)](Engine& engine) {
            emit engine.checked(path, shared, problems);
        });
    });
}

void Engine::findValue(diagnose::CheckQuestion question, const QString& value) {
    question.runner.timeout = longestRun;
    enqueueAlone(
        FindValue,
        [outbox = outbox_, model = model_, question = std::move(question), value](const Cancelled& cancelled) {
            if (!model)
                return;
            auto found = guarded([&]() -> Result<views::models::CheckedTensors> {
                LATHE_CHECKED(codegen::checkRunsHere(question.options.target));
                LATHE_TRY(diagnose::CheckedValue computed,
                          diagnose::checkedValue(model->session, question, value.toStdString(),
                                                 progressTo(outbox, tr("Values of %1").arg(value), cancelled)));
                return views::models::checkedTensors(std::move(computed));
            });
            const QString path = QString::fromStdString(model->session.model().string());
            views::models::CheckedTensors nothing;
            nothing.name = value;
            outbox.post([=](Engine& engine) {
                if (cancelled())
                    emit engine.valueFound(path, nothing, {});
                else if (found)
                    emit engine.valueFound(path, *found, {});
                else
                    emit engine.valueFound(path, nothing, {found.error()});
            });
        },
        true);
}

void Engine::report(report::Report report, const QString& path) {
    enqueueAlone(Report, [outbox = outbox_, report = std::move(report), path](const Cancelled& cancelled) {
        const auto written = guarded([&]() -> Result<void> {
            report::Report whole = report;
            if (whole.profile)
                whole.peaks = inspect::machinePeaks(whole.profile->threads, whole.options.cache, cancelled);
            return report::writeReport(whole, path.toStdString(), progressTo(outbox, tr("Report"), cancelled));
        });
        outbox.post([=](Engine& engine) {
            if (!written && written.error().kind == ErrorKind::Cancelled)
                emit engine.cancelled();
            else
                emit engine.reported(path, problemsOf(written));
        });
    });
}

void Engine::compareModels(TracePtr open, const QString& path, driver::Options options) {
    enqueueAlone(CompareModels, [outbox = outbox_, open = std::move(open), path,
                                 options = std::move(options)](const Cancelled& cancelled) {
        std::vector<Diagnostic> problems;
        const auto made = guarded([&]() -> Result<views::models::ModelComparisonPtr> {
            driver::Trace trace; // a model that is refused has a graph nevertheless, if it can be read at all
            const auto imported =
                driver::importFile(path.toStdString(), options, trace, progressTo(outbox, tr("Comparing"), cancelled));
            if (trace.graph) {
                const inspect::ImportedModel other{trace.graph, imported ? *imported : nullptr};
                const inspect::ImportedModel own{open->graph, open->passes.empty() ? nullptr : open->passes[0].after};
                LATHE_TRY(const graph::ModelDiff diff, inspect::diffImported(other, own));
                return views::models::comparisonOf(path, other.graph, open->graph, diff);
            }
            problems = trace.diagnostics;
            return imported ? failure("it is no model") : Failure(imported.error());
        });
        if (!made && problems.empty())
            problems.push_back(made.error());
        answer(outbox, cancelled,
               [=](Engine& engine) { emit engine.modelsCompared(open->graph, made.value_or(nullptr), problems); });
    });
}

} // namespace lathe::app
