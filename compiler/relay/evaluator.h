// SPDX-License-Identifier: Apache-2.0
//
// Constant folding asks an Evaluator; the driver implements it. (One of the two loops that are calls, not includes.)
#pragma once

#include "relay/ir.h"

namespace lathe::relay {

class Evaluator {
public:
    virtual ~Evaluator() = default;
    /// Results of a pure function over constants, none of them a recipe; a tuple result gives several. Fails where a result,
    /// the work or what is left of the budget does not allow it (the call stays unfolded), or if the computation itself
    /// fails (index out of range …). Thread-safe.
    virtual Result<std::vector<ConstantPtr>> evaluate(const Module& module, const Function& function,
                                                      const std::vector<ConstantPtr>& args) = 0;
};

} // namespace lathe::relay
