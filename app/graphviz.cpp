// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphviz.h"

#include "base/child_process.h"

#include <QThreadPool>
#include <span>
#include <string>

namespace lathe::app {

namespace {

constexpr size_t longestAnswer = size_t(1) << 30;

/// A thread of the pool that waits for another process leaves its place to others meanwhile.
class Waiting {
public:
    Waiting() { QThreadPool::globalInstance()->releaseThread(); }
    ~Waiting() { QThreadPool::globalInstance()->reserveThread(); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
};

} // namespace

Graphviz::Graphviz(QObject* parent) : QObject(parent) {}

Graphviz::Answer Graphviz::run(const QByteArray& dot, std::chrono::milliseconds limit,
                               const views::Worker<Answer>::Cancelled& cancelled) {
    const Waiting waiting;
    const auto deadline = std::chrono::steady_clock::now() + limit;
    ChildProcess child;
    child.setCancelled(cancelled);
    if (!child.start("dot", {"-q", "-Tplain"}))
        return {{}, tr("Graphviz (dot) is not installed")};
    ChildProcess::Io io = child.write(std::as_bytes(std::span(dot.data(), size_t(dot.size()))), deadline);
    std::string plain;
    if (io == ChildProcess::Io::Done) {
        child.endInput();
        io = child.readToEnd(plain, longestAnswer, deadline);
    }
    switch (io) {
    case ChildProcess::Io::TimedOut:
        return {{}, tr("dot took longer than %1 s").arg(double(limit.count()) / 1000)};
    case ChildProcess::Io::Cancelled:
        return {}; // nobody hears it
    case ChildProcess::Io::Done:
    case ChildProcess::Io::Closed:
        break;
    }
    const std::string end = child.reap();
    if (io == ChildProcess::Io::Closed || !child.succeeded())
        return {{}, tr("dot %1").arg(QString::fromStdString(end))};
    return {QByteArray::fromStdString(plain), {}};
}

void Graphviz::layout(int picture, const QByteArray& dot, std::chrono::milliseconds limit) {
    worker_.start([dot, limit](const auto& cancelled) { return run(dot, limit, cancelled); },
                  [this, picture](const std::optional<Answer>& answer) {
                      if (!answer)
                          return;
                      if (answer->problem.isEmpty())
                          emit done(picture, answer->plain);
                      else
                          emit failed(picture, answer->problem);
                  });
}

} // namespace lathe::app
