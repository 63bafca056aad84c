// SPDX-License-Identifier: Apache-2.0
//
// Who is told what a check of a bundle does and finds, step by step: a program that prints lines, or a list for whoever asked.
// A step is begun before it does anything, so that its name is known if it never returns.
#pragma once

#include "base/diagnostic.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace lathe::data {

class StepReport {
public:
    virtual ~StepReport() = default;
    /// What is done from now on.
    virtual void begin(const std::string& step) = 0;
    /// The step is done: `text` for people, `facts` (an object) for programs.
    virtual void good(const std::string& text, const nlohmann::json& facts) = 0;
    /// A fault; a step may have several. Files are named by their paths in the bundle.
    virtual void bad(const Diagnostic& problem) = 0;
    /// Nothing that could be wrong: it was skipped, or says nothing.
    virtual void note(const std::string& text) = 0;
};

/// "file: what (hint)", on one line: what is said of a fault in its step.
std::string sentenceOf(const Diagnostic& problem);

} // namespace lathe::data
