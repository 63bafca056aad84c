// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Loops: one call of a fused function at all its levels side by side, from what it computes to its machine code.
// Lines of one origin share a colour; a line that is picked, or a loop of the tree, is followed through all levels and to the
// model's nodes: its statement is dark there, the rest of its operator light. Texts
// are made elsewhere: the page asks for a kernel's and shows what comes back, if it is still wanted, and asks only while it
// is seen. Below them stand the loops as a tree, with what each costs, and the steps of the schedule; a step that is picked
// shows the loops as they stood after it.
#pragma once

#include "views/models/graph/node_names.h"
#include "views/models/loops/kernel_texts.h"
#include "views/models/loops/loop_nest_model.h"
#include "views/models/loops/schedule_steps.h"
#include "views/models/window/selection.h"
#include "views/page/page.h"

#include <array>

class QComboBox;
class QLabel;
class QTableView;
class QToolButton;
class QTreeView;

namespace lathe::views::text {
class CodeView;
}

namespace lathe::views::loops {

class LoopsPage : public Page {
    Q_OBJECT

public:
    explicit LoopsPage(models::Selection* selection);

    void setProvenance(std::shared_ptr<const inspect::Provenance> provenance) override;
    void setProfile(const inspect::Profile& profile) override;
    void setLoops(int kernel, const models::LoopTexts& texts);
    /// What the loops of a call cost.
    void setNest(int call, std::shared_ptr<const lower::LoopCost> nest);
    void setCode(int kernel, const models::CodeTexts& texts);
    /// The kernel after so many steps.
    void setStep(int kernel, int steps, const models::OriginText& text);
    /// The call that is shown, in the Trace; -1: none.
    int call() const { return call_; }
    text::CodeView* view(models::KernelLevel level) const { return views_[size_t(level)]; }
    /// What stands below the texts.
    QString facts() const;

signals:
    /// Of a call of the Trace, at the sizes that ran: none if nothing did.
    void nestWanted(std::shared_ptr<const lathe::driver::Trace> trace, int call, lathe::driver::Shapes shapes);
    /// Texts of the Trace's kernels.
    void loopsWanted(std::shared_ptr<const lathe::driver::Trace> trace, int kernel);
    void codeWanted(std::shared_ptr<const lathe::driver::Trace> trace, int kernel);
    void stepWanted(std::shared_ptr<const lathe::driver::Trace> trace, int kernel, int steps);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void showCall(int call);
    void ask();
    void askNest();
    void follow();
    void describe();
    QWidget* makeTables();
    void pick(int origin, const inspect::Statement& statement);
    void pickLoop(const QModelIndex& row);
    std::shared_ptr<const driver::Trace> trace() const { return {provenance_, &provenance_->trace()}; }
    const driver::KernelRecord& record() const { return provenance_->trace().kernels[size_t(kernel_)]; }

    models::Selection* selection_;
    std::shared_ptr<const inspect::Provenance> provenance_;
    QComboBox* function_;
    QLabel* nodes_; // of the line that is picked, else of the call
    QLabel* code_;  // of the machine code
    std::array<text::CodeView*, models::kernelLevels> views_{};
    std::array<QLabel*, models::kernelLevels> titles_{};
    std::array<QToolButton*, models::kernelLevels> buttons_{};
    models::Place picked_;         // what pick() selected, and is no longer if something else is
    inspect::Statement statement_; // that was picked there
    inspect::Statements ofNest_;   // of the rows of the tree
    models::LoopNestModel* nest_;
    models::ScheduleStepModel* steps_;
    QTreeView* nestTree_;
    QTableView* stepTable_;
    int call_ = -1, kernel_ = -1;
    int asked_ = -1;        // the kernel whose texts are there or on their way
    int nestAsked_ = -1;    // the call whose costs are
    driver::Shapes shapes_; // of the inputs that ran
};

} // namespace lathe::views::loops
