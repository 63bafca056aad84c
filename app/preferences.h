// SPDX-License-Identifier: GPL-3.0-or-later
//
// How the program is for its user, whatever model is open: a value, kept in the settings, and the dialog that changes it. What
// a model is compiled and run for is app/run_settings.h.
#pragma once

#include "app/theme.h"
#include "driver/kernel_cache.h"
#include "views/page/worker.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace lathe::app {

struct Preferences {
    static constexpr int smallestText = 7, largestText = 32;

    Theme::Choice theme = Theme::Choice::System;
    int textSize = 0; // in points; 0: as the system has it
    bool beginsWithLast = true;

    static Preferences kept();
    void keep() const;
    /// To the whole program.
    void apply(Theme& theme) const;
    bool operator==(const Preferences&) const = default;
};

class PreferencesDialog : public QDialog {
    Q_OBJECT

public:
    PreferencesDialog(const Preferences& preferences, QWidget* parent);

    Preferences preferences() const;

private:
    /// On a thread of the pool: the folder may be large, or far away.
    void lookAtCache(driver::CacheContent (*look)());
    void showCache(const driver::CacheContent& content);

    QComboBox* theme_;
    QSpinBox* textSize_;
    QCheckBox* beginsWithLast_;
    QLabel* cache_;
    QPushButton* clear_;
    views::Worker<driver::CacheContent> looking_;
};

} // namespace lathe::app
