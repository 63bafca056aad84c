// SPDX-License-Identifier: Apache-2.0
//
// What the loops of machine code consist of: whether the loop that does the work is what a schedule was meant to give.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace lathe::testing {

/// Instructions of a loop without a branch inside.
struct LoopCount {
    int multiplyAdds = 0; // fused
    int wide = 0;         // of these, on the registers asked for
    int stack = 0;        // with an operand on the stack
};

/// Loops that hold a multiply-add and no branch, found by their backward jump ("jl -110", from the next instruction).
/// Instruction: has `address`, `text` (Intel syntax) and `inLoop`. `registers`: "ymm", "zmm".
template <class Instruction>
std::vector<LoopCount> hotLoops(const std::vector<Instruction>& code, std::string_view registers) {
    std::vector<LoopCount> loops;
    for (size_t end = 0; end + 1 < code.size(); ++end) {
        if (code[end].text.empty() || code[end].text[0] != 'j' || !code[end].inLoop)
            continue;
        const int64_t offset = std::strtoll(code[end].text.c_str() + code[end].text.find(' '), nullptr, 10);
        if (offset >= 0)
            continue;
        const uint64_t target = code[end + 1].address + static_cast<uint64_t>(offset);
        LoopCount count;
        bool innermost = true;
        for (size_t i = end; i-- > 0 && code[i].address >= target;) {
            const std::string_view text = code[i].text;
            innermost = innermost && !text.starts_with('j');
            const bool fused = text.starts_with("vfmadd") || text.starts_with("vfnmadd");
            count.multiplyAdds += fused;
            count.wide += fused && text.find(registers) != std::string_view::npos;
            count.stack += text.find("rsp") != std::string_view::npos;
        }
        if (innermost && count.multiplyAdds > 0)
            loops.push_back(count);
    }
    return loops;
}

} // namespace lathe::testing
