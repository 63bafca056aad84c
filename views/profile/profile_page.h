// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Profile: time of each fused function of the last run, its share as a bar, and the rates it reached; in which of
// the model's scopes it goes; what its threads do when; its roofline; the memory plan;
// how long it takes over a size; what the model keeps from one run to the next; and, where two compilations were compared, what
// became faster or slower.
#pragma once

#include "views/models/graph/state_model.h"
#include "views/models/profile/chart_texts.h"
#include "views/models/profile/flame.h"
#include "views/models/profile/profile_model.h"
#include "views/models/profile/sweep_model.h"
#include "views/models/window/selection.h"
#include "views/page/page.h"

class QLabel;
class QSortFilterProxyModel;
class QTableView;
class QTabWidget;

namespace lathe::views::profile {

class ChangePanel;
class FlamePanel;
class MemoryPanel;
class RooflinePanel;
class StatesPanel;
class SweepPanel;
class TimelinePanel;

class ProfilePage : public Page {
    Q_OBJECT

public:
    explicit ProfilePage(models::Selection* selection);

    void setProvenance(std::shared_ptr<const inspect::Provenance> provenance) override;
    void setProfile(const inspect::Profile& profile) override;
    /// Of the machine; kept for this profile and those to come.
    void setPeaks(const inspect::MachinePeaks& peaks);
    /// Of the profile that comes next.
    void setFlame(std::shared_ptr<const inspect::Flame> flame);
    /// Two compilations ran by turns; the page shows this first. `after` is the one that setProfile gets.
    void setChange(const inspect::Profile& before, const inspect::Profile& after, const QString& beforeName,
                   const QString& afterName);
    /// Of what is compiled now; the page shows it.
    void setSweep(const inspect::Sweep& sweep);
    /// Of the open model, and how runs begin; the tab is there if it has any.
    void setStates(const std::vector<model::State>& states, const inspect::StateBeginnings& beginnings, bool goOn);
    /// As the last run left them; none: there was none.
    void setStatesAfter(models::StateModel::Values after);
    /// Work goes on: a sweep cannot be asked for.
    void setBusy(bool busy);
    void showTimeline();
    void showMemory();
    /// Shows where a sweep is asked for.
    void askForSweep();
    const models::ProfileModel* model() const { return profile_; }
    ChangePanel* changes() const { return changes_; }
    FlamePanel* flame() const { return flame_; }
    TimelinePanel* timeline() const { return timeline_; }
    RooflinePanel* roofline() const { return roofline_; }
    MemoryPanel* memory() const { return memory_; }
    SweepPanel* sweep() const { return sweep_; }
    StatesPanel* states() const { return states_; }

signals:
    void sweepWanted(lathe::inspect::SweepQuestion question);

private:
    /// The rows of the selection become the table's.
    void follow();

    models::Selection* selection_;
    models::ProfileModel* profile_;
    QSortFilterProxyModel* sorted_;
    QTableView* table_;
    QTabWidget* tabs_;
    ChangePanel* changes_;
    FlamePanel* flame_;
    TimelinePanel* timeline_;
    RooflinePanel* roofline_;
    MemoryPanel* memory_;
    SweepPanel* sweep_;
    StatesPanel* states_;
    std::shared_ptr<const inspect::Provenance> provenance_;
    std::optional<inspect::MachinePeaks> peaks_;
    QLabel* summary_;
    bool following_ = false; // the table and the selection are being made one
};

} // namespace lathe::views::profile
