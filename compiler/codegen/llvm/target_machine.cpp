// SPDX-License-Identifier: Apache-2.0
//
// Targets and handlers are initialised once, whichever thread comes first.
#include "codegen/llvm/target_machine.h"

#include "codegen/target.h"

#include <fmt/format.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Triple.h>
#include <mutex>

namespace lathe::codegen {

namespace {

// libLLVM is built without exceptions but with unwind tables, so that these pass through it; what its own frames hold is
// lost. It is the last resort: what is known to end here is checked beforehand (codegen/target.h).
[[noreturn]] void fatalError(void*, const char* reason, bool) {
    throw InternalError(fmt::format("LLVM cannot go on: {}", reason));
}

/// As operator new does, of which LLVM makes no use here.
[[noreturn]] void outOfMemory(void*, const char*, bool) {
    if (const std::new_handler handler = std::get_new_handler())
        handler();
    throw std::bad_alloc();
}

} // namespace

void initialiseTargets() {
    static std::once_flag once;
    std::call_once(once, [] {
        llvm::install_fatal_error_handler(fatalError);
        llvm::install_bad_alloc_error_handler(outOfMemory);
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        LLVMInitializeX86Disassembler();
        LLVMInitializeAArch64TargetInfo();
        LLVMInitializeAArch64Target();
        LLVMInitializeAArch64TargetMC();
        LLVMInitializeAArch64AsmPrinter();
        LLVMInitializeAArch64Disassembler();
        LLVMInitializeRISCVTargetInfo();
        LLVMInitializeRISCVTarget();
        LLVMInitializeRISCVTargetMC();
        LLVMInitializeRISCVAsmPrinter();
        LLVMInitializeRISCVDisassembler();
    });
}

void throwOnErrors(llvm::LLVMContext& context) {
    context.setDiagnosticHandlerCallBack([](const llvm::DiagnosticInfo* info, void*) {
        if (info->getSeverity() != llvm::DS_Error)
            return;
        std::string text;
        llvm::raw_string_ostream out(text);
        llvm::DiagnosticPrinterRawOStream printer(out);
        info->print(printer);
        throw InternalError("LLVM refuses the code: " + text);
    });
}

Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const Target& target) {
    LATHE_CHECKED(parseTarget(toString(target)));
    std::string message;
    const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target.triple, message);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // fused only where the IR says `contract`
    if (target.architecture == Architecture::RiscV64)
        options.MCOptions.ABIName = "lp64d"; // Linux's; LLVM's own choice is that without registers for floats
    std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(target.triple, target.cpu, target.features,
                                                                            options, llvm::Reloc::PIC_, std::nullopt,
                                                                            llvm::CodeGenOptLevel::Default));
    if (!machine)
        return failure(fmt::format("cannot make code for '{}' cpu '{}'", target.triple, target.cpu));
    return machine;
}

std::vector<std::byte> emitObject(llvm::TargetMachine& machine, llvm::Module& module) {
    llvm::SmallVector<char, 0> buffer;
    llvm::raw_svector_ostream out(buffer);
    llvm::legacy::PassManager passes;
    const bool refused = machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile,
                                                     /*DisableVerify=*/true);
    LATHE_ASSERT(!refused, "LLVM cannot emit this kind of file");
    passes.run(module);
    const auto* begin = reinterpret_cast<const std::byte*>(buffer.data());
    return {begin, begin + buffer.size()};
}

void verifyModule(const llvm::Module& module) {
    std::string message;
    llvm::raw_string_ostream out(message);
    bool broken = llvm::verifyModule(module, &out);
    LATHE_ASSERT(!broken, "LLVM rejects the code of " + module.getModuleIdentifier() + ": " + message);
}

} // namespace lathe::codegen
