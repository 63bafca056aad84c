// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is looked at beside the work: comparisons and pictures of passes, figures, texts of loops and code, on lanes of
// their own.
#include "app/engine.h"

#include "base/guarded.h"
#include "inspect/loop_costs.h"
#include "inspect/pass_figures.h"
#include "views/models/loops/kernel_texts.h"
#include "views/models/loops/schedule_steps.h"
#include "views/models/passes/comparison.h"
#include "views/models/passes/fusion_picture.h"
#include "views/models/passes/pass_picture.h"

#include <memory>
#include <utility>

namespace lathe::app {

void Engine::compare(TracePtr trace, int pass, const QString& function) {
    looks_.enqueue(Compare, [outbox = outbox_, trace = std::move(trace), pass, function](const Cancelled& cancelled) {
        const auto compared = guarded(
            [&]() -> Result<views::models::Comparison> { return views::models::comparePass(*trace, pass, function); });
        if (cancelled())
            return;
        views::models::Comparison shown;
        if (compared) {
            shown = *compared;
        } else {
            shown.after << QString::fromStdString(toString(compared.error()));
            shown.rows = {{DiffRow::Kind::Added, -1, 0}};
            shown.align();
        }
        outbox.post([=](Engine& engine) { emit engine.compared(trace, pass, function, shown); });
    });
}

void Engine::picture(TracePtr trace, int pass, const QString& function) {
    looks_.enqueue(Picture, [outbox = outbox_, trace = std::move(trace), pass, function](const Cancelled& cancelled) {
        const auto pictured = guarded(
            [&]() -> Result<views::models::PassPicture> { return views::models::picturePass(*trace, pass, function); });
        if (cancelled())
            return;
        auto shown = std::make_shared<views::models::PassPicture>();
        if (pictured)
            *shown = *pictured;
        else
            shown->why = QString::fromStdString(toString(pictured.error()));
        outbox.post([=](Engine& engine) { emit engine.pictured(trace, pass, function, shown); });
    });
}

void Engine::pictureFusion(TracePtr trace) {
    looks_.enqueue(PictureFusion, [outbox = outbox_, trace = std::move(trace)](const Cancelled& cancelled) {
        const auto made =
            guarded([&]() -> Result<views::models::FusionPicture> { return views::models::pictureFusion(*trace); });
        auto shown = std::make_shared<views::models::FusionPicture>();
        if (made)
            *shown = *made;
        else
            shown->why = QString::fromStdString(toString(made.error()));
        if (!cancelled())
            outbox.post([=](Engine& engine) { emit engine.fusionPictured(trace, shown); });
    });
}

void Engine::figure(TracePtr trace) {
    figures_.replace(Figure, [outbox = outbox_, trace = std::move(trace)](const Cancelled& cancelled) {
        const auto figures = guarded(
            [&]() -> Result<std::vector<inspect::PassFigures>> { return inspect::passFigures(*trace, cancelled); });
        if (figures && !cancelled()) // without them the passes are shown without figures
            outbox.post([=](Engine& engine) { emit engine.figured(trace, *figures); });
    });
}

void Engine::listLoops(TracePtr trace, int kernel) {
    looks_.enqueue(ListLoops, [outbox = outbox_, trace = std::move(trace), kernel](const Cancelled& cancelled) {
        const auto texts = guarded([&]() -> Result<views::models::LoopTexts> {
            return views::models::loopTexts(trace->kernels[size_t(kernel)]);
        });
        views::models::LoopTexts shown;
        if (texts)
            shown = *texts;
        else
            shown.levels.front().text = QString::fromStdString(toString(texts.error()));
        if (!cancelled())
            outbox.post([=](Engine& engine) { emit engine.loopsListed(trace, kernel, shown); });
    });
}

void Engine::countLoops(TracePtr trace, int call, driver::Shapes shapes) {
    looks_.enqueue(CountLoops, [outbox = outbox_, trace = std::move(trace), call,
                                shapes = std::move(shapes)](const Cancelled& cancelled) {
        const auto counted =
            guarded([&]() -> Result<lower::LoopCost> { return inspect::loopCosts(*trace, call, shapes); });
        if (counted && !cancelled()) // without them the texts are shown without costs
            outbox.post([=, nest = std::make_shared<const lower::LoopCost>(*counted)](Engine& engine) {
                emit engine.loopsCounted(trace, call, nest);
            });
    });
}

void Engine::listStep(TracePtr trace, int kernel, int steps) {
    looks_.enqueue(ListStep, [outbox = outbox_, trace = std::move(trace), kernel, steps](const Cancelled& cancelled) {
        const views::models::OriginText text = views::models::textAfterSteps(trace->kernels[size_t(kernel)], steps);
        if (!cancelled())
            outbox.post([=](Engine& engine) { emit engine.stepListed(trace, kernel, steps, text); });
    });
}

void Engine::listCode(TracePtr trace, int kernel) {
    codes_.enqueue(ListCode, [outbox = outbox_, trace = std::move(trace), kernel](const Cancelled& cancelled) {
        const views::models::CodeTexts texts = views::models::codeTexts(trace->kernels[size_t(kernel)]);
        if (!cancelled())
            outbox.post([=](Engine& engine) { emit engine.codeListed(trace, kernel, texts); });
    });
}

} // namespace lathe::app
