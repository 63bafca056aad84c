// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Passes: the passes as a strip and as a table, and the IR before and after the chosen pass. Texts and figures are made
// elsewhere: the page asks for them while it is seen, and shows what comes back, if it is still wanted.
#pragma once

#include "views/models/comparison.h"
#include "views/models/pass_model.h"
#include "views/models/selection.h"
#include "views/page/page.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QTableView;

namespace lathe::views {
class ElidedLabel;
}

namespace lathe::views::passes {

class ComparisonView;
class PassStrip;

class PassesPage : public Page {
    Q_OBJECT

public:
    explicit PassesPage(models::Selection* selection);

    void setProvenance(std::shared_ptr<const driver::Provenance> provenance) override;
    std::vector<PageAction> pageActions() const override;
    bool focusFind() override;
    void setComparison(int pass, const QString& function, models::Comparison comparison);
    void setFigures(const std::vector<driver::PassFigures>& figures);
    /// Chooses a pass by its index in the Trace.
    void choosePass(int pass);
    void choosePass(const QString& name);
    ComparisonView* comparison() const { return view_; }

signals:
    void comparisonWanted(int pass, QString function);
    /// What the passes did, in figures, of the compilation that is shown.
    void figuresWanted();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void passChosen();
    /// The kernel of the call that is selected, where the pass has it.
    void follow();
    void ask();
    void askForFigures();
    /// What may be asked of the pass at hand.
    void allowWishes();

    models::Selection* selection_;
    std::shared_ptr<const driver::Trace> trace_;
    models::PassModel* passes_;
    QTableView* table_;
    PassStrip* strip_;
    QComboBox* measure_;
    ElidedLabel* caption_; // what the strip says of the pass that is chosen
    QCheckBox* onlyChanged_;
    QAction *off_, *upTo_, *all_; // what-ifs: the pass off or on, the passes up to it, all of them
    QAction *next_, *previous_;   // differences; while the page is seen, for their keys are those of other pages too
    QComboBox* function_;
    QLabel* summary_;
    ComparisonView* view_;
    int pass_ = -1;
    bool figuresAsked_ = false;
};

} // namespace lathe::views::passes
