// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Passes: the pass strip as a table, and the IR before and after the chosen pass. Texts are made elsewhere: the page
// asks for them by pass and function and shows what comes back, if it is still wanted.
#pragma once

#include "views/models/comparison.h"
#include "views/models/pass_model.h"
#include "views/models/selection.h"
#include "views/page/page.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QTableView;

namespace lathe::views::passes {

class ComparisonView;

class PassesPage : public Page {
    Q_OBJECT

public:
    explicit PassesPage(models::Selection* selection);

    void setProvenance(std::shared_ptr<const driver::Provenance> provenance) override;
    std::vector<PageAction> pageActions() const override;
    void setComparison(int pass, const QString& function, models::Comparison comparison);
    /// Chooses a pass by its index in the Trace.
    void choosePass(int pass);
    void choosePass(const QString& name);
    ComparisonView* comparison() const { return view_; }

signals:
    void comparisonWanted(int pass, QString function);

private:
    void passChosen();
    /// The kernel of the call that is selected, where the pass has it.
    void follow();
    void ask();
    /// What may be asked of the pass at hand.
    void allowWishes();

    models::Selection* selection_;
    std::shared_ptr<const driver::Trace> trace_;
    models::PassModel* passes_;
    QTableView* table_;
    QCheckBox* onlyChanged_;
    QAction *off_, *upTo_, *all_; // what-ifs: the pass off or on, the passes up to it, all of them
    QComboBox* function_;
    QLabel* summary_;
    ComparisonView* view_;
    int pass_ = -1;
};

} // namespace lathe::views::passes
