// SPDX-License-Identifier: Apache-2.0
#include "frontend/added_operators.h"

#include <algorithm>

namespace lathe::frontend {
namespace {

template <class Row>
const Row* findIn(const std::vector<Row>& rows, const model::Node& node) {
    const auto found =
        std::ranges::find_if(rows, [&](const Row& row) { return row.domain == node.domain && row.name == node.op; });
    return found == rows.end() ? nullptr : &*found;
}

} // namespace

const OperatorRow* findOperator(const AddedOperators* added, const model::Node& node) {
    const OperatorRow* row = added ? findIn(added->operators, node) : nullptr;
    return row && node.version >= row->minVersion && node.version <= row->maxVersion ? row : nullptr;
}

const BodyRow* findBody(const AddedOperators* added, const model::Node& node) {
    return added ? findIn(added->bodies, node) : nullptr;
}

const OffRow* findOff(const AddedOperators* added, const model::Node& node) {
    return added ? findIn(added->off, node) : nullptr;
}

} // namespace lathe::frontend
