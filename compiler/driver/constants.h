// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a model's constants, in order, as an artifact is written.
//
// Recipes share: the weights of a model come from one another in chains and in diamonds. Each is evaluated once, whoever
// asks for it, after those it is made of; those that do not need each other side by side. Only what somebody will still read
// is kept, and no more is evaluated ahead than `window` bytes, so a model's weights are never in memory all at once.
#pragma once

#include "base/budget.h"
#include "relay/evaluator.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace lathe::driver {

/// Bytes that a constant takes in an artifact: those of its elements, or, of strings, those of abi/packed_strings.h.
int64_t storedBytes(const relay::Constant& constant);

class ConstantBytes {
public:
    /// module, evaluator and budget must outlive this. threads: 0: all cores.
    ConstantBytes(const std::vector<relay::ConstantPtr>& wanted, const relay::Module& module,
                  relay::Evaluator& evaluator, const Budget& budget, int threads, int64_t window = int64_t{1} << 26);

    /// Bytes of the next of `wanted`, a recipe evaluated, a splat written out and strings packed. Valid until the next call.
    Result<std::span<const std::byte>> next();

private:
    struct Node {
        relay::ConstantPtr constant;
        std::vector<size_t> args; // of a recipe
        size_t readers = 0;       // that have not read it yet
        size_t level = 0;         // 0: no recipe; above those of its args
        relay::ConstantPtr value; // null: not evaluated yet, or read by all
    };
    size_t add(const relay::ConstantPtr& constant);
    /// The nodes that the wanted ones from next_ on need and that are not evaluated, by level.
    std::vector<size_t> nextNodes() const;
    Result<void> evaluate(const std::vector<size_t>& nodes);
    void release(size_t node);

    const relay::Module& module_;
    relay::Evaluator& evaluator_;
    const Budget& budget_;
    int threads_;
    int64_t window_;
    std::vector<Node> nodes_; // args before those that read them
    std::unordered_map<Hash128, size_t, HashOfHash128> known_;
    std::vector<size_t> wanted_;
    size_t next_ = 0;
    std::vector<std::byte> expanded_; // the splat or the strings given last
};

} // namespace lathe::driver
