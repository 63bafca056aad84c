// SPDX-License-Identifier: Apache-2.0
//
// Runs the C compiler, then appends what the compiler's back end would.
#include "runtime/probe_artifact.h"

#include "runtime/abi.h"
#include "runtime/code_hash.h"

#include <QFile>
#include <QProcess>
#include <QtDebug>
#include <cstring>

namespace lathe::tests {

using runtime::CodeHash;

QString buildProbe(const QString& folder) {
    const QString object = folder + "/probe_code.so";
    QProcess compiler;
    compiler.setProcessChannelMode(QProcess::MergedChannels);
    compiler.start("clang-19", {"-std=c11", "-O1", "-shared", "-fPIC", "-I", LATHE_SOURCE_DIR "/compiler", "-o", object,
                                LATHE_SOURCE_DIR "/tests/runtime/probe_model.c"});
    if (!compiler.waitForFinished(60'000) || compiler.exitCode() != 0) {
        qWarning() << compiler.errorString() << compiler.readAll();
        return {};
    }
    QByteArray bytes = readFile(object);
    bytes.append((4096 - bytes.size() % 4096) % 4096, '\0');
    lathe_trailer trailer{};
    trailer.offset = static_cast<uint64_t>(bytes.size());
    const float constants[16] = {1, 2, 3, 4};
    trailer.bytes = sizeof constants;
    CodeHash hash;
    hash.add(bytes.constData(), static_cast<size_t>(bytes.size()));
    trailer.code_hash = hash.finish();
    std::memcpy(trailer.magic, LATHE_TRAILER_MAGIC, sizeof trailer.magic);
    bytes.append(reinterpret_cast<const char*>(constants), sizeof constants);
    bytes.append(reinterpret_cast<const char*>(&trailer), sizeof trailer);
    const QString path = folder + "/probe.so";
    writeFile(path, bytes);
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

} // namespace lathe::tests
