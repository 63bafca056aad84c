// SPDX-License-Identifier: Apache-2.0
//
// Which CPUs a measurement runs on.
#pragma once

#include <sched.h>
#include <vector>

namespace lathe::runtime::runner {

struct Cpu {
    int number = 0;
    int core = 0; // CPUs of one core share what computes
};

/// `count` of them to measure on, or as many as there are: one of each core before a second one of any, from the last on, since
/// the first ones serve interrupts and whoever asked.
std::vector<int> cpusToMeasureOn(std::vector<Cpu> allowed, int count);

/// Those that the mask allows, with their cores as the system tells them.
std::vector<Cpu> cpusOf(const cpu_set_t& mask);

} // namespace lathe::runtime::runner
