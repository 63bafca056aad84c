// SPDX-License-Identifier: GPL-3.0-or-later
// Before the headers of Qt, which make a macro of the word `emit`.
#include "app/cli/session.h"

#include "app/engine.h"
#include "arith/analysis.h"
#include "driver/guarded.h"
#include "driver/runner_client.h"

#include <algorithm>
#include <chrono>

namespace lathe::app {

namespace {

constexpr std::chrono::seconds measuredFor{2};
constexpr int minimalRuns = 5, maximalRuns = 200;

std::filesystem::path pathOf(const QString& path) {
    return std::filesystem::path(path.toStdString());
}

views::models::Profile profileOf(const driver::RunnerModel& model, const driver::RunnerProfile& measured,
                                 std::vector<int64_t> ns, const TracePtr& trace, const cli::Shapes& shapes) {
    std::unordered_map<const arith::ExprNode*, int64_t> symbols;
    if (trace && !trace->passes.empty() && trace->passes.front().after)
        symbols = cli::symbolValues(trace->passes.front().after->main(), shapes);
    views::models::Profile profile;
    profile.runs = int(ns.size());
    std::sort(ns.begin(), ns.end());
    profile.medianMs = ns.empty() ? 0 : double(ns[ns.size() / 2]) / 1e6;
    for (size_t i = 0; i < model.calls.size() && i < measured.calls.size(); ++i) {
        const auto& call = model.calls[i];
        const auto& times = measured.calls[i];
        if (times.count == 0)
            continue;
        views::models::ProfileRow row;
        row.function = QString::fromStdString(call.function);
        row.kernel = QString::fromStdString(call.kernel);
        row.ms = double(times.totalNs) / 1e6 / std::max(1, profile.runs);
        // What was compiled here is known at the sizes that ran.
        auto estimate = [&](const arith::Expr driver::CallRecord::* field, double constant) {
            auto value =
                trace && i < trace->calls.size() ? arith::evaluate(trace->calls[i].*field, symbols) : std::nullopt;
            return (value ? double(*value) : constant) * double(times.count) / std::max(1, profile.runs);
        };
        row.flops = estimate(&driver::CallRecord::flops, call.flops);
        row.bytes = estimate(&driver::CallRecord::bytes, call.bytes);
        QStringList names;
        if (trace && trace->graph)
            for (const driver::CallRecord& record : trace->calls)
                if (record.callId == int(i))
                    for (int32_t id : trace->graph->spans->ids(record.span)) {
                        row.spans.push_back(id);
                        if (size_t(id) < trace->graph->nodes.size() && trace->graph->nodes[id])
                            names << QString::fromStdString(displayName(*trace->graph->nodes[id]));
                    }
        names.removeDuplicates(); // a node's body may stand in several origins
        row.nodes = names.join(", ");
        profile.rows.push_back(std::move(row));
    }
    return profile;
}

} // namespace

Engine::Engine(QObject* parent) : QObject(parent) {
    qRegisterMetaType<TracePtr>();
    qRegisterMetaType<views::models::Profile>();
    qRegisterMetaType<views::models::Comparison>();
    qRegisterMetaType<std::vector<Diagnostic>>();
    thread_ = std::thread([this] { loop(); });
}

Engine::~Engine() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        queue_.clear();
        cancelled_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

void Engine::enqueue(Kind kind, std::function<void()> work) {
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(queue_, [&](const Job& job) { return job.kind == kind; });
        queue_.push_back({kind, std::move(work)});
    }
    wake_.notify_one();
}

void Engine::loop() {
    for (;;) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return ending_ || !queue_.empty(); });
            if (ending_)
                return;
            job = std::move(queue_.front());
            queue_.pop_front();
            cancelled_ = false;
        }
        job.work();
        const std::lock_guard lock(mutex_);
        if (queue_.empty() && !ending_)
            emit idle();
    }
}

