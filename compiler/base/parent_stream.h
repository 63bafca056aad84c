// SPDX-License-Identifier: Apache-2.0
//
// The other end of a ChildProcess: a worker's standard streams, over which it gets messages and answers them. Nothing else of
// the program can write there by accident, and the worker ends when its parent is gone.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lathe {

class ParentStream {
public:
    /// Takes the standard streams over: what is printed goes to standard error from then on. One a process.
    ParentStream();
    ParentStream(const ParentStream&) = delete;
    ParentStream& operator=(const ParentStream&) = delete;

    /// The next message, as ChildProcess::writeMessage sent it; false at the end, and for one of more than `limit` bytes.
    bool read(std::string& text, size_t limit = size_t{1} << 26) const;
    /// For ChildProcess::readMessage.
    bool write(std::string_view text) const;

private:
    int in_, out_;
};

} // namespace lathe
