// SPDX-License-Identifier: Apache-2.0
//
// Choices of TensorFlow 1: Switch hands a value to one of two ways, Merge takes it from whichever was gone.
#pragma once

#include "frontend/tensorflow/body.h"

#include <map>

namespace lathe::frontend::tensorflow {

/// Puts a node that chooses between two bodies in place of each of these Merges, which come in an order in which inner
/// ones are before those around them.
void gatherChoices(Body& body, const std::vector<int>& merges);

/// Puts an endpoint in place of another wherever it is read.
void replaceEndpoints(Body& body, const std::map<Endpoint, Endpoint>& others);

} // namespace lathe::frontend::tensorflow
