// SPDX-License-Identifier: Apache-2.0
//
// What is said of a name that is no input's: the same words wherever sizes or tensors are given by the names of inputs.
#pragma once

#include "base/result.h"

#include <string>
#include <vector>

namespace lathe::model {

/// The user's argument is wrong (kind Usage), and the hint lists the names that there are.
Diagnostic noInput(const std::string& name, const std::vector<std::string>& inputs);

} // namespace lathe::model
