// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Fusion: the fused functions with their operators above, as a list or as boxes in the graph, and below, for the one
// that is selected, the operators around it and between which values go, with why they are in one function or not.
#pragma once

#include "views/models/passes/fusion_picture.h"
#include "views/models/window/selection.h"
#include "views/page/page.h"

class QAction;
class QLabel;
class QLayout;
class QMenu;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;
class QTreeView;

namespace lathe::views::canvas {
class GraphPane;
}

namespace lathe::views::fusion {

class FusionPage : public Page {
    Q_OBJECT

public:
    explicit FusionPage(models::Selection* selection);

    void setProvenance(std::shared_ptr<const inspect::Provenance> provenance) override;
    /// The functions of the compilation that setProvenance told of.
    void setFunctions(const models::FusionRows& rows);
    void setProfile(const inspect::Profile& profile) override;
    std::vector<PageAction> pageActions() const override;
    /// Of the compilation that is shown.
    void setPicture(std::shared_ptr<const models::FusionPicture> picture);
    const models::FusionModel* model() const { return functions_; }
    canvas::GraphPane* picture() const { return pane_; }
    bool isArranging() const;

signals:
    void pictureWanted();
    /// The picture has its places.
    void arranged();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void makeTree();
    void makeTable();
    void makeActions();
    QWidget* makeViews();
    QLayout* makeBar();
    /// The table under what can be wished of it.
    QWidget* makeBelow();
    QLayout* makeWishes();
    void connectLists();
    void connectActions();
    /// The selection becomes that of the row; the pairs below are the row's.
    void showRow(const QModelIndex& row);
    void followSelection();
    /// What may be asked for the pair or function at hand.
    void allowWishes();
    void fillChoices();
    /// The function of the row at hand; null: there is none.
    const models::FusedRow* functionAtHand() const;
    void goTo(int function, int member);
    void askForPicture();
    void colourPicture();
    /// The boxes of the row at hand.
    void showInPicture();
    void pickInPicture(const std::vector<int>& nodes);
    /// Columns of the table as wide as their texts, up to a quarter of it.
    void fitPairs();
    /// Rows of the table as high as its longest reason needs in its column.
    void fitReasons();
    /// In the model; of a row in the tree, which may be sorted.
    QModelIndex source(const QModelIndex& shown) const;

    models::Selection* selection_;
    models::FusionModel* functions_;
    models::FusionPairModel* pairs_;
    QSortFilterProxyModel* sorted_;
    QStackedWidget* views_; // the list, the picture
    QTreeView* tree_;
    canvas::GraphPane* pane_;
    QTableView* table_;
    QLabel* summary_;
    QLabel* about_; // what the table below is about
    QAction *apart_, *together_, *dissolve_, *choose_;
    QAction* asPicture_; // checked: instead of the list
    QMenu* choices_;     // of the function at hand
    std::shared_ptr<const models::FusionPicture> picture_;
    bool hasCompilation_ = false, pictureAsked_ = false, picking_ = false;
    bool following_ = false;
};

} // namespace lathe::views::fusion
