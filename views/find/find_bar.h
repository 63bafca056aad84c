// SPDX-License-Identifier: GPL-3.0-or-later
//
// Find in whatever text or table of the window the user is in: one bar for all of them, which comes to be a page's by a rule and
// not by what the page does. Letters count the places and have them stand out, Enter and F3 go to them. What is long is looked
// through between the turns of the event loop.
#pragma once

#include "views/find/target.h"
#include "views/page/slices.h"

#include <QWidget>
#include <memory>
#include <optional>

class QLabel;
class QLineEdit;
class QToolButton;

namespace lathe::views::find {

class FindBar : public QWidget {
    Q_OBJECT

public:
    /// It is not seen until it is opened.
    FindBar();

    /// Searches the text or table that is nearest to the focus, or, where none is, the page's largest; what it searched last, if
    /// it has the focus itself. False: none is seen there.
    bool open(QWidget* page);
    /// To the next place, or the one before. Waits for them to be found.
    void step(bool forward);
    /// Gives the focus back, if it has it.
    void end();
    /// All places are counted.
    bool isSettled() const { return settled_; }

signals:
    void settled();

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setTarget(std::unique_ptr<Target> target);
    void leave();
    void seekAnew();
    bool lookOn();
    void showCount();

    QLabel* where_;
    QLineEdit* text_;
    QToolButton *letters_, *previous_, *next_, *close_;
    QLabel* count_;
    std::unique_ptr<Target> target_;
    bool anew_ = false;            // it is to be sought from the beginning
    bool settled_ = true;          // what is wanted is found
    std::optional<bool> stepping_; // forward, once it is
    Slices looking_{[this] { return lookOn(); }};
};

} // namespace lathe::views::find
