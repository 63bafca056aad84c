// SPDX-License-Identifier: Apache-2.0
//
// Texts from outside for people. Names in models are any bytes: a line break would end the line that a name stands in, an
// escape sequence work on the terminal, and a mark of direction turn the text around it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lathe {

/// Length of the well-formed UTF-8 sequence of a printable character at the beginning of a text; 0: there is none.
size_t printableSequence(std::string_view text);

/// On one line, with \n, \t and \xNN for what is not printable.
std::string printable(std::string_view text);

} // namespace lathe
