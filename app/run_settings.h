// SPDX-License-Identifier: GPL-3.0-or-later
//
// For what a model is compiled and run: a value, of which all but what is the model's own (sizes, inputs, states, which of its
// graphs) is kept in the settings.
#pragma once

#include "inspect/input_choice.h"
#include "inspect/states.h"
#include "project/graph_choice.h"
#include "runtime/limits.h"
#include "views/models/inputs/open_sizes.h"

#include <QString>

namespace lathe::app {

struct RunSettings {
    static constexpr int mostThreads = runtime::limits::threads;
    static constexpr int largestSeed = 1'000'000'000;

    QString target = QStringLiteral("native"); // as codegen::parseTarget reads it
    driver::NumericsLevel numerics = driver::NumericsLevel::Default;
    int threads = 0; // to compile and to run with; 0: all
    views::models::SizeValues sizes;
    bool fixSizes = false; // compiled for these sizes alone
    inspect::InputChoice inputs;
    inspect::StateBeginnings states;  // how those of the model begin, where not as it says
    bool goOn = false;                // each run begins with the states that the last one left
    project::GraphChoice graphChoice; // which graph of the file is open

    /// Kept ones; what cannot be read any more is as by default, and `unread` says why.
    static RunSettings kept(std::vector<Diagnostic>* unread = nullptr);
    void keep() const;
    /// For this model.
    driver::Options options(const model::ModelGraph& graph) const;
    /// "native, all threads, strict numerics, batch 1 (fixed)"; default numerics go without saying.
    QString text(const model::ModelGraph* graph) const;
    /// As text, and back; no text is that of the default. What cannot be read is as by default, and `unread` says why.
    std::string toJson() const;
    static RunSettings fromJson(const std::string& text, std::vector<Diagnostic>* unread = nullptr);
    bool operator==(const RunSettings&) const = default;
};

QString nameOf(driver::NumericsLevel level);

} // namespace lathe::app
