// SPDX-License-Identifier: Apache-2.0
//
// Complex numbers within a graph: pairs of real ones in a last dim of two, the real part first. Operators that move
// elements or are linear are their own converters for real numbers, once for each part; few others are composed of real
// ones.
#pragma once

#include "frontend/common/dialect.h"
#include "model/model_graph.h"

namespace lathe::frontend::tensorflow {

/// Whether the node computes with complex numbers by its own words, the element types among its attributes. Not so
/// operators whose names say it: those of transforms and parts.
bool isComplex(const model::Node& node);
/// The converter for complex numbers; null if there is none.
ConvertFn complexConverterOf(std::string_view op);

/// False, and a refusal, if x is not what complex numbers are here.
bool isPairs(Builder& b, Var x);
/// A part alone: 0 the real one, 1 the imaginary one.
Var partOf(Builder& b, Var pairs, int64_t part);
/// Parts of any shapes that broadcast.
Var joined(Builder& b, Var real, Var imaginary);

} // namespace lathe::frontend::tensorflow
