// SPDX-License-Identifier: Apache-2.0
//
// One PrimFunc to one object: a module in a context of its own, LLVM's verifier, the few passes that pay, code
// generation. LLVM's vectorizers and unrolling stay off: schedules have decided. What the passes are for: `sroa` and
// `early-cse` turn Local buffers into registers; `licm` hoists what is invariant in a loop; `simplifycfg` cleans up.
// What they leave without a line gets one again, so that the object's line table leads to statements.
#include "codegen/codegen.h"
#include "codegen/llvm/emitter.h"
#include "codegen/llvm/interruption.h"
#include "codegen/llvm/target_machine.h"

#include <algorithm>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/raw_ostream.h>

namespace lathe::codegen {
namespace {

void optimize(llvm::Module& module, llvm::TargetMachine& machine, Interruption& interruption) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine, {}, {}, &interruption.callbacks());
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

int lineOf(const llvm::Instruction& instruction) {
    const llvm::DebugLoc& location = instruction.getDebugLoc();
    return location ? static_cast<int>(location.getLine()) : 0;
}

/// The passes leave line 0 on what they move or make of several statements. Such a value counts to the statement that
/// uses it, or else to one whose value it uses.
void completeLines(llvm::Function& function) {
    std::vector<llvm::Instruction*> without;
    for (llvm::BasicBlock& block : function)
        for (llvm::Instruction& instruction : block)
            if (lineOf(instruction) == 0)
                without.push_back(&instruction);
    const auto take = [](llvm::Instruction& instruction, const llvm::Value* value) {
        const auto* other = llvm::dyn_cast<llvm::Instruction>(value);
        if (other && lineOf(*other) != 0)
            instruction.setDebugLoc(other->getDebugLoc());
        return lineOf(instruction) != 0;
    };
    for (llvm::Instruction* instruction : llvm::reverse(without)) // users mostly come later
        std::ranges::any_of(instruction->users(), [&](const llvm::User* user) { return take(*instruction, user); });
    for (llvm::Instruction* instruction : without)
        if (lineOf(*instruction) == 0)
            std::ranges::any_of(instruction->operand_values(),
                                [&](const llvm::Value* operand) { return take(*instruction, operand); });
}

} // namespace

Result<KernelCode> compileFunction(const tir::PrimFunc& function, const CodegenOptions& options) {
    LATHE_TRY(auto machine, makeTargetMachine(options.target));
    Interruption interruption(options.checkpoint); // outlives the context that refers to it
    llvm::LLVMContext context;
    context.setOptPassGate(interruption);
    throwOnErrors(context);
    llvm::Module module(function.name, context);
    module.setTargetTriple(options.target.triple);
    module.setDataLayout(machine->createDataLayout());
    module.setPICLevel(llvm::PICLevel::BigPIC);
    ModuleEmitter emitter(module, function, options);
    emitter.run();
    interruption.check();
    verifyModule(module);
    optimize(module, *machine, interruption);
    interruption.check();
    for (llvm::Function& made : module)
        completeLines(made);
    KernelCode code;
    if (options.keepIr) {
        llvm::raw_string_ostream out(code.llvmIr);
        module.print(out, nullptr);
    }
    code.object = emitObject(*machine, module);
    interruption.check();
    code.lines = std::move(emitter.lines);
    return code;
}

} // namespace lathe::codegen
