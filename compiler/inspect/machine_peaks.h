// SPDX-License-Identifier: Apache-2.0
//
// What this machine can do at most: the two figures that a roofline is made of, measured for one thread and for several.
// Measuring well takes a second, so the figures are kept in a file beside the kernel cache, and only looked at again for some
// tenths of a second each time: a peak that was measured beside other work rises when the machine shows more.
#pragma once

#include "base/machine_model.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lathe::inspect {

struct MachinePeaks {
    std::string cpu; // "AMD EPYC 7763 64-Core Processor"
    int threads = 1; // of `all`
    Peak one, all;

    const Peak& of(int count) const { return count == 1 ? one : all; }
};

/// The processor as the operating system calls it.
std::string cpuName();

/// The peaks of `threads` threads (0: all cores). keep: not below what the file says, and written there. A file that is
/// missing, damaged or unwritable only means that they are measured anew. What a kernel seems to reach is no measurement, as
/// its FLOPs are estimated: it raises nothing. Throws Cancelled (base/guarded.h) if `cancelled`, which may be empty, says
/// so.
MachinePeaks machinePeaks(int threads, bool keep, const std::function<bool()>& cancelled = {});

/// Keeps what one thread of this machine reads from beyond the caches in the time of a float32 multiply-add, in bytes, for
/// measuredBalance: in steps of half a power of two, so that a peak which rises a little changes no code. For who asks to
/// have the machine measured: peaks that are measured on the way, by a roofline or a study, keep none, for what is compiled
/// then would be other code than what was tuned.
void keepBalance(const MachinePeaks& peaks);
/// What was kept, of a target as users name it: nothing of any but "native", so that the same command gives the same bytes on
/// every host, and nothing if nobody has asked for it yet. Looks, and measures nothing.
std::optional<double> measuredBalance(std::string_view target);

/// 32 hexadecimal digits that were drawn when this machine was first asked for, and are kept with the peaks: two machines of
/// one class have others. Not to be kept, or nowhere to keep it: empty.
std::string machineInstance(bool keep);

} // namespace lathe::inspect
