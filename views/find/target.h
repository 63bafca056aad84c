// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the find bar needs of whatever it searches, texts and tables alike: they are looked through a little at a time, and their
// places are numbered in the order in which they are shown.
#pragma once

#include <QObject>
#include <QString>
#include <vector>

class QWidget;

namespace lathe::views::find {

/// Places that are listed. A letter stands everywhere: even so a text of a hundred thousand lines is counted to its end.
constexpr size_t mostFound = 1'000'000;

struct Wanted {
    QString text; // empty: nothing
    Qt::CaseSensitivity letters = Qt::CaseInsensitive;
};

class Target : public QObject {
    Q_OBJECT

public:
    /// Begins anew. All places stand out from now on.
    virtual void seek(const Wanted& wanted) = 0;
    /// Looks on, by less than a millisecond; false: that was all, or as many as are listed.
    virtual bool lookOn() = 0;
    virtual size_t count() const = 0;
    /// "3 places".
    virtual QString counted() const = 0;
    /// The number of the place where the user is, from 0; -1: at none.
    virtual int at() const = 0;
    /// The number of the first place that is not before where the user is; count(): all are.
    virtual size_t from() const = 0;
    /// Shows and selects this place.
    virtual void go(size_t place) = 0;
    /// All that it shows itself in: it is gone once none of these is seen.
    virtual std::vector<QWidget*> widgets() const = 0;
    /// That of them which the user is in.
    virtual QWidget* home() const = 0;
    /// What it is called, by screen readers too.
    virtual QString name() const = 0;

signals:
    /// It shows something else: places found before mean nothing now.
    void changed();
};

} // namespace lathe::views::find
