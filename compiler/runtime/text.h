// SPDX-License-Identifier: Apache-2.0
//
// What operators do with text, which is UTF-8 as a rule. Bytes that are none are taken for letters of their own and stay as they
// are. Only what takes a std::string throws, std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lathe::runtime {

/// Appends the text with the case of its letters changed (runtime/letter_case.h).
void appendLower(std::string_view text, std::string& to);
void appendUpper(std::string_view text, std::string& to);
/// The same of the letters of ASCII, and no others.
void appendAsciiLower(std::string_view text, std::string& to);
void appendAsciiUpper(std::string_view text, std::string& to);

/// The text from `begin` to `end`, in bytes; what lies outside of it is left out.
std::string_view partOf(std::string_view text, int64_t begin, int64_t end);
/// Where the piece begins that is looked for from `begin` on: there; between white space (an empty delimiter) behind it.
int64_t skipTo(std::string_view text, std::string_view delimiter, int64_t begin);
/// Where the piece ends that begins at `begin`: where the delimiter or white space comes, or where the text ends.
int64_t endOfPiece(std::string_view text, std::string_view delimiter, int64_t begin);

/// A float type: as many bits of a significand as it stores, and the exponent of its smallest normal number. float64: 52, -1022.
struct FloatForm {
    int significand, exponent;
};
/// Appends the shortest decimal that is read as `value`, a value of that type, and if there are several the nearest: written as
/// Python writes a float ("1.0", "1e-05", "inf"), whatever the type. (NumPy changed at which size float32 gets an exponent.)
void appendFloat(double value, FloatForm form, std::string& to);

/// A decimal number as C has it, an infinity or not a number, in any case, with blanks around; false if it is none.
bool readFloat64(std::string_view text, double& value);
/// The same, rounded once.
bool readFloat32(std::string_view text, float& value);
/// A decimal integer with blanks around, within int64, or uint64. Gives its 64 bits.
bool readInt(std::string_view text, bool isSigned, int64_t& value);

} // namespace lathe::runtime
