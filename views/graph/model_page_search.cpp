// SPDX-License-Identifier: GPL-3.0-or-later
//
// The search of the page Model: what was found as a list, and the steps through it.
#include "views/graph/graph_canvas.h"
#include "views/graph/model_page.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QToolButton>

namespace lathe::views::graph {

void ModelPage::focusSearch() {
    search_->setFocus();
    search_->selectAll();
}

void ModelPage::search() {
    const QString wanted = search_->text().trimmed();
    nodesFound_.clear();
    bool good = true;
    if (!wanted.isEmpty() && model_) {
        if (!index_)
            index_.emplace(*model_);
        auto found = index_->find(wanted, regular_->isChecked());
        good = found.has_value();
        if (found)
            nodesFound_ = *std::move(found);
    }
    const QSignalBlocker quiet(results_); // a letter more moves nothing: Enter does
    results_->clear();
    for (const int node : nodesFound_)
        results_->addItem(
            QStringLiteral("%1  %2").arg(QString::fromStdString(model_->nodes[size_t(node)]->op),
                                         QString::fromStdString(displayName(*model_->nodes[size_t(node)]))));
    results_->setVisible(!nodesFound_.empty());
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
    const int row = results_->currentRow();
    found_->setText(nodesFound_.empty() ? tr("nothing found")
                    : row < 0           ? tr("%1 found").arg(nodesFound_.size())
                                        : tr("%1 of %2").arg(row + 1).arg(nodesFound_.size()));
}

void ModelPage::step(int by) {
    const int count = int(nodesFound_.size());
    if (count == 0)
        return;
    const int row = results_->currentRow();
    results_->setCurrentRow(row < 0 ? (by > 0 ? 0 : count - 1) : (row + by + count) % count);
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
