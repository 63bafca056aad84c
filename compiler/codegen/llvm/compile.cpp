// SPDX-License-Identifier: Apache-2.0
//
// One PrimFunc to one object: a module in a context of its own, LLVM's verifier, the few passes that pay, code
// generation. LLVM's vectorizers and unrolling stay off: schedules have decided. What the passes are for: `sroa` and
// `early-cse` turn Local buffers into registers; `licm` hoists what is invariant in a loop; `simplifycfg` cleans up.
#include "codegen/codegen.h"
#include "codegen/llvm/emitter.h"
#include "codegen/llvm/target_machine.h"

#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace lathe::codegen {
namespace {

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    llvm::ModulePassManager passes;
    llvm::Error error =
        builder.parsePassPipeline(passes, "function(sroa,early-cse,simplifycfg,loop-mssa(licm),early-cse)");
    LATHE_ASSERT(!error, "LLVM does not know the pass pipeline: " + llvm::toString(std::move(error)));
    passes.run(module, modules);
}

} // namespace

Result<KernelCode> compileFunction(const tir::PrimFunc& function, const CodegenOptions& options) {
    LATHE_TRY(auto machine, makeTargetMachine(options.target));
    llvm::LLVMContext context;
    llvm::Module module(function.name, context);
    module.setTargetTriple(options.target.triple);
    module.setDataLayout(machine->createDataLayout());
    module.setPICLevel(llvm::PICLevel::BigPIC);
    ModuleEmitter emitter(module, function, options.target);
    emitter.run();
    verifyModule(module);
    optimize(module, *machine);
    KernelCode code;
    if (options.keepIr) {
        llvm::raw_string_ostream out(code.llvmIr);
        module.print(out, nullptr);
    }
    if (options.keepAsm)
        code.assembly = emitAssembly(*machine, *llvm::CloneModule(module));
    code.object = emitObject(*machine, module);
    code.lines = std::move(emitter.lines);
    return code;
}

} // namespace lathe::codegen
