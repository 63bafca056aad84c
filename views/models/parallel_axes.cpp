// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/parallel_axes.h"

#include "views/models/one_line.h"

#include <algorithm>
#include <random>

namespace lathe::views::models {
namespace {

constexpr double slowest = 0.98; // the share of trials that have a place of their own on the axis of ratios

/// Counts and least ratios of places on two axes.
class Cells {
public:
    Cells(int from, int to) : to_(to), cells_(size_t(from) * size_t(to)) {}
    void add(int from, int to, double ratio) {
        ParallelSegment& cell = cells_[size_t(from) * size_t(to_) + size_t(to)];
        cell.ratio = cell.count == 0 ? ratio : std::min(cell.ratio, ratio);
        ++cell.count;
    }
    std::vector<ParallelSegment> segments() const {
        std::vector<ParallelSegment> found;
        for (size_t i = 0; i < cells_.size(); ++i)
            if (cells_[i].count > 0) {
                found.push_back(cells_[i]);
                found.back().from = int(i) / to_;
                found.back().to = int(i) % to_;
            }
        return found;
    }

private:
    int to_;
    std::vector<ParallelSegment> cells_;
};

} // namespace

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
    if (!std::exchange(isChosen_, true))
        choose();
    else if (axis_ < picture_.axes.size())
        addAxis(axis_++);
    else
        return false;
    return true;
}

/// The fastest first, then others by chance: the same for the same trials.
void ParallelPictureMaker::choose() {
    for (const int trial : among_)
        if (const double ratio = trials_[size_t(trial)].ratio; ratio > 0)
            timed_.emplace_back(ratio, trial);
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
    next_.resize(timed_.size());
}

void ParallelPictureMaker::addAxis(size_t axis) {
    std::swap(places_, next_);
    const int question = picture_.axes[axis].question;
    for (size_t i = 0; i < timed_.size(); ++i) {
        const auto& [ratio, trial] = timed_[i];
        if (question == ratioAxis) {
            next_[i] = picture_.placeOf(ratio);
        } else {
            const int answer = trials_.questions()[size_t(question)].ofRow[size_t(trial)];
            next_[i] = answer < 0 ? -1 : placeOf_[axis][size_t(answer)];
        }
    }
    if (axis == 0)
        return;
    Cells lines(picture_.axes[axis - 1].places, picture_.axes[axis].places), density = lines;
    for (size_t i = 0; i < timed_.size(); ++i)
        if (places_[i] >= 0 && next_[i] >= 0)
            (i < picture_.drawn ? lines : density).add(places_[i], next_[i], timed_[i].first);
    std::ranges::stable_sort(picture_.lines.emplace_back(lines.segments()), std::ranges::greater(),
                             &ParallelSegment::ratio);
    std::ranges::stable_sort(picture_.density.emplace_back(density.segments()), {}, &ParallelSegment::count);
}

ParallelPicture parallelPicture(const TrialSet& trials, std::span<const int> among, std::span<const int> axes) {
    ParallelPictureMaker maker(trials, ratioEnds(trials), among, axes);
    while (maker.step())
        ;
    return maker.picture();
}

} // namespace lathe::views::models
