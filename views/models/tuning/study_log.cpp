// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/study_log.h"

#include "tune/samples.h"

#include <QTimer>
#include <algorithm>

namespace lathe::views::models {

namespace {

constexpr std::chrono::milliseconds betweenUpdates{250};

StudyTask taskOf(const tune::TaskState& state) {
    StudyTask task;
    task.workload = QString::fromStdString(state.task.workload);
    task.kernel = QString::fromStdString(state.task.kernel);
    task.calls = state.task.calls;
    task.flops = state.task.flops;
    task.bytes = state.task.bytes;
    task.floorUs = state.task.floorUs;
    task.defaultUs = state.defaultUs();
    task.bestUs = state.bestUs();
    task.bestRatio = state.bestRatio;
    task.seconds = state.seconds;
    task.priority = state.priority;
    // Before a batch nothing is known of how fast it goes; and no second saves more than is left.
    const double left = state.task.calls * std::max(state.bestUs() - state.task.floorUs, 0.0);
    task.gain = state.rounds == 0 || state.done != tune::Done::No ? 0 : std::min(tune::expectedGain(state), left);
    task.trials = int(state.trials.size());
    task.rounds = state.rounds;
    task.best = int(state.best);
    task.done = state.done;
    task.wish = state.wish;
    return task;
}

} // namespace

TrialPoint pointOf(const tune::Trial& trial, size_t task, size_t number) {
    TrialPoint point;
    point.seconds = float(trial.seconds);
    point.us = float(trial.us);
    point.ratio = float(tune::relativeTime(trial) ? trial.ratio.middle : 0);
    point.number = int32_t(number);
    point.task = uint16_t(std::min(task, size_t(UINT16_MAX)));
    point.round = uint16_t(std::clamp(trial.round, 0, int(UINT16_MAX)));
    point.verdict = trial.verdict;
    point.made = trial.candidate.made;
    point.accepted = trial.accepted;
    return point;
}

TrialPtr shownTrial(const tune::Trial& trial, size_t number) {
    auto shown = std::make_shared<tune::Trial>(trial);
    shown->candidate.scheduled = nullptr;
    if (number > 0) {
        shown->candidate.questions = {};
        shown->candidate.features = {};
    }
    return shown;
}

StudyUpdate updateOf(const tune::Study& study, const tune::Event& event) {
    using Kind = tune::Event::Kind;
    StudyUpdate update;
    update.seconds = study.seconds;
    update.importance = study.importance;
    update.spent = study.spent;
    update.timings = study.timings;
    update.note = QString::fromStdString(event.note);
    if (event.kind == Kind::Note) // nothing else has changed
        return update;
    if (event.kind != Kind::TaskChanged) // which may come in either
        update.waits = event.kind == Kind::Waits;
    for (const tune::TaskState& state : study.tasks)
        update.tasks.push_back(taskOf(state));
    if (event.task >= study.tasks.size())
        return update;
    const tune::TaskState& state = study.tasks[event.task];
    size_t first = state.trials.size(), end = first;
    if (event.kind == Kind::TaskBegun)
        first = 0;
    else if (event.kind == Kind::Trials)
        first = event.firstTrial;
    else if (event.kind == Kind::Accepted || event.kind == Kind::Rejected) {
        first = event.firstTrial;
        end = first + 1;
    }
    for (size_t i = first; i < end; ++i)
        update.trials.push_back({pointOf(state.trials[i], event.task, i), shownTrial(state.trials[i], i)});
    if (event.kind == Kind::Trials && !state.judgements.empty())
        update.judged.push_back({int(event.task), state.rounds + 1, study.seconds, state.judgements.back()});
    return update;
}

StudyLog::StudyLog(QObject* parent) : QObject(parent), pause_(new QTimer(this)) {
    pause_->setSingleShot(true);
    pause_->setInterval(betweenUpdates);
    connect(pause_, &QTimer::timeout, this, &StudyLog::flush);
}

void StudyLog::begin(StudyHead head) {
    head_ = std::move(head);
    points_.clear();
    trials_.clear();
    tasks_.clear();
    places_.clear();
    placeOf_.clear();
    ofTask_.clear();
    byProgram_.clear();
    bests_.clear();
    judged_.clear();
    importance_.clear();
    seconds_ = 0;
    spent_ = {};
    ofStep_ = ofEarlierSteps_ = {};
    waits_ = false;
    waiting_.clear();
    pause_->stop();
    emit begun();
}

void StudyLog::add(StudyUpdate update) {
    waiting_.push_back(std::move(update));
    if (!pause_->isActive())
        flush();
}

void StudyLog::flush() {
    if (waiting_.empty())
        return;
    StudyGrowth growth;
    growth.firstTrial = int(points_.size());
    growth.firstBest = bests_.size();
    growth.firstJudged = judged_.size();
    for (StudyUpdate& update : std::exchange(waiting_, {}))
        take(update, growth);
    std::ranges::sort(growth.changed);
    const auto twice = std::ranges::unique(growth.changed);
    growth.changed.erase(twice.begin(), twice.end());
    pause_->start();
    emit grown(growth);
}

void StudyLog::take(StudyUpdate& update, StudyGrowth& growth) {
    place(std::move(update.tasks));
    for (JudgedRound& each : update.judged)
        each.task = places_[size_t(each.task)];
    for (StudyUpdate::NewTrial& each : update.trials) {
        if (each.point.task >= places_.size())
            continue;
        each.point.task = uint16_t(places_[each.point.task]);
        std::vector<int32_t>& ofTask = ofTask_[each.point.task];
        const auto number = size_t(each.point.number);
        if (number > ofTask.size())
            continue; // a hole: nothing is known of those before
        if (number < ofTask.size()) {
            const int32_t index = ofTask[number];
            const bool wins = each.point.accepted && !points_[size_t(index)].accepted;
            points_[size_t(index)] = each.point;
            trials_[size_t(index)] = std::move(each.trial);
            if (index < growth.firstTrial)
                growth.changed.push_back(index);
            if (wins)
                addBest(each.point, index, growth);
            continue;
        }
        const auto index = int32_t(points_.size());
        ofTask.push_back(index);
        byProgram_[each.point.task].emplace(each.trial->candidate.program, index);
        points_.push_back(each.point);
        trials_.push_back(std::move(each.trial));
        if (each.point.accepted || (number == 0 && each.point.us > 0))
            addBest(each.point, index, growth);
    }
    std::ranges::move(update.judged, std::back_inserter(judged_));
    importance_ = std::move(update.importance);
    seconds_ = update.seconds;
    spent_ = update.spent;
    if (update.timings.all < ofStep_.all) // a later step counts anew
        ofEarlierSteps_ = ofEarlierSteps_ + ofStep_;
    ofStep_ = update.timings;
    waits_ = update.waits.value_or(waits_);
}

/// A study has steps: a later one has tasks of its own, with those of before among them or not.
void StudyLog::place(std::vector<StudyTask> tasks) {
    if (tasks.empty())
        return;
    places_.clear();
    for (StudyTask& task : tasks) {
        const auto [place, isNew] = placeOf_.try_emplace(task.workload, int(tasks_.size()));
        places_.push_back(place->second);
        if (isNew)
            tasks_.push_back(std::move(task));
        else
            tasks_[size_t(place->second)] = std::move(task);
    }
    ofTask_.resize(tasks_.size());
    byProgram_.resize(tasks_.size());
}

void StudyLog::addBest(const TrialPoint& point, int index, StudyGrowth& growth) {
    const auto place = std::ranges::upper_bound(bests_, point.seconds, {}, &BestPoint::seconds);
    growth.firstBest = std::min(growth.firstBest, size_t(place - bests_.begin()));
    bests_.insert(place, {point.seconds, int(point.task), index, double(point.ratio)});
}

int StudyLog::taskOf(const QString& workload) const {
    const auto found = placeOf_.find(workload);
    return found == placeOf_.end() ? -1 : found->second;
}

int StudyLog::find(int task, const Hash128& program) const {
    const auto& programs = byProgram_[size_t(task)];
    const auto found = programs.find(program);
    return found == programs.end() ? -1 : found->second;
}

double StudyLog::defaultUs() const {
    double all = 0;
    for (const StudyTask& task : tasks_)
        all += task.calls * task.defaultUs;
    return all;
}

double StudyLog::bestUs() const {
    double all = 0;
    for (const StudyTask& task : tasks_)
        all += task.calls * (task.wish == tune::Wish::Excluded ? task.defaultUs : task.bestUs);
    return all;
}

} // namespace lathe::views::models
