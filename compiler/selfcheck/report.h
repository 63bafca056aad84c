// SPDX-License-Identifier: Apache-2.0
//
// What the self-check says: a line a step, for people or, with --json, for programs. It also speaks for a step that never
// returns: a crash or a hang in the model's code is a result like any other.
#pragma once

#include "base/result.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace lathe::selfcheck {

class Report {
public:
    /// Catches fatal signals, and SIGALRM after `seconds` in one step: the step is said to have failed, and the process exits
    /// with 1. One in a process.
    Report(bool json, unsigned seconds);
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;

    /// What is done from now on, for what a signal ends.
    void begin(const std::string& step);
    /// The step is done: `text` for people, `facts` (an object) for programs.
    void good(const std::string& text, const nlohmann::json& facts);
    void bad(const Diagnostic& problem);
    /// Nothing that could be wrong: "skipped: …".
    void note(const std::string& text);
    bool allGood() const { return allGood_; }

private:
    void say(const char* verdict, const std::string& text, const nlohmann::json& facts) const;

    bool json_;
    unsigned seconds_;
    bool allGood_ = true;
    std::string step_;
};

} // namespace lathe::selfcheck
