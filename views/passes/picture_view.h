// SPDX-License-Identifier: GPL-3.0-or-later
//
// The graph before and after a pass side by side, in the colours of what was added, removed, changed or moved. Differences are
// gone through one by one, each shown on both sides; what is picked on one side is shown on the other.
#pragma once

#include "views/models/passes/pass_picture.h"

#include <QWidget>

namespace lathe::views {
class ElidedLabel;
}
namespace lathe::views::canvas {
class GraphPane;
}

namespace lathe::views::passes {

class PictureView : public QWidget {
    Q_OBJECT

public:
    explicit PictureView(QWidget* parent = nullptr);

    /// Never null.
    void setPicture(models::PassPicturePtr picture);
    /// Instead of a picture.
    void showMessage(const QString& text);
    /// Selects what came from these nodes of the model, on both sides.
    void markNodes(const std::vector<int>& nodes);
    /// To the next difference, or the one before.
    void step(bool forward);
    const models::PassPicture& picture() const { return *picture_; }
    canvas::GraphPane* before() const { return before_; }
    canvas::GraphPane* after() const { return after_; }
    bool isArranging() const;

signals:
    /// Of the model.
    void nodesPicked(std::vector<int> nodes);
    /// One side has its places; isArranging() says whether both have.
    void arranged();

private:
    void pick(bool before, const std::vector<int>& nodes);
    void showCount();

    models::PassPicturePtr picture_;
    int difference_ = -1; // the row that is shown
    ElidedLabel* count_;
    QWidget* panes_;
    canvas::GraphPane *before_, *after_;
    bool picking_ = false;
};

} // namespace lathe::views::passes
