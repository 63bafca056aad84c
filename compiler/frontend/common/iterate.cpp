// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/iterate.h"

#include "relay/attrs.h"

#include <algorithm>

namespace lathe::frontend {
namespace {

std::vector<Var> fieldsOf(Builder& b, Var loop, size_t count) {
    std::vector<Var> fields;
    for (size_t i = 0; i < count; ++i)
        fields.push_back(b.failed() ? Var{} : b.project(loop, static_cast<int>(i)));
    return fields;
}

} // namespace

Var anywhere(Builder& b, Var condition) {
    return b.failed() || b.rank(condition) == 0 ? condition
                                                : reduce(b, "or", condition, iotaInts(0, b.rank(condition)), false);
}

std::vector<Var> iterated(Builder& b, const std::vector<Var>& values, int64_t most, const IterationStep& step) {
    const Var loop = b.loop(b.scalarInt(most), b.scalar(1, types::Bool), values, 0,
                            [&](Var iteration, const std::vector<Var>& carried) {
                                std::vector<Var> next = step(iteration, carried);
                                // A loop's condition stands before what it carries.
                                std::ranges::rotate(next, next.end() - 1);
                                next.front() = anywhere(b, next.front());
                                return next;
                            });
    return fieldsOf(b, loop, values.size());
}

std::vector<Var> repeated(Builder& b, const std::vector<Var>& values, Var times, const IterationStep& step) {
    return fieldsOf(b, b.loop(times, {}, values, 0, step), values.size());
}

} // namespace lathe::frontend
