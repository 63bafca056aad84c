// SPDX-License-Identifier: Apache-2.0
//
// The tables of an artifact: what its one symbol describes. Inputs, outputs, symbols, constants, kernels with the messages
// of their checks, calls with the model's nodes that they serve.
#pragma once

#include "codegen/codegen.h"
#include "lower/lower.h"

namespace lathe::driver {

/// Of a linked model: `offsets` are those of entry.constants in the constants' part of the artifact, in bytes;
/// `entryFunction` is the entry after the last pass, whose checks have their numbers. `graph` may be null.
codegen::ModelTables makeTables(const relay::Module& module, const model::ModelGraph* graph,
                                const lower::Kernels& kernels, const lower::Entry& entry,
                                const tir::PrimFuncPtr& entryFunction, const std::vector<int64_t>& offsets,
                                const Target& target);

/// Bytes that a constant takes when it is written, its recipe evaluated.
int64_t bytesOf(const relay::Constant& constant);

} // namespace lathe::driver
