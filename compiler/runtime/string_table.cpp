// SPDX-License-Identifier: Apache-2.0
//
// A hash table with open addressing, at most half full, over records that lie in pieces of an arena.
#include "runtime/string_table.h"

#include "runtime/content_hash.h"

#include <algorithm>
#include <cstring>

namespace lathe::runtime {

namespace {

constexpr int64_t smallPieces = 16 << 10; // of many small records
constexpr int64_t firstSlots = 64;

} // namespace

StringTable::~StringTable() {
    memory_.release(slots_, capacity_ * slotBytes);
}

uint64_t StringTable::hashOf(std::string_view text) {
    ContentHash hash;
    hash.add(text.data(), text.size());
    return hash.finish();
}

const StringTable::Record* StringTable::recordOf(uint64_t handle) {
    return reinterpret_cast<const Record*>(handle - sizeof(Record));
}

std::string_view StringTable::textOf(uint64_t handle) {
    return handle == 0 ? std::string_view("")
                       : std::string_view(reinterpret_cast<const char*>(handle), recordOf(handle)->bytes);
}

int64_t StringTable::slotOf(std::string_view text, uint64_t hash) const {
    auto slot = static_cast<int64_t>(hash & static_cast<uint64_t>(capacity_ - 1));
    while (slots_[slot] != 0 && (recordOf(slots_[slot])->hash != hash || textOf(slots_[slot]) != text))
        slot = (slot + 1) & (capacity_ - 1);
    return slot;
}

uint64_t StringTable::find(std::string_view text, uint64_t hash) const {
    return capacity_ == 0 ? 0 : slots_[slotOf(text, hash)];
}

bool StringTable::growSlots() {
    const int64_t capacity = std::max(firstSlots, capacity_ * 2);
    auto* slots = static_cast<uint64_t*>(memory_.allocate(capacity * slotBytes));
    if (!slots)
        return false;
    std::fill_n(slots, capacity, uint64_t{0});
    for (int64_t i = 0; i < capacity_; ++i) {
        if (slots_[i] == 0)
            continue;
        auto slot = static_cast<int64_t>(recordOf(slots_[i])->hash & static_cast<uint64_t>(capacity - 1));
        while (slots[slot] != 0)
            slot = (slot + 1) & (capacity - 1);
        slots[slot] = slots_[i];
    }
    memory_.release(slots_, capacity_ * slotBytes);
    slots_ = slots;
    capacity_ = capacity;
    return true;
}

char* StringTable::place(int64_t bytes) {
    if (bytes > smallPieces / 4)
        return static_cast<char*>(texts_.push(bytes));
    if (bytes > left_) {
        free_ = static_cast<char*>(texts_.push(smallPieces));
        left_ = free_ ? smallPieces : 0;
    }
    if (!free_)
        return nullptr;
    char* const result = free_;
    free_ += bytes;
    left_ -= bytes;
    return result;
}

uint64_t StringTable::intern(std::string_view text) {
    if (text.empty())
        return 0;
    const uint64_t hash = hashOf(text);
    if (const uint64_t known = other_ ? other_->find(text, hash) : 0)
        return known;
    if (const uint64_t known = find(text, hash))
        return known;
    constexpr auto unit = static_cast<int64_t>(alignof(Record));
    const bool isLong = text.size() > static_cast<uint64_t>(limits::pieceBytes);
    const int64_t bytes =
        isLong ? -1 : (static_cast<int64_t>(sizeof(Record) + text.size() + 1) + unit - 1) / unit * unit;
    char* const record = bytes > 0 && (count_ * 2 < capacity_ || growSlots()) ? place(bytes) : nullptr;
    if (!record) {
        lacked_ = true;
        return 0;
    }
    const Record head{hash, text.size()};
    std::memcpy(record, &head, sizeof head);
    std::memcpy(record + sizeof head, text.data(), text.size());
    record[sizeof head + text.size()] = '\0';
    const auto handle = reinterpret_cast<uint64_t>(record + sizeof head);
    slots_[slotOf(text, hash)] = handle;
    ++count_;
    return handle;
}

void StringTable::clear() {
    if (count_ < capacity_ / 16 &&
        capacity_ > firstSlots) { // one run had many: not all others are to clear as many slots
        memory_.release(slots_, capacity_ * slotBytes);
        slots_ = nullptr;
        capacity_ = 0;
    } else if (count_ > 0) {
        std::fill_n(slots_, capacity_, uint64_t{0});
    }
    count_ = 0;
    texts_.endRun(); // one chunk next time, if it took several
    texts_.startRun();
    free_ = nullptr;
    left_ = 0;
    lacked_ = false;
}

} // namespace lathe::runtime
