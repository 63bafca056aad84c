// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shortcuts_dialog.h"

#include "app/actions.h"
#include "views/page/row_delegate.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace lathe::app {

ShortcutsDialog::ShortcutsDialog(Actions& actions, QWidget* parent)
    : QDialog(parent), actions_(actions), search_(new QLineEdit), table_(new QTreeWidget), keys_(new QKeySequenceEdit),
      conflict_(new QLabel) {
    setWindowTitle(tr("Shortcuts"));
    resize(560, 520);
    search_->setPlaceholderText(tr("Find an action or keys"));
    search_->setClearButtonEnabled(true);
    search_->setAccessibleName(tr("Find a shortcut"));
    table_->setHeaderLabels({tr("Action"), tr("Menu"), tr("Keys")});
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setItemDelegate(new views::RowDelegate(table_));
    table_->setAllColumnsShowFocus(true);
    table_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    table_->setAccessibleName(tr("Shortcuts"));
    keys_->setAccessibleName(tr("Keys of the selected action"));
    auto set = new QPushButton(tr("&Set"));
    auto remove = new QPushButton(tr("&Remove"));
    auto row = new QHBoxLayout;
    auto label = new QLabel(tr("&Keys:"));
    label->setBuddy(keys_);
    row->addWidget(label);
    row->addWidget(keys_, 1);
    row->addWidget(set);
    row->addWidget(remove);
    auto buttons = new QDialogButtonBox(QDialogButtonBox::Close | QDialogButtonBox::RestoreDefaults);
    for (QAbstractButton* button : buttons->buttons()) // Enter belongs to the fields
        static_cast<QPushButton*>(button)->setAutoDefault(false);
    set->setAutoDefault(false);
    remove->setAutoDefault(false);
    auto all = new QVBoxLayout(this);
    all->addWidget(search_);
    all->addWidget(table_, 1);
    all->addLayout(row);
    all->addWidget(conflict_);
    all->addWidget(buttons);
    connect(search_, &QLineEdit::textChanged, this, &ShortcutsDialog::fill);
    connect(table_, &QTreeWidget::currentItemChanged, this, &ShortcutsDialog::currentChanged);
    connect(keys_, &QKeySequenceEdit::keySequenceChanged, this, &ShortcutsDialog::keysPressed);
    connect(set, &QPushButton::clicked, this, &ShortcutsDialog::apply);
    connect(remove, &QPushButton::clicked, this, [this] {
        keys_->clear();
        apply();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, &actions_, &Actions::resetKeys);
    connect(&actions_, &Actions::keysChanged, this, &ShortcutsDialog::fill);
    fill();
}

QString ShortcutsDialog::current() const {
    const QTreeWidgetItem* item = table_->currentItem();
    return item ? item->data(0, Qt::UserRole).toString() : QString();
}

void ShortcutsDialog::fill() {
    const QString kept = current(), wanted = search_->text();
    table_->clear();
    for (const Actions::Entry& entry : actions_.entries()) {
        const QString keys = textOf(entry.action->shortcuts());
        if (!entry.title.contains(wanted, Qt::CaseInsensitive) && !keys.contains(wanted, Qt::CaseInsensitive))
            continue;
        auto item = new QTreeWidgetItem(table_, {entry.title, entry.section, keys});
        item->setData(0, Qt::UserRole, entry.id);
        QFont font = table_->font();
        font.setBold(entry.action->shortcuts() != entry.defaults);
        item->setFont(2, font); // bold: the user's own
        if (entry.id == kept)
            table_->setCurrentItem(item);
    }
    if (!table_->currentItem())
        table_->setCurrentItem(table_->topLevelItem(0));
    currentChanged();
}

void ShortcutsDialog::currentChanged() {
    const QString id = current();
    const QList<QKeySequence> keys = id.isEmpty() ? QList<QKeySequence>() : actions_[id]->shortcuts();
    keys_->setKeySequence(keys.isEmpty() ? QKeySequence() : keys.first());
    keysPressed();
}

void ShortcutsDialog::keysPressed() {
    const Actions::Entry* owner = actions_.withKeys(keys_->keySequence());
    conflict_->setText(owner && owner->id != current() ? tr("Now of “%1”, which will lose it.").arg(owner->title)
                                                       : QString());
}

void ShortcutsDialog::apply() {
    if (const QString id = current(); !id.isEmpty())
        actions_.setKeys(id, keys_->keySequence().isEmpty() ? QList<QKeySequence>()
                                                            : QList<QKeySequence>{keys_->keySequence()});
}

} // namespace lathe::app
