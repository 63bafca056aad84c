// SPDX-License-Identifier: Apache-2.0
//
// How caches divide memory.
#pragma once

#include <cstdint>

namespace lathe {

inline constexpr int64_t lineBytes = 64; // of the machines that code is made for

} // namespace lathe
