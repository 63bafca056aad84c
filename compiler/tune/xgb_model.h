// SPDX-License-Identifier: Apache-2.0
//
// A cost model of gradient-boosted trees (XGBoost; Chen & Guestrin, KDD 2016), which learns to order the candidates of each
// task as their times do.
#pragma once

#include "tune/model.h"

#include <cstdint>

namespace lathe::tune {

/// The same samples and seed give the same model.
std::unique_ptr<CostModel> makeTreeModel(uint64_t seed);

} // namespace lathe::tune
