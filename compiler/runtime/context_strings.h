// SPDX-License-Identifier: Apache-2.0
//
// The strings of a context: those of the model's constants, which live as long as it does, and those of a run, its inputs and
// what it makes of them, which live until the next run begins.
#pragma once

#include "runtime/model.h"
#include "runtime/string_table.h"
#include "runtime/text_match.h"

#include <string>
#include <vector>

namespace lathe::runtime {

class ContextStrings {
public:
    /// Throws std::bad_alloc, where the context's memory is refused too.
    ContextStrings(const Model& model, Memory& memory);

    /// Forgets the strings of the run before.
    void startRun() {
        ofRun_.clear();
        lacked_ = false;
    }
    uint64_t intern(std::string_view text) { return ofRun_.intern(text); }
    /// A lathe_string_function of generated code.
    int64_t call(int32_t function, int64_t a, int64_t b, int64_t c) noexcept;
    /// Handles of a constant of strings; null for one of numbers.
    const void* constant(int32_t index) const;
    /// Whether a string of the run could not be made.
    bool lacked() const { return lacked_ || ofRun_.lacked(); }
    int64_t memory() const { return constants_.memory() + ofRun_.memory() + handles_.capacity(); }

private:
    int64_t compute(int32_t function, int64_t a, int64_t b, int64_t c);

    StringTable constants_, ofRun_;
    GrowingBuffer handles_;            // of all constants
    std::vector<int64_t> firstHandle_; // by constant; -1: numbers. Empty where there are no strings
    TextMatcher matcher_;
    std::string made_;
    bool lacked_ = false;
};

} // namespace lathe::runtime
