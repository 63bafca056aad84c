// SPDX-License-Identifier: GPL-3.0-or-later
//
// A field and a list over the window: letters narrow the list, arrows walk in it, Enter chooses, Esc or a click elsewhere
// closes.
#pragma once

#include "views/models/window/palette_model.h"

#include <QFrame>

class QLabel;
class QLineEdit;
class QListView;

namespace lathe::views::palette {

class CommandPalette : public QFrame {
    Q_OBJECT

public:
    explicit CommandPalette(QWidget* window);

    /// Opens at the top of the window. hint: what stands in the empty field.
    void open(std::vector<models::PaletteEntry> entries, const QString& hint);
    QLineEdit* field() const { return field_; }
    models::PaletteModel& entries() const { return *model_; }

signals:
    void chosen(lathe::views::models::PaletteEntry entry);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void narrow(const QString& pattern);
    void showFound();
    void choose();

    models::PaletteModel* model_;
    QLineEdit* field_;
    QListView* list_;
    QLabel* count_;
};

} // namespace lathe::views::palette
