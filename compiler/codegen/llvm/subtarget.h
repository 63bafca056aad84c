// SPDX-License-Identifier: Apache-2.0
//
// LLVM's tables of cpus and features, for the files that make Targets of them.
#pragma once

#include "base/result.h"
#include "base/target.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <memory>
#include <string>
#include <string_view>

namespace lathe::codegen {

using Subtarget = std::unique_ptr<llvm::MCSubtargetInfo>;

/// The backend of a triple that code can be made for. Fails (kind Usage) for others, naming those.
Result<const llvm::Target*> backendOf(const std::string& triple);

template <class Table>
bool contains(const Table& table, std::string_view name) {
    return std::ranges::any_of(table, [&](const auto& entry) { return name == entry.Key; });
}

/// False of a feature that the machine's table has not.
bool has(const llvm::MCSubtargetInfo& set, std::string_view feature);

} // namespace lathe::codegen
