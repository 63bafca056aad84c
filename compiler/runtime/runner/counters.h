// SPDX-License-Identifier: Apache-2.0
//
// Counters of the processor, over all threads of this process, between two moments. Where the machine does not give them, as
// in many virtual machines and containers, there is a reason instead.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lathe::runtime::runner {

class Counters {
public:
    /// Opens what the machine has, for the threads that there are now.
    Counters();
    ~Counters();
    Counters(const Counters&) = delete;
    Counters& operator=(const Counters&) = delete;

    /// errno of why there is none; 0: there are some.
    int error() const { return error_; }
    void start();
    void stop();
    struct Count {
        std::string_view name; // "instructions"
        double value = 0;      // where the processor counts fewer at a time than these, it is an estimate
    };
    std::vector<Count> read() const;

private:
    struct Event {
        size_t kind = 0; // what it counts
        int descriptor = -1;
    };
    std::vector<Event> events_; // of each thread
    int error_ = 0;
};

} // namespace lathe::runtime::runner
