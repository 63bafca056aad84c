// SPDX-License-Identifier: Apache-2.0
//
// How long the page Model takes with large graphs: prints a Markdown table, one row a graph. Transformers of 10,000 and 50,000
// nodes, with scoped names and with none, offscreen at 1920×1080. Medians of several rounds; of
// the frames of a fixed path the slowest one. By the clock, so that waiting counts: run it on a machine that has nothing else to do.
#include "support/transformer_graph.h"
#include "views/canvas/graph_canvas.h"
#include "views/graph/model_page.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QLineEdit>
#include <QPainter>
#include <algorithm>
#include <cstdio>
#include <functional>

using namespace lathe;
using views::canvas::GraphCanvas;
using views::graph::ModelPage;
namespace models = views::models;

namespace {

constexpr QSize screen(1920, 1080);
constexpr int rounds = 7;

double milliseconds(const std::function<void()>& work) {
    QElapsedTimer timer;
    timer.start();
    work();
    return double(timer.nsecsElapsed()) / 1e6;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

class Bench {
public:
    explicit Bench(std::shared_ptr<model::ModelGraph> model)
        : model_(std::move(model)), frame_(screen, QImage::Format_ARGB32_Premultiplied) {}

    void printRow(const char* what) {
        std::vector<double> opening, expanding, searching;
        Frames closed, open;
        for (int round = 0; round < rounds; ++round) {
            models::Selection selection;
            ModelPage page(&selection);
            page.resize(screen);
            page.canvas()->resize(screen);
            opening.push_back(milliseconds([&] {
                page.setModel(model_);
                settle(page);
                paint(page);
            }));
            addFrames(page, closed);
            expanding.push_back(milliseconds([&] {
                page.canvas()->groupToggled(groupOfALayer(page));
                settle(page);
                paint(page);
            }));
            page.findChild<QLineEdit*>()->setText("w"); // what is searched in is made by the first search
            for (const char* text : {"matmul", "layer.9", "value_77", "softmax add", "a"})
                searching.push_back(milliseconds([&] { page.findChild<QLineEdit*>()->setText(text); }));
            for (const views::PageAction& each : page.pageActions())
                if (each.id == "expand_all")
                    each.action->trigger();
            settle(page);
            addFrames(page, open);
        }
        std::printf("| %s | %zu | %.0f | %.1f | %.1f | %.1f | %.1f |\n", what, model_->graph->nodes.size(),
                    median(opening), median(expanding), *std::ranges::max_element(searching), slowest(closed),
                    slowest(open));
        std::fflush(stdout);
    }

private:
    static void settle(const ModelPage& page) {
        while (page.isArranging() || page.picture().boxes.empty())
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }

    void paint(const ModelPage& page) { page.canvas()->render(&frame_); }

    /// A closed group in the middle of the overview.
    static int groupOfALayer(const ModelPage& page) {
        const auto& boxes = page.picture().boxes;
        for (size_t i = boxes.size() / 2; i < boxes.size(); ++i)
            if (boxes[i].group >= 0 && !boxes[i].open)
                return boxes[i].group;
        return -1;
    }

    using Frames = std::vector<std::vector<double>>; // by place on the path: a time a round

    static double slowest(const Frames& frames) {
        double result = 0;
        for (const std::vector<double>& frame : frames)
            result = std::max(result, median(frame));
        return result;
    }

    /// All in sight, into a corner in steps, across and down at a readable size, and out again.
    void addFrames(const ModelPage& page, Frames& frames) {
        GraphCanvas& canvas = *page.canvas();
        size_t at = 0;
        auto frame = [&] {
            frames.resize(std::max(frames.size(), at + 1));
            frames[at++].push_back(milliseconds([&] { paint(page); }));
        };
        canvas.fit();
        paint(page); // fonts are loaded once
        frame();
        while (canvas.scale() < 1) {
            canvas.zoom(1.2, QPointF(300, 200));
            frame();
        }
        const QRectF bounds = canvas.scene().layout.bounds;
        for (int step = 0; step <= 60; ++step) {
            canvas.moveTo(bounds.topLeft() + QPointF(bounds.width() * step / 60, bounds.height() * (step % 20) / 20));
            frame();
        }
        while (canvas.scale() > screen.width() / bounds.width() && canvas.scale() > 0.02) {
            canvas.zoom(0.8, QPointF(960, 540));
            frame();
        }
    }

    std::shared_ptr<model::ModelGraph> model_;
    QImage frame_;
};

} // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    std::puts("| graph | nodes | overview | expand | search | frame | frame, all open "
              "|\n|---|---:|---:|---:|---:|---:|---:|");
    for (const int nodes : {10'000, 50'000})
        for (const bool named : {true, false})
            Bench(testing::transformerGraph(nodes, named)).printRow(named ? "with scopes" : "without names");
    return 0;
}
