// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exports of the open model: fills the wizard in, has the Engine do what it wishes, and keeps the list of what was exported,
// which its dialog shows.
#pragma once

#include "app/engine.h"
#include "app/open_work.h"
#include "views/models/exporting/export_list_model.h"
#include "views/models/window/log_model.h"

namespace lathe::views::exporting {
class ExportWizard;
class ExportsDialog;
} // namespace lathe::views::exporting

namespace lathe::app {

class WhatIfs;

class ExportDesk : public QObject {
    Q_OBJECT

public:
    /// All but the window, which the dialogs stand before, is as the desk reads it at any time.
    ExportDesk(Engine& engine, const OpenWork& work, const WhatIfs& whatIfs, QWidget* window);

    /// Opens the wizard, with what was chosen last for this model.
    void ask();
    /// Opens the dialog of what was exported. compare: the two newest, at once.
    void showList(bool compare);
    /// Null while it is not open.
    views::exporting::ExportWizard* wizard() const { return wizard_; }
    /// Likewise.
    views::exporting::ExportsDialog* dialog() const { return dialog_; }
    /// What was exported of the model; kept with the work on it.
    const views::models::ExportListModel& list() const { return list_; }

    /// Another model is open, of which nothing was exported.
    void clear();
    /// Those of a project, as its file has them: what can be read, and what could not be before.
    void show(const std::string& kept, const std::string& unread);
    /// What a project keeps of them: both texts, the second one empty where nothing is lost without it.
    std::string kept() const;
    const std::string& unread() const { return unread_; }

signals:
    /// The Engine does something, called so.
    void workBegun(QString what);
    /// It is to end.
    void cancelWanted();
    /// What is shown is no more what the model's file has.
    void compileWanted();
    void said(QString text, lathe::views::models::LogLevel level = lathe::views::models::LogLevel::Note);
    /// The list is not what it was.
    void listChanged();

private:
    void connectEngine();
    /// What the wizard has first: these choices, as far as they fit the model.
    void begin(const views::models::ExportRequest& chosen);
    void connectWizard();
    driver::Options options() const;
    void plan(const views::models::ExportRequest& request);
    void write(const views::models::ExportRequest& request);
    void showPlan(const PlannedBundlePtr& bundle, const std::vector<Diagnostic>& problems);
    /// What was written becomes the newest of the list.
    void keep(const ExportedBundle& exported);
    void showEnd(const ExportedBundle& exported, const std::vector<Diagnostic>& problems);
    void showFindings(const ComparedBundles& compared, const std::vector<Diagnostic>& problems);

    Engine& engine_;
    const OpenWork& work_;
    const WhatIfs& whatIfs_;
    QWidget* window_;
    views::exporting::ExportWizard* wizard_ = nullptr;
    views::exporting::ExportsDialog* dialog_ = nullptr;
    PlannedBundlePtr planned_;            // what the wizard shows
    views::models::ExportRequest chosen_; // what was chosen last,
    QString chosenFor_;                   // of this model
    views::models::ExportListModel list_;
    std::string unread_; // of the project, as its file has them
};

} // namespace lathe::app
