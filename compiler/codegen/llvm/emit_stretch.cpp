// SPDX-License-Identifier: Apache-2.0
//
// Vectors that step through one stretch of memory in short steps, as the elements of neighbouring windows do: every second
// element from the first one, from the next, from the third. The stretch is loaded once, as registers side by side, from
// which each vector is picked; one that continues another (the third does the first) begins with that.
#include "codegen/llvm/emitter.h"
#include "tir/transform/flatten_buffers.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

namespace lathe::codegen {

/// Where the register begins that holds an element: side by side, the last one at the end of the stretch.
int64_t FunctionEmitter::Stretch::registerOf(int64_t at) const {
    return std::min(at / width * width, size - width);
}

/// Which of the elements lie together in stretches, each with two vectors or more.
void FunctionEmitter::findStretches(const Expr& base, int64_t step, const std::map<int64_t, std::vector<Expr>>& loads) {
    const DataType type = loads.begin()->second[0].dtype();
    llvm::Type* element = m_.storageType(type.scalar());
    const int64_t reach = step * (type.lanes - 1) + 1; // of one vector
    const llvm::Align align(static_cast<uint64_t>(std::max(1, type.scalar().bytes())));
    // To continue a vector takes a shuffle of two in any order; without one, loads cost less.
    const bool continues = m_.target.vectorBits >= 512;
    Value* origin = nullptr;
    for (auto first = loads.begin(); first != loads.end();) {
        auto last = first, next = std::next(first);
        while (next != loads.end() && next->first < (continues ? last->first + reach : first->first + step))
            last = next++;
        const int64_t size = last->first + reach - first->first;
        const int64_t width = std::min<int64_t>(registerLanes(element),
                                                static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(size))));
        if (last != first && width >= 4) {
            const Expr& any = first->second[0];
            if (!origin)
                origin = b_.CreateInBoundsGEP(element, address(*any->storage), value(base));
            Value* start = b_.CreateConstInBoundsGEP1_64(element, origin, static_cast<uint64_t>(first->first));
            for (auto each = first; each != next; ++each)
                for (const Expr& load : each->second)
                    stretchOf_[load.get()] = {stretches_.size(), each->first - first->first};
            stretches_.push_back({start, element, align, step, size, width, {}, {}});
        }
        first = next;
    }
}

/// Makes the vectors of stretches that the expression loads.
void FunctionEmitter::pickFromStretches(const Expr& expr) {
    if (stretchOf_.empty())
        return;
    arith::visit(expr, [&](const Expr& e) {
        if (const auto found = stretchOf_.find(e.get()); found != stretchOf_.end() && !loaded_.contains(e.get()))
            loaded_[e.get()] =
                pickFrom(stretches_[found->second.first], found->second.second, static_cast<size_t>(e.dtype().lanes));
        return true;
    });
}

Value* FunctionEmitter::pickFrom(Stretch& stretch, int64_t first, size_t lanes) {
    const auto width = static_cast<size_t>(stretch.width);
    if (lanes > width) {
        const size_t half = lowHalf(lanes, width);
        Value* low = pickFrom(stretch, first, half);
        return joined(low, pickFrom(stretch, first + static_cast<int64_t>(half) * stretch.step, lanes - half), half,
                      lanes);
    }
    const auto shortened = [&](Value* vector, size_t to) {
        std::vector<int> all(to);
        std::iota(all.begin(), all.end(), 0);
        return to == width ? vector : b_.CreateShuffleVector(vector, all);
    };
    const auto elementOf = [&](size_t lane) { return first + static_cast<int64_t>(lane) * stretch.step; };
    const auto laneIn = [&](const Stretch::Picked& picked, int64_t at) {
        const int64_t distance = at - picked.first, lane = distance / stretch.step;
        return distance >= 0 && distance % stretch.step == 0 && lane < picked.lanes ? static_cast<int>(lane) : -1;
    };
    for (const Stretch::Picked& picked : stretch.picked)
        if (picked.first == first && picked.lanes == static_cast<int>(lanes))
            return shortened(picked.value, lanes);
    // Begin with the vector that leaves the fewest registers to pick from, if that is less than to begin anew.
    std::set<int64_t> parts;
    for (size_t lane = 0; lane < lanes; ++lane)
        parts.insert(stretch.registerOf(elementOf(lane)));
    const Stretch::Picked* begun = nullptr;
    size_t least = parts.size() - 1;
    for (const Stretch::Picked& picked : stretch.picked) {
        std::set<int64_t> missing;
        for (size_t lane = 0; lane < lanes; ++lane)
            if (laneIn(picked, elementOf(lane)) < 0)
                missing.insert(stretch.registerOf(elementOf(lane)));
        if (missing.size() < parts.size() && std::max<size_t>(missing.size(), 1) <= least) {
            begun = &picked;
            least = missing.size();
            parts = std::move(missing);
        }
    }
    std::vector<int> place(lanes, -1); // in `result`
    Value* result = nullptr;
    const auto take = [&](int64_t begin, int offset) {
        for (size_t lane = 0; lane < lanes; ++lane)
            if (place[lane] < 0 && stretch.registerOf(elementOf(lane)) == begin)
                place[lane] = offset + static_cast<int>(elementOf(lane) - begin);
    };
    if (begun) {
        result = begun->value;
        for (size_t lane = 0; lane < lanes; ++lane)
            place[lane] = laneIn(*begun, elementOf(lane));
    }
    const auto ordered = [&] {
        std::vector<int> order(width, llvm::PoisonMaskElem);
        for (size_t lane = 0; lane < lanes; ++lane)
            if (place[lane] >= 0) {
                order[lane] = place[lane];
                place[lane] = static_cast<int>(lane);
            }
        return order;
    };
    bool inOrder = false;
    for (const int64_t begin : parts) {
        Value*& part = stretch.registers[begin];
        if (!part)
            part = b_.CreateAlignedLoad(
                llvm::FixedVectorType::get(stretch.element, static_cast<unsigned>(width)),
                b_.CreateConstInBoundsGEP1_64(stretch.element, stretch.start, static_cast<uint64_t>(begin)),
                stretch.align);
        take(begin, result ? stretch.width : 0);
        inOrder = result != nullptr;
        result = result ? b_.CreateShuffleVector(result, part, ordered()) : part;
    }
    if (!inOrder)
        result = b_.CreateShuffleVector(result, ordered());
    stretch.picked.push_back({first, static_cast<int>(lanes), result});
    return shortened(result, lanes);
}

} // namespace lathe::codegen
