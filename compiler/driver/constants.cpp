// SPDX-License-Identifier: Apache-2.0
//
// A stack in place of recursion, for chains of recipes are long; then batches, each level by level.
#include "driver/constants.h"

#include "abi/packed_strings.h"
#include "base/parallel.h"
#include "relay/element.h"

#include <algorithm>

namespace lathe::driver {

int64_t storedBytes(const relay::Constant& constant) {
    int64_t bytes = bytesOf(constant);
    for (const std::string& text : constant.strings) // each with its size, which is as long as a handle
        bytes += std::ssize(text);
    return bytes;
}

ConstantBytes::ConstantBytes(const std::vector<relay::ConstantPtr>& wanted, const relay::Module& module,
                             relay::Evaluator& evaluator, const Budget& budget, int threads, int64_t window)
    : module_(module), evaluator_(evaluator), budget_(budget), threads_(threads), window_(window) {
    for (const relay::ConstantPtr& constant : wanted) {
        wanted_.push_back(add(constant));
        ++nodes_[wanted_.back()].readers;
    }
}

size_t ConstantBytes::add(const relay::ConstantPtr& constant) {
    std::vector<relay::ConstantPtr> open = {constant};
    while (!open.empty()) {
        const relay::ConstantPtr at = open.back();
        if (known_.contains(at->hash)) {
            open.pop_back();
            continue;
        }
        const size_t before = open.size();
        if (at->recipe)
            for (const relay::ConstantPtr& arg : at->recipeArgs)
                if (!known_.contains(arg->hash))
                    open.push_back(arg);
        if (open.size() > before)
            continue;
        Node node{at, {}, 0, 0, at->recipe ? nullptr : at};
        if (at->recipe)
            for (const relay::ConstantPtr& arg : at->recipeArgs) {
                const size_t index = known_.at(arg->hash);
                node.args.push_back(index);
                node.level = std::max(node.level, nodes_[index].level + 1);
                ++nodes_[index].readers;
            }
        known_.emplace(at->hash, nodes_.size());
        nodes_.push_back(std::move(node));
        open.pop_back();
    }
    return known_.at(constant->hash);
}

Result<std::span<const std::byte>> ConstantBytes::next() {
    LATHE_ASSERT(next_ < wanted_.size(), "each constant is asked for once");
    budget_.checkpoint();
    if (next_ > 0)
        release(wanted_[next_ - 1]);
    expanded_ = std::vector<std::byte>(); // let go before more is made
    const Node& node = nodes_[wanted_[next_]];
    if (!node.value)
        LATHE_CHECKED(evaluate(nextNodes()));
    ++next_;
    const relay::Constant& value = *node.value;
    if (!value.splat && value.strings.empty())
        return value.bytes.view;
    expanded_ = value.splat ? relay::copyElements(value) : abi::packStrings(value.strings);
    return std::span<const std::byte>(expanded_);
}

std::vector<size_t> ConstantBytes::nextNodes() const {
    std::vector<size_t> needed, open;
    std::vector<bool> seen(nodes_.size());
    int64_t ahead = 0;
    for (size_t i = next_; i < wanted_.size() && (ahead == 0 || ahead < window_); ++i) {
        if (nodes_[wanted_[i]].value)
            continue;
        ahead += storedBytes(*nodes_[wanted_[i]].constant);
        for (open.push_back(wanted_[i]); !open.empty();) {
            const size_t at = open.back();
            open.pop_back();
            if (seen[at] || nodes_[at].value)
                continue;
            seen[at] = true;
            needed.push_back(at);
            open.insert(open.end(), nodes_[at].args.begin(), nodes_[at].args.end());
        }
    }
    std::ranges::sort(needed, {}, [&](size_t at) { return std::pair(nodes_[at].level, at); });
    return needed;
}

Result<void> ConstantBytes::evaluate(const std::vector<size_t>& nodes) {
    for (auto first = nodes.begin(); first != nodes.end();) {
        const size_t level = nodes_[*first].level;
        const auto last = std::find_if(first, nodes.end(), [&](size_t at) { return nodes_[at].level != level; });
        std::vector<std::optional<Diagnostic>> errors(static_cast<size_t>(last - first));
        parallelFor(errors.size(), threads_, [&](size_t i) {
            Node& node = nodes_[first[static_cast<std::ptrdiff_t>(i)]];
            std::vector<relay::ConstantPtr> args;
            for (const size_t arg : node.args)
                args.push_back(nodes_[arg].value);
            if (auto results = evaluator_.evaluate(module_, *node.constant->recipe, args)) {
                LATHE_ASSERT(bytesOf(*results->at(0)) == bytesOf(*node.constant), "a recipe keeps its type's promise");
                node.value = results->at(0);
            } else {
                errors[i] = results.error();
            }
        });
        for (auto& error : errors)
            if (error)
                return Failure(*std::move(error));
        for (; first != last; ++first)
            for (const size_t arg : nodes_[*first].args)
                release(arg);
    }
    return {};
}

void ConstantBytes::release(size_t node) {
    if (--nodes_[node].readers == 0)
        nodes_[node].value = nullptr;
}

} // namespace lathe::driver
