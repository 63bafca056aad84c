// SPDX-License-Identifier: Apache-2.0
#include "relay/folding.h"

#include "base/limits.h"
#include "relay/element.h"
#include "relay/type_map.h"

#include <algorithm>
#include <unordered_set>

namespace lathe::relay {
namespace {

constexpr int64_t smallBytes = limits::knownValueElements * 8;

} // namespace

std::optional<int64_t> bytesOf(const Type& type) {
    const TensorType* tensor = asTensor(type);
    const std::optional<std::vector<int64_t>> dims =
        tensor ? constantShape(storedShape(tensor->shape, tensor->layout)) : std::nullopt;
    if (!dims)
        return std::nullopt;
    int64_t bytes = tensor->dtype.bytes();
    for (const int64_t dim : *dims)
        if (__builtin_mul_overflow(bytes, dim, &bytes) || bytes > limits::tensorBytes)
            return std::nullopt;
    return bytes;
}

Origins::Amount Origins::of(const ConstantPtr& constant) {
    std::vector<const Constant*> open = {constant.get()}; // a stack: chains of recipes are long
    while (!open.empty()) {
        const Constant& at = *open.back();
        const int64_t elements = at.splat ? 1 : at.elements();
        const Amount own{elements * asTensor(at.type)->dtype.bytes(), elements};
        if (!at.recipe || known_.contains(at.hash)) {
            known_.try_emplace(at.hash, own);
            open.pop_back();
            continue;
        }
        Amount sum;
        const size_t before = open.size();
        std::unordered_set<const Constant*> seen;
        for (const ConstantPtr& arg : at.recipeArgs) {
            if (!seen.insert(arg.get()).second)
                continue;
            if (const auto found = known_.find(arg->hash); found == known_.end()) {
                open.push_back(arg.get());
            } else {
                sum.bytes += found->second.bytes;
                sum.elements += found->second.elements;
            }
        }
        if (open.size() > before)
            continue;
        known_[at.hash] = {std::min(own.bytes, sum.bytes), std::min(own.elements, sum.elements)};
        open.pop_back();
    }
    return known_.at(constant->hash);
}

bool paysAsConstant(const Type& result, const Origins::Amount& from) {
    const std::optional<int64_t> bytes = bytesOf(result);
    if (!bytes || *bytes <= smallBytes)
        return bytes.has_value();
    const DataType dtype = asTensor(result)->dtype;
    const int64_t stored = dtype.isFloat() ? std::max(from.bytes, from.elements * dtype.bytes()) : from.bytes;
    return *bytes <= 2 * stored;
}
} // namespace lathe::relay
