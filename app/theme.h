// SPDX-License-Identifier: GPL-3.0-or-later
//
// Light and dark. Qt 6.4 does not follow the system by itself under every desktop, so the desktop's portal is asked
// (org.freedesktop.appearance, color-scheme) and listened to; the user may also choose.
#pragma once

#include <QObject>

class QDBusVariant;

namespace lathe::app {

class Theme : public QObject {
    Q_OBJECT

public:
    enum class Choice { System, Light, Dark };

    explicit Theme(QObject* parent = nullptr);
    void choose(Choice choice);
    Choice choice() const { return choice_; }

private slots:
    void settingChanged(const QString& space, const QString& key, const QDBusVariant& value);

private:
    void apply();

    Choice choice_ = Choice::System;
    bool systemDark_ = false;
};

} // namespace lathe::app