void Engine::cancel() {
    const std::lock_guard lock(mutex_);
    queue_.clear();
    cancelled_ = true;
}

driver::Progress Engine::progressOf(const QString& what) {
    driver::Progress result;
    result.report = [this, what](std::string_view stage, double fraction) {
        emit progress(what + QStringLiteral(": ") + QString::fromUtf8(stage.data(), qsizetype(stage.size())), fraction);
    };
    result.cancelled = [this] { return cancelled_.load(); };
    return result;
}

void Engine::open(const QString& path) {
    enqueue(Kind::Open, [this, path] {
        emit progress(tr("Opening"), 0);
        auto trace = std::make_shared<driver::Trace>();
        artifact_.reset();
        driver::importFile(pathOf(path), {}, *trace, progressOf(tr("Opening"))); // what fails stands in the trace
        emit opened(path, trace);
    });
}

void Engine::compile(const QString& path, driver::Options options) {
    enqueue(Kind::Compile, [this, path, options] {
        auto trace = std::make_shared<driver::Trace>();
        MemoryFile out("lathe-model");
        const auto artifact =
            driver::compileFile(pathOf(path), out.path(), {}, options, *trace, progressOf(tr("Compiling")));
        // After a cancelled compilation there is still an artifact of this model, if there was one.
        if (cancelled_)
            return emit cancelled();
        artifact_.reset();
        if (artifact)
            artifact_.emplace(std::move(out));
        emit compiled(path, trace, artifact.has_value(), artifact ? artifact->seconds : 0);
    });
}

void Engine::run(TracePtr trace, int threads) {
    enqueue(Kind::Run, [this, trace, threads] {
        using Outcome = Result<views::models::Profile>;
        auto measure = [&]() -> Outcome {
            if (!artifact_)
                return failure("there is no compiled model", "compile it first");
            emit progress(tr("Running"), 0);
            driver::RunnerOptions options;
            options.threads = threads;
            driver::RunnerClient runner(options);
            LATHE_TRY(const driver::RunnerModel model, runner.load(artifact_->path()));
            LATHE_TRY(const cli::Shapes shapes, cli::setInputs(runner, model, {}, 0, {}));
            LATHE_CHECKED(runner.run(2));
            LATHE_CHECKED(runner.startProfile());
            std::vector<int64_t> ns;
            const auto start = std::chrono::steady_clock::now();
            for (int i = 0; i < maximalRuns; ++i) {
                const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
                if (cancelled_ || (i >= minimalRuns && spent > double(measuredFor.count())))
                    break;
                LATHE_TRY(const driver::RunnerTimes times, runner.run(1));
                ns.insert(ns.end(), times.ns.begin(), times.ns.end());
                emit progress(tr("Running"), std::max(spent / double(measuredFor.count()), double(i) / maximalRuns));
            }
            LATHE_CHECKED(runner.stopProfile());
            LATHE_TRY(const driver::RunnerProfile measured, runner.readProfile());
            views::models::Profile profile = profileOf(model, measured, std::move(ns), trace, shapes);
            profile.threads = threads ? threads : int(std::max(1U, std::thread::hardware_concurrency()));
            return profile;
        };
        const Outcome outcome = driver::guarded(measure);
        if (cancelled_)
            emit cancelled();
        else if (outcome)
            emit ran(*outcome, {});
        else
            emit ran({}, {outcome.error()});
    });
}

void Engine::compare(TracePtr trace, int pass, const QString& function) {
    enqueue(Kind::Compare, [this, trace, pass, function] {
        auto comparison = driver::guarded(
            [&]() -> Result<views::models::Comparison> { return views::models::comparePass(*trace, pass, function); });
        if (!comparison) {
            views::models::Comparison failed;
            failed.after << QString::fromStdString(toString(comparison.error()));
            failed.rows = views::models::compareLines({}, failed.after);
            comparison = std::move(failed);
        }
        emit compared(pass, function, *comparison);
    });
}

} // namespace lathe::app
