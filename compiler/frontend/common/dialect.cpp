// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/dialect.h"

#include "base/result.h"

#include <fmt/format.h>

namespace lathe::frontend {

Result<std::shared_ptr<model::Graph>> Dialect::bodyOf(NodeReader& node, std::vector<Value>&) {
    throw InternalError(fmt::format("its format defines no operator by a body, {} neither", node.node.op));
}

} // namespace lathe::frontend
