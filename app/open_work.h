// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is open in a window: the model, what was made of it last, and for what. The window alone changes it; its desks, which
// export, tune and keep the work, read it.
#pragma once

#include "app/compilation.h"
#include "app/run_settings.h"

#include <QDateTime>
#include <memory>
#include <vector>

namespace lathe::app {

struct OpenWork {
    QString path;               // of the model; empty: there is none
    QDateTime changedAt;        // of its files the last one, as they are shown
    TracePtr trace;             // of the last compilation; before: of the import
    CompilationPtr compilation; // the last one, good or not
    RunSettings settings;
    std::shared_ptr<const driver::Extensions> plugins; // what those add that are installed; null: nothing
    bool busy = false;                                 // something is being made of it

    /// Null: there is no model, or it could not be read.
    const model::ModelGraph* graph() const { return trace ? trace->graph.get() : nullptr; }
    /// What any model is imported by.
    driver::Options importOptions() const;
    /// What the model, which has a graph, is compiled by.
    driver::Options options() const;
    /// Of the inputs of the model, which has a graph, as it declares them or the settings say them.
    driver::Shapes shapes() const;
    bool isCompiled() const { return compilation && compilation->artifact; }
    /// When one of the files that the model was read from was last written.
    QDateTime lastWritten() const;
    /// Whether they are others than those that are shown.
    bool hasChanged() const;
    /// A name for what is written of the model, in its folder.
    QString besideModel(const QString& suffix) const;
};

/// What plugins add that are installed; null: nothing. problems gets why others cannot be used.
std::shared_ptr<const driver::Extensions> installedPlugins(std::vector<Diagnostic>& problems);

} // namespace lathe::app
