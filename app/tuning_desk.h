// SPDX-License-Identifier: GPL-3.0-or-later
//
// Studies of the open model: has the Engine do what the page Tuning wishes, tells the page of the study that goes on or was
// recorded, and remembers which one a project shows.
#pragma once

#include "app/engine.h"
#include "app/open_work.h"
#include "views/models/tuning/study_request.h"
#include "views/models/window/log_model.h"

namespace lathe::views::tuning {
class TuningPage;
}

namespace lathe::app {

class WhatIfs;

class TuningDesk : public QObject {
    Q_OBJECT

public:
    /// All but the page is as the desk reads it at any time.
    TuningDesk(Engine& engine, const OpenWork& work, const WhatIfs& whatIfs, views::tuning::TuningPage* page,
               QObject* parent);

    /// What can be searched, and how, with the plugins of now.
    void offerChoices();
    /// Another model is open, without a study.
    void clear() { study_.clear(); }
    /// A project is open: how the page stood, and the study that it showed, by what `kept` said.
    void restore(const std::string& kept);
    /// What a project keeps of the page.
    std::string kept() const;

signals:
    /// A study begins: it is to be seen.
    void begun();
    /// What is shown is no more what the model's file has.
    void compileWanted();
    void said(QString text, lathe::views::models::LogLevel level = lathe::views::models::LogLevel::Note);
    void failed(std::vector<lathe::Diagnostic> problems);
    /// What is kept is not what it was.
    void changed();

private:
    void connectPage();
    void connectEngine();
    /// By the settings and decisions of now; without the schedules that were tuned before.
    tuning::TuneOptions options() const;
    void start(const views::models::StudyRequest& request);
    void read(const QString& study);
    void pause(bool pause);
    void stop();
    void warn(const std::vector<Diagnostic>& warnings);
    void showBegun(const QString& path, const views::models::StudyHead& head);
    void showUpdate(const QString& path, const views::models::StudyUpdate& update);
    void showEnd(const QString& path, const views::models::StudyEnd& end, const std::vector<Diagnostic>& problems);
    void sayWhatWasFound(const views::models::StudyEnd& end);

    Engine& engine_;
    const OpenWork& work_;
    const WhatIfs& whatIfs_;
    views::tuning::TuningPage* page_;
    QString study_; // which one the page shows first; empty: the last of the model
};

} // namespace lathe::app
