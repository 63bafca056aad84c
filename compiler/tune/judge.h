// SPDX-License-Identifier: Apache-2.0
//
// What is thought of candidates before they are tried. There are two opinions: the analytic estimate from the first
// candidate on, and a model once it has learned from enough trials. How good each was is noted with every batch, before the
// model learns from it, and who orders candidates no better than chance is not asked.
#pragma once

#include "base/machine_model.h"
#include "tune/candidate.h"
#include "tune/model.h"
#include "tune/quality.h"

namespace lathe::tune {

enum class Opinion : uint8_t { None, Prior, Model };
const char* toString(Opinion opinion); // "none", "prior", "model"

/// How good the opinions on a batch were.
struct Judgement {
    Opinion asked = Opinion::None; // who chose the batch
    Quality prior, model;          // count 0: had no opinion
    Quality random; // the model's on what was drawn, of all batches so far: a chosen batch has little spread
    bool operator==(const Judgement&) const = default;
};

class Judge {
public:
    /// Without a model: the estimate alone. `learned` is what one like it has saved: with that it is asked from the first
    /// candidate on, as long as it is right; what cannot be loaded is as if there was nothing.
    Judge(const MachineModel& machine, std::unique_ptr<CostModel> model, std::string_view learned = {});

    /// Fills features, prior and predicted of those that have a scheduled function, which it drops. Gives a score for each by
    /// who is asked: higher for what is expected to be faster, 0 for those of which nothing is known.
    std::vector<double> rate(std::span<Candidate> candidates, std::span<const int64_t> sizes) const;

    /// Of the batch from trial `first` on, whose predictions stand in the candidates. From then on it counts in who is asked.
    Judgement judgementOf(std::span<const Trial> trials, size_t first);
    /// From all trials of each task; only if there are enough more than the last time.
    void learn(std::span<const std::span<const Trial>> tasks);

    Opinion asked() const;
    /// What the model has learned from these trials, and before; empty: nothing from these.
    std::string learned() const { return learned_ > 0 ? model_->save() : std::string(); }
    /// The model's, by column of the features; empty before it has learned.
    std::vector<double> importance() const { return model_ ? model_->importance() : std::vector<double>(); }

private:
    MachineModel machine_;
    std::unique_ptr<CostModel> model_;
    size_t learned_ = 0;                    // trials that the model knows
    bool knows_ = false;                    // it can predict
    std::vector<double> ofPrior_, ofModel_; // how well they ordered the batches: 1 right, 0 by chance, -1 reversed
};

} // namespace lathe::tune
