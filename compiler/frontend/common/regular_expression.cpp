// SPDX-License-Identifier: Apache-2.0
//
// The automaton of an expression, by Thompson's construction: each part is made for what comes behind it, from the end on. Letters
// become the sequences of byte ranges that their UTF-8 has.
#include "frontend/common/regular_expression.h"

#include "frontend/common/expression_tree.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>

namespace lathe::frontend {
namespace {

using abi::MatchInstruction;
using abi::MatchKind;

constexpr size_t mostInstructions = size_t{1} << 17;

struct ByteRange {
    uint8_t from, to;
};

size_t utf8Bytes(int32_t letter) {
    return letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
}

std::array<uint8_t, 4> utf8Of(int32_t letter) {
    const size_t bytes = utf8Bytes(letter);
    std::array<uint8_t, 4> result{};
    for (size_t i = bytes; i-- > 1; letter >>= 6)
        result[i] = static_cast<uint8_t>(0x80 | (letter & 0x3f));
    constexpr uint8_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    result[0] = static_cast<uint8_t>(marks[bytes] | letter);
    return result;
}

/// The letters as sequences of byte ranges, each of one length: a range is split until all of its first bytes go with all of the
/// bytes behind them.
std::vector<std::vector<ByteRange>> sequencesOf(const std::vector<Letters>& letters) {
    std::vector<std::vector<ByteRange>> result;
    std::vector<Letters> open(letters.rbegin(), letters.rend());
    while (!open.empty()) {
        const Letters range = open.back();
        open.pop_back();
        const auto splitBehind = [&](int32_t last) {
            open.push_back({last + 1, range.last});
            open.push_back({range.first, last});
        };
        constexpr int32_t lastOfLength[] = {0x7f, 0x7ff, 0xffff};
        const auto* const border =
            std::ranges::find_if(lastOfLength, [&](int32_t last) { return range.first <= last && last < range.last; });
        if (border != std::end(lastOfLength)) {
            splitBehind(*border);
            continue;
        }
        bool split = false;
        for (size_t i = 1; i < utf8Bytes(range.first) && !split; ++i) {
            const int32_t low = (1 << (6 * i)) - 1; // bits of the last i bytes
            split =
                (range.first & ~low) != (range.last & ~low) && ((range.first & low) != 0 || (range.last & low) != low);
            if (split)
                splitBehind((range.first & low) != 0 ? range.first | low : (range.last & ~low) - 1);
        }
        if (split)
            continue;
        const auto first = utf8Of(range.first), last = utf8Of(range.last);
        std::vector<ByteRange> sequence;
        for (size_t i = 0; i < utf8Bytes(range.first); ++i)
            sequence.push_back({first[i], last[i]});
        result.push_back(std::move(sequence));
    }
    return result;
}

class ProgramMaker {
public:
    /// The instructions; none if they would be too many.
    std::vector<MatchInstruction> make(const Expression& expression) {
        program_.emplace_back(); // the first, which leads to where it begins
        const uint32_t begin = emit(expression, add({.kind = MatchKind::Accept}));
        program_[0] = {.kind = MatchKind::Split, .next = begin, .other = begin};
        if (isFull())
            program_.clear();
        return std::move(program_);
    }

private:
    std::vector<MatchInstruction> program_;

    bool isFull() const { return program_.size() > mostInstructions; }

    uint32_t add(MatchInstruction instruction) {
        program_.push_back(instruction);
        return static_cast<uint32_t>(program_.size() - 1);
    }
    uint32_t split(uint32_t next, uint32_t other) {
        return add({.kind = MatchKind::Split, .next = next, .other = other});
    }
    uint32_t range(ByteRange bytes, uint32_t next) {
        return add({.kind = MatchKind::Range, .from = bytes.from, .to = bytes.to, .next = next});
    }

    /// Where the part begins that goes on at `next`.
    uint32_t emit(const Expression& expression, uint32_t next) {
        if (isFull())
            return next;
        switch (expression.kind) {
        case Expression::Kind::Sequence:
            for (size_t i = expression.parts.size(); i-- > 0;)
                next = emit(expression.parts[i], next);
            return next;
        case Expression::Kind::Choice: {
            uint32_t begin = emit(expression.parts.back(), next);
            for (size_t i = expression.parts.size() - 1; i-- > 0;)
                begin = split(emit(expression.parts[i], next), begin);
            return begin;
        }
        case Expression::Kind::Repeated:
            return repeat(expression, next);
        case Expression::Kind::OneOf:
            return oneOf(expression.letters, next);
        case Expression::Kind::AnyByte:
            return range({0, 0xff}, next);
        case Expression::Kind::Condition:
            return add({.kind = expression.condition, .next = next});
        }
        return next;
    }

    uint32_t repeat(const Expression& expression, uint32_t next) {
        const Expression& part = expression.parts.front();
        uint32_t begin = next;
        if (expression.most < 0) {
            begin = split(next, next);
            const uint32_t again = emit(part, begin);
            program_[begin].next = again;
        }
        for (int i = expression.least; i < expression.most && !isFull(); ++i)
            begin = split(emit(part, begin), next);
        for (int i = 0; i < expression.least && !isFull(); ++i) {
            const size_t before = program_.size();
            begin = emit(part, begin);
            if (program_.size() == before)
                break; // nothing, which is the same however often; nested, its repetitions would have no end
        }
        return begin;
    }

    uint32_t oneOf(const std::vector<Letters>& letters, uint32_t next) {
        const auto sequences = sequencesOf(letters);
        uint32_t begin = 0;
        bool isFirst = true;
        for (const std::vector<ByteRange>& sequence : sequences) {
            uint32_t way = next;
            for (size_t i = sequence.size(); i-- > 0;)
                way = range(sequence[i], way);
            begin = isFirst ? way : split(way, begin);
            isFirst = false;
        }
        return isFirst ? range({1, 0}, next) : begin; // of no letters: a byte that there is not
    }
};

} // namespace

Result<std::string> compileExpression(std::string_view expression) {
    LATHE_TRY(const Expression tree, parseExpression(expression));
    const std::vector<MatchInstruction> program = ProgramMaker().make(tree);
    if (program.empty())
        return failure(ErrorKind::Unsupported,
                       fmt::format("the regular expression '{}' needs over {} steps", expression, mostInstructions),
                       "repeat less in it");
    std::string bytes(program.size() * sizeof(MatchInstruction), '\0');
    std::memcpy(bytes.data(), program.data(), bytes.size());
    return bytes;
}

} // namespace lathe::frontend
