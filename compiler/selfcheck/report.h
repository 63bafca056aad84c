// SPDX-License-Identifier: Apache-2.0
//
// What the self-check says: a line a step, for people or, with --json, for programs. It also speaks for a step that never
// returns: a crash or a hang in the model's code is a result like any other.
#pragma once

#include "data/step_report.h"

namespace lathe::selfcheck {

class Report final : public data::StepReport {
public:
    /// Catches fatal signals, and SIGALRM after `seconds` in one step: the step is said to have failed, and the process exits
    /// with 1. One in a process.
    Report(bool json, unsigned seconds);
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;

    /// Whatever a signal ends is said of this step.
    void begin(const std::string& step) override;
    void good(const std::string& text, const nlohmann::json& facts) override;
    void bad(const Diagnostic& problem) override;
    void note(const std::string& text) override;
    bool allGood() const { return allGood_; }

private:
    void say(const char* verdict, const std::string& text, const nlohmann::json& facts) const;

    bool json_;
    unsigned seconds_;
    bool allGood_ = true;
    std::string step_;
};

} // namespace lathe::selfcheck
