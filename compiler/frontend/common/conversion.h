// SPDX-License-Identifier: Apache-2.0
//
// What makes a relay Module of a graph that was read: a walk over its nodes, or what a format has in place of one.
#pragma once

#include "base/result.h"
#include "relay/ir.h"

#include <vector>

namespace lathe::frontend {

class Conversion {
public:
    virtual ~Conversion() = default;
    /// All of the model as function "main". parameters: one a graph input. The fault is in the Builder.
    virtual void convertMain(const std::vector<relay::Type>& parameters) = 0;
    /// Reasons why nodes cannot be converted at all, found without converting: those of the first 1000 such nodes.
    virtual std::vector<Diagnostic> unsupported() const = 0;
};

} // namespace lathe::frontend
