// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/gather_batches.h"

#include "relay/attrs.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend {
namespace {

/// Picks by indices of which the first dims run along with those of x: GatherNd does so where the axis follows them.
Var gatherInBatches(Builder& b, Var x, Var indices, int64_t axis, int64_t batch) {
    const int64_t rank = b.rank(x), inner = b.rank(indices) - batch; // inner: dims that take the axis's place
    Ints order = iotaInts(0, rank);
    order.erase(order.begin() + axis);
    order.insert(order.begin() + batch, axis);
    relay::GatherNdAttrs attrs;
    attrs.batchDims = batch;
    const Var picked = b.call(Op::GatherNd, {transpose(b, x, order), unsqueeze(b, indices, {b.rank(indices)})}, attrs);
    // The dims between batch and axis stand behind those of the indices; they belong before them.
    Ints back = iotaInts(0, batch);
    for (int64_t i = batch; i < axis; ++i)
        back.push_back(i + inner);
    for (int64_t i = batch; i < batch + inner; ++i)
        back.push_back(i);
    for (int64_t i = axis; i < rank - 1; ++i)
        back.push_back(i + inner);
    return transpose(b, picked, back);
}

} // namespace

Var gatherAlong(NodeReader& node, Builder& b, Var x, Var indices, int64_t wanted) {
    if (b.failed())
        return {};
    const int64_t axis = node.axis(wanted, b.rank(x));
    const int64_t given = node.integer("batch_dims", 0), most = b.rank(indices);
    const int64_t batch = given < 0 ? given + most : given;
    if (batch < 0 || batch > std::min(most, axis)) {
        node.fail(fmt::format("batch_dims is {} for axis {} and indices of rank {}", given, axis, most));
        return {};
    }
    if (b.failed())
        return {};
    return batch == 0 ? gather(b, x, indices, axis) : gatherInBatches(b, x, indices, axis, batch);
}

} // namespace lathe::frontend
