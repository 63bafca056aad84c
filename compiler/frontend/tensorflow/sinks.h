// SPDX-License-Identifier: Apache-2.0
//
// Where a graph ends that does not say it.
#pragma once

#include "frontend/tensorflow/body.h"

namespace lathe::frontend::tensorflow {

/// The results of nodes whose results nothing reads, but of nodes that only check, save or print. Those that others wait
/// for, or that merely hand on what a loop or Switch gives, count if there are no others.
std::vector<Endpoint> sinksOf(const Body& graph);

} // namespace lathe::frontend::tensorflow
