// SPDX-License-Identifier: Apache-2.0
//
// Windows over images, taken apart and put together again: frames of a signal, and columns that are added up to an
// image.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// int64[count, length]: where the elements of `count` frames stand that begin `step` elements apart.
Var framePlaces(Builder& b, const Expr& count, const Expr& step, const Expr& length, int64_t dilation = 1);

/// Windows that lie over an image, and the zeros around it: an entry of each a spatial dim.
struct Columns {
    Dims image, kernel;
    Ints strides, dilations, before, after;
};

/// The image, [N, C, …], that columns [N, C · taps, windows] add up to: each goes back where the window took it from. A
/// fault if the windows do not fit the image. All of `columns` have as many entries.
Var imageOfColumns(Builder& b, Var x, const Columns& columns);

} // namespace lathe::frontend
