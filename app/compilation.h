// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the Engine made of a model, as values that stay good whatever it does after them.
#pragma once

#include "base/memory_file.h"
#include "driver/compile.h"
#include "inspect/provenance.h"

#include <memory>

namespace lathe::views::models {
struct FusionRows; // views/models/passes/fusion_model.h
}

namespace lathe::app {

using TracePtr = std::shared_ptr<const driver::Trace>;
using ProvenancePtr = std::shared_ptr<const inspect::Provenance>;

/// A compilation as it came out.
struct Compilation {
    ProvenancePtr provenance; // with its Trace, complete up to the failing pass
    driver::Options options;
    driver::Decisions decisions;
    std::shared_ptr<const views::models::FusionRows> fusion; // what the page Fusion lists
    std::shared_ptr<const MemoryFile> artifact;              // null: there is none, the Trace says why
    double seconds = 0;

    const driver::Trace& trace() const { return provenance->trace(); }
};
using CompilationPtr = std::shared_ptr<const Compilation>;

} // namespace lathe::app
