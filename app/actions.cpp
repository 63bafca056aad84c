// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/actions.h"

#include <QSettings>
#include <QWidget>
#include <algorithm>

namespace lathe::app {

namespace {

QString settingOf(const QString& id) {
    return "shortcuts/" + id;
}

/// Keys that were chosen while the action had another name.
void renameSetting(const QString& before, const QString& id) {
    QSettings settings;
    if (const QVariant kept = settings.value(settingOf(before)); kept.isValid()) {
        settings.setValue(settingOf(id), kept);
        settings.remove(settingOf(before));
    }
}

} // namespace

QString withoutMnemonic(QString text) {
    for (qsizetype at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1))
        text.remove(at, 1);
    return text;
}

Actions::Actions(QWidget* window) : QObject(window), window_(window) {
    renameSetting("model.find", "edit.find");
}

QAction* Actions::add(const QString& id, const QString& section, const QString& text, const QList<QKeySequence>& keys,
                      std::function<void()> what, std::function<bool()> enabledWhen) {
    auto action = new QAction(text, this);
    connect(action, &QAction::triggered, this, [what = std::move(what)] { what(); });
    adopt(id, section, action, keys);
    entries_.back().enabledWhen = std::move(enabledWhen);
    return action;
}

void Actions::adopt(const QString& id, const QString& section, QAction* action, const QList<QKeySequence>& keys) {
    const QSettings settings;
    const QVariant kept = settings.value(settingOf(id));
    action->setShortcuts(kept.isValid() ? QKeySequence::listFromString(kept.toString()) : keys);
    window_->addAction(action); // so its keys work also where no menu shows it
    entries_.push_back({id, withoutMnemonic(action->text()), section, keys, action, {}});
}

void Actions::enableWhen(const QString& id, std::function<bool()> condition) {
    if (Entry* entry = find(id))
        entry->enabledWhen = std::move(condition);
}

void Actions::refresh() {
    for (const Entry& entry : entries_)
        if (entry.enabledWhen)
            entry.action->setEnabled(entry.enabledWhen());
}

QAction* Actions::operator[](const QString& id) const {
    const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) { return each.id == id; });
    Q_ASSERT(entry != entries_.end());
    return entry->action;
}

Actions::Entry* Actions::find(const QString& id) {
    const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) { return each.id == id; });
    return entry == entries_.end() ? nullptr : &*entry;
}

void Actions::setKeys(const QString& id, const QList<QKeySequence>& keys) {
    QSettings settings;
    const auto keep = [&](Entry& entry, const QList<QKeySequence>& own) {
        entry.action->setShortcuts(own);
        if (own == entry.defaults)
            settings.remove(settingOf(entry.id));
        else
            settings.setValue(settingOf(entry.id), QKeySequence::listToString(own));
    };
    for (Entry& entry : entries_) {
        QList<QKeySequence> left = entry.action->shortcuts();
        if (entry.id != id && left.removeIf([&](const QKeySequence& each) { return keys.contains(each); }) > 0)
            keep(entry, left);
    }
    if (Entry* entry = find(id))
        keep(*entry, keys);
    emit keysChanged();
}

void Actions::resetKeys() {
    QSettings().remove("shortcuts");
    for (Entry& entry : entries_)
        entry.action->setShortcuts(entry.defaults);
    emit keysChanged();
}

const Actions::Entry* Actions::withKeys(const QKeySequence& keys) const {
    const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) {
        return !keys.isEmpty() && each.action->shortcuts().contains(keys);
    });
    return entry == entries_.end() ? nullptr : &*entry;
}

QString textOf(const QList<QKeySequence>& keys) {
    return QKeySequence::listToString(keys, QKeySequence::NativeText).replace("; ", ", ");
}

} // namespace lathe::app
