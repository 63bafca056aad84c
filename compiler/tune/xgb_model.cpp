// SPDX-License-Identifier: Apache-2.0
//
// XGBoost's C interface in one place. One thread: a pool has a few hundred rows, and handing them out would take longer.
#include "tune/xgb_model.h"

#include "base/hash.h"
#include "tune/ranking_loss.h"

#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <xgboost/c_api.h>

namespace lathe::tune {
namespace {

constexpr int rounds = 40;
constexpr int mostBefore = 5 * rounds; // trees that are learned on top of; of more it begins anew
constexpr std::string_view header = "lathe trees 1 ";

/// A call that only fails if we ask for something wrong.
void must(int code) {
    if (code != 0)
        throw InternalError(fmt::format("XGBoost: {}", XGBGetLastError()));
}

/// Rows side by side.
class SampleMatrix {
public:
    SampleMatrix(const std::vector<float>& values, size_t rows, size_t columns) {
        must(XGDMatrixCreateFromMat_omp(values.data(), rows, columns, std::numeric_limits<float>::quiet_NaN(), &handle_,
                                        1));
    }
    ~SampleMatrix() { XGDMatrixFree(handle_); }
    SampleMatrix(const SampleMatrix&) = delete;
    SampleMatrix& operator=(const SampleMatrix&) = delete;
    DMatrixHandle get() const { return handle_; }

private:
    DMatrixHandle handle_ = nullptr;
};

class Booster {
public:
    /// That learns from `matrix`, or is loaded.
    explicit Booster(uint64_t seed, const SampleMatrix* matrix = nullptr) {
        const DMatrixHandle rows = matrix ? matrix->get() : nullptr;
        must(XGBoosterCreate(&rows, matrix ? 1 : 0, &handle_));
        // What a tree sees of the columns is drawn: half the time, and no column hides another.
        for (const auto& [name, value] : {std::pair{"verbosity", "0"},
                                          {"nthread", "1"},
                                          {"tree_method", "hist"},
                                          {"max_bin", "64"},
                                          {"max_depth", "6"},
                                          {"eta", "0.2"},
                                          {"gamma", "0.001"},
                                          {"lambda", "1"},
                                          {"min_child_weight", "0"},
                                          {"colsample_bytree", "0.5"},
                                          {"base_score", "0"}})
            set(name, value);
        set("seed", std::to_string(seed & 0x7fffffff).c_str());
    }
    ~Booster() { XGBoosterFree(handle_); }
    Booster(const Booster&) = delete;
    Booster& operator=(const Booster&) = delete;
    BoosterHandle get() const { return handle_; }

private:
    void set(const char* name, const char* value) { must(XGBoosterSetParam(handle_, name, value)); }
    BoosterHandle handle_ = nullptr;
};

std::vector<float> scoresOf(const Booster& booster, const SampleMatrix& matrix) {
    const bst_ulong* shape = nullptr;
    bst_ulong dimensions = 0;
    const float* scores = nullptr;
    must(XGBoosterPredictFromDMatrix(
        booster.get(), matrix.get(),
        R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false})", &shape,
        &dimensions, &scores));
    LATHE_ASSERT(dimensions == 1, "a score a row");
    return {scores, scores + shape[0]};
}

std::string checked(std::string_view trees) {
    return fmt::format("{}{}\n", header, toString(hashBytes(std::as_bytes(std::span(trees)))));
}

class TreeModel final : public CostModel {
public:
    explicit TreeModel(uint64_t seed) : seed_(seed) {}

