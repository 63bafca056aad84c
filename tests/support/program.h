// SPDX-License-Identifier: Apache-2.0
//
// Runs a program that was built beside the tests: its exit code and what it printed.
#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>

namespace lathe::testing {

struct Outcome {
    int code = -1; // -1: it did not start, crashed or did not end
    std::string out, err;
};

inline Outcome runProgram(const QString& program, const QStringList& arguments, int seconds = 120) {
    QProcess process;
    process.start(program, arguments);
    Outcome outcome;
    if (!process.waitForFinished(seconds * 1000)) {
        process.kill();
        process.waitForFinished();
        outcome.err = "did not end in time; ";
    } else if (process.exitStatus() == QProcess::NormalExit) {
        outcome.code = process.exitCode();
    }
    outcome.out = process.readAllStandardOutput().toStdString();
    outcome.err += process.readAllStandardError().toStdString();
    return outcome;
}

inline Outcome runLathe(const QStringList& arguments, int seconds = 120) {
    return runProgram(QStringLiteral(LATHE_BINARY_DIR "/lathe"), arguments, seconds);
}

} // namespace lathe::testing
