// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme.h"

#include "app/style.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QPalette>

namespace lathe::app {

namespace {

constexpr auto service = "org.freedesktop.portal.Desktop";
constexpr auto path = "/org/freedesktop/portal/desktop";
constexpr auto settings = "org.freedesktop.portal.Settings";
constexpr auto appearance = "org.freedesktop.appearance";
constexpr auto colorScheme = "color-scheme";
constexpr int preferDark = 1; // of the portal's values: 0 no preference, 1 dark, 2 light

QPalette paletteOf(bool dark) {
    QPalette palette;
    auto set = [&](QPalette::ColorRole role, QColor colour) { palette.setColor(role, colour); };
    if (dark) {
        set(QPalette::Window, 0x22262c), set(QPalette::WindowText, 0xe3e7ed);
        set(QPalette::Base, 0x1b1e23), set(QPalette::AlternateBase, 0x20242a), set(QPalette::Text, 0xe3e7ed);
        set(QPalette::Button, 0x2d323a), set(QPalette::ButtonText, 0xe3e7ed);
        set(QPalette::ToolTipBase, 0x2d323a), set(QPalette::ToolTipText, 0xe3e7ed);
        set(QPalette::Highlight, 0x3d7eff), set(QPalette::HighlightedText, 0xffffff);
        set(QPalette::PlaceholderText, 0x8a93a0), set(QPalette::Link, 0x6ea0ff);
        set(QPalette::Light, 0x3a404a), set(QPalette::Midlight, 0x333942), set(QPalette::Mid, 0x2a2f36);
        set(QPalette::Dark, 0x15171b), set(QPalette::Shadow, 0x0c0d0f);
    } else {
        set(QPalette::Window, 0xeff1f4), set(QPalette::WindowText, 0x1d2229);
        set(QPalette::Base, 0xffffff), set(QPalette::AlternateBase, 0xf6f7f9), set(QPalette::Text, 0x1d2229);
        set(QPalette::Button, 0xf4f5f8), set(QPalette::ButtonText, 0x1d2229);
        set(QPalette::ToolTipBase, 0xffffff), set(QPalette::ToolTipText, 0x1d2229);
        set(QPalette::Highlight, 0x2464d8), set(QPalette::HighlightedText, 0xffffff);
        set(QPalette::PlaceholderText, 0x79818d), set(QPalette::Link, 0x2464d8);
        set(QPalette::Light, 0xffffff), set(QPalette::Midlight, 0xe6e9ee), set(QPalette::Mid, 0xc3c8d0);
        set(QPalette::Dark, 0x9aa1ac), set(QPalette::Shadow, 0x6b727c);
    }
    const QColor disabled(dark ? 0x767f8c : 0x98a0ab);
    for (QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, disabled);
    return palette;
}

} // namespace

Theme::Theme(QObject* parent) : QObject(parent) {
    QApplication::setStyle(new Style);
    systemDark_ = QApplication::palette().color(QPalette::Window).lightness() < 128;
    apply();
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    bus.connect(service, path, settings, "SettingChanged", this, SLOT(settingChanged(QString, QString, QDBusVariant)));
    QDBusMessage question = QDBusMessage::createMethodCall(service, path, settings, "Read");
    question << QString(appearance) << QString(colorScheme);
    auto watcher = new QDBusPendingCallWatcher(bus.asyncCall(question, 2000), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        if (reply.isValid())
            settingChanged(appearance, colorScheme, reply.value());
        watcher->deleteLater();
    });
}

void Theme::choose(Choice choice) {
    choice_ = choice;
    apply();
}

void Theme::settingChanged(const QString& space, const QString& key, const QDBusVariant& value) {
    if (space != appearance || key != colorScheme)
        return;
    QVariant inner = value.variant();
    // Read wraps the value once more than SettingChanged does.
    if (inner.canConvert<QDBusVariant>())
        inner = inner.value<QDBusVariant>().variant();
    systemDark_ = inner.toInt() == preferDark;
    apply();
}

void Theme::apply() {
    const bool dark = choice_ == Choice::Dark || (choice_ == Choice::System && systemDark_);
    QApplication::setPalette(paletteOf(dark));
}

} // namespace lathe::app
