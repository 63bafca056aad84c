// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine.h"

#include "driver/guarded.h"
#include "driver/runner_client.h"

#include <chrono>

namespace lathe::app {

namespace {

/// Two seconds of runs, or a few of a slow model.
constexpr driver::Measuring measuring{.warmUp = 2, .leastRuns = 5, .mostRuns = 200, .atLeast = std::chrono::seconds(2)};

std::filesystem::path pathOf(const QString& path) {
    return std::filesystem::path(path.toStdString());
}

} // namespace

Engine::Engine(QObject* parent) : QObject(parent) {
    qRegisterMetaType<TracePtr>();
    qRegisterMetaType<driver::Profile>();
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
        driver::importFile(pathOf(path), {}, *trace, progressOf(tr("Opening"))); // what fails stands in the trace
        if (cancelled_)
            return emit cancelled();
        artifact_.reset();
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
        using Outcome = Result<driver::Profile>;
        auto measure = [&]() -> Outcome {
            if (!artifact_)
                return failure("there is no compiled model", "compile it first");
            const driver::Progress progress = progressOf(tr("Running"));
            driver::RunnerOptions options;
            options.threads = threads ? threads : int(std::max(1U, std::thread::hardware_concurrency()));
            options.cancelled = progress.cancelled;
            driver::RunnerClient runner(options);
            LATHE_TRY(const driver::RunnerModel model, runner.load(artifact_->path()));
            LATHE_TRY(const driver::Shapes shapes, driver::setInputs(runner, model, {}, {}, 0));
            static const driver::Trace none;
            return driver::profile(runner, model, trace ? *trace : none, shapes, measuring, progress);
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
        const auto made = driver::guarded(
            [&]() -> Result<views::models::Comparison> { return views::models::comparePass(*trace, pass, function); });
        views::models::Comparison comparison;
        if (made) {
            comparison = *made;
        } else {
            comparison.after << QString::fromStdString(toString(made.error()));
            comparison.rows = {{driver::DiffRow::Kind::Added, -1, 0}};
        }
        emit compared(pass, function, comparison);
    });
}

} // namespace lathe::app
