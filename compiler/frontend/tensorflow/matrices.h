// SPDX-License-Identifier: Apache-2.0
//
// Constant matrices that the import computes.
#pragma once

#include "frontend/common/emit.h"

#include <vector>

namespace lathe::frontend::tensorflow {

struct Matrix {
    int64_t rows = 0, columns = 0;
    std::vector<float> elements;
    Matrix(int64_t r, int64_t c) : rows(r), columns(c), elements(static_cast<size_t>(r * c)) {}
    float& at(int64_t row, int64_t column) { return elements[static_cast<size_t>(row * columns + column)]; }
};

/// Most elements of one: more would be out of proportion to the few numbers that ask for it.
inline constexpr int64_t mostMatrixElements = int64_t{1} << 26;

Var constantOf(Builder& b, const Matrix& matrix);

} // namespace lathe::frontend::tensorflow
