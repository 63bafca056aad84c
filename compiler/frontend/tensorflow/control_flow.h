// SPDX-License-Identifier: Apache-2.0
//
// Loops and choices of TensorFlow 1 are webs of nodes: Enter, Merge, Switch, NextIteration and Exit make a loop, Switch
// and Merge a choice. Here each becomes one node with bodies, as TensorFlow 2 writes them. Which nodes belong together
// follows from edges and the names of frames alone, never from the names of nodes.
#pragma once

#include "frontend/tensorflow/body.h"

namespace lathe::frontend::tensorflow {

/// Puts loops and choices in place of their parts, as far as `body.results` need them. What cannot be understood is a
/// fault of the node that it begins at.
void gatherControlFlow(Body& body);

} // namespace lathe::frontend::tensorflow
