// SPDX-License-Identifier: Apache-2.0
//
// The Evaluator: what the unscheduled computation says. Small work by the TIR interpreter (no compile on the way of a
// shape), large work compiled and run in this process, one thread each: constants are evaluated side by side
// (driver/constants.h). Tests hold the two equal. What is compiled is compiled for this machine, whatever the model is compiled
// for, and for nothing that another machine of its kind lacks: constants are the same whoever exports a model.
#pragma once

#include "base/budget.h"
#include "codegen/target.h"
#include "driver/decisions.h"
#include "driver/trace.h"
#include "relay/evaluator.h"
#include "relay/folding.h"

#include <map>
#include <memory>
#include <mutex>

namespace lathe::driver {

struct EvaluatorOptions {
    Target target = codegen::baselineTarget(); // must run here
    int threads = 0;                           // for compiling
    /// Computations of more steps than this are compiled.
    int64_t interpretedSteps = relay::interpretedSteps;
    /// Which optional passes are off in what is compiled, altogether or in some kernels (nothing else of it applies): a pass
    /// that is off has no part in the model's constants either.
    Decisions passes = {};
    /// Takes note of what is compiled: constantKernels, and of its passes what they changed there. Null: nobody does.
    Trace* trace = nullptr;
    /// Results of more bytes than this are declined.
    int64_t limitBytes = limits::tensorBytes;
    /// Its checkpoint is asked at each evaluation; steps are taken by those who decide to fold.
    std::shared_ptr<const Budget> budget = std::make_shared<Budget>();
};

class DriverEvaluator final : public relay::Evaluator {
public:
    explicit DriverEvaluator(EvaluatorOptions options);
    ~DriverEvaluator() override;
    Result<std::vector<relay::ConstantPtr>> evaluate(const relay::Module& module, const relay::Function& function,
                                                     const std::vector<relay::ConstantPtr>& args) override;

private:
    struct Compiled;
    Result<std::vector<relay::ConstantPtr>> compileAndRun(const relay::Module& module, const relay::Function& function,
                                                          const std::vector<relay::ConstantPtr>& args);
    Result<void> compile(const relay::Module& module, const relay::Function& function, Compiled& into);
    void note(const Trace& trace, bool failed);
    EvaluatorOptions options_;
    std::mutex mutex_;
    std::map<Hash128, std::shared_ptr<Compiled>> compiled_; // by the function and the constants in it
};

} // namespace lathe::driver
