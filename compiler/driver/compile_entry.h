// SPDX-License-Identifier: Apache-2.0
//
// What an artifact has beside its kernels: the code of its entry, and its tables. The same for a model and for one kernel
// that is an artifact of its own.
#pragma once

#include "codegen/codegen.h"
#include "driver/options.h"
#include "lower/pipeline.h"

#include <functional>
#include <span>

namespace lathe::driver {

/// Makes the tables for the entry after its last pass, whose checks have their numbers.
using TablesOfEntry = std::function<codegen::ModelTables(const lower::LoweredEntry& lowered)>;

/// Lowers the entry with the functions that it calls and appends their objects and that of the tables. `checkpoint` may be
/// empty; it throws to cancel.
Result<void> compileEntry(const tir::PrimFuncPtr& entry, std::span<const tir::PrimFuncPtr> functions,
                          const TablesOfEntry& tablesOf, const Options& options,
                          const std::function<void()>& checkpoint, std::vector<std::vector<std::byte>>& objects);

} // namespace lathe::driver
