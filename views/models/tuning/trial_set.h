// SPDX-License-Identifier: GPL-3.0-or-later
//
// The trials of one task as views need them: a hundred thousand of them, looked at by column. Each question has the answers
// that occurred once, and each trial a number among them; so has each message. Trials are added while a study runs, in its
// order, and what a paired test finds later changes them in place.
#pragma once

#include "base/hash.h"
#include "records/rows.h"
#include "tune/candidate.h"

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace lathe::views::models {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct TrialRow {
    Hash128 program;
    int parent = -1; // a row before this one; -1: none, or it is not there
    int round = 0;
    int message = 0; // TrialSet::messages
    tune::Made made = tune::Made::Default;
    tune::Verdict verdict = tune::Verdict::Measured;
    bool accepted = false;
    double us = unknown, ratio = unknown, low = unknown, high = unknown; // Slow: without an interval
    double prior = unknown, predicted = unknown, seconds = unknown;

    bool isTimed() const { return !std::isnan(ratio); }
};

class TrialSet {
public:
    struct Question {
        std::string name;
        std::vector<std::vector<int64_t>> answers; // that occurred, in the order in which they did
        std::vector<int> ofRow;                    // which of them a trial has; -1: it was not asked
        /// Places of the answers in ascending order, as rows of numbers.
        std::vector<int> ordered() const;
    };

    void add(const tune::Trial& trial);
    /// Answers that are none are left out.
    void add(const records::Trial& trial);
    /// The verdict, the times and whether it was accepted are those of now.
    void change(size_t row, const tune::Trial& trial);

    size_t size() const { return rows_.size(); }
    const TrialRow& operator[](size_t row) const { return rows_[row]; }
    std::span<const TrialRow> rows() const { return rows_; }
    const std::vector<Question>& questions() const { return questions_; }
    const std::vector<std::string>& messages() const { return messages_; }
    const std::string& messageOf(size_t row) const { return messages_[size_t(rows_[row].message)]; }
    /// Empty: it was not asked.
    const std::vector<int64_t>& answer(size_t row, size_t question) const;
    schedule::Answers answersOf(size_t row) const;
    /// The accepted one with the least ratio, or the first; -1: there is none.
    int best() const { return best_; }
    int rowOf(const Hash128& program) const; // -1: none
    /// Goes up with each trial that comes in or changes: what was worked out of a set holds as long as this stays.
    size_t revision() const { return revision_; }
    /// Bytes that it takes, about.
    size_t bytes() const;

private:
    void add(TrialRow row, const std::optional<Hash128>& parent, const schedule::Answers& answers,
             const std::string& message);
    /// What follows from verdict, time and ratio.
    void setTimes(TrialRow& row, double us, const tune::Interval& ratio) const;
    int messageNumber(const std::string& message);
    void noteChange(size_t changed);

    std::vector<TrialRow> rows_;
    std::vector<Question> questions_;
    std::vector<std::map<std::vector<int64_t>, int>> answerNumbers_; // of each question
    std::unordered_map<std::string, size_t> questionNumbers_;
    std::vector<std::string> messages_;
    std::unordered_map<std::string, int> messageNumbers_;
    std::unordered_map<Hash128, int, HashOfHash128> rowOf_;
    int best_ = -1;
    size_t revision_ = 0;
};

/// "6"; several numbers have commas between them.
std::string textOf(std::span<const int64_t> answer);

} // namespace lathe::views::models
