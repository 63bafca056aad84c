// SPDX-License-Identifier: Apache-2.0
//
// From a module of fused functions to a linked shared object: kernels (in parallel, identical ones once, cached by the
// hash of what they are made of), entry, tables, link.
#pragma once

#include "artifact/artifact.h"
#include "base/budget.h"
#include "codegen/c_source.h"
#include "driver/pass_hook.h"

#include <optional>

namespace lathe::driver {

struct Built {
    std::vector<std::byte> sharedObject;
    std::vector<std::vector<std::byte>> objects; // that it was linked of
    std::optional<codegen::CModel> source;       // instead, if C source is asked for
    std::vector<relay::ConstantPtr> constants;
    std::vector<int64_t> offsets; // of the constants, in the constants' part of the artifact
};

Result<Built> build(const relay::Module& fused, const model::ModelGraph* graph, const Options& options,
                    const Decisions& decisions, PassHook& hook, Trace& trace);

/// Writes the artifact, or, where the path ends in libNAME.a, a static library of the same code and constants, with one
/// symbol, NAME_lathe_model (runtime/linked_model.h). Recipes are evaluated as they are written, on up to `threads` threads. `evaluated`, which may be
/// empty, is called when all of them are; if it fails, so does this, and no artifact is there. `form` is of an artifact.
Result<void> write(const Built& built, const std::filesystem::path& path, artifact::ArtifactForm form,
                   const relay::Module& module, relay::Evaluator& evaluator, const Budget& budget, int threads,
                   const std::function<Result<void>()>& evaluated = {});

/// Whether a path is that of a static library: libNAME.a.
bool isLibrary(const std::filesystem::path& path);

} // namespace lathe::driver
