// SPDX-License-Identifier: Apache-2.0
//
// Whether a regular expression matches a whole text: walks a program of abi/match_program.h.
#pragma once

#include "abi/match_program.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lathe::runtime {

class TextMatcher {
public:
    /// A program may be any bytes: one that is none matches nothing. Throws std::bad_alloc. Takes time and memory of the
    /// program's size times the text's at most, and memory of the program's alone.
    bool matches(std::string_view text, std::string_view program);

private:
    /// Instructions that are reached, each once.
    struct Reached {
        std::vector<uint32_t> instructions;
        std::vector<uint32_t> round; // by instruction: when it was reached last
        uint32_t now = 0;
    };

    abi::MatchInstruction at(uint32_t index) const;
    /// Adds what is reached from an instruction without taking a byte, at a place of the text.
    void follow(uint32_t first, size_t place, Reached& reached);
    bool holds(abi::MatchKind kind, size_t place) const;

    std::string_view text_, program_;
    uint32_t count_ = 0;
    Reached current_, next_;
    std::vector<uint32_t> open_;
};

} // namespace lathe::runtime
