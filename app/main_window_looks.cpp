// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of MainWindow that has things looked at beside other work: what the pages Passes, Fusion and Loops wish of the Engine,
// and what comes back, if it is still of the compilation that is shown.
#include "app/main_window.h"

#include "views/fusion/fusion_page.h"
#include "views/loops/loops_page.h"
#include "views/passes/passes_page.h"

#include <utility>

namespace lathe::app {

using views::fusion::FusionPage;
using views::loops::LoopsPage;
using views::passes::PassesPage;

void MainWindow::connectLooks() {
    connectPasses();
    connectFusion();
    connectLoops();
    connect(&engine_, &Engine::looked, this, &MainWindow::checkSettled);
}

void MainWindow::connectPasses() {
    connect(passes_, &PassesPage::comparisonWanted, this, [this](int pass, const QString& function) {
        if (work_.trace)
            engine_.compare(work_.trace, pass, function);
    });
    connect(&engine_, &Engine::compared, this,
            [this](const TracePtr& trace, int pass, const QString& function, views::models::Comparison comparison) {
                if (trace == work_.trace)
                    passes_->setComparison(pass, function, std::move(comparison));
            });
    connect(passes_, &PassesPage::pictureWanted, this, [this](int pass, const QString& function) {
        if (work_.trace)
            engine_.picture(work_.trace, pass, function);
    });
    connect(
        &engine_, &Engine::pictured, this,
        [this](const TracePtr& trace, int pass, const QString& function, const views::models::PassPicturePtr& picture) {
            if (trace == work_.trace)
                passes_->setPicture(pass, function, picture);
        });
    connect(passes_, &PassesPage::arranged, this, &MainWindow::checkSettled);
    connect(passes_, &PassesPage::figuresWanted, this, [this] { engine_.figure(work_.trace); });
    connect(&engine_, &Engine::figured, this,
            [this](const TracePtr& trace, const std::vector<inspect::PassFigures>& figures) {
                if (trace == work_.trace)
                    passes_->setFigures(figures);
            });
}

void MainWindow::connectFusion() {
    connect(fusion_, &FusionPage::pictureWanted, this, [this] { engine_.pictureFusion(work_.trace); });
    connect(&engine_, &Engine::fusionPictured, this,
            [this](const TracePtr& trace, const std::shared_ptr<const views::models::FusionPicture>& picture) {
                if (trace == work_.trace)
                    fusion_->setPicture(picture);
            });
    connect(fusion_, &FusionPage::arranged, this, &MainWindow::checkSettled);
}

void MainWindow::connectLoops() {
    connect(loops_, &LoopsPage::loopsWanted, &engine_, &Engine::listLoops);
    connect(&engine_, &Engine::loopsListed, this,
            [this](const TracePtr& trace, int kernel, const views::models::LoopTexts& texts) {
                if (trace == work_.trace)
                    loops_->setLoops(kernel, texts);
            });
    connect(loops_, &LoopsPage::nestWanted, &engine_, &Engine::countLoops);
    connect(&engine_, &Engine::loopsCounted, this,
            [this](const TracePtr& trace, int call, const std::shared_ptr<const lower::LoopCost>& nest) {
                if (trace == work_.trace)
                    loops_->setNest(call, nest);
            });
    connect(loops_, &LoopsPage::codeWanted, &engine_, &Engine::listCode);
    connect(&engine_, &Engine::codeListed, this,
            [this](const TracePtr& trace, int kernel, const views::models::CodeTexts& texts) {
                if (trace == work_.trace)
                    loops_->setCode(kernel, texts);
            });
    connect(loops_, &LoopsPage::stepWanted, &engine_, &Engine::listStep);
    connect(&engine_, &Engine::stepListed, this,
            [this](const TracePtr& trace, int kernel, int steps, const views::models::OriginText& text) {
                if (trace == work_.trace)
                    loops_->setStep(kernel, steps, text);
            });
}

} // namespace lathe::app
