// SPDX-License-Identifier: Apache-2.0
//
// What was done to a function, as a value: primitives with the handles and numbers that they took and gave. A trace
// prints, reads back, and replays on every function that is alike up to names.
//
// A number that was decided stands as a reference to the decision, not as a literal: the same trace replays with another
// answer (withAnswers).
#pragma once

#include "base/result.h"
#include "schedule/chooser.h"

#include <optional>
#include <variant>

namespace lathe::schedule {

/// One number of a decision's answer.
struct DecisionRef {
    std::string decision; // the question's name
    int part = 0;         // which of the answer's numbers
    bool operator==(const DecisionRef&) const = default;
};

/// What a primitive takes where a number is wanted: a literal, or one that remembers how it was decided.
struct Number {
    int64_t value = 0;
    std::optional<DecisionRef> from = {};

    Number(int64_t value) : value(value) {}
    Number(int64_t value, std::optional<DecisionRef> from) : value(value), from(std::move(from)) {}
    operator int64_t() const { return value; }
};
using StepNumber = std::variant<int64_t, DecisionRef>;

/// One applied primitive. Blocks have numbers: those of the unscheduled function in program order, then those that
/// primitives made. So have loops, in the order in which they were given out.
///
/// A decision is a step too: primitive "choose", texts: the question's name and, if it is not "one of", its kind; numbers:
/// the candidates, or extent, parts and unit of a tile; gives: the answer.
struct Step {
    std::string primitive;
    std::vector<int> blocks;
    std::vector<int> loops;
    std::vector<StepNumber> numbers;
    std::vector<std::string> texts;
    std::vector<int> makes;     // numbers of new blocks
    std::vector<int64_t> gives; // numbers of the loops given out; of a decision the answer
    bool operator==(const Step&) const = default;
};

struct ScheduleTrace {
    std::vector<Step> steps;
    bool operator==(const ScheduleTrace&) const = default;
};

/// A step a line:  split loops(0) numbers(-1, $b0.rows) gives(3, 4)
std::string print(const ScheduleTrace& trace);
/// Fails with the line for malformed text, and for more steps than limits::scheduleSteps.
Result<ScheduleTrace> parseTrace(std::string_view text);

/// The decision as a step, and back; fails for a step that is no well-formed decision.
Step stepOf(const Decision& decision);
Result<Decision> decisionOf(const Step& step);

/// The trace with other answers. Fails for a name that is no decision of the trace, for an answer that is none, and where
/// no number of the trace refers to the decision: then the steps themselves follow from it.
Result<ScheduleTrace> withAnswers(const ScheduleTrace& trace, const Answers& answers);

} // namespace lathe::schedule
