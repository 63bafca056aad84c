// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/trial_set.h"

#include <algorithm>
#include <numeric>

namespace lathe::views::models {

std::string textOf(std::span<const int64_t> answer) {
    std::string text;
    for (const int64_t number : answer)
        text += (text.empty() ? "" : ",") + std::to_string(number);
    return text;
}

std::vector<int> TrialSet::Question::ordered() const {
    std::vector<int> places(answers.size());
    std::iota(places.begin(), places.end(), 0);
    std::ranges::sort(places, {}, [&](int place) -> const std::vector<int64_t>& { return answers[size_t(place)]; });
    return places;
}

void TrialSet::add(const tune::Trial& trial) {
    const tune::Candidate& candidate = trial.candidate;
    TrialRow row;
    row.program = candidate.program;
    row.round = trial.round;
    row.made = candidate.made;
    row.verdict = trial.verdict;
    row.accepted = trial.accepted;
    row.prior = candidate.prior > 0 ? candidate.prior : unknown;
    row.predicted = candidate.predicted.value_or(unknown);
    row.seconds = trial.seconds > 0 ? trial.seconds : unknown;
    setTimes(row, trial.us, trial.ratio);
    add(row, candidate.parent, candidate.answers, trial.message);
}

void TrialSet::add(const records::Trial& trial) {
    TrialRow row;
    row.program = records::parseHash(trial.program).value_or(Hash128{});
    row.round = trial.round;
    row.made = trial.made;
    row.verdict = trial.verdict;
    row.accepted = trial.accepted;
    row.prior = trial.prior > 0 ? trial.prior : unknown;
    row.predicted = trial.predicted.value_or(unknown);
    row.seconds = trial.seconds > 0 ? trial.seconds : unknown;
    setTimes(row, trial.us, trial.ratio);
    add(row, records::parseHash(trial.parent), records::parseAnswers(trial.answers).value_or(schedule::Answers{}),
        trial.message);
}

void TrialSet::setTimes(TrialRow& row, double us, const tune::Interval& ratio) const {
    row.us = us > 0 && std::isfinite(us) ? us : unknown;
    row.ratio = row.low = row.high = unknown;
    const bool ran = row.verdict == tune::Verdict::Measured || row.verdict == tune::Verdict::Slow;
    if (!ran || ratio.middle <= 0)
        return;
    row.ratio = ratio.middle;
    if (row.verdict == tune::Verdict::Measured) {
        row.low = ratio.low;
        row.high = ratio.high;
    }
}

void TrialSet::add(TrialRow row, const std::optional<Hash128>& parent, const schedule::Answers& answers,
                   const std::string& message) {
    const size_t at = rows_.size();
    row.parent = parent ? rowOf(*parent) : -1;
    row.message = messageNumber(message);
    rowOf_.try_emplace(row.program, int(at));
    for (Question& question : questions_)
        question.ofRow.push_back(-1);
    for (const auto& [name, answer] : answers) {
        const auto [found, isNew] = questionNumbers_.try_emplace(name, questions_.size());
        if (isNew) {
            questions_.push_back({name, {}, std::vector<int>(at + 1, -1)});
            answerNumbers_.emplace_back();
        }
        Question& question = questions_[found->second];
        const auto [number, first] = answerNumbers_[found->second].try_emplace(answer, int(question.answers.size()));
        if (first)
            question.answers.push_back(answer);
        question.ofRow[at] = number->second;
    }
    rows_.push_back(row);
    noteChange(at);
}

void TrialSet::change(size_t row, const tune::Trial& trial) {
    TrialRow& changed = rows_[row];
    changed.verdict = trial.verdict;
    changed.accepted = trial.accepted;
    changed.message = messageNumber(trial.message);
    setTimes(changed, trial.us, trial.ratio);
    noteChange(row);
}

int TrialSet::messageNumber(const std::string& message) {
    const auto [found, isNew] = messageNumbers_.try_emplace(message, int(messages_.size()));
    if (isNew)
        messages_.push_back(message);
    return found->second;
}

void TrialSet::noteChange(size_t changed) {
    ++revision_;
    if (changed == 0 && best_ < 0) {
        best_ = 0;
        return;
    }
    const TrialRow& row = rows_[changed];
    if (row.accepted && row.isTimed() && (best_ == 0 || !(rows_[size_t(best_)].ratio <= row.ratio)))
        best_ = int(changed);
}

const std::vector<int64_t>& TrialSet::answer(size_t row, size_t question) const {
    static const std::vector<int64_t> none;
    const Question& asked = questions_[question];
    const int number = asked.ofRow[row];
    return number < 0 ? none : asked.answers[size_t(number)];
}

schedule::Answers TrialSet::answersOf(size_t row) const {
    schedule::Answers answers;
    for (size_t i = 0; i < questions_.size(); ++i)
        if (questions_[i].ofRow[row] >= 0)
            answers[questions_[i].name] = answer(row, i);
    return answers;
}

int TrialSet::rowOf(const Hash128& program) const {
    const auto found = rowOf_.find(program);
    return found == rowOf_.end() ? -1 : found->second;
}

size_t TrialSet::bytes() const {
    constexpr size_t ofHashNode = sizeof(Hash128) + 4 * sizeof(void*); // and its bucket
    size_t bytes = rows_.capacity() * sizeof(TrialRow) + rowOf_.size() * ofHashNode;
    for (const Question& question : questions_)
        bytes += question.ofRow.capacity() * sizeof(int);
    for (const std::string& message : messages_)
        bytes += 2 * (message.capacity() + sizeof(message));
    return bytes;
}

} // namespace lathe::views::models
