// SPDX-License-Identifier: Apache-2.0
//
// Conversions between element types, and what leaves a tensor as it is: copies, memory formats, gradients.
#include "frontend/torch/ops.h"

#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

void convertUnchanged(Call& call, Builder& b) {
    call.give(b.call(Op::Copy, {call.tensor("self")}));
}

/// To the type that is asked for, if one is.
void convertTo(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const std::optional<DataType> dtype = call.dtype("dtype");
    call.give(dtype ? cast(b, x, *dtype) : x);
}

void convertToOther(Call& call, Builder& b) {
    const Var x = call.tensor("self"), other = call.tensor("other");
    if (!call.failed())
        call.give(cast(b, x, b.dtype(other)));
}

constexpr auto conversionRows = std::to_array<Row>({
    {"aten::alias(Tensor(a) self) -> Tensor(a)", convertUnchanged, Movement},
    {"aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", convertUnchanged, Movement},
    {"aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)", convertUnchanged,
     Movement},
    {"aten::detach(Tensor(a) self) -> Tensor(a)", convertUnchanged, Movement},
    {"aten::detach_copy(Tensor self) -> Tensor", convertUnchanged, Movement},
    {"aten::alias_copy(Tensor self) -> Tensor", convertUnchanged, Movement},
    {"aten::lift_fresh(Tensor(a) self) -> Tensor(a)", convertUnchanged, Movement},
    {"aten::lift_fresh_copy(Tensor self) -> Tensor", convertUnchanged, Movement},
    {"aten::positive(Tensor(a) self) -> Tensor(a)", convertUnchanged, Movement},
    {"aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
     "pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor",
     convertTo, Conversion},
    {"aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? "
     "memory_format=None) -> Tensor(a)",
     convertTo, Conversion},
    {"aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
     "pin_memory=None, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
     convertTo, Conversion},
    {"aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, "
     "MemoryFormat? memory_format=None) -> Tensor(a)",
     convertTo, Conversion},
    {"aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? "
     "memory_format=None) -> Tensor(a)",
     convertToOther, Conversion},
    {"aten::type_as(Tensor self, Tensor other) -> Tensor", convertToOther, Conversion},
});

} // namespace

std::span<const Row> rowsOfConversions() {
    return conversionRows;
}

} // namespace lathe::frontend::torch
