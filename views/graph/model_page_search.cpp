// SPDX-License-Identifier: GPL-3.0-or-later
//
// The search of the page Model: what was found as a list, and the steps through it.
#include "views/canvas/graph_canvas.h"
#include "views/graph/model_page.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QTableView>
#include <QToolButton>

namespace lathe::views::graph {

bool ModelPage::focusFind() {
    if (table_->hasFocus()) // it is no part of the graph
        return false;
    search_->setFocus();
    search_->selectAll();
    return true;
}

bool ModelPage::stepFind(bool forward) {
    if (table_->hasFocus())
        return false;
    step(forward ? 1 : -1);
    return true;
}

void ModelPage::search() {
    const QString wanted = search_->text().trimmed();
    std::vector<int> nodes;
    bool good = true;
    if (!wanted.isEmpty() && model_) {
        if (!index_)
            index_.emplace(*model_);
        auto found = index_->find(wanted, regular_->isChecked());
        good = found.has_value();
        if (found)
            nodes = *std::move(found);
    }
    // A letter more moves nothing: Enter does.
    nodesFound_->show(nodes.empty() ? nullptr : model_, std::move(nodes));
    results_->setVisible(nodesFound_->rowCount() > 0);
    if (wanted.isEmpty())
        found_->clear();
    else if (!good)
        found_->setText(tr("no regular expression"));
    else
        showResults();
}

void ModelPage::showResults() {
    if (search_->text().trimmed().isEmpty())
        return;
    const int row = results_->currentIndex().row(), count = nodesFound_->rowCount();
    found_->setText(count == 0 ? tr("nothing found")
                    : row < 0  ? tr("%1 found").arg(count)
                               : tr("%1 of %2").arg(row + 1).arg(count));
}

void ModelPage::step(int by) {
    const int count = nodesFound_->rowCount();
    if (count == 0)
        return;
    const int row = results_->currentIndex().row();
    results_->setCurrentIndex(nodesFound_->index(row < 0 ? (by > 0 ? 0 : count - 1) : (row + by + count) % count));
}

bool ModelPage::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            step(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            search_->clear();
            canvas_->setFocus();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace lathe::views::graph
