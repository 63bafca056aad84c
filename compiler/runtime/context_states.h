// SPDX-License-Identifier: Apache-2.0
//
// What a context keeps from one run to the next: the model's states. Each has two pieces of memory, one that a run reads and
// one that it writes, and a run that succeeded exchanges them: one that failed half-way has changed nothing.
#pragma once

#include "runtime/memory.h"
#include "runtime/model.h"

#include <vector>

namespace lathe::runtime {

class ContextStates {
public:
    /// All as the model begins. Throws std::bad_alloc, where the context's memory is refused too.
    ContextStates(const Model& model, Memory& memory);

    int32_t count() const { return static_cast<int32_t>(states_.size()); }
    /// As the model begins again.
    void reset();
    /// A tensor that was checked becomes the state's value.
    void set(int32_t index, const DLTensor& tensor);
    /// What the next run reads, and where it writes.
    void* now(int32_t index) const { return memoryOf(index, second_); }
    void* next(int32_t index) const { return memoryOf(index, !second_); }
    int64_t bytes(int32_t index) const { return states_[static_cast<size_t>(index)].bytes; }
    /// What was written is what will be read.
    void advance() { second_ = !second_; }
    /// Of all of them.
    int64_t memory() const;

private:
    struct State {
        int64_t bytes;
        GrowingBuffer first, second;
    };

    void* memoryOf(int32_t index, bool second) const;

    const Model& model_;
    std::vector<State> states_;
    bool second_ = false; // which of the two pieces is read next
};

} // namespace lathe::runtime
