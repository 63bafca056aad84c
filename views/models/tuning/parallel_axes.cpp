// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/parallel_axes.h"

#include "views/models/text/one_line.h"

#include <algorithm>
#include <random>

namespace lathe::views::models {
namespace {

constexpr double slowest = 0.98; // the share of trials that have a place of their own on the axis of ratios

constexpr size_t partTrials = 8192; // of a step: well below a millisecond

} // namespace

void ParallelCells::add(int from, int to, double ratio) {
    ParallelSegment& cell = cells_[size_t(from) * size_t(to_) + size_t(to)];
    cell.ratio = cell.count == 0 ? ratio : std::min(cell.ratio, ratio);
    ++cell.count;
}

std::vector<ParallelSegment> ParallelCells::segments() const {
    std::vector<ParallelSegment> found;
    for (size_t i = 0; i < cells_.size(); ++i)
        if (cells_[i].count > 0) {
            found.push_back(cells_[i]);
            found.back().from = int(i) / to_;
            found.back().to = int(i) % to_;
        }
    return found;
}

int ParallelAxis::placeOf(size_t ordinal) const {
    return answers.size() < 2 ? 0 : int(ordinal * size_t(places - 1) / (answers.size() - 1));
}

int ParallelAxis::answerAt(int place) const {
    return answers[places < 2 ? 0 : size_t(place) * (answers.size() - 1) / size_t(places - 1)];
}

RatioEnds ratioEnds(const TrialSet& trials) {
    std::vector<double> ratios;
    for (const TrialRow& row : trials.rows())
        if (row.ratio > 0)
            ratios.push_back(row.ratio);
    if (ratios.empty())
        return {};
    const double least = std::ranges::min(ratios);
    const auto last = ratios.begin() + std::ptrdiff_t(slowest * double(ratios.size() - 1));
    std::ranges::nth_element(ratios, last);
    return {least, std::max(*last, least)};
}

double ParallelPicture::ratioAt(double height) const {
    return ends.least * std::pow(ends.most / ends.least, height);
}

int ParallelPicture::placeOf(double ratio) const {
    const auto& [least, most] = ends;
    const double height = most > least ? std::log(ratio / least) / std::log(most / least) : 0.5;
    return int(std::lround(std::clamp(height, 0.0, 1.0) * (ratioPlaces - 1)));
}

std::vector<int> parallelAxes(const TrialSet& trials) {
    std::vector<int> axes;
    for (size_t i = 0; i < trials.questions().size(); ++i)
        if (trials.questions()[i].answers.size() > 1)
            axes.push_back(int(i));
    std::ranges::sort(axes, {}, [&](int question) { return trials.questions()[size_t(question)].name; });
    axes.push_back(ratioAxis);
    return axes;
}

ParallelPictureMaker::ParallelPictureMaker(const TrialSet& trials, RatioEnds ends, std::span<const int> among,
                                           std::span<const int> axes)
    : trials_(trials), among_(among.begin(), among.end()) {
    picture_.ends = ends;
    for (const int question : axes) {
        ParallelAxis axis{question, QStringLiteral("ratio"), {}, ratioPlaces};
        std::vector<int>& places = placeOf_.emplace_back();
        if (question != ratioAxis) {
            const TrialSet::Question& asked = trials.questions()[size_t(question)];
            axis.name = oneLine(asked.name);
            axis.answers = asked.ordered();
            axis.places = std::min(int(axis.answers.size()), mostPlaces);
            places.resize(axis.answers.size());
            for (size_t i = 0; i < axis.answers.size(); ++i)
                places[size_t(axis.answers[i])] = axis.placeOf(i);
        }
        picture_.axes.push_back(std::move(axis));
    }
}

bool ParallelPictureMaker::step() {
    if (part_ == Part::Timed)
        addTimed();
    else if (part_ == Part::Choice)
        choose();
    else if (axis_ < picture_.axes.size())
        addTrials();
    else
        return false;
    return true;
}

void ParallelPictureMaker::addTimed() {
    const size_t end = std::min(done_ + partTrials, among_.size());
    for (; done_ < end; ++done_)
        if (const double ratio = trials_[size_t(among_[done_])].ratio; ratio > 0)
            timed_.emplace_back(ratio, among_[done_]);
    if (done_ == among_.size()) {
        done_ = 0;
        part_ = Part::Choice;
    }
}

/// The fastest first, then others by chance: the same for the same trials.
void ParallelPictureMaker::choose() {
    const size_t best = std::min(bestLines, timed_.size());
    const auto middle = timed_.begin() + std::ptrdiff_t(best);
    std::ranges::nth_element(timed_, middle, {}, &std::pair<double, int>::first);
    std::mt19937 random(1);
    const size_t end = std::min(best + randomLines, timed_.size());
    for (size_t i = best; i < end; ++i)
        std::swap(timed_[i], timed_[i + random() % (timed_.size() - i)]);
    picture_.drawn = end;
    picture_.dense = timed_.size() - end;
    places_.resize(timed_.size());
    part_ = Part::Axes;
}

void ParallelPictureMaker::addTrials() {
    const ParallelAxis& axis = picture_.axes[axis_];
    const bool isFirst = axis_ == 0;
    if (done_ == 0 && !isFirst)
        lines_ = density_ = ParallelCells(picture_.axes[axis_ - 1].places, axis.places);
    const size_t end = std::min(done_ + partTrials, timed_.size());
    for (; done_ < end; ++done_) {
        const auto& [ratio, trial] = timed_[done_];
        int place = -1;
        if (axis.question == ratioAxis)
            place = picture_.placeOf(ratio);
        else if (const int answer = trials_.questions()[size_t(axis.question)].ofRow[size_t(trial)]; answer >= 0)
            place = placeOf_[axis_][size_t(answer)];
        const int before = std::exchange(places_[done_], place);
        if (!isFirst && before >= 0 && place >= 0)
            (done_ < picture_.drawn ? lines_ : density_).add(before, place, ratio);
    }
    if (done_ < timed_.size())
        return;
    if (!isFirst)
        addGap();
    done_ = 0;
    ++axis_;
}

void ParallelPictureMaker::addGap() {
    std::ranges::stable_sort(picture_.lines.emplace_back(lines_.segments()), std::ranges::greater(),
                             &ParallelSegment::ratio);
    std::ranges::stable_sort(picture_.density.emplace_back(density_.segments()), {}, &ParallelSegment::count);
}

ParallelPicture parallelPicture(const TrialSet& trials, std::span<const int> among, std::span<const int> axes) {
    ParallelPictureMaker maker(trials, ratioEnds(trials), among, axes);
    while (maker.step())
        ;
    return maker.picture();
}

} // namespace lathe::views::models
