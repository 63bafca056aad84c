// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphviz.h"

#include <QProcess>
#include <QTimer>

namespace lathe::app {

Graphviz::Graphviz(QObject* parent) : QObject(parent) {}

Graphviz::~Graphviz() {
    stop();
}

void Graphviz::stop() {
    if (!process_)
        return;
    process_->disconnect(this);
    process_->kill();
    process_->waitForFinished(1000);
    process_->deleteLater();
    process_ = nullptr;
}

void Graphviz::layout(int picture, const QByteArray& dot, std::chrono::milliseconds limit) {
    stop();
    auto process = process_ = new QProcess(this);
    auto end = [this, process](auto answer) {
        if (process_ != process)
            return;
        process_ = nullptr;
        process->deleteLater();
        answer();
    };
    connect(process, &QProcess::finished, this, [=, this](int code, QProcess::ExitStatus status) {
        end([&] {
            if (status == QProcess::NormalExit && code == 0)
                emit done(picture, process->readAllStandardOutput());
            else
                emit failed(picture, tr("dot ended with code %1").arg(code));
        });
    });
    connect(process, &QProcess::errorOccurred, this, [=, this](QProcess::ProcessError problem) {
        if (problem == QProcess::FailedToStart)
            end([&] { emit failed(picture, tr("Graphviz (dot) is not installed")); });
    });
    QTimer::singleShot(limit, process, [=, this] {
        if (process_ != process)
            return;
        stop();
        emit failed(picture, tr("dot took longer than %1 s").arg(double(limit.count()) / 1000));
    });
    process->start(QStringLiteral("dot"), {QStringLiteral("-Tplain")});
    process->write(dot);
    process->closeWriteChannel();
}

} // namespace lathe::app
