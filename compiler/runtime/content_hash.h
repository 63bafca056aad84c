// SPDX-License-Identifier: Apache-2.0
//
// The hash of code and constants that artifacts carry: XXH3 (github.com/Cyan4973/xxHash), 64 bits. It tells damage,
// not malice: who may write the file may write the hash.
#pragma once

#include <cstddef>
#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lathe::runtime {

class ContentHash {
public:
    ContentHash() { XXH3_64bits_reset(&state_); }
    void add(const void* bytes, size_t count) { XXH3_64bits_update(&state_, bytes, count); }
    uint64_t finish() const { return XXH3_64bits_digest(&state_); }

private:
    XXH3_state_t state_;
};

} // namespace lathe::runtime
