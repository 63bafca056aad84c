// SPDX-License-Identifier: Apache-2.0
//
// Questions of schedules and who answers them. A schedule that could go several ways asks; a Chooser answers by the
// question's name alone, so a schedule that is copied, dropped and made again is answered alike. The same function is
// thereby the default schedule, a schedule with pinned answers, and the template that a search explores.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace lathe::schedule {

struct Question {
    enum class Kind : uint8_t {
        OneOf, // a number among candidates
        Tile,  // `parts` factors of an extent, outermost first; that one is -1: what remains
        Place, // where a block is computed, as a number among candidates
        Rule,  // which way a schedule goes on, as a number among candidates
    } kind = Kind::OneOf;
    std::string name;                // "b0.rows": the block's ordinal in the unscheduled function, then what is asked
    std::vector<int64_t> candidates; // OneOf, Place, Rule: `preferred` is among them
    std::vector<double> weights;     // how often each is drawn, to the others; empty: all alike
    int64_t extent = 0;              // Tile: what is divided; 0: unknown
    int parts = 0;                   // Tile
    int64_t unit = 1;                // Tile: the innermost factor is a multiple of it, the lanes of a vector
    std::vector<int64_t> preferred;  // the answer of the default schedule
};
const char* toString(Question::Kind kind); // "one of", "tile", "place", "rule"

/// Why the answer is none to this question; empty if it is one.
std::string objection(const Question& question, const std::vector<int64_t>& answer);

/// All answers that are worth a try, what is preferred among them: the candidates, each by itself; of a tile those with factors
/// of 1 … 16, 20, 24, 28, 32, 48 and 64, the innermost times `unit`, whose product is at most a seventh longer than the extent
/// where it does not divide it. No more than 4,096.
std::vector<std::vector<int64_t>> answersTo(const Question& question);

/// Answers by the names of questions.
using Answers = std::map<std::string, std::vector<int64_t>>;

class Chooser {
public:
    virtual ~Chooser() = default;
    /// Depends on the question alone: whoever asks twice gets the same answer.
    virtual std::vector<int64_t> answer(const Question& question) const = 0;
};

/// The default schedule.
class Preferred final : public Chooser {
public:
    std::vector<int64_t> answer(const Question& question) const override { return question.preferred; }
};

/// What was decided, and the default for the rest. Whether the answer is one, the schedule checks that asks.
class Pinned final : public Chooser {
public:
    explicit Pinned(Answers answers) : answers_(std::move(answers)) {}
    std::vector<int64_t> answer(const Question& question) const override;

private:
    Answers answers_;
};

/// Asks another chooser and notes what was asked: by schedules that were dropped, too. Of two questions of one name the later
/// one counts, as the schedule does that asked it. For one thread.
class Noting final : public Chooser {
public:
    explicit Noting(std::shared_ptr<const Chooser> chooser) : chooser_(std::move(chooser)) {}
    std::vector<int64_t> answer(const Question& question) const override;
    const std::vector<Question>& asked() const { return asked_; } // each name once, in order

private:
    std::shared_ptr<const Chooser> chooser_;
    mutable std::vector<Question> asked_;
};

/// A question and how it was answered.
struct Decision {
    Question question;
    std::vector<int64_t> answer;
    bool isPreferred() const { return answer == question.preferred; }
};

/// A decision that cannot be followed: it is no answer to the question, or what follows from it is illegal. Not an
/// attempt that fails: the one who decided has to know.
class AnswerError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace lathe::schedule
