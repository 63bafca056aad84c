// SPDX-License-Identifier: GPL-3.0-or-later
//
// How far the open model has come on its way from a file to a bundle, and which stage is next.
#pragma once

#include <array>
#include <cstddef>

namespace lathe::views::models {

enum class FlowStage { Open, Compile, Run, Check, Tune, Export };
inline constexpr size_t flowStages = size_t(FlowStage::Export) + 1;

struct Flow {
    std::array<bool, flowStages> done{}; // all but Export: of the model as it is compiled now

    bool operator==(const Flow&) const = default;
    bool isDone(FlowStage stage) const { return done[size_t(stage)]; }
    /// Of the stages up to a run the first that is not done: what follows goes by it. Then the one behind the last that is done,
    /// for nobody must check or tune to export; the last one where that is done.
    FlowStage next() const {
        size_t behind = 0;
        for (size_t i = 0; i < flowStages; ++i) {
            if (!done[i] && i <= size_t(FlowStage::Run))
                return FlowStage(i);
            if (done[i])
                behind = i + 1;
        }
        return FlowStage(behind < flowStages ? behind : flowStages - 1);
    }
};

} // namespace lathe::views::models
