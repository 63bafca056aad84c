// SPDX-License-Identifier: GPL-3.0-or-later
//
// Graphviz's dot in a child process with a time limit: it is not thread-safe, may assert, and takes hours on some graphs.
// One layout at a time; a newer request ends the one before.
#pragma once

#include "views/page/worker.h"

#include <QByteArray>
#include <QObject>
#include <chrono>

namespace lathe::app {

class Graphviz : public QObject {
    Q_OBJECT

public:
    explicit Graphviz(QObject* parent = nullptr);

    void layout(int picture, const QByteArray& dot, std::chrono::milliseconds limit = std::chrono::seconds(10));

signals:
    void done(int picture, QByteArray plain);
    void failed(int picture, QString why);

private:
    struct Answer {
        QByteArray plain;
        QString problem; // empty: `plain` is what dot wrote
    };
    static Answer run(const QByteArray& dot, std::chrono::milliseconds limit,
                      const views::Worker<Answer>::Cancelled& cancelled);

    views::Worker<Answer> worker_;
};

} // namespace lathe::app
