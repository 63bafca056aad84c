// SPDX-License-Identifier: Apache-2.0
//
// LLVM's view of a Target, made once per compilation: TargetMachines are not shared between threads. And what LLVM does
// when it cannot go on: it would end the process, so its handlers throw.
#pragma once

#include "base/result.h"
#include "base/target.h"

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <memory>

namespace lathe::codegen {

/// LLVM's backends, and its handlers for fatal errors (InternalError) and lack of memory (std::bad_alloc): once a process.
void initialiseTargets();

/// Throws an InternalError with LLVM's words where code generation reports an error instead of giving wrong code.
void throwOnErrors(llvm::LLVMContext& context);

/// Fails for a target whose triple, cpu or features LLVM does not know, as parseTarget does.
Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const Target& target);

/// Object code of a verified module.
std::vector<std::byte> emitObject(llvm::TargetMachine& machine, llvm::Module& module);
/// Throws InternalError with LLVM's words if the module is malformed.
void verifyModule(const llvm::Module& module);

} // namespace lathe::codegen
