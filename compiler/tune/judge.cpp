// SPDX-License-Identifier: Apache-2.0
#include "tune/judge.h"

#include "base/parallel.h"
#include "tune/features.h"
#include "tune/samples.h"

#include <algorithm>
#include <cmath>

namespace lathe::tune {
namespace {

constexpr size_t leastSamples = 32; // before that the estimate alone
constexpr double moreSamples = 1.2; // times those of the last time: learning anew is worth it
constexpr size_t leastPairs = 12;   // told apart in a batch, that say something about who predicted them
constexpr size_t memory = 2;        // batches that decide who is asked
constexpr double goodOrder = 0.3;   // of a model that is asked whatever the estimate is worth

/// Scores and times of trials that were predicted and that ran.
class Predictions {
public:
    void add(const std::optional<double>& score, const Trial& trial) {
        const auto time = relativeTime(trial);
        if (!score || !time || std::isinf(time->middle))
            return;
        scores_.push_back(*score);
        times_.push_back(*time);
    }
    Quality quality() const { return qualityOf(scores_, times_); }

private:
    std::vector<double> scores_;
    std::vector<Interval> times_;
};

void note(std::vector<double>& orders, const Quality& quality) {
    if (quality.pairs.count >= leastPairs)
        orders.push_back(2 * quality.pairs.right - 1);
}

/// The mean of the last ones; `untried` if there is none.
double recent(const std::vector<double>& orders, double untried) {
    const size_t count = std::min(orders.size(), memory);
    double sum = 0;
    for (size_t i = orders.size() - count; i < orders.size(); ++i)
        sum += orders[i];
    return count == 0 ? untried : sum / static_cast<double>(count);
}

} // namespace

const char* toString(Opinion opinion) {
    switch (opinion) {
    case Opinion::None:
        return "none";
    case Opinion::Prior:
        return "prior";
    case Opinion::Model:
        return "model";
    }
    return "";
}

Judge::Judge(const MachineModel& machine, std::unique_ptr<CostModel> model, std::string_view learned)
    : machine_(machine), model_(std::move(model)) {
    knows_ = model_ && !learned.empty() && model_->load(learned, featureNames().size()).has_value();
}

std::vector<double> Judge::rate(std::span<Candidate> candidates, std::span<const int64_t> sizes) const {
    parallelFor(candidates.size(), 0, [&](size_t i) {
        Candidate& candidate = candidates[i];
        if (!candidate.scheduled)
            return;
        Features features = featuresOf(nestsOf(candidate.scheduled, sizes), machine_);
        candidate.scheduled.reset();
        candidate.features = std::move(features.row);
        candidate.prior = features.priorUs;
    });
    std::vector<std::vector<float>> rows;
    for (const Candidate& candidate : candidates)
        if (!candidate.features.empty())
            rows.push_back(candidate.features);
    const std::vector<double> predicted = model_ ? model_->predict(rows) : std::vector<double>();
    const Opinion opinion = asked();
    std::vector<double> scores;
    for (size_t row = 0; Candidate & candidate : candidates) {
        if (!predicted.empty() && !candidate.features.empty())
            candidate.predicted = predicted[row++];
        const auto score = opinion == Opinion::Model   ? candidate.predicted
                           : opinion == Opinion::Prior ? scoreOfPrior(candidate)
                                                       : std::nullopt;
        scores.push_back(score.value_or(0));
    }
    return scores;
}

Judgement Judge::judgementOf(std::span<const Trial> trials, size_t first) {
    Predictions prior, model, random;
    for (size_t i = 0; i < trials.size(); ++i) {
        const Trial& trial = trials[i];
        if (trial.candidate.made == Made::Random)
            random.add(trial.candidate.predicted, trial);
        if (i < first)
            continue;
        prior.add(scoreOfPrior(trial.candidate), trial);
        model.add(trial.candidate.predicted, trial);
    }
    const Judgement judgement{asked(), prior.quality(), model.quality(), random.quality()};
    note(ofPrior_, judgement.prior);
    note(ofModel_, judgement.model);
    return judgement;
}

void Judge::learn(std::span<const std::span<const Trial>> tasks) {
    if (!model_)
        return;
    size_t count = 0;
    for (const std::span<const Trial> trials : tasks)
        count += trials.size();
    if (count < leastSamples || static_cast<double>(count) < moreSamples * static_cast<double>(learned_))
        return;
    std::vector<std::vector<Sample>> samples;
    for (const std::span<const Trial> trials : tasks)
        if (!trials.empty())
            samples.push_back(samplesOf(trials));
    model_->fit(samples);
    learned_ = count;
    knows_ = true;
}

Opinion Judge::asked() const {
    const double prior = recent(ofPrior_, 1), model = knows_ ? recent(ofModel_, 1) : 0;
    if (model > 0 && model >= std::min(prior, goodOrder))
        return Opinion::Model;
    return prior > 0 ? Opinion::Prior : Opinion::None;
}

} // namespace lathe::tune
