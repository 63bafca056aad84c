// SPDX-License-Identifier: Apache-2.0
//
// What happens around every pass, in one place: is it switched on, is the work cancelled, how long did it take, what did it
// change, does the verifier still hold. The record is the Trace, which has a record of every pass before the first one runs.
#pragma once

#include "base/guarded.h"
#include "driver/compile.h"
#include "lower/pipeline.h"

#include <chrono>
#include <mutex>

namespace lathe::driver {

/// Nested Blocks and all functions included.
int64_t countBindings(const relay::Module& module);

class PassHook {
public:
    /// Makes the records of all passes.
    PassHook(const Decisions& decisions, const Options& options, Trace& trace, const Progress& progress);

    /// Runs a relay pass, or skips it if it is off. fn gives the module after it; one with the same functions counts as
    /// unchanged, and `before` is given back.
    Result<ModulePtr> run(std::string_view name, const ModulePtr& before,
                          const std::function<Result<relay::Module>(const relay::Module&)>& fn);

    /// Runs a step that is no pass over a module: import, kernels, entry, link.
    template <class Fn>
    auto step(std::string_view name, Fn fn) -> decltype(fn()) {
        PassRecord& record = begin(name);
        reportPass(name);
        const auto start = std::chrono::steady_clock::now();
        auto result = fn();
        add(name, since(start));
        if (!result && record.diagnostics.empty())
            record.diagnostics.push_back(result.error());
        return result;
    }

    /// For lowerKernel: records the stage in kernels[index] and adds to the pass's record. Thread-safe.
    lower::KernelHook forKernel(size_t kernelIndex);
    /// Adds to the time of a pass of which many threads do a part. Thread-safe.
    void add(std::string_view name, double ms);

    PassRecord& recordOf(std::string_view name);
    /// Both throw Cancelled if the user wants it so. report is for the compiling thread.
    void report(std::string_view stage, double fraction) const;
    /// Of the whole work, which moves forward with each pass, and with each kernel that is compiled.
    void reportPass(std::string_view name) const;
    void reportKernels(size_t finished, size_t count) const;
    void checkCancelled() const;

private:
    static double since(std::chrono::steady_clock::time_point start) {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    }
    /// The record of a pass that runs now; passes that come in another order than the pipeline's are a bug.
    PassRecord& begin(std::string_view name);

    const Decisions& decisions_;
    const Options& options_;
    Trace& trace_;
    const Progress& progress_;
    size_t next_ = 0; // in trace_.passes
    std::mutex mutex_;
};

} // namespace lathe::driver
