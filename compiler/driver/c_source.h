// SPDX-License-Identifier: Apache-2.0
//
// A model as C source: what codegen/c_source.h needs to know of it, and its files. The pipeline is that of an artifact up
// to the last stage; instead of objects and a linker there is text.
//
// The files of a folder, by the model's name: NAME.h, NAME.c and NAME_main.c, which runs it on files; the weights in
// NAME_weights.c, or in NAME.weights with NAME_load.c, which reads them. Whatever else is in the folder stays.
#pragma once

#include "base/budget.h"
#include "codegen/c_source.h"
#include "driver/build.h"
#include "driver/options.h"
#include "lower/lower.h"
#include "relay/evaluator.h"

#include <filesystem>
#include <functional>

namespace lathe::driver {

/// `offsets` are those of entry.constants in the file of weights; graph may be null; `checkpoint` throws to cancel. Fails for
/// a model that cannot be written in C.
Result<codegen::CModel> makeSource(const relay::Module& module, const model::ModelGraph* graph,
                                   const lower::Kernels& kernels, const lower::Entry& entry,
                                   const std::vector<int64_t>& offsets, const Options& options,
                                   const std::function<void()>& checkpoint);

/// Writes the files of built.source into the folder, which is made if need be; none of them gets its name before all are
/// whole. `mayWrite` fails for a file that must stay; `evaluated`, as of write(), may be empty.
Result<void> writeSource(const Built& built, const std::filesystem::path& folder, const relay::Module& module,
                         relay::Evaluator& evaluator, const Budget& budget, int threads,
                         const std::function<Result<void>(const std::filesystem::path&)>& mayWrite,
                         const std::function<Result<void>()>& evaluated = {});

} // namespace lathe::driver
