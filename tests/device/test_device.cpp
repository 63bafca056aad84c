// SPDX-License-Identifier: Apache-2.0
//
// Devices by name, what serves the runner's protocol there, and what is said where that is missing.
#include "device/device.h"

#include "codegen/target.h"
#include "support/program_of_tests.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

namespace lathe::testing::test_device {

class TestDevice : public QObject {
    Q_OBJECT

private slots:
    void namesReadBack() {
        for (const char* name : {"local", "qemu", "qemu:cortex-a72", "qemu:rv64,v=true,vlen=256"}) {
            const auto device = device::parseDevice(name);
            QVERIFY(device.has_value());
            QCOMPARE(toString(*device), std::string(name));
        }
        for (const char* name : {"", "qemu:", "quemu", "ssh:", "local:1"}) {
            const auto device = device::parseDevice(name);
            QVERIFY(!device && device.error().kind == ErrorKind::Usage && !device.error().hint.empty());
        }
    }

    void localRunsWhatThisMachineCan() {
        const auto command = device::runnerCommand({}, codegen::nativeTarget());
        QVERIFY(command && command->program.empty() && command->arguments.empty());
        const bool onArm = codegen::nativeTarget().architecture == Architecture::AArch64;
        QVERIFY(!device::runnerCommand({}, *codegen::parseTarget(onArm ? "x86-64-v2" : "cortex-a72")));
    }

    void whatIsMissingIsNamed() {
        const QByteArray path = qgetenv("PATH");
        const auto restore = qScopeGuard([&] { qputenv("PATH", path); });
        const device::Device qemu = *device::parseDevice("qemu");
        QTemporaryDir folder;
        qputenv("PATH", folder.path().toUtf8());
        const auto without = device::runnerCommand(qemu, *codegen::parseTarget("cortex-a72"));
        QVERIFY(!without);
        QCOMPARE(without.error().what, std::string("there is no qemu-aarch64 on this machine"));
        QCOMPARE(without.error().hint, std::string("install qemu-user"));
        // This test has no runtimes beside it, unless they are built.
        const QString program = folder.filePath("qemu-aarch64");
        QVERIFY(QFile::copy("/bin/true", program) &&
                QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        const auto found =
            device::runnerCommand(qemu, *codegen::parseTarget("aarch64-linux-gnu:neoverse-v1::vector=256"));
        if (found) {
            QCOMPARE(found->program.string(), program.toStdString());
            QCOMPARE(found->arguments.at(0), std::string("-cpu"));
            QCOMPARE(found->arguments.at(1), std::string("max,sve-default-vector-length=32")); // bytes
            QVERIFY(found->arguments.at(2).ends_with("share/lathe/runtimes/aarch64-linux-gnu/bin/lathe-runner"));
        } else {
            QVERIFY(found.error().what.starts_with("there is no runtime for aarch64-linux-gnu"));
        }
    }

    void artifactsTellTheirMachine() {
        const auto own = device::targetOfArtifact("/proc/self/exe");
        QVERIFY(own && own->architecture == codegen::nativeTarget().architecture);
        QVERIFY(!device::targetOfArtifact("/nowhere/x.so"));
        QTemporaryDir folder;
        const std::string text = folder.filePath("text").toStdString();
        std::ofstream(text) << std::string(200, 'x');
        QVERIFY(!device::targetOfArtifact(text));
    }
};

Test test() {
    return {makes<TestDevice>};
}

} // namespace lathe::testing::test_device

#include "test_device.moc"
