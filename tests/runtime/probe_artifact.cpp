// SPDX-License-Identifier: Apache-2.0
//
// Runs the C compiler; what follows is as for any model.
#include "runtime/probe_artifact.h"

#include "artifact/artifact.h"

#include <QFile>
#include <QProcess>
#include <QtDebug>

namespace lathe::testing {

QString buildProbe(const QString& folder, artifact::ArtifactForm form) {
    const QString object = folder + "/probe_code.so";
    QProcess compiler;
    compiler.setProcessChannelMode(QProcess::MergedChannels);
    compiler.start("clang-19",
                   {"-std=c11", "-O1", "-shared", "-fPIC", "-nostdlib", "-fno-builtin", "-fuse-ld=lld-19", "-I",
                    LATHE_SOURCE_DIR "/compiler", "-o", object, LATHE_SOURCE_DIR "/tests/runtime/probe_model.c"});
    if (!compiler.waitForFinished(60'000) || compiler.exitCode() != 0) {
        qWarning() << compiler.errorString() << compiler.readAll();
        return {};
    }
    const QByteArray bytes = readFile(object);
    static constexpr float constants[4] = {1, 2, 3, 4};
    const QString path = folder + "/probe.so";
    const auto written = artifact::writeArtifact(
        path.toStdString(), std::as_bytes(std::span(bytes.constData(), static_cast<size_t>(bytes.size()))),
        {{0, sizeof constants,
          []() -> Result<std::span<const std::byte>> { return std::as_bytes(std::span(constants)); }}},
        form);
    if (!written) {
        qWarning() << written.error().what.c_str();
        return {};
    }
    return path;
}

QByteArray readFile(const QString& path) {
    QFile file(path);
    return file.open(QFile::ReadOnly) ? file.readAll() : QByteArray();
}

void writeFile(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    if (!file.open(QFile::WriteOnly) || file.write(bytes) != bytes.size())
        qWarning() << "cannot write" << path;
}

} // namespace lathe::testing
