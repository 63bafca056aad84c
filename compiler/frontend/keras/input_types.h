// SPDX-License-Identifier: Apache-2.0
//
// The types of a model's inputs, as configs declare them: a shape with null for what is open, and a dtype.
#pragma once

#include "base/result.h"
#include "frontend/keras/config.h"
#include "model/model_graph.h"

namespace lathe::frontend::keras {

/// Of an InputLayer's config. The first dim, where it is open, is the batch, the same of all inputs.
Result<model::ValueType> inputType(const Json& config);
/// The input of a Sequential model: that of its InputLayer, or what its first layer says.
Result<model::Value> sequentialInput(const Json& config);
/// Nothing if it is no name of one.
std::optional<DataType> dtypeNamed(std::string_view name);

} // namespace lathe::frontend::keras
