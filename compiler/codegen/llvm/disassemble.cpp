// SPDX-License-Identifier: Apache-2.0
//
// The way back: from an object's instructions, through its line table, to the statements they came from.
#include "codegen/codegen.h"
#include "codegen/llvm/target_machine.h"

#include <algorithm>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/raw_ostream.h>

namespace lathe::codegen {
namespace {

constexpr unsigned intelSyntax = 1;

/// What the disassembler needs, for the object's own target with every feature on.
struct Tools {
    const llvm::Target* target = nullptr;
    std::unique_ptr<llvm::MCRegisterInfo> registers;
    std::unique_ptr<llvm::MCAsmInfo> assembler;
    std::unique_ptr<llvm::MCInstrInfo> instructions;
    std::unique_ptr<llvm::MCSubtargetInfo> features;
    std::unique_ptr<llvm::MCContext> context;
    std::unique_ptr<llvm::MCDisassembler> disassembler;
    std::unique_ptr<llvm::MCInstPrinter> printer;
    std::unique_ptr<llvm::MCInstrAnalysis> analysis;
};

Result<Tools> toolsFor(const llvm::object::ObjectFile& object) {
    initialiseTargets();
    const llvm::Triple triple = object.makeTriple();
    const bool x86 = triple.getArch() == llvm::Triple::x86_64;
    std::string features;
    if (triple.isAArch64()) {
        features = "+all";
    } else if (auto noted = object.getFeatures()) { // RISC-V's objects say which
        features = noted->getString();
    } else {
        llvm::consumeError(noted.takeError());
    }
    Tools m;
    std::string message, name = triple.str();
    m.target = llvm::TargetRegistry::lookupTarget(name, message);
    if (!m.target)
        return failure("cannot disassemble for " + name + ": " + message);
    m.registers.reset(m.target->createMCRegInfo(name));
    m.assembler.reset(m.target->createMCAsmInfo(*m.registers, name, llvm::MCTargetOptions()));
    m.instructions.reset(m.target->createMCInstrInfo());
    m.features.reset(m.target->createMCSubtargetInfo(name, "", features));
    m.context = std::make_unique<llvm::MCContext>(triple, m.assembler.get(), m.registers.get(), m.features.get());
    m.disassembler.reset(m.target->createMCDisassembler(*m.features, *m.context));
    m.printer.reset(
        m.target->createMCInstPrinter(triple, x86 ? intelSyntax : 0, *m.assembler, *m.instructions, *m.registers));
    m.analysis.reset(m.target->createMCInstrAnalysis(m.instructions.get()));
    m.printer->setPrintImmHex(false);
    return m;
}

/// Marks what lies between a backward branch's target and the branch.
void markLoops(std::vector<InstructionOrigin>& code, const std::vector<std::pair<uint64_t, uint64_t>>& backward) {
    for (const auto& [target, branch] : backward) {
        auto begin = std::ranges::lower_bound(code, target, {}, &InstructionOrigin::address);
        for (auto it = begin; it != code.end() && it->address <= branch; ++it)
            it->inLoop = true;
    }
}

/// Code generation adds instructions without a line: register moves, spills, padding. In a loop they count to the statement
/// of the instruction before them, at its start to that of the one behind.
void completeLines(std::vector<InstructionOrigin>& code) {
    const auto takeFrom = [](InstructionOrigin& entry, const InstructionOrigin& neighbour) {
        if (entry.line == 0 && entry.inLoop && neighbour.inLoop)
            entry.line = neighbour.line;
    };
    for (size_t i = 1; i < code.size(); ++i)
        takeFrom(code[i], code[i - 1]);
    for (size_t i = code.size(); i-- > 1;)
        takeFrom(code[i - 1], code[i]);
}

} // namespace

Result<std::vector<InstructionOrigin>> disassembleWithLines(const std::vector<std::byte>& object) {
    llvm::MemoryBufferRef buffer({reinterpret_cast<const char*>(object.data()), object.size()}, "kernel");
    auto file = llvm::object::ObjectFile::createObjectFile(buffer);
    if (!file)
        return failure("not an object file: " + llvm::toString(file.takeError()));
    LATHE_TRY(Tools machine, toolsFor(**file));
    std::unique_ptr<llvm::DWARFContext> debug = llvm::DWARFContext::create(**file);
    std::vector<InstructionOrigin> all;
    for (const llvm::object::SectionRef& section : (*file)->sections()) {
        if (!section.isText() || section.getSize() == 0)
            continue;
        auto contents = section.getContents();
        if (!contents) {
            llvm::consumeError(contents.takeError());
            continue;
        }
        llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t*>(contents->data()), contents->size());
        std::vector<InstructionOrigin> code;
        std::vector<std::pair<uint64_t, uint64_t>> backward;
        for (uint64_t at = 0; at < bytes.size();) {
            llvm::MCInst instruction;
            uint64_t size = 0;
            auto status = machine.disassembler->getInstruction(instruction, size, bytes.slice(at), at, llvm::nulls());
            if (status != llvm::MCDisassembler::Success) {
                at += std::max<uint64_t>(size, 1);
                continue;
            }
            InstructionOrigin entry;
            entry.address = section.getAddress() + at;
            llvm::raw_string_ostream out(entry.text);
            machine.printer->printInst(&instruction, entry.address, "", *machine.features, out);
            std::ranges::replace(entry.text, '\t', ' ');
            if (!entry.text.empty() && entry.text[0] == ' ')
                entry.text.erase(0, 1);
            llvm::DILineInfo line = debug->getLineInfoForAddress({entry.address, section.getIndex()});
            entry.line = static_cast<int>(line.Line);
            uint64_t target = 0;
            if (machine.analysis->isBranch(instruction) &&
                machine.analysis->evaluateBranch(instruction, entry.address, size, target) && target <= entry.address)
                backward.emplace_back(target, entry.address);
            code.push_back(std::move(entry));
            at += size;
        }
        markLoops(code, backward);
        completeLines(code);
        all.insert(all.end(), std::make_move_iterator(code.begin()), std::make_move_iterator(code.end()));
    }
    return all;
}

} // namespace lathe::codegen
