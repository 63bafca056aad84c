// SPDX-License-Identifier: Apache-2.0
//
// Sentences about what went wrong, in storage of fixed size: to say that memory is short must not need memory.
#pragma once

#include "runtime/lathe_rt.h"

#include <cstddef>
#include <cstdint>

namespace lathe::runtime {

class ErrorText {
public:
    /// printf. Longer text ends in "…". Gives `status` back, so that a caller can return it at once.
    lathe_status set(lathe_status status, const char* format, ...) __attribute__((format(printf, 3, 4)));
    void append(const char* format, ...) __attribute__((format(printf, 2, 3)));
    void clear() { text_[0] = '\0'; }
    const char* c_str() const { return text_; }

private:
    char text_[1024] = "";
};

/// The calling thread's, for calls without a context.
ErrorText& threadError();

/// What an entry noted with `fail`.
struct Failure {
    bool noted = false;
    int32_t call = -1;
    int32_t status = 0;
};

/// Fills text and node ("" if none) from the model's tables; call and status may be any numbers.
lathe_status describeFailure(const lathe_model_desc& desc, const Failure& failure, ErrorText& text, ErrorText& node);

} // namespace lathe::runtime
