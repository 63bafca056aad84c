// SPDX-License-Identifier: Apache-2.0
//
// Upper and lower case of letters of all scripts, by Unicode's simple mappings: one letter becomes one. The tables are our own,
// since what the C library knows depends on the locales that a machine has.
#pragma once

#include <cstdint>

namespace lathe::runtime {

/// Of a code point; what has no other case stays.
int32_t lowerOf(int32_t letter);
int32_t upperOf(int32_t letter);

} // namespace lathe::runtime
