// SPDX-License-Identifier: Apache-2.0
//
// Interned strings: equal ones are one, so generated code compares and moves them as numbers of 64 bits, their handles. The
// handle of the empty string is 0, so memory of zeros holds empty strings; any other is the address of its bytes, before
// which their number stands, and behind which a byte of 0. Used by one thread at a time; nothing throws.
#pragma once

#include "runtime/memory.h"

#include <cstdint>
#include <string_view>

namespace lathe::runtime {

class StringTable {
public:
    /// `other`, which may be null and outlives this, is asked first: what it has is not made again.
    StringTable(Memory& memory, const StringTable* other) : memory_(memory), other_(other), texts_(memory) {}
    ~StringTable();
    StringTable(const StringTable&) = delete;
    StringTable& operator=(const StringTable&) = delete;

    /// The string's handle, for as long as the table lives and is not cleared; 0, and lacked(), if there is no memory for it.
    uint64_t intern(std::string_view text);
    static std::string_view textOf(uint64_t handle);
    /// All handles of this table are none any more. Memory is kept, but for slots of which few were used.
    void clear();
    /// Whether a string was refused since clear().
    bool lacked() const { return lacked_; }
    int64_t memory() const { return texts_.reserved() + capacity_ * slotBytes; }

private:
    struct Record {
        uint64_t hash, bytes;
    };
    static constexpr int64_t slotBytes = sizeof(uint64_t);

    static uint64_t hashOf(std::string_view text);
    static const Record* recordOf(uint64_t handle);
    /// Where the string is or would be; capacity_ > 0.
    int64_t slotOf(std::string_view text, uint64_t hash) const;
    uint64_t find(std::string_view text, uint64_t hash) const; // 0: not here
    bool growSlots();
    /// Memory in one piece for a record.
    char* place(int64_t bytes);

    Memory& memory_;
    const StringTable* other_;
    Arena texts_;
    char* free_ = nullptr; // of a piece of texts_
    int64_t left_ = 0;
    uint64_t* slots_ = nullptr; // handles; 0: free
    int64_t capacity_ = 0;      // a power of two, or none
    int64_t count_ = 0;
    bool lacked_ = false;
};

} // namespace lathe::runtime
