// SPDX-License-Identifier: Apache-2.0
//
// Tensors that come from outside: are they what the model declares, are they compact, and a copy that is.
#pragma once

#include "runtime/error_text.h"

#include <cstdint>

namespace lathe::runtime {

/// Bytes of a tensor of these dims. False if a dim is negative, or the product of the dims that are not 0 is over
/// limits::tensorElements.
bool sizeOf(const int64_t* dims, int32_t rank, int64_t elementBytes, int64_t& bytes);

/// "2 x 3", cut where it is very long.
struct DimsText {
    char text[160];
};
DimsText textOf(const int64_t* dims, int32_t rank);

/// dtype, rank, size and the fixed dims of `value` against a DLTensor on the host. Sets `bytes` to the size of its elements.
/// kind is "input", "output" or "state".
lathe_status checkTensor(const lathe_value_desc& value, DLDataType type, const char* kind, const DLTensor* tensor,
                         int64_t& bytes, ErrorText& error);

/// Of elements that lie row-major without gaps.
void setStrides(int32_t rank, const int64_t* dims, int64_t* strides);
/// True if the elements lie row-major without gaps.
bool isCompact(const DLTensor& tensor);
const char* dataOf(const DLTensor& tensor);
/// Copies the elements of a checked tensor row-major without gaps.
void copyCompact(const DLTensor& tensor, int64_t elementBytes, char* to);

} // namespace lathe::runtime
