// SPDX-License-Identifier: Apache-2.0
//
// What the entry's memory plan came to: each buffer of the run's memory with its place and its life. A record for people;
// the code has the same places as addresses.
#pragma once

#include "arith/expr.h"
#include "model/span.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::lower {

/// What a buffer holds.
struct BufferUse {
    enum class Kind : uint8_t {
        Value,     // of a binding
        Workspace, // of one kernel call
        Sizes,     // how large a result of a dynamic form is, and what its first kernel leaves for the second
        Control,   // what a branch or a loop gives, or hands from one iteration to the next
    } kind = Kind::Value;
    std::string name; // the model's value, where it is one; of a workspace the fused function
    model::Span span; // the nodes that make it
};
std::string_view toString(BufferUse::Kind kind); // "value", "workspace", "sizes", "control"

/// Sizes and places are over the symbols of the entry. The clock of a life is the kernel calls, by their ids.
struct PlacedBuffer {
    BufferUse use;
    arith::Expr bytes;
    arith::Expr offset; // from the bottom of the run's memory; null: only a run tells
    int firstCall = 0;  // the first that may write it
    int lastCall = 0;   // the last that may read it
};

} // namespace lathe::lower
