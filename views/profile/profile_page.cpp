// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profile/profile_page.h"

#include "views/models/text/counted.h"
#include "views/page/share_delegate.h"
#include "views/page/table.h"
#include "views/profile/change_panel.h"
#include "views/profile/flame_panel.h"
#include "views/profile/memory_panel.h"
#include "views/profile/roofline_panel.h"
#include "views/profile/states_panel.h"
#include "views/profile/sweep_panel.h"
#include "views/profile/timeline_panel.h"

#include <QLabel>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

namespace lathe::views::profile {

namespace {

/// Where its inputs came from.
QString inputsOf(const inspect::Profile& profile) {
    if (profile.given.empty())
        return ProfilePage::tr("random inputs");
    QStringList names;
    for (const std::string& name : profile.given)
        names << QString::fromStdString(name);
    const QString text = ProfilePage::tr("%1 from files").arg(names.join(QStringLiteral(", ")));
    return profile.given.size() == profile.shapes.size() ? text : ProfilePage::tr("%1, others at random").arg(text);
}

} // namespace

ProfilePage::ProfilePage(models::Selection* selection)
    : Page(QStringLiteral("profile"), tr("Profile")), selection_(selection), profile_(new models::ProfileModel(this)),
      sorted_(new QSortFilterProxyModel(this)), table_(new QTableView), tabs_(new QTabWidget),
      changes_(new ChangePanel(selection)), flame_(new FlamePanel(selection)), timeline_(new TimelinePanel(selection)),
      roofline_(new RooflinePanel(selection)), memory_(new MemoryPanel(selection)), sweep_(new SweepPanel(selection)),
      states_(new StatesPanel), summary_(new QLabel) {
    summary_->setTextFormat(Qt::PlainText); // it shows names of the model
    sorted_->setSourceModel(profile_);
    sorted_->setSortRole(models::ProfileModel::sortRole);
    setUpTable(*table_, *sorted_);
    table_->setSortingEnabled(true);
    table_->setObjectName(QStringLiteral("functions"));
    table_->sortByColumn(models::ProfileModel::Time, Qt::DescendingOrder);
    table_->setItemDelegateForColumn(models::ProfileModel::Share, new ShareDelegate(table_));
    table_->setAccessibleName(tr("Time of each fused function"));
    summary_->setMargin(8);
    summary_->setWordWrap(true);
    auto functions = new QWidget;
    auto layout = new QVBoxLayout(functions);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(summary_);
    layout->addWidget(table_, 1);
    tabs_->setDocumentMode(true);
    tabs_->addTab(functions, tr("Functions"));
    tabs_->addTab(flame_, tr("Flame"));
    tabs_->addTab(timeline_, tr("Timeline"));
    tabs_->addTab(roofline_, tr("Roofline"));
    tabs_->addTab(memory_, tr("Memory"));
    tabs_->addTab(sweep_, tr("Sizes"));
    tabs_->addTab(states_, tr("States"));
    tabs_->addTab(changes_, tr("Before and now"));
    auto all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(tabs_);
    connect(sweep_, &SweepPanel::sweepWanted, this, &ProfilePage::sweepWanted);
    connect(changes_, &ChangePanel::nodeWanted, this, &Page::nodeWanted);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (following_)
            return;
        const QScopedValueRollback guard(following_, true);
        std::vector<int> nodes;
        const QModelIndexList rows = table_->selectionModel()->selectedRows();
        int call = -1;
        for (const QModelIndex& index : rows) {
            const inspect::ProfileRow& row = profile_->at(sorted_->mapToSource(index).row());
            nodes.insert(nodes.end(), row.nodes.begin(), row.nodes.end());
            call = rows.size() == 1 ? row.call : -1;
        }
        if (!rows.empty())
            selection_->set({std::move(nodes), call});
    });
    connect(selection_, &models::Selection::changed, this, &ProfilePage::follow);
    connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (const int home = profile_->at(sorted_->mapToSource(index).row()).home; home >= 0)
            emit nodeWanted(home);
    });
    setStates({}, {}, false);
    setProfile({});
}

