// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Passes: the passes as a strip and as a table, and the IR before and after the chosen pass, as text or as a picture.
// Texts, pictures and figures are made elsewhere: the page asks for them, and shows what comes back, if it is still wanted.
#pragma once

#include "views/models/passes/comparison.h"
#include "views/models/passes/pass_model.h"
#include "views/models/passes/pass_picture.h"
#include "views/models/window/selection.h"
#include "views/page/page.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLayout;
class QStackedWidget;
class QTableView;

namespace lathe::views {
class ElidedLabel;
}
namespace lathe::views::text {
class ComparisonView;
}

namespace lathe::views::passes {

class PassStrip;
class PictureView;

class PassesPage : public Page {
    Q_OBJECT

public:
    explicit PassesPage(models::Selection* selection);

    void setProvenance(std::shared_ptr<const inspect::Provenance> provenance) override;
    std::vector<PageAction> pageActions() const override;
    void setComparison(int pass, const QString& function, models::Comparison comparison);
    void setPicture(int pass, const QString& function, models::PassPicturePtr picture);
    void setFigures(const std::vector<inspect::PassFigures>& figures);
    /// Chooses a pass by its index in the Trace.
    void choosePass(int pass);
    void choosePass(const QString& name);
    text::ComparisonView* comparison() const { return view_; }
    PictureView* picture() const { return picture_; }
    bool isArranging() const;

signals:
    void comparisonWanted(int pass, QString function);
    void pictureWanted(int pass, QString function);
    /// A picture has its places.
    void arranged();
    /// What the passes did, in figures, of the compilation that is shown.
    void figuresWanted();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    /// What the strip is to show, and what it says.
    QLayout* makeStrip();
    void makeTable();
    void makeActions();
    QWidget* makeList();
    QWidget* makeComparison();
    void connectLists();
    void connectActions();
    void connectViews();
    void passChosen();
    /// The kernel of the call that is selected, where the pass has it.
    void follow();
    /// For the text or the picture of the pass, whichever is shown.
    void ask();
    void showMessage(const QString& text);
    QString functionAtHand() const;
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
    QAction* asPicture_;          // checked: instead of the text
    QComboBox* function_;
    QStringList functions_; // that it shows; the whole module is an empty name
    QLabel* summary_;
    QStackedWidget* views_;
    text::ComparisonView* view_;
    PictureView* picture_;
    int pass_ = -1;
    bool figuresAsked_ = false;
};

} // namespace lathe::views::passes
