// SPDX-License-Identifier: Apache-2.0
//
// What happens around every pass, in one place: is it switched on, is the work cancelled, how long did it take, what did it
// change, does the verifier still hold. The record is the Trace.
#pragma once

#include "driver/compile.h"
#include "driver/guarded.h"
#include "lower/pipeline.h"

namespace lathe::driver {

class PassHook {
public:
    PassHook(const Decisions& decisions, const Options& options, Trace& trace, const Progress& progress);

    /// Runs a relay pass, or skips it if it is optional and off. fn gives the module after it.
    Result<relay::Module> run(std::string name, Stage stage, bool required, const relay::Module& before,
                              const std::function<Result<relay::Module>(const relay::Module&)>& fn);

    /// For lowerKernel: records the stage in kernels[index] and adds to the pass's record. Thread-safe.
    lower::KernelHook forKernel(size_t kernelIndex);
    /// A step that is no pass over a module: its time alone.
    void step(std::string name, Stage stage, double ms);
    void report(std::string_view stage, double fraction) const;
    void checkCancelled() const;
    bool enabled(std::string_view pass) const;

private:
    PassRecord& recordOf(std::string_view pass, bool required);

    const Decisions& decisions_;
    const Options& options_;
    Trace& trace_;
    const Progress& progress_;
    std::mutex mutex_;
};

} // namespace lathe::driver
