// SPDX-License-Identifier: Apache-2.0
//
// What one compilation spends on what its model makes it do: a few hundred bytes of functions that call each other, sparse
// tensors or constant operators can ask for any number of nodes, bytes and steps. One Budget is made by the driver and
// handed to the importer, the Builder, constant folding and the Evaluator. Whoever finds it spent refuses the model (nodes,
// sparse tensors) or leaves a call as it is (folding).
//
// Time is counted in steps, not read from a clock, so what is folded does not depend on how busy the machine is.
#pragma once

#include "base/limits.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

namespace lathe {

/// Thread-safe.
class Budget {
public:
    struct Amounts {
        int64_t nodes = limits::graphNodes;   // nodes, calls of functions and nested graphs
        int64_t bytes = limits::foldedBytes;  // of tensors that do not stand in the file
        int64_t steps = limits::foldingSteps; // of folding; one is about a nanosecond
    };
    /// checkpoint: asked often; throws what ends the work if the user has cancelled. May be empty.
    explicit Budget(std::function<void()> checkpoint = {}) : Budget(std::move(checkpoint), Amounts{}) {}
    Budget(std::function<void()> checkpoint, const Amounts& amounts)
        : checkpoint_(std::move(checkpoint)), nodes_(amounts.nodes), bytes_(amounts.bytes), steps_(amounts.steps) {}

    /// Each takes its amount, or gives false and takes nothing if less than that is left.
    bool takeNodes(int64_t amount) { return take(nodes_, amount); }
    bool takeBytes(int64_t amount) { return take(bytes_, amount); }
    bool takeSteps(int64_t amount) { return take(steps_, amount); }

    Amounts left() const { return {nodes_, bytes_, steps_}; }
    /// Takes what was spent elsewhere on something that is used again, or what is left of it.
    void spend(const Amounts& amounts) {
        nodes_ -= std::min<int64_t>(amounts.nodes, nodes_);
        bytes_ -= std::min<int64_t>(amounts.bytes, bytes_);
        steps_ -= std::min<int64_t>(amounts.steps, steps_);
    }
    /// As it was when left() gave this: for work that is begun anew.
    void reset(const Amounts& amounts) { nodes_ = amounts.nodes, bytes_ = amounts.bytes, steps_ = amounts.steps; }

    void checkpoint() const {
        if (checkpoint_)
            checkpoint_();
    }

private:
    static bool take(std::atomic<int64_t>& left, int64_t amount) {
        int64_t now = left.load(std::memory_order_relaxed);
        while (amount <= now)
            if (left.compare_exchange_weak(now, now - amount, std::memory_order_relaxed))
                return true;
        return false;
    }

    std::function<void()> checkpoint_;
    std::atomic<int64_t> nodes_, bytes_, steps_;
};

} // namespace lathe
