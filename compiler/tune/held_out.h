// SPDX-License-Identifier: Apache-2.0
//
// What opinions on candidates are worth for kernels that they have never seen: a model learns from some tasks and orders the
// candidates of the others, each group of tasks being held out once (cross-validation; Stone, 1974).
#pragma once

#include "tune/quality.h"

#include <string>

namespace lathe::tune {

/// Trials of a task with features and priors, the default's first.
struct GroupedTask {
    std::string group; // what is held out together: tasks of one workload
    std::vector<Trial> trials;
};

struct HeldOut {
    size_t tasks = 0, trials = 0; // that opinions were held against
    // Means over these tasks; count and told pairs are sums.
    Quality random; // scores that are drawn
    Quality prior;
    Quality trees; // the model without the estimate among its features
    Quality both;  // the model as it is used
};

/// In `folds` parts of the groups; fewer where there are fewer groups. Zeros where there are not two. The same seed gives the
/// same.
HeldOut heldOut(std::span<const GroupedTask> tasks, size_t folds, uint64_t seed);

} // namespace lathe::tune
