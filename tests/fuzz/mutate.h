// SPDX-License-Identifier: Apache-2.0
//
// Damage by seed: of bytes, of fields of a parsed model, of text.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace lathe::fuzz {

using Random = std::mt19937_64;

/// One to eight bytes or blocks changed, removed, repeated, or the end cut off.
std::string mutateBytes(std::string bytes, Random& random);
/// One to four fields of the ModelProto, anywhere in it: numbers to extremes, names swapped, messages removed, repeated,
/// copied over others of their kind.
std::string mutateFields(const std::string& model, Random& random);
/// Lines and tokens removed, repeated, swapped; numbers to extremes; brackets in excess.
std::string mutateText(std::string text, Random& random);

} // namespace lathe::fuzz
