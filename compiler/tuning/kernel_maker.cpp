// SPDX-License-Identifier: Apache-2.0
#include "tuning/kernel_maker.h"

#include "base/parallel.h"
#include "lower/workload.h"

namespace lathe::tuning {
namespace {

class KernelsHere final : public KernelMaker {
public:
    KernelsHere(driver::Options options, std::function<bool()> cancelled)
        : options_(std::move(options)), cancelled_(std::move(cancelled)) {}

    Result<std::vector<MadeKernel>> make(const tune::Task& task, std::span<const WantedKernel> wanted) override {
        std::vector<MadeKernel> built(wanted.size());
        parallelFor(wanted.size(), options_.threads, [&](size_t i) {
            if (!(cancelled_ && cancelled_()))
                built[i] = makeKernel(task.computation, wanted[i].name, wanted[i].trace, options_);
        });
        if (cancelled_ && cancelled_())
            return failure(ErrorKind::Cancelled, "cancelled");
        return built;
    }

private:
    driver::Options options_;
    std::function<bool()> cancelled_;
};

} // namespace

MadeKernel makeKernel(const tir::PrimFuncPtr& computation, const std::string& name,
                      const schedule::ScheduleTrace* trace, const driver::Options& options) {
    driver::Decisions decisions;
    if (trace)
        decisions.kernels[toString(lower::workloadOf(*computation, options.target))].trace = *trace;
    else
        decisions.skipPasses = {"schedule"};
    auto made = driver::compileKernelAlone(computation, name, true, decisions, options);
    if (!made)
        return {nullptr, tune::Verdict::BuildError, made.error().what};
    if (const auto& warnings = (*made)->record.schedule.warnings; !warnings.empty())
        return {nullptr, tune::Verdict::BuildError, warnings.front().what};
    return {std::move(*made), tune::Verdict::BuildError, {}};
}

std::unique_ptr<KernelMaker> makeKernelsHere(driver::Options options, std::function<bool()> cancelled) {
    return std::make_unique<KernelsHere>(std::move(options), std::move(cancelled));
}

} // namespace lathe::tuning
