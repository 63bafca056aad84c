// SPDX-License-Identifier: Apache-2.0
//
// What people call a call of a fused function: the layer that it works for, and its operators.
#pragma once

#include "driver/trace.h"

namespace lathe::inspect {

/// "/layer3/conv2/Conv · conv + add + relu": the display name of the first model node that the call works for, and what "fuse"
/// put into the function, where it ran. Names of models may be anything: whoever shows them makes one line of it.
std::string layerName(const driver::Trace& trace, int call);

} // namespace lathe::inspect
