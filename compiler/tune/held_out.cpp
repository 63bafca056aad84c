// SPDX-License-Identifier: Apache-2.0
#include "tune/held_out.h"

#include "tune/features.h"
#include "tune/samples.h"
#include "tune/xgb_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace lathe::tune {
namespace {

constexpr size_t leastTrials = 8; // of a task, to say anything about an order

size_t columnOfPrior() {
    const auto& names = featureNames();
    return static_cast<size_t>(std::ranges::find(names, "prior") - names.begin());
}

/// The row with nothing in the estimate's place.
std::vector<float> withoutPrior(std::vector<float> row) {
    if (const size_t column = columnOfPrior(); column < row.size())
        row[column] = 0;
    return row;
}

/// Sums of qualities, and what they come to.
class Mean {
public:
    void add(std::span<const double> scores, std::span<const Interval> times) {
        const Quality quality = qualityOf(scores, times);
        ++tasks_;
        sum_.count += quality.count;
        sum_.spearman += quality.spearman;
        sum_.pairs.count += quality.pairs.count;
        if (quality.pairs.count > 0) {
            ++told_;
            right_ += quality.pairs.right;
        }
        sum_.recall1 += quality.recall1;
        sum_.recall5 += quality.recall5;
        sum_.recall16 += quality.recall16;
        sum_.peak5 += quality.peak5;
    }
    Quality mean() const {
        Quality mean = sum_;
        for (double* each : {&mean.spearman, &mean.recall1, &mean.recall5, &mean.recall16, &mean.peak5})
            *each /= std::max(tasks_, 1.0);
        mean.pairs.right = told_ > 0 ? right_ / told_ : 0.5;
        return mean;
    }

private:
    Quality sum_{};
    double tasks_ = 0, told_ = 0, right_ = 0;
};

} // namespace

HeldOut heldOut(std::span<const GroupedTask> tasks, size_t folds, uint64_t seed) {
    std::map<std::string, size_t> groups; // and the fold of each
    for (const GroupedTask& task : tasks)
        groups.emplace(task.group, 0);
    folds = std::min(folds, groups.size());
    HeldOut result;
    if (folds < 2)
        return result;
    for (size_t next = 0; auto& [group, fold] : groups)
        fold = next++ % folds;
    std::mt19937_64 drawn(seed);
    Mean random, prior, trees, both;
    for (size_t fold = 0; fold < folds; ++fold) {
        std::vector<std::vector<Sample>> learned, learnedWithout;
        for (const GroupedTask& task : tasks) {
            if (groups[task.group] == fold || task.trials.empty())
                continue;
            learned.push_back(samplesOf(task.trials));
            std::vector<Sample>& without = learnedWithout.emplace_back(learned.back());
            for (Sample& sample : without)
                sample.row = withoutPrior(std::move(sample.row));
        }
        const auto model = makeTreeModel(seed), modelWithout = makeTreeModel(seed);
        model->fit(learned);
        modelWithout->fit(learnedWithout);
        for (const GroupedTask& task : tasks) {
            if (groups[task.group] != fold)
                continue;
            std::vector<std::vector<float>> rows, rowsWithout;
            std::vector<double> chance, estimates;
            std::vector<Interval> times;
            for (const Trial& trial : task.trials) {
                const auto time = relativeTime(trial);
                const auto estimate = scoreOfPrior(trial.candidate);
                if (!time || std::isinf(time->middle) || trial.candidate.features.empty() || !estimate)
                    continue;
                rows.push_back(trial.candidate.features);
                rowsWithout.push_back(withoutPrior(trial.candidate.features));
                chance.push_back(std::uniform_real_distribution<double>()(drawn));
                estimates.push_back(*estimate);
                times.push_back(*time);
            }
            const std::vector<double> scores = model->predict(rows), scoresWithout = modelWithout->predict(rowsWithout);
            if (times.size() < leastTrials || scores.empty() || scoresWithout.empty())
                continue;
            ++result.tasks;
            result.trials += times.size();
            random.add(chance, times);
            prior.add(estimates, times);
            trees.add(scoresWithout, times);
            both.add(scores, times);
        }
    }
    result.random = random.mean();
    result.prior = prior.mean();
    result.trees = trees.mean();
    result.both = both.mean();
    return result;
}

} // namespace lathe::tune
