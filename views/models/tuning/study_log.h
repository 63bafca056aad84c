// SPDX-License-Identifier: GPL-3.0-or-later
//
// A study as the window sees it. The study's thread changes a tune::Study; what crosses are updates, small values that say
// what is new. The log has them all: it only grows, and tells of it four times a second at most, so that a view draws what
// was added and never looks at all trials again.
#pragma once

#include "tune/study.h"

#include <QObject>
#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

class QTimer;

namespace lathe::views::models {

/// A trial for charts: 24 bytes.
struct TrialPoint {
    float seconds = 0;  // into the study; of a study that goes on, those of before included
    float us = 0;       // a call; 0: it was not timed
    float ratio = 0;    // of its time to the default's, timed side by side; 0: not known
    int32_t number = 0; // in its task; 0 is the default's
    uint16_t task = 0;
    uint16_t round = 0;
    tune::Verdict verdict = tune::Verdict::Measured;
    tune::Made made = tune::Made::Default;
    bool accepted = false;
};
static_assert(sizeof(TrialPoint) == 24);

using TrialPtr = std::shared_ptr<const tune::Trial>;

/// How far a task has come.
struct StudyTask {
    QString workload, kernel;
    double calls = 1, flops = 0, bytes = 0, floorUs = 0; // of a call
    double defaultUs = 0, bestUs = 0, bestRatio = 1;     // 0: not known
    double seconds = 0, priority = 1;
    double gain = 0; // microseconds of the model that a second is expected to save
    int trials = 0, rounds = 0;
    int best = 0; // number of the trial
    tune::Done done = tune::Done::No;
    tune::Wish wish = tune::Wish::Go;
    bool operator==(const StudyTask&) const = default;
};

/// How good predictions of a round's candidates were.
struct JudgedRound {
    int task = 0, round = 0;
    double seconds = 0;
    tune::Judgement judgement;
};

/// What is new in a study.
struct StudyUpdate {
    struct NewTrial {
        TrialPoint point;
        TrialPtr trial;
    };
    std::vector<NewTrial> trials; // in the order of their tasks; one that is there already has changed
    std::vector<StudyTask> tasks; // of the study's step that goes on all, as they are now
    std::vector<JudgedRound> judged;
    std::vector<double> importance; // of features to the cost model (tune::Study)
    double seconds = 0;             // of the study, now
    tune::Spent spent;
    std::optional<bool> waits; // whether it does; empty: as before
    tune::Timings timings;     // of this run of the study
    QString note;              // what the study says of itself: that the machine is busy, …
};

/// On the study's thread: what changed by the event.
StudyUpdate updateOf(const tune::Study& study, const tune::Event& event);
/// A point of it. Trials that are shown have no questions and no features, but for the default's.
TrialPoint pointOf(const tune::Trial& trial, size_t task, size_t number);
TrialPtr shownTrial(const tune::Trial& trial, size_t number);

/// A time of a task: its default's, or a faster one from then on.
struct BestPoint {
    float seconds = 0;
    int task = 0;
    int32_t trial = 0; // in the log
    double ratio = 1;  // of its time to the default's
};

/// What a study is of, and how it was begun.
struct StudyHead {
    QString id; // in the records; empty: it is not recorded
    QString name, model, search;
    QString sizes;   // that its kernels are to be fast at, as tuning::parseTunedSizes reads them
    QString records; // the file
    tune::Limits limits;
    int threads = 0;
    bool resumed = false;
};

/// What was added, for views that go on from what they have.
struct StudyGrowth {
    int firstTrial = 0;       // in the log; those from here on are new
    std::vector<int> changed; // of those before
    size_t firstBest = 0;     // in bests(): those from here on are new, or have moved
    size_t firstJudged = 0;
};

class StudyLog : public QObject {
    Q_OBJECT

public:
    explicit StudyLog(QObject* parent = nullptr);

    /// Another study, with nothing in it.
    void begin(StudyHead head);
    /// Without an id and a name: there is none.
    void clear() { begin({}); }
    /// Shows with the next signal.
    void add(StudyUpdate update);
    /// What waits is shown now.
    void flush();
    void setLimits(tune::Limits limits) { head_.limits = limits; }

    const StudyHead& head() const { return head_; }
    bool isEmpty() const { return tasks_.empty(); }
    const std::vector<TrialPoint>& points() const { return points_; } // in the order in which they came
    const tune::Trial& trial(int index) const { return *trials_[size_t(index)]; }
    const std::vector<StudyTask>& tasks() const { return tasks_; }
    /// Trials of a task by number, as indices of the log.
    const std::vector<int32_t>& trialsOf(int task) const { return ofTask_[size_t(task)]; }
    int taskOf(const QString& workload) const; // -1: none
    /// A trial of a task by its program; -1: none.
    int find(int task, const Hash128& program) const;
    const std::vector<BestPoint>& bests() const { return bests_; } // by seconds
    const std::vector<JudgedRound>& judged() const { return judged_; }
    const std::vector<double>& importance() const { return importance_; }
    double seconds() const { return seconds_; }
    const tune::Spent& spent() const { return spent_; }
    tune::Timings timings() const { return ofEarlierSteps_ + ofStep_; }
    bool waits() const { return waits_; }
    /// Microseconds of the model in these tasks.
    double defaultUs() const;
    double bestUs() const;

signals:
    /// Another study, or none.
    void begun();
    void grown(const lathe::views::models::StudyGrowth& growth);

private:
    void take(StudyUpdate& update, StudyGrowth& growth);
    void place(std::vector<StudyTask> tasks);
    void addBest(const TrialPoint& point, int index, StudyGrowth& growth);

    StudyHead head_;
    std::vector<TrialPoint> points_;
    std::vector<TrialPtr> trials_;
    std::vector<StudyTask> tasks_;
    std::map<QString, int> placeOf_; // by workload
    std::vector<int> places_;        // of the tasks that updates speak of now
    std::vector<std::vector<int32_t>> ofTask_;
    std::vector<std::unordered_map<Hash128, int32_t, HashOfHash128>> byProgram_; // by task
    std::vector<BestPoint> bests_;
    std::vector<JudgedRound> judged_;
    std::vector<double> importance_;
    double seconds_ = 0;
    tune::Spent spent_;
    tune::Timings ofStep_, ofEarlierSteps_;
    bool waits_ = false;
    std::vector<StudyUpdate> waiting_;
    QTimer* pause_; // runs: views were told a moment ago
};

} // namespace lathe::views::models
