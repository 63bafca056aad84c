// SPDX-License-Identifier: Apache-2.0
//
// What the loops of machine code consist of: whether the loop that does the work is what a schedule was meant to give.
#pragma once

#include "base/target.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::testing {

/// Instructions of a loop without a branch inside.
struct LoopCount {
    int multiplyAdds = 0; // fused
    int wide = 0;         // of these, on the registers asked for
    int stack = 0;        // with an operand on the stack
};

/// How a machine's instructions read.
struct Assembly {
    Architecture architecture;
    std::string_view registers; // that multiply-adds should work on: stands in their text

    explicit Assembly(const Target& target)
        : architecture(target.architecture),
          registers(architecture == Architecture::X86_64    ? (target.vectorBits == 512 ? "zmm" : "ymm")
                    : architecture == Architecture::AArch64 ? (target.scalableBits > 0 ? " z" : ".4s")
                    : target.scalableBits > 0               ? "vf"
                                                            : "fmadd") {}

    bool isBranch(std::string_view text) const {
        switch (architecture) {
        case Architecture::X86_64:
            return text.starts_with('j');
        case Architecture::AArch64: // "bsl" is none
            return startsWithAny(text, {"b.", "b ", "cbz", "cbnz", "tbz", "tbnz"});
        case Architecture::RiscV64:
            return text.starts_with('b') || text.starts_with("j ");
        }
        return false;
    }
    bool isFused(std::string_view text) const {
        return architecture == Architecture::X86_64    ? startsWithAny(text, {"vfmadd", "vfnmadd"})
               : architecture == Architecture::AArch64 ? startsWithAny(text, {"fmla", "fmad", "fmls"})
                                                       : startsWithAny(text, {"vfmacc", "vfmadd", "vfnmsac", "fmadd"});
    }
    static bool startsWithAny(std::string_view text, std::initializer_list<std::string_view> names) {
        return std::ranges::any_of(names, [&](std::string_view name) { return text.starts_with(name); });
    }
    bool isOnStack(std::string_view text) const {
        return text.find(architecture == Architecture::X86_64    ? "rsp"
                         : architecture == Architecture::AArch64 ? "[sp"
                                                                 : "(sp)") != std::string_view::npos;
    }
};

/// Loops that hold a multiply-add and no branch, found by their backward jump ("jl -110", "b.lt #-164", "bne a0, a1, -106":
/// from the next instruction on x86-64, elsewhere from the jump itself). Instruction: has `address`, `text` as
/// codegen::disassembleWithLines gives it, and `inLoop`.
template <class Instruction>
std::vector<LoopCount> hotLoops(const std::vector<Instruction>& code, const Target& target) {
    const Assembly assembly(target);
    std::vector<LoopCount> loops;
    for (size_t end = 0; end + 1 < code.size(); ++end) {
        const std::string& jump = code[end].text;
        if (!assembly.isBranch(jump) || !code[end].inLoop)
            continue;
        const int64_t offset = std::strtoll(jump.c_str() + jump.find_last_of(" #") + 1, nullptr, 10);
        if (offset >= 0)
            continue;
        const size_t from = target.architecture == Architecture::X86_64 ? end + 1 : end;
        const uint64_t begin = code[from].address + static_cast<uint64_t>(offset);
        LoopCount count;
        bool innermost = true;
        for (size_t i = end; i-- > 0 && code[i].address >= begin;) {
            const std::string_view text = code[i].text;
            innermost = innermost && !assembly.isBranch(text);
            const bool fused = assembly.isFused(text);
            count.multiplyAdds += fused;
            count.wide += fused && text.find(assembly.registers) != std::string_view::npos;
            count.stack += assembly.isOnStack(text);
        }
        if (innermost && count.multiplyAdds > 0)
            loops.push_back(count);
    }
    return loops;
}

} // namespace lathe::testing
