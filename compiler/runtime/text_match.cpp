// SPDX-License-Identifier: Apache-2.0
//
// Thompson's simulation: all states that a text's beginning can lead to, byte by byte.
#include "runtime/text_match.h"

#include <cstring>
#include <limits>
#include <utility>

namespace lathe::runtime {

using abi::MatchInstruction;
using abi::MatchKind;

namespace {

bool isWordByte(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
}

} // namespace

MatchInstruction TextMatcher::at(uint32_t index) const {
    MatchInstruction instruction;
    std::memcpy(&instruction, program_.data() + size_t{index} * sizeof instruction, sizeof instruction);
    return instruction;
}

bool TextMatcher::holds(MatchKind kind, size_t place) const {
    const bool begins = place == 0, ends = place == text_.size();
    const bool isWord = (!begins && isWordByte(text_[place - 1])) != (!ends && isWordByte(text_[place]));
    switch (kind) {
    case MatchKind::Begin:
        return begins;
    case MatchKind::End:
        return ends;
    case MatchKind::BeginLine:
        return begins || text_[place - 1] == '\n';
    case MatchKind::EndLine:
        return ends || text_[place] == '\n';
    case MatchKind::Word:
        return isWord;
    case MatchKind::NoWord:
        return !isWord;
    default:
        return false;
    }
}

void TextMatcher::follow(uint32_t first, size_t place, Reached& reached) {
    open_.assign(1, first);
    while (!open_.empty()) {
        const uint32_t index = open_.back();
        open_.pop_back();
        if (index >= count_ || reached.round[index] == reached.now)
            continue;
        reached.round[index] = reached.now;
        const MatchInstruction instruction = at(index);
        if (instruction.kind == MatchKind::Range || instruction.kind == MatchKind::Accept) {
            reached.instructions.push_back(index);
            continue;
        }
        if (instruction.kind == MatchKind::Split)
            open_.push_back(instruction.other);
        if (instruction.kind == MatchKind::Split || holds(instruction.kind, place))
            open_.push_back(instruction.next);
    }
}

bool TextMatcher::matches(std::string_view text, std::string_view program) {
    if (program.empty() || program.size() % sizeof(MatchInstruction) != 0 ||
        program.size() / sizeof(MatchInstruction) >= std::numeric_limits<uint32_t>::max())
        return false;
    text_ = text;
    program_ = program;
    count_ = static_cast<uint32_t>(program.size() / sizeof(MatchInstruction));
    for (Reached* reached : {&current_, &next_}) {
        reached->instructions.clear();
        reached->round.assign(count_, 0);
        reached->now = 1;
    }
    follow(0, 0, current_);
    for (size_t place = 0; place < text.size() && !current_.instructions.empty(); ++place) {
        const auto byte = static_cast<uint8_t>(text[place]);
        next_.instructions.clear();
        if (++next_.now == 0) { // after 2^32 bytes: what was reached then must not look like now
            next_.round.assign(count_, 0);
            next_.now = 1;
        }
        for (const uint32_t index : current_.instructions)
            if (const MatchInstruction instruction = at(index);
                instruction.kind == MatchKind::Range && byte >= instruction.from && byte <= instruction.to)
                follow(instruction.next, place + 1, next_);
        std::swap(current_, next_);
    }
    for (const uint32_t index : current_.instructions)
        if (at(index).kind == MatchKind::Accept)
            return true;
    return false;
}

} // namespace lathe::runtime
