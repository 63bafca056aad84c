// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/picture.h"

#include "app/actions.h"
#include "app/main_window.h"
#include "base/new_file.h"
#include "views/graph/model_page.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QBuffer>
#include <QComboBox>
#include <QDialog>
#include <QFileInfo>
#include <QImageWriter>
#include <QKeyEvent>
#include <QPainter>
#include <QTabBar>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <span>
#include <utility>

namespace lathe::app {

namespace {

/// Between looks, in milliseconds, and how many in a row have to find nothing under way: fields that search as one types wait a
/// moment before they do.
constexpr int pause = 100, patience = 5;

bool pickIn(QTabBar& tabs, const QString& text) {
    for (int i = 0; i < tabs.count(); ++i)
        if (withoutMnemonic(tabs.tabText(i)) == text) {
            tabs.setCurrentIndex(i);
            return true;
        }
    return false;
}

bool pickIn(QComboBox& choices, const QString& text) {
    const int index = choices.findText(text);
    if (index < 0)
        return false;
    choices.setCurrentIndex(index);
    emit choices.activated(index);
    return true;
}

bool pickIn(QAbstractItemView& view, const QString& text) {
    const QAbstractItemModel* model = view.model();
    for (int column = 0; model && column < model->columnCount(); ++column) {
        const QModelIndexList found =
            model->match(model->index(0, column), Qt::DisplayRole, text, 1, Qt::MatchExactly | Qt::MatchRecursive);
        if (!found.isEmpty()) {
            view.setCurrentIndex(found.front());
            view.scrollTo(found.front());
            return true;
        }
    }
    return false;
}

bool pick(const QWidget& place, const QString& text) {
    for (QWidget* widget : place.findChildren<QWidget*>()) {
        if (!widget->isVisible() || !widget->isEnabled())
            continue;
        if (auto tabs = qobject_cast<QTabBar*>(widget); tabs && pickIn(*tabs, text))
            return true;
        if (auto button = qobject_cast<QAbstractButton*>(widget); button && withoutMnemonic(button->text()) == text) {
            button->click();
            return true;
        }
        if (auto choices = qobject_cast<QComboBox*>(widget); choices && pickIn(*choices, text))
            return true;
        if (auto view = qobject_cast<QAbstractItemView*>(widget); view && pickIn(*view, text))
            return true;
    }
    return false;
}

bool focus(QWidget& in, const QString& name) {
    for (QWidget* each : in.findChildren<QWidget*>())
        if (each->isVisible() && each->accessibleName() == name) {
            each->setFocus();
            return true;
        }
    return false;
}

bool type(const QWidget& place, const QString& text) {
    for (const QChar letter : text) {
        QWidget* field = place.focusWidget();
        if (!field)
            return false;
        QKeyEvent press(QEvent::KeyPress,
                        letter == '\n'   ? Qt::Key_Return
                        : letter == '\t' ? Qt::Key_Tab
                                         : Qt::Key_unknown,
                        Qt::NoModifier, letter);
        QApplication::sendEvent(field, &press);
    }
    return true;
}

} // namespace

Picture::Picture(MainWindow& window, const QStringList& steps, const QString& file)
    : QObject(&window), window_(window), steps_(steps), file_(file) {
    QApplication::setCursorFlashTime(0); // the same picture each time
    auto timer = new QTimer(this);
    connect(timer, &QTimer::timeout, this, &Picture::look);
    timer->start(pause);
}

void Picture::look() {
    quiet_ = window_.isSettled() && !window_.isTuning() ? quiet_ + 1 : 0;
    if (quiet_ < patience)
        return;
    quiet_ = 0;
    if (steps_.isEmpty())
        return save();
    // Queued: a dialog that opens by it keeps it from returning, and no timer ticks before its handler has returned.
    QMetaObject::invokeMethod(
        this,
        [this, step = steps_.takeFirst()] {
            if (take(step))
                return;
            std::fprintf(stderr, "lathe-workbench: the step \"%s\" cannot be taken\n", step.toUtf8().constData());
            QApplication::exit(1);
        },
        Qt::QueuedConnection);
}

bool Picture::take(const QString& step) {
    const QString what = step.section(':', 0, 0), rest = step.section(':', 1);
    if (what == "node") {
        bool isNumber = false;
        const int node = rest.toInt(&isNumber);
        if (!isNumber || node < 0)
            return false;
        window_.showPage("model");
        window_.modelPage()->revealNode(node);
        return true;
    }
    if (what == "pick")
        return pick(*front(), rest);
    if (what == "focus")
        return focus(*front(), rest);
    if (what == "type")
        return type(*front(), rest);
    const auto& entries = window_.actions().entries();
    const auto entry = std::ranges::find(entries, step, &Actions::Entry::id);
    if (entry == entries.end() || !entry->action->isEnabled())
        return false;
    entry->action->trigger();
    return true;
}

QWidget* Picture::front() const {
    if (QWidget* popup = QApplication::activePopupWidget())
        return popup;
    QWidget* front = &window_;
    for (QWidget* each : QApplication::topLevelWidgets())
        if (each->isVisible() && qobject_cast<QDialog*>(each))
            front = each;
    return front;
}

void Picture::save() {
    QPixmap picture = window_.grab();
    if (QWidget* dialog = front(); dialog != &window_) {
        QPainter painter(&picture);
        const QRect place(dialog->mapToGlobal(QPoint()) - window_.mapToGlobal(QPoint()), dialog->size());
        painter.drawPixmap(place.topLeft(), dialog->grab());
        painter.setPen(window_.palette().color(QPalette::PlaceholderText)); // in the place of a window manager's frame
        painter.drawRect(place.adjusted(-1, -1, 0, 0));
    }
    QBuffer bytes;
    QImageWriter writer(&bytes, QFileInfo(file_).suffix().toLatin1());
    NewFile file(file_.toStdString(), NewFile::Kind::Text);
    QString problem;
    if (!writer.write(picture.toImage()))
        problem = writer.errorString();
    else if (!file.write(std::as_bytes(std::span(bytes.data()))) || !file.keep())
        problem = QString::fromStdString(file.problem().what);
    if (!problem.isEmpty())
        std::fprintf(stderr, "lathe-workbench: the picture \"%s\" cannot be written: %s\n", qPrintable(file_),
                     qPrintable(problem));
    QApplication::exit(problem.isEmpty() ? 0 : 1);
}

} // namespace lathe::app
