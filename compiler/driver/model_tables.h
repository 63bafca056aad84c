// SPDX-License-Identifier: Apache-2.0
//
// The tables of an artifact: what its one symbol describes. Inputs, outputs, symbols, constants, kernels with the messages
// of their checks, calls with the model's nodes that they serve.
#pragma once

#include "codegen/codegen.h"
#include "driver/options.h"
#include "lower/pipeline.h"

#include <span>

namespace lathe::driver {

/// Symbols of the inputs, in the order in which their dims first name them.
std::vector<arith::Var> inputSymbols(const relay::Function& main);

/// What the tables of every artifact have: names, kernels with their checks, what the numerics allow, metadata. peakBytes may
/// be null.
codegen::ModelTables beginTables(std::string name, std::span<const lower::Kernel> kernels,
                                 const lower::LoweredEntry& entry, const Options& options,
                                 const arith::Expr& peakBytes);

/// Of a linked model, whose metadata have hashes of the code of each kernel and of the entry with the functions that it calls,
/// which are `objects` in this order, and of the constants: what tells two artifacts apart (inspect/artifact_diff.h).
/// `offsets` are those of entry.constants in the constants' part of the artifact, in bytes; `lowered` is the entry after the
/// last pass. `graph` may be null. `source` is the module that says which integers the inputs are, before anything was
/// decided, so that all compilations of a model say the same; null: nobody draws any.
codegen::ModelTables makeTables(const relay::Module& module, const model::ModelGraph* graph,
                                const lower::Kernels& kernels, const lower::Entry& entry,
                                const lower::LoweredEntry& lowered, const std::vector<int64_t>& offsets,
                                std::span<const std::vector<std::byte>> objects, const Options& options,
                                const relay::Module* source = nullptr);

} // namespace lathe::driver
