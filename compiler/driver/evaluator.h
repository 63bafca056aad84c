// SPDX-License-Identifier: Apache-2.0
//
// The Evaluator: what the unscheduled computation says. Small work by the TIR interpreter (no compile on the way of a
// shape), large work compiled and run in this process. Tests hold the two equal.
#pragma once

#include "codegen/target.h"
#include "relay/evaluator.h"

#include <map>
#include <memory>
#include <mutex>

namespace lathe::driver {

struct EvaluatorOptions {
    Target target = codegen::nativeTarget();
    int threads = 0;
    /// Computations with more elements than this (operands, results and the steps of reductions) are compiled.
    int64_t interpretElements = 20'000;
    /// Results of more bytes than this stay unfolded.
    int64_t limitBytes = int64_t{1} << 40;
};

class DriverEvaluator final : public relay::Evaluator {
public:
    explicit DriverEvaluator(EvaluatorOptions options);
    ~DriverEvaluator() override;
    Result<std::vector<relay::ConstantPtr>> evaluate(const relay::Module& module, const relay::Function& function,
                                                     const std::vector<relay::ConstantPtr>& args) override;

private:
    struct Compiled;
    Result<std::vector<relay::ConstantPtr>> interpret(const relay::Module& module, const relay::Function& function,
                                                      const std::vector<relay::ConstantPtr>& args);
    Result<std::vector<relay::ConstantPtr>> compileAndRun(const relay::Module& module, const relay::Function& function,
                                                          const std::vector<relay::ConstantPtr>& args);
    EvaluatorOptions options_;
    std::mutex mutex_;
    std::map<Hash128, std::shared_ptr<Compiled>> compiled_; // by structure of the function
};

} // namespace lathe::driver
