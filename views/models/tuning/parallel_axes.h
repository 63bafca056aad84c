// SPDX-License-Identifier: GPL-3.0-or-later
//
// Trials as lines over parallel axes (Inselberg, "The plane with parallel coordinates", 1985): an axis a question, the last
// one the ratio. The fastest trials and some drawn by chance are lines, the others density: how many go from one place of an
// axis to one of the next. Answers are few, so lines that lie on each other between two axes are one, with the ratio of the
// fastest; what is drawn does not grow with the trials.
#pragma once

#include "views/models/tuning/trial_set.h"

#include <QString>
#include <span>

namespace lathe::views::models {

inline constexpr int ratioAxis = -1;
inline constexpr int mostPlaces = 256, ratioPlaces = 64;
inline constexpr size_t bestLines = 500, randomLines = 1500;

struct ParallelAxis {
    int question = ratioAxis;
    QString name;             // "ratio", or the question's
    std::vector<int> answers; // a question's, from the bottom to the top
    int places = 0;           // at most mostPlaces: then several answers share one

    int placeOf(size_t ordinal) const; // of the answers, as they stand here
    int answerAt(int place) const;     // one of those
    /// 0 at the bottom, 1 at the top.
    double heightOf(int place) const { return places < 2 ? 0.5 : double(place) / (places - 1); }
};

struct ParallelSegment {
    int from = 0, to = 0; // places on an axis and the next
    int count = 0;
    double ratio = 0; // of the fastest
};

/// Of the axis of ratios; slower trials stand at its end.
struct RatioEnds {
    double least = 1, most = 1;
};
/// Of all trials, so that the axis stays as it is when they are filtered. Looks at each: milliseconds for a hundred thousand.
RatioEnds ratioEnds(const TrialSet& trials);

struct ParallelPicture {
    std::vector<ParallelAxis> axes;
    RatioEnds ends;
    std::vector<std::vector<ParallelSegment>> lines;   // between each axis and the next; the fastest last
    std::vector<std::vector<ParallelSegment>> density; // likewise; the most last
    size_t drawn = 0, dense = 0;                       // trials

    double ratioAt(double height) const;
    int placeOf(double ratio) const;
};

/// Counts and least ratios of places on two axes.
class ParallelCells {
public:
    ParallelCells() = default;
    ParallelCells(int from, int to) : to_(to), cells_(size_t(from) * size_t(to)) {}
    void add(int from, int to, double ratio);
    /// Of those that any were added to.
    std::vector<ParallelSegment> segments() const;

private:
    int to_ = 0;
    std::vector<ParallelSegment> cells_;
};

/// Of all questions that trials answer in several ways, by name, then the ratio.
std::vector<int> parallelAxes(const TrialSet& trials);
/// Of those that have a time among these trials, over these axes.
ParallelPicture parallelPicture(const TrialSet& trials, std::span<const int> among, std::span<const int> axes);

/// The same, some thousand trials at a time, for who may not stop for all. Trials may come in meanwhile: it is of those of the
/// beginning.
class ParallelPictureMaker {
public:
    ParallelPictureMaker(const TrialSet& trials, RatioEnds ends, std::span<const int> among, std::span<const int> axes);
    /// Does a part of it; false: all was done.
    bool step();
    /// The axes are there from the beginning.
    const ParallelPicture& picture() const { return picture_; }

private:
    void addTimed();
    void choose();
    void addTrials();
    void addGap();

    const TrialSet& trials_;
    std::vector<int> among_;
    ParallelPicture picture_;
    std::vector<std::vector<int>> placeOf_;     // on each axis, of a question's answers
    std::vector<std::pair<double, int>> timed_; // ratios and trials: those that are drawn as lines first
    std::vector<int> places_;                   // of these, on the axis and where done_ has not come yet on that before
    ParallelCells lines_, density_;             // between these axes
    enum class Part { Timed, Choice, Axes } part_ = Part::Timed;
    size_t axis_ = 0, done_ = 0; // the axis, and the trials that are done
};

} // namespace lathe::views::models
