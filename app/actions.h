// SPDX-License-Identifier: GPL-3.0-or-later
//
// Everything that can be done in the window, in one table: menus, toolbar, command palette, context menus and the list of
// shortcuts are made from it, and it says when each can be done. Keys that the user changed are kept in the settings, under the
// action's id.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <functional>
#include <vector>

namespace lathe::app {

/// "&Open model…" -> "Open model…".
QString withoutMnemonic(QString text);

class Actions : public QObject {
    Q_OBJECT

public:
    struct Entry {
        QString id;      // "model.compile": in the settings, never shown
        QString title;   // "Compile", as the palette and the list of shortcuts have it
        QString section; // "Model": its menu
        QList<QKeySequence> defaults;
        QAction* action = nullptr;
        std::function<bool()> enabledWhen; // empty: whoever made the action says so
    };

    /// The actions work wherever in the window the focus is.
    explicit Actions(QWidget* window);

    /// text: as in a menu, with its mnemonic. The user's keys, if there are some, take the place of the given ones.
    QAction* add(const QString& id, const QString& section, const QString& text, const QList<QKeySequence>& keys,
                 std::function<void()> what, std::function<bool()> enabledWhen = {});
    /// An action that exists already.
    void adopt(const QString& id, const QString& section, QAction* action, const QList<QKeySequence>& keys = {});
    /// From the next `refresh` on.
    void enableWhen(const QString& id, std::function<bool()> condition);
    /// What the conditions go by has changed: each action that has one is on or off by it.
    void refresh();
    QAction* operator[](const QString& id) const;
    const std::vector<Entry>& entries() const { return entries_; }

    /// Sets and keeps them. Another action that has one of these keys loses it.
    void setKeys(const QString& id, const QList<QKeySequence>& keys);
    /// The given keys again, for all.
    void resetKeys();
    /// Who has these keys; null: nobody.
    const Entry* withKeys(const QKeySequence& keys) const;

signals:
    void keysChanged();

private:
    Entry* find(const QString& id);

    QWidget* window_;
    std::vector<Entry> entries_;
};

/// "Ctrl+P, F5": how keys are shown.
QString textOf(const QList<QKeySequence>& keys);

} // namespace lathe::app
