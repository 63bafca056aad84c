// SPDX-License-Identifier: Apache-2.0
//
// A bundle's artifacts in a runner: a child on this machine, emulated, or on another over ssh. What data/self_check.h asks to be
// loaded, run and timed is; what crashes there is a result like any other.
#pragma once

#include "data/self_check.h"
#include "deploy/check_bundle.h"
#include "device/runner_client.h"

namespace lathe::deploy {

/// What runs a variant on the device. Fails with a Diagnostic that names its file.
Result<device::RunnerCommand> commandFor(const OpenBundle& bundle, const ManifestVariant& variant,
                                         const device::Device& device);

/// Throws Cancelled (base/guarded.h) as soon as that is wished.
class BundleRunner final : public data::ArtifactRunner {
public:
    BundleRunner(const OpenBundle& bundle, const CheckWish& wish, const driver::Progress& progress);

    Result<data::LoadedArtifact> load(const std::string& path) override;
    Result<data::ArtifactRun> run(const std::vector<model::HostTensor>& inputs, int threads) override;
    Result<data::ArtifactTimes> time(const std::vector<model::HostTensor>& inputs, int threads, int runs) override;
    bool isAlive() const override;

private:
    Result<device::RunnerModel> loadOn(int threads);
    Result<void> set(const std::vector<model::HostTensor>& inputs);
    int threadsOf(int wished);
    std::string otherThanSaid(const device::RunnerModel& loaded) const;
    template <class T>
    Result<T> unlessCancelled(Result<T> result) const;

    const OpenBundle& bundle_;
    const CheckWish& wish_;
    device::RunnerClient runner_;
    std::filesystem::path file_; // that is loaded
    int threads_ = 0;            // that it was loaded for
    std::optional<int> cores_;   // that the runner's process may use
};

} // namespace lathe::deploy
