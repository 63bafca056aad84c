// SPDX-License-Identifier: Apache-2.0
//
// How a value stands in a frame: a tensor, or a list or an optional of values.
#pragma once

#include "runtime/lathe_rt.h"
#include "runtime/runner/protocol.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace lathe::runtime::runner {

/// The elements of a tensor of strings, of what a frame has of it, where their text stays. False if those are not as many.
bool readStrings(std::span<const std::byte> packed, const DLTensor& tensor, std::vector<lathe_string>& texts);
std::vector<std::byte> packedStrings(const DLTensor& tensor);

/// A value that was read, with what it points to; its elements, of strings their text, stay where the frame has them.
class ReadValue {
public:
    /// False if it is malformed.
    bool read(protocol::Reader& reader, lathe_value& value, int depth = 0);

private:
    std::deque<std::vector<lathe_value>> lists_;
    std::deque<std::vector<int64_t>> dims_;
    std::deque<std::vector<lathe_string>> strings_;
};

void writeValue(protocol::Writer& reply, const lathe_value& value);
/// How much that is, about; more than a frame may have where it cannot be counted.
uint64_t writtenBytes(const lathe_value& value);

} // namespace lathe::runtime::runner
