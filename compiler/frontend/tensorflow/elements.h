// SPDX-License-Identifier: Apache-2.0
//
// Elements of constants as they lie in a file, where they need not begin at a multiple of their size, and a flag may be
// any number.
#pragma once

#include "base/budget.h"
#include "base/result.h"
#include "model/model_graph.h"

namespace lathe::frontend::tensorflow {

/// The same elements as Lathe reads them: shared with the file where they lie so, else a copy, for which the budget
/// pays.
Result<model::Bytes> readable(const model::Bytes& stored, DataType dtype, Budget& budget);

} // namespace lathe::frontend::tensorflow
