// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the Engine that makes bundles: on the lane of the work, so that nothing is measured beside it.
#include "app/engine_work.h"
#include "app/exported_bundle.h"
#include "base/guarded.h"

namespace lathe::app {

void Engine::planBundle(const QString& model, deploy::BundleOptions options) {
    const auto work = [outbox = outbox_, model, options = std::move(options)](const Cancelled& cancelled) {
        std::vector<Diagnostic> problems;
        const auto planned = guarded([&]() -> Result<PlannedBundlePtr> {
            LATHE_TRY(deploy::PlannedBundle bundle,
                      deploy::planBundle(model.toStdString(), options, problems, progressTo(outbox, {}, cancelled)));
            return std::make_shared<const deploy::PlannedBundle>(std::move(bundle));
        });
        if (!planned && planned.error().kind == ErrorKind::Cancelled)
            return outbox.post([](Engine& engine) { emit engine.cancelled(); });
        if (!planned)
            problems.push_back(planned.error());
        outbox.post([bundle = planned.value_or(nullptr), problems](Engine& engine) {
            emit engine.bundlePlanned(bundle, problems);
        });
    };
    enqueueAlone(Plan, work, true);
}

void Engine::exportBundle(PlannedBundlePtr bundle, const QString& out, bool replace,
                          std::optional<deploy::CheckWish> check) {
    const auto work = [outbox = outbox_, bundle = std::move(bundle), out, replace,
                       check = std::move(check)](const Cancelled& cancelled) {
        const driver::Progress progress = progressTo(outbox, {}, cancelled);
        const auto exported = guarded([&]() -> Result<ExportedBundle> {
            ExportedBundle made{out, QString::fromStdString(bundle->plan.bundleId), bundle->plan.bytes, {}};
            LATHE_CHECKED(deploy::writeBundle(*bundle, out.toStdString(), replace, progress));
            outbox.post([made](Engine& engine) { emit engine.bundleWritten(made); });
            if (!check)
                return made;
            LATHE_TRY(const deploy::OpenBundle open, deploy::OpenBundle::open(out.toStdString(), progress));
            const auto told = [&](const deploy::CheckStep& step) {
                outbox.post([step](Engine& engine) { emit engine.bundleStepped(step); });
            };
            LATHE_TRY(made.check, deploy::checkBundle(open, *check, told, progress));
            return made;
        });
        outbox.post([exported](Engine& engine) {
            if (exported)
                emit engine.bundleExported(*exported, {});
            else if (exported.error().kind == ErrorKind::Cancelled)
                emit engine.cancelled();
            else
                emit engine.bundleExported({}, {exported.error()});
        });
    };
    enqueueAlone(Export, work);
}

void Engine::compareBundles(const QString& before, const QString& after) {
    figures_.replace(CompareBundles, [outbox = outbox_, before, after](const Cancelled& cancelled) {
        driver::Progress progress;
        progress.cancelled = cancelled;
        const auto compared = guarded([&]() -> Result<ComparedBundles> {
            LATHE_TRY(const deploy::OpenBundle old, deploy::OpenBundle::open(before.toStdString(), progress));
            LATHE_TRY(const deploy::OpenBundle now, deploy::OpenBundle::open(after.toStdString(), progress));
            return ComparedBundles{old.manifest().bundleId, now.manifest().bundleId,
                                   deploy::diffBundles(old.manifest(), now.manifest())};
        });
        outbox.post([compared](Engine& engine) {
            emit engine.bundlesCompared(compared.value_or(ComparedBundles()), problemsOf(compared));
        });
    });
}

} // namespace lathe::app
