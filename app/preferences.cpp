// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/preferences.h"

#include "views/models/profile/chart_texts.h"
#include "views/models/text/counted.h"
#include "views/models/text/shown_path.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <algorithm>

namespace lathe::app {

namespace {

constexpr auto themeKey = "window/theme", textSizeKey = "window/textSize", lastKey = "session/restore";

int textSizeOf(int points) {
    return points == 0 ? 0 : std::clamp(points, Preferences::smallestText, Preferences::largestText);
}

} // namespace

Preferences Preferences::kept() {
    const QSettings settings;
    Preferences kept;
    kept.theme = Theme::Choice(std::clamp(settings.value(themeKey, 0).toInt(), 0, 2));
    kept.textSize = textSizeOf(settings.value(textSizeKey, 0).toInt());
    kept.beginsWithLast = settings.value(lastKey, true).toBool();
    return kept;
}

void Preferences::keep() const {
    QSettings settings;
    settings.setValue(themeKey, int(theme));
    settings.setValue(textSizeKey, textSize);
    settings.setValue(lastKey, beginsWithLast);
}

void Preferences::apply(Theme& program) const {
    static const double usual = QApplication::font().pointSizeF(); // before anything was changed
    program.choose(theme);
    QFont font = QApplication::font();
    font.setPointSizeF(textSize == 0 ? usual : textSize);
    if (font != QApplication::font())
        QApplication::setFont(font);
}

PreferencesDialog::PreferencesDialog(const Preferences& preferences, QWidget* parent)
    : QDialog(parent), theme_(new QComboBox), textSize_(new QSpinBox),
      beginsWithLast_(new QCheckBox(tr("Begin with what was open &last"))), cache_(new QLabel),
      clear_(new QPushButton(tr("&Clear"))) {
    setWindowTitle(tr("Preferences"));
    theme_->addItems({tr("as the system"), tr("light"), tr("dark")}); // by Theme::Choice
    theme_->setAccessibleName(tr("Theme"));
    textSize_->setRange(Preferences::smallestText - 1, Preferences::largestText);
    textSize_->setSpecialValueText(tr("as the system"));
    textSize_->setSuffix(tr(" pt"));
    textSize_->setAccessibleName(tr("Size of texts"));
    beginsWithLast_->setToolTip(tr("A start without a model opens the window as it was left"));
    cache_->setTextFormat(Qt::PlainText);
    cache_->setWordWrap(true);
    cache_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    clear_->setAccessibleName(tr("Clear the compiled kernels"));
    clear_->setToolTip(tr("They are compiled again when they are needed"));
    auto buttons =
        new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::RestoreDefaults);
    auto cache = new QHBoxLayout;
    cache->addWidget(cache_, 1);
    cache->addWidget(clear_, 0, Qt::AlignTop);
    auto form = new QFormLayout(this);
    form->addRow(tr("&Theme:"), theme_);
    form->addRow(tr("&Size of texts:"), textSize_);
    form->addRow(QString(), beginsWithLast_);
    form->addRow(tr("Compiled kernels:"), cache);
    form->addRow(buttons);
    resize(520, sizeHint().height());

    const auto show = [this](const Preferences& shown) {
        theme_->setCurrentIndex(int(shown.theme));
        textSize_->setValue(shown.textSize == 0 ? textSize_->minimum() : shown.textSize);
        beginsWithLast_->setChecked(shown.beginsWithLast);
    };
    show(preferences);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this, [show] { show({}); });
    connect(clear_, &QPushButton::clicked, this, [this] { lookAtCache(&driver::clearCache); });
    lookAtCache(&driver::cacheContent);
}

Preferences PreferencesDialog::preferences() const {
    Preferences chosen;
    chosen.theme = Theme::Choice(theme_->currentIndex());
    chosen.textSize = textSize_->value() == textSize_->minimum() ? 0 : textSize_->value();
    chosen.beginsWithLast = beginsWithLast_->isChecked();
    return chosen;
}

void PreferencesDialog::lookAtCache(driver::CacheContent (*look)()) {
    clear_->setEnabled(false);
    cache_->setText(tr("…"));
    looking_.start([look](const auto& /*cancelled*/) { return look(); },
                   [this](const std::optional<driver::CacheContent>& content) {
                       if (content)
                           showCache(*content);
                   });
}

void PreferencesDialog::showCache(const driver::CacheContent& content) {
    cache_->setText(tr("%1, %2, in %3")
                        .arg(views::models::counted(content.kernels, "kernel", "kernels"),
                             views::models::bytesText(double(content.bytes)),
                             views::models::shownPath(QString::fromStdString(driver::cacheFolder().string()))));
    clear_->setEnabled(content.kernels > 0);
    resize(width(), std::max(height(), heightForWidth(width()))); // the folder's path may take lines
}

} // namespace lathe::app
