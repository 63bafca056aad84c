// SPDX-License-Identifier: Apache-2.0
//
// A function of the graph by the TIR interpreter, binding by binding: each call as a primitive function of a module of its
// own, by what the unscheduled computation says.
#pragma once

#include "relay/ir.h"

#include <optional>

namespace lathe::driver {

/// Of the stored axes; nothing if one depends on a symbol that `symbols` lacks.
std::optional<std::vector<int64_t>> dimsOf(const relay::TensorType& type, const arith::VarMap& symbols);

relay::ConstantPtr constantOf(const relay::TensorType& type, const std::vector<int64_t>& dims,
                              std::vector<std::byte> bytes);

/// The function's results, where its params have these values.
Result<std::vector<relay::ConstantPtr>> interpret(const relay::Module& module, const relay::Function& function,
                                                  const std::vector<relay::ConstantPtr>& args);

} // namespace lathe::driver
