// SPDX-License-Identifier: Apache-2.0
//
// A regular expression, compiled: what LATHE_STRING_MATCHES walks. A program is a list of instructions, the bytes of a string
// that is a constant of the model. Instruction 0 comes first. Read as a nondeterministic automaton, which takes all ways at
// once, it needs time in proportion to the text, and its size is in proportion to the expression's.
#pragma once

#include <cstdint>

namespace lathe::abi {

enum class MatchKind : uint8_t {
    Range,     // takes a byte within from … to, then next
    Split,     // goes on at next and at other
    Begin,     // goes on at next where the text begins
    End,       // … where it ends
    BeginLine, // … where it begins, and behind a newline
    EndLine,   // … where it ends, and before a newline
    Word,      // … where one of the two neighbours is a letter of ASCII, a digit or an underscore, and the other is not
    NoWord,    // … where it is not so
    Accept,    // matches, if the text ends here
};

struct MatchInstruction {
    MatchKind kind = MatchKind::Accept;
    uint8_t from = 0, to = 0;
    uint8_t reserved = 0;
    uint32_t next = 0, other = 0;
};
static_assert(sizeof(MatchInstruction) == 12);

} // namespace lathe::abi
