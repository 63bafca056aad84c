// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/check.h"

#include "runtime/peak_resident.h"
#include "selfcheck/trial.h"

#include <optional>

namespace lathe::selfcheck {
namespace {

/// Artifacts in this process, one at a time.
class InProcess final : public data::ArtifactRunner {
public:
    explicit InProcess(const Wish& wish) : wish_(wish) {}

    Result<data::LoadedArtifact> load(const std::string& path) override {
        trial_.emplace();
        LATHE_CHECKED(wish_.linked ? trial_->open(*wish_.linked) : trial_->load(wish_.bundle, path));
        return data::LoadedArtifact{trial_->types(), trial_->outputNames(), trial_->loadMs()};
    }
    Result<data::ArtifactRun> run(const std::vector<model::HostTensor>& inputs, int threads) override {
        LATHE_TRY(std::vector<model::HostTensor> outputs, trial_->run(inputs, threads));
        return data::ArtifactRun{std::move(outputs), trial_->threads(), trial_->arenaPeak()};
    }
    Result<data::ArtifactTimes> time(const std::vector<model::HostTensor>& inputs, int threads, int runs) override {
        LATHE_TRY(const data::Latency latency, trial_->time(inputs, threads, runs));
        return data::ArtifactTimes{latency, trial_->threads(), runtime::peakResident()};
    }

private:
    const Wish& wish_;
    std::optional<Trial> trial_;
};

} // namespace

void checkBundle(const Wish& wish, data::StepReport& report) {
    if (const auto files = data::checkFiles(wish, report)) {
        InProcess runner(wish);
        data::checkArtifacts(*files, wish, runner, report);
    }
}

} // namespace lathe::selfcheck
