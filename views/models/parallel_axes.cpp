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

/// The fastest first, then others by chance: the same for the same trials.
std::vector<int> drawnFirst(const TrialSet& trials, std::vector<int> timed) {
    const size_t best = std::min(bestLines, timed.size());
    const auto middle = timed.begin() + std::ptrdiff_t(best);
    std::ranges::nth_element(timed, middle, {}, [&](int trial) { return trials[size_t(trial)].ratio; });
    std::mt19937 random(1);
    const size_t end = std::min(best + randomLines, timed.size());
    for (size_t i = best; i < end; ++i)
        std::swap(timed[i], timed[i + random() % (timed.size() - i)]);
    return timed;
}

} // namespace

int ParallelAxis::placeOf(size_t ordinal) const {
    return answers.size() < 2 ? 0 : int(ordinal * size_t(places - 1) / (answers.size() - 1));
}

int ParallelAxis::answerAt(int place) const {
    return answers[places < 2 ? 0 : size_t(place) * (answers.size() - 1) / size_t(places - 1)];
}

double ParallelPicture::ratioAt(double height) const {
    return least * std::pow(most / least, height);
}

int ParallelPicture::placeOf(double ratio) const {
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

ParallelPicture parallelPicture(const TrialSet& trials, std::span<const int> among, std::span<const int> axes) {
    ParallelPicture picture;
    std::vector<double> ratios; // of all, so that an axis stays as it is when trials are filtered
    for (const TrialRow& row : trials.rows())
        if (row.ratio > 0)
            ratios.push_back(row.ratio);
    if (!ratios.empty()) {
        picture.least = std::ranges::min(ratios);
        const auto last = ratios.begin() + std::ptrdiff_t(slowest * double(ratios.size() - 1));
        std::ranges::nth_element(ratios, last);
        picture.most = std::max(*last, picture.least);
    }
    std::vector<std::vector<int>> placeOf; // on each axis, of a question's answers
    for (const int question : axes) {
        ParallelAxis axis{question, QStringLiteral("ratio"), {}, ratioPlaces};
        std::vector<int>& places = placeOf.emplace_back();
        if (question != ratioAxis) {
            const TrialSet::Question& asked = trials.questions()[size_t(question)];
            axis.name = oneLine(asked.name);
            axis.answers = asked.ordered();
            axis.places = std::min(int(axis.answers.size()), mostPlaces);
            places.resize(axis.answers.size());
            for (size_t i = 0; i < axis.answers.size(); ++i)
                places[size_t(axis.answers[i])] = axis.placeOf(i);
        }
        picture.axes.push_back(std::move(axis));
    }
    std::vector<int> timed;
    std::ranges::copy_if(among, std::back_inserter(timed), [&](int trial) { return trials[size_t(trial)].ratio > 0; });
    timed = drawnFirst(trials, std::move(timed));
    picture.drawn = std::min(timed.size(), bestLines + randomLines);
    picture.dense = timed.size() - picture.drawn;
    std::vector<double> times; // of these, side by side
    for (const int trial : timed)
        times.push_back(trials[size_t(trial)].ratio);
    const auto placeAt = [&](size_t axis, size_t i) {
        if (axes[axis] == ratioAxis)
            return picture.placeOf(times[i]);
        const int answer = trials.questions()[size_t(axes[axis])].ofRow[size_t(timed[i])];
        return answer < 0 ? -1 : placeOf[axis][size_t(answer)];
    };
    std::vector<int> places(timed.size()), next(timed.size());
    for (size_t axis = 0; axis < axes.size(); ++axis, std::swap(places, next)) {
        for (size_t i = 0; i < timed.size(); ++i)
            next[i] = placeAt(axis, i);
        if (axis == 0)
            continue;
        Cells lines(picture.axes[axis - 1].places, picture.axes[axis].places), density = lines;
        for (size_t i = 0; i < timed.size(); ++i)
            if (places[i] >= 0 && next[i] >= 0)
                (i < picture.drawn ? lines : density).add(places[i], next[i], times[i]);
        std::ranges::stable_sort(picture.lines.emplace_back(lines.segments()), std::ranges::greater(),
                                 &ParallelSegment::ratio);
        std::ranges::stable_sort(picture.density.emplace_back(density.segments()), {}, &ParallelSegment::count);
    }
    return picture;
}

} // namespace lathe::views::models
