// SPDX-License-Identifier: Apache-2.0
//
// A regular expression as a tree, between its parser and what makes a program of it.
#pragma once

#include "abi/match_program.h"
#include "base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace lathe::frontend {

/// Code points from first to last.
struct Letters {
    int32_t first = 0, last = 0;
};

struct Expression {
    enum class Kind {
        Sequence, // of parts, one after the other; without any it matches nothing but the empty text
        Choice,   // between parts
        Repeated, // the one part, `least` to `most` times
        OneOf,    // a letter of `letters`, which are sorted and apart
        AnyByte,
        Condition, // on the place: `condition`
    };
    Kind kind = Kind::Sequence;
    std::vector<Expression> parts = {};
    int least = 0, most = 0; // most -1: any number
    std::vector<Letters> letters = {};
    abi::MatchKind condition = abi::MatchKind::Begin;
};

inline constexpr int32_t lastLetter = 0x10ffff;

/// Fails for what is malformed, with the place, and as Unsupported for what regular_expression.h names. No deeper than 200.
Result<Expression> parseExpression(std::string_view text);

} // namespace lathe::frontend