    void fit(std::span<const std::vector<Sample>> tasks) override {
        std::vector<float> values, speeds;
        size_t columns = 0;
        for (const std::vector<Sample>& task : tasks)
            for (const Sample& sample : task) {
                columns = sample.row.size();
                values.insert(values.end(), sample.row.begin(), sample.row.end());
                speeds.push_back(sample.speed);
            }
        if (speeds.empty())
            return;
        LATHE_ASSERT(values.size() == speeds.size() * columns, "rows of one length");
        const SampleMatrix matrix(values, speeds.size(), columns);
        auto booster = std::make_unique<Booster>(seed_, &matrix);
        const bool goesOn = !before_.empty() && columns == columns_;
        if (goesOn)
            must(XGBoosterLoadModelFromBuffer(booster->get(), before_.data(), before_.size()));
        for (int round = 0; round < rounds; ++round) {
            const std::vector<float> scores =
                round == 0 && !goesOn ? std::vector<float>(speeds.size()) : scoresOf(*booster, matrix);
            std::vector<float> first(speeds.size()), second(speeds.size());
            for (size_t from = 0; const std::vector<Sample>& task : tasks) {
                const auto part = [&](auto& all) { return std::span(all).subspan(from, task.size()); };
                addRankingGradients(part(scores), part(speeds), part(first), part(second));
                from += task.size();
            }
            must(XGBoosterBoostOneIter(booster->get(), matrix.get(), first.data(), second.data(), first.size()));
        }
        booster_ = std::move(booster);
        columns_ = columns;
    }

    std::vector<double> predict(std::span<const std::vector<float>> rows) const override {
        if (!booster_ || rows.empty())
            return {};
        std::vector<float> values;
        for (const std::vector<float>& row : rows) {
            LATHE_ASSERT(row.size() == columns_, "rows as those that were learned");
            values.insert(values.end(), row.begin(), row.end());
        }
        const std::vector<float> scores = scoresOf(*booster_, SampleMatrix(values, rows.size(), columns_));
        return {scores.begin(), scores.end()};
    }

    std::vector<double> importance() const override {
        if (!booster_)
            return {};
        bst_ulong count = 0, dimensions = 0;
        const bst_ulong* shape = nullptr;
        const char** names = nullptr; // "f7": the column; of those that a tree asks about
        const float* gains = nullptr;
        must(XGBoosterFeatureScore(booster_->get(), R"({"importance_type": "total_gain"})", &count, &names, &dimensions,
                                   &shape, &gains));
        std::vector<double> shares(columns_);
        double all = 0;
        for (bst_ulong i = 0; i < count; ++i) {
            const std::string_view digits = std::string_view(names[i]).substr(1);
            size_t column = columns_;
            std::from_chars(digits.data(), digits.data() + digits.size(), column);
            LATHE_ASSERT(column < columns_, "a column of the rows");
            shares[column] = gains[i];
            all += gains[i];
        }
        for (double& share : shares)
            share = all > 0 ? share / all : 0;
        return shares;
    }

    std::string save() const override {
        if (!booster_)
            return {};
        bst_ulong length = 0;
        const char* bytes = nullptr;
        must(XGBoosterSaveModelToBuffer(booster_->get(), R"({"format": "ubj"})", &length, &bytes));
        const std::string trees(bytes, length);
        return checked(trees) + trees;
    }

    Result<void> load(std::string_view bytes, size_t columns) override {
        const size_t end = bytes.find('\n');
        const std::string_view trees = end == std::string_view::npos ? "" : bytes.substr(end + 1);
        if (trees.empty() || bytes.substr(0, end + 1) != checked(trees))
            return failure("the bytes are no cost model, or they are damaged");
        auto booster = std::make_unique<Booster>(seed_);
        bst_ulong known = 0;
        if (XGBoosterLoadModelFromBuffer(booster->get(), trees.data(), trees.size()) != 0)
            return failure(fmt::format("the cost model cannot be read: {}", XGBGetLastError()));
        must(XGBoosterGetNumFeature(booster->get(), &known));
        if (known != columns)
            return failure(fmt::format("the cost model is of {} features, not {}", known, columns),
                           "it was made by another version; leave it out");
        int count = 0;
        must(XGBoosterBoostedRounds(booster->get(), &count));
        before_ = count <= mostBefore ? std::string(trees) : std::string();
        booster_ = std::move(booster);
        columns_ = columns;
        return {};
    }

private:
    uint64_t seed_;
    std::unique_ptr<Booster> booster_;
    std::string before_; // the trees that were loaded, which each learning begins with
    size_t columns_ = 0;
};

} // namespace

std::unique_ptr<CostModel> makeTreeModel(uint64_t seed) {
    return std::make_unique<TreeModel>(seed);
}

} // namespace lathe::tune
