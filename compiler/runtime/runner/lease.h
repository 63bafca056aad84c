// SPDX-License-Identifier: Apache-2.0
//
// One who measures on a device at a time: a lock on a file in its temporary folder, in which stands who holds it. The system
// gives the lock up with the process, however that ends.
#pragma once

#include <string>

namespace lathe::runtime::runner {

class Lease {
public:
    /// Removes the file of a process that was killed while it held it.
    explicit Lease(const std::string& folder);
    ~Lease() { release(); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    /// Empty: it is held from now on, or there is no place for the file, and nobody can hold it. Else who holds it.
    std::string take(const std::string& who);
    /// Removes the file as well. May be called by a handler of signals.
    void release();

private:
    std::string path_;
    int descriptor_ = -1;
};

} // namespace lathe::runtime::runner
