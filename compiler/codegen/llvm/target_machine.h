// SPDX-License-Identifier: Apache-2.0
//
// LLVM's view of a Target, made once per compilation: TargetMachines are not shared between threads.
#pragma once

#include "base/result.h"
#include "base/target.h"

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <memory>

namespace lathe::codegen {

Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const Target& target);

/// Object code (or assembly) of a verified module.
std::vector<std::byte> emitObject(llvm::TargetMachine& machine, llvm::Module& module);
std::string emitAssembly(llvm::TargetMachine& machine, llvm::Module& module);
/// Throws InternalError with LLVM's words if the module is malformed.
void verifyModule(const llvm::Module& module);

} // namespace lathe::codegen
