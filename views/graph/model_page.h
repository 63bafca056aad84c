// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Model: the imported graph and its groups, where one is in it, a search field with its results, and the attributes of
// the selected node or group. Enter and Shift+Enter in the field step through the results, Esc goes back to the graph.
#pragma once

#include "views/models/graph/attribute_model.h"
#include "views/models/graph/found_nodes_model.h"
#include "views/models/graph/graph_scene.h"
#include "views/models/graph/node_search.h"
#include "views/models/graph/overlay.h"
#include "views/models/graph/table_overlay.h"
#include "views/models/window/selection.h"
#include "views/page/page.h"

class QAction;
class QComboBox;
class QLabel;
class QLayout;
class QLineEdit;
class QListView;
class QTableView;
class QToolButton;

namespace lathe::views::canvas {
class GraphArranger;
class GraphCanvas;
} // namespace lathe::views::canvas

namespace lathe::views::graph {

class ModelPage : public Page {
    Q_OBJECT

public:
    explicit ModelPage(models::Selection* selection);

    void setProvenance(std::shared_ptr<const inspect::Provenance> provenance) override;
    void setProfile(const inspect::Profile& profile) override;
    void setCheck(std::shared_ptr<const diagnose::Check> check) override;
    std::vector<PageAction> pageActions() const override;
    /// Without a model, `without` stands in the place of the graph.
    void setModel(model::ModelGraphPtr model, const QString& without = {});
    /// A layout for the picture with this number; ignored if another is shown by now or the user has moved the view.
    void setLayout(int picture, models::GraphLayout layout);
    /// Shows the graph that the node stands in, and the node in the middle.
    void revealNode(int node);
    bool focusFind() override;
    bool stepFind(bool forward) override;
    const std::vector<int>& nodesFound() const { return nodesFound_->nodes(); }
    canvas::GraphCanvas* canvas() const { return canvas_; }
    const models::GraphPicture& picture() const;
    /// The groups of the shown graph; null while they are being made.
    const models::GroupedGraph* grouped() const;
    /// Places are being found on a worker.
    bool isArranging() const;
    /// Colours by a table of values by names of nodes (table_overlay.h); what went wrong, or nothing.
    QString colourByTable(const QString& file);
    /// The whole picture as .svg, .pdf or an image, by the file's suffix; what went wrong, or nothing.
    QString savePicture(const QString& file) const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

signals:
    /// A better layout of this picture is wanted: input for dot.
    void layoutWanted(int picture, QByteArray dot);
    /// There is a picture, and none is being made.
    void arranged();
    /// The user wants to see the values of a constant.
    void valuesWanted(lathe::views::models::NamedTensor tensor);
    /// The user wants to see the code of a call.
    void functionWanted(int call);

private:
    void makeSearch();
    void makeColours();
    QLayout* makeBar();
    /// What was found, and the attributes of what is selected.
    QWidget* makeSide();
    void connectCanvas();
    void connectSearch();
    void showGraph();
    /// Where in the model, and in the groups of the graph, what is selected stands.
    void showPlace();
    void showAttributes(std::vector<models::AttributeRow> rows);
    /// Its attributes, and what the compiler made of it.
    std::vector<models::AttributeRow> rowsOf(int node) const;
    /// Of the selected node, after a compilation, run or check.
    void showCompiled();
    void makeActions();
    void allowActions();
    void showScene(const models::GraphScene& scene, int group);
    void showMenu(int box, QPoint globalPosition);
    void collapseAround();
    void askForPicture();
    /// Of the row that is chosen, or else of the first that has a tensor, or else of the first that the node computes.
    void showValues();
    void showValuesOf(const models::AttributeRow& row);
    /// The node's own box in the middle; its groups are open.
    void goTo(int node);
    /// Colours by what is chosen, or by family while there is nothing of the kind, which is said.
    void showOverlay();
    /// Of a kind of which there is something.
    models::Overlay makeOverlay(models::OverlayKind kind) const;
    void askForTable();
    /// What is to be done to see it; empty: it is there.
    QString missing(models::OverlayKind kind) const;
    void enter(int box);
    void leave(int levels);
    void pickBox(int box);
    void selectionChanged();
    /// Of what was selected elsewhere: opens the groups around its first node, if no closed group stands for all of it.
    void followSelection();
    void search();
    /// Goes to the next result, or the one before.
    void step(int by);
    void showResults();

    models::Selection* selection_;
    model::ModelGraphPtr model_;
    std::vector<std::pair<int, QString>> way_; // nodes and attributes that were entered
    std::shared_ptr<const model::Graph> graph_;
    QString message_;
    int pictureNumber_ = 0;
    bool picking_ = false;
    int goingTo_ = -1; // a node, as soon as its groups are open
    std::shared_ptr<const inspect::Provenance> provenance_;
    inspect::Profile profile_;
    std::shared_ptr<const diagnose::Check> check_;
    models::NodeTable nodeTable_; // that was read last, for whatever model

    canvas::GraphCanvas* canvas_;
    canvas::GraphArranger* arranger_;
    QList<QAction*> graphActions_; // of groups and picture, with their ids as object names
    QAction *expandAll_, *collapseAll_, *collapse_, *values_, *save_;
    QLabel* place_;
    QToolButton* out_;
    QComboBox* colourBy_;                 // its items' data are kinds
    std::vector<QAction*> colourActions_; // by its items
    QLineEdit* search_;
    QToolButton* regular_; // the search is a regular expression
    QLabel* found_;
    QListView* results_;
    std::optional<models::NodeSearch> index_; // of the model, made by the first search
    models::FoundNodesModel* nodesFound_;
    QLabel* title_;
    QTableView* table_;
    models::AttributeModel* attributes_;
};

} // namespace lathe::views::graph