void ProfilePage::follow() {
    if (following_)
        return;
    const QScopedValueRollback guard(following_, true);
    const models::Place& place = selection_->place();
    std::vector<int> rows;
    for (int i = 0; i < profile_->rowCount(); ++i) {
        const inspect::ProfileRow& row = profile_->at(i);
        const auto isSelected = [&](int32_t node) { return selection_->contains(node); };
        if (place.call >= 0 ? row.call == place.call : std::ranges::any_of(row.nodes, isSelected))
            rows.push_back(sorted_->mapFromSource(profile_->index(i, 0)).row());
    }
    selectRows(*table_, std::move(rows));
}

void ProfilePage::setPeaks(const inspect::MachinePeaks& peaks) {
    peaks_ = peaks;
    roofline_->setProfile(profile_->profile(), peaks_);
}

void ProfilePage::setFlame(std::shared_ptr<const inspect::Flame> flame) {
    flame_->setFlame(std::move(flame));
}

void ProfilePage::setProvenance(std::shared_ptr<const inspect::Provenance> provenance) {
    provenance_ = std::move(provenance);
    sweep_->setModel(provenance_ ? &provenance_->trace() : nullptr);
    setProfile({});
    changes_->setProfiles({}, {});
    tabs_->setCurrentIndex(0);
}

void ProfilePage::setSweep(const inspect::Sweep& sweep) {
    sweep_->setSweep(sweep);
    tabs_->setCurrentWidget(sweep_);
}

void ProfilePage::setStates(const std::vector<model::State>& states, const inspect::StateBeginnings& beginnings,
                            bool goOn) {
    states_->setStates(states, beginnings, goOn);
    tabs_->setTabVisible(tabs_->indexOf(states_), !states.empty());
}

void ProfilePage::setStatesAfter(models::StateModel::Values after) {
    states_->setAfter(std::move(after));
}

void ProfilePage::setBusy(bool busy) {
    sweep_->setBusy(busy);
}

void ProfilePage::showTimeline() {
    tabs_->setCurrentWidget(timeline_);
}

void ProfilePage::showMemory() {
    tabs_->setCurrentWidget(memory_);
}

void ProfilePage::askForSweep() {
    tabs_->setCurrentWidget(sweep_);
    sweep_->ask();
}

void ProfilePage::setChange(const inspect::Profile& before, const inspect::Profile& after, const QString& beforeName,
                            const QString& afterName) {
    changes_->setProfiles(before, after, beforeName, afterName);
    tabs_->setCurrentWidget(changes_);
}

void ProfilePage::setProfile(const inspect::Profile& profile) {
    const bool empty = profile.rows.empty();
    if (empty)
        flame_->setFlame(nullptr);
    if (empty)
        summary_->setText(tr("Run the compiled model (F6) to see where its time goes."));
    else
        summary_->setText(
            tr("A run takes %1 ms, the median of %2 (%6 to %7 for half) on %8 (%5), %3. In the middle half "
               "of them %4 %9 ms.")
                .arg(profile.medianMs, 0, 'f', 3)
                .arg(profile.runs)
                .arg(models::counted(profile.threads, "thread", "threads"),
                     models::counted(qint64(profile.rows.size()), "kernel call takes", "kernel calls take"),
                     models::textOf(profile.shapes))
                .arg(profile.lowMs, 0, 'f', 3)
                .arg(profile.highMs, 0, 'f', 3)
                .arg(inputsOf(profile))
                .arg(profile.callsMs(), 0, 'f', 3) +
            (profile.runs > 0 && !toString(profile.counters).empty()
                 ? tr("\nA run: %1").arg(QString::fromStdString(toString(profile.counters)))
                 : QString()));
    profile_->show(profile);
    timeline_->setProfile(profile);
    roofline_->setProfile(profile, peaks_);
    memory_->setPlan(provenance_, profile.shapes);
    table_->resizeColumnsToContents();
    table_->setColumnWidth(models::ProfileModel::Function, std::min(table_->columnWidth(0), 340));
    table_->setColumnWidth(models::ProfileModel::Share, 180);
    follow();
}

} // namespace lathe::views::profile
