// SPDX-License-Identifier: Apache-2.0
//
// Axes that lie side by side in everything a computation reads and writes along them are one axis: rows of an image under
// a 1×1 convolution, the batch and the rows of a matrix product. Tiles then cross the border between them.
#pragma once

#include "te/te.h"

namespace lathe::te {

struct Dag {
    std::vector<TensorPtr> inputs, outputs;
};

/// The DAG with neighbouring axes made one wherever that needs no division: where each tensor that is read along the first
/// of two axes is read along the second just behind it. Memory stays as it is: an input of shape [4, 7, 7] may become one
/// of [4, 49]. Neighbouring axes of a reduction become one likewise: all pixels of a channel are one row. Axes of extent 1
/// leave reductions first.
Dag collapseAxes(const Dag& dag);

} // namespace lathe::te
