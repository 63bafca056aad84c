// SPDX-License-Identifier: Apache-2.0
//
// Types that NumPy lacks, in its files: bfloat16, float8, integers narrower than a byte. They come as their bits, in unsigned
// integers, or as numbers of a wider type, which is how driver/tensor_files.h writes them. Which of them it is nobody can tell
// from the file; the type that is meant does. Nothing is rounded: a number that the narrow type lacks is refused.
#pragma once

#include "base/result.h"
#include "model/host_tensor.h"

namespace lathe::data {

/// Whether elements of type `stored` are the bits of `meant`, which NumPy lacks.
bool areBitsOf(DataType stored, DataType meant);

/// The same numbers as `meant`, if NumPy lacks it and they are stored as their bits, as float32, or as the integer of a byte;
/// else the tensor as it is, of a type that the caller may refuse. Fails for the first element that `meant` does not have.
Result<model::HostTensor> takenAs(model::HostTensor tensor, DataType meant);

} // namespace lathe::data
