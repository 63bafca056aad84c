// SPDX-License-Identifier: Apache-2.0
//
// What generated code carries around: which context runs, and on which of its threads.
#pragma once

#include <cstdint>

namespace lathe::runtime {
class Context;
}

struct lathe_exec {
    lathe::runtime::Context* context;
    int32_t thread; // 0: the caller of lathe_run
    bool inRegion;  // in a chunk of a parallel region: regions within run inline, and the arena is out of reach
};
