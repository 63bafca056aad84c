// SPDX-License-Identifier: Apache-2.0
//
// Where a model is cut off, which is to be compiled in part: by names of values, as the file has them.
#pragma once

#include <string>
#include <vector>

namespace lathe::model {

struct Cut {
    std::vector<std::string> inputs;  // are given instead of computed, beside what is still needed of the model's own
    std::vector<std::string> outputs; // are all that is given; empty: the model's own
    bool empty() const { return inputs.empty() && outputs.empty(); }
    bool operator==(const Cut&) const = default;
};

} // namespace lathe::model
