// SPDX-License-Identifier: Apache-2.0
//
// How a value stands in a frame: a tensor, or a list or an optional of values.
#pragma once

#include "runtime/lathe_rt.h"
#include "runtime/runner/protocol.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace lathe::runtime::runner {

/// A value that was read, with what it points to; its elements stay where the frame has them.
class ReadValue {
public:
    /// False if it is malformed.
    bool read(protocol::Reader& reader, lathe_value& value, int depth = 0);

private:
    std::deque<std::vector<lathe_value>> lists_;
    std::deque<std::vector<int64_t>> dims_;
};

void writeValue(protocol::Writer& reply, const lathe_value& value);
/// How much that is, about; more than a frame may have where it cannot be counted.
uint64_t writtenBytes(const lathe_value& value);

} // namespace lathe::runtime::runner
