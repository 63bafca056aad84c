// SPDX-License-Identifier: Apache-2.0
//
// One way to look at all bindings of a module.
#pragma once

#include "relay/ir.h"

#include <functional>

namespace lathe::relay {

/// Every binding of every function, those of nested Blocks included. The order is that of the functions' names; within a
/// Block that of its bindings.
void visitBindings(const Module& module, const std::function<void(const Binding&)>& fn);
void visitBindings(const Function& function, const std::function<void(const Binding&)>& fn);

} // namespace lathe::relay
