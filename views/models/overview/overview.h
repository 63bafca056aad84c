// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the page Overview shows: a model's figures at a glance, where its time goes, and what to do next.
#pragma once

#include "advise/facts.h"
#include "views/models/window/decision_rows.h"

#include <QString>
#include <optional>
#include <vector>

namespace lathe::views::models {

/// What is known of the open model beside what advice goes by.
struct OverviewWork {
    QString path;             // of the model
    double seconds = 0;       // that it took to compile
    qint64 artifactBytes = 0; // 0: there is no artifact
    int errors = 0, warnings = 0;
};

struct OverviewFigure {
    QString title, value, detail; // "A run", "12.34 ms", "half: 12.1 to 12.6 ms", of the runs
};

/// A kernel call.
struct OverviewLayer {
    QString name; // inspect::layerName
    int call = 0; // in the Trace's calls
    std::vector<int> nodes = {};
    double ms = 0, share = 0;                // of a run; of what its kernel calls take
    std::optional<double> machineShare = {}; // of what the machine can do; nothing: its peaks are not known
    QString bound = {};                      // by what: "memory"; empty likewise
};

struct Overview {
    QString model, summary; // "resnet50.onnx"; "onnx · 122 nodes · …"
    std::vector<OverviewFigure> figures;
    std::vector<OverviewLayer> longest; // the first five
    std::vector<DecisionRow> decisions;
    std::vector<advise::Advice> advice;
    bool isCompiled = false, ran = false;
};

/// Of a model that was opened: `known.trace` has a graph. `isCompiled`: it is that of a compilation.
Overview overviewOf(const advise::Known& known, const OverviewWork& work, bool isCompiled);

/// Kernels with another schedule than that by default.
qint64 tunedKernels(const driver::Trace& trace);

/// What the button beside advice says: "Tune…".
QString textOf(advise::Step step);

} // namespace lathe::views::models
