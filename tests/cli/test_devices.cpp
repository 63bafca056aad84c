// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner runtimes
// Links: onnx
// In release alone: the runner that is sent to the device has no sanitizers in any preset.
// Runs: release
//
// `lathe devices`, and commands on a device over ssh, as scripts see them. The device is this machine by a real sshd.
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"
#include "support/ssh_server.h"

#include <QTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

namespace lathe::testing::test_devices {

#if defined(__aarch64__)
constexpr bool hostIsArm = true;
#else
constexpr bool hostIsArm = false;
#endif

class TestDevices : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_;
    std::optional<SshServer> server_;

    QString at(const char* name) const { return folder_.filePath(name); }
    static std::string contentOf(const QString& path) {
        std::ifstream file(path.toStdString(), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static void good(const Outcome& outcome) { QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str()); }
    /// It fails with this code, and says that.
    static QByteArray told(const Outcome& outcome, int code, const char* text) {
        return outcome.code == code && outcome.err.find(text) != std::string::npos
                   ? QByteArray()
                   : QByteArray::number(outcome.code) + ": " + QByteArray::fromStdString(outcome.err);
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", at("cache").toLocal8Bit());
        qputenv("XDG_CONFIG_HOME", at("settings").toLocal8Bit());
        model_ = at("model.onnx");
        std::ofstream(model_.toStdString(), std::ios::binary)
            << graphBytes("g (float[2,3] x) => (float[2,3] y) { t = Tanh (x) y = Mul (t, x) }");
        server_.emplace();
    }
    void cleanup() {
        QTRY_VERIFY2_WITH_TIMEOUT(server_->left().isEmpty(), qPrintable(server_->left().join(' ')), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(server_->sessions("lathe-runner").empty(), 20'000);
    }

    void namesAreAddedListedAndRemoved() {
        Outcome outcome = runLathe({"devices"});
        good(outcome);
        QVERIFY(outcome.out.find("no device has a name") != std::string::npos);
        good(runLathe(
            {"devices", "add", "board", "ssh:device", "--cores", "0", "--env", "A=b c", "--note", "the desk"}));
        good(runLathe({"devices", "add", "arm", "qemu:cortex-a72"}));
        const QStringList otherwise = {"devices", "add", "board", "ssh:device", "--note", "the shelf"};
        QCOMPARE(told(runLathe(otherwise), 2, "a device is called 'board' already"), QByteArray());
        good(runLathe(otherwise + QStringList{"--force"}));
        outcome = runLathe({"devices"});
        good(outcome);
        QCOMPARE(outcome.out, std::string("arm              qemu:cortex-a72\n"
                                          "board            ssh:device  (the shelf)\n"));
        outcome = runLathe({"devices", "--json"});
        const auto first = nlohmann::json::parse(outcome.out.substr(0, outcome.out.find('\n')));
        QCOMPARE(first["name"].get<std::string>(), std::string("arm"));
        QCOMPARE(first["device"].get<std::string>(), std::string("qemu:cortex-a72"));
        good(runLathe({"devices", "remove", "arm"}));
        QCOMPARE(told(runLathe({"devices", "remove", "arm"}), 2, "no device is called 'arm'"), QByteArray());
        for (const QStringList& wrong : {QStringList{"devices", "add", "local", "ssh:device"},
                                         {"devices", "add", "a b", "ssh:device"},
                                         {"devices", "add", "x", "ssh:-oProxyCommand=evil"},
                                         {"devices", "add", "x", "ssh:a b"},
                                         {"devices", "add", "x", "serial:1"},
                                         {"devices", "add", "x", "board"},
                                         {"devices", "add", "x", "ssh:device", "--cores", "all"},
                                         {"devices", "add", "x", "ssh:device", "--env", "1=2"},
                                         {"devices", "add", "x", "ssh:device", "--folder", "relative"},
                                         {"devices", "add", "x", "local", "--cores", "0"}})
            QVERIFY2(runLathe(wrong).code == 2, qPrintable(wrong.join(' ')));
        outcome = runLathe({"devices", "--quiet"});
        QCOMPARE(outcome.out, std::string("board            ssh:device  (the shelf)\n"));
    }

    void aDamagedListIsNotWrittenOver() {
        const QString list = at("settings/lathe/devices.json");
        const std::string before = contentOf(list);
        for (const char* text :
             {"", "[]", "{\"schema\": \"lathe-devices/2\", \"devices\": []}",
              "{\"schema\": \"lathe-devices/1\", \"devices\": [{\"name\": \"x\"}]}",
              "{\"schema\": \"lathe-devices/1\", \"devices\": [{\"name\": \"x\", \"transport\": \"x\"}]}",
              "{\"schema\": \"lathe-devices/1\", \"devices\": [{\"name\": 1, \"transport\": \"local\"}]}"}) {
            std::ofstream(list.toStdString()) << text;
            QCOMPARE(told(runLathe({"devices", "add", "other", "local"}), 1, "devices.json"), QByteArray());
            QCOMPARE(told(runLathe({"run", model_, "--device", "board"}), 1, "devices.json"), QByteArray());
            QCOMPARE(contentOf(list), std::string(text));
        }
        std::ofstream(list.toStdString()) << before;
    }

    void testSaysWhatItIsAndRuns() {
        Outcome outcome = runLathe({"devices", "test", "board"});
        good(outcome);
        for (const char* part : {"machine ", "cores ", "memory ", "pages ", "libc ", "folder ", "runs here"})
            QVERIFY2(outcome.out.find(part) != std::string::npos, (part + ("\n" + outcome.out)).c_str());
        outcome = runLathe({"devices", "test", "board", "--json"});
        good(outcome);
        const auto all = nlohmann::json::parse(outcome.out);
        QVERIFY(all["facts"].contains("isa") && !all["targets"].empty());
        QCOMPARE(told(runLathe({"devices", "test", "nobody"}), 2, "unknown device 'nobody'"), QByteArray());
        QCOMPARE(told(runLathe({"devices", "test", "ssh:locked"}), 1, "does not let anybody in"), QByteArray());
        good(runLathe({"devices", "test", "local"}));
    }

    void valuesAreThoseOfARunHere() {
        good(runLathe({"run", model_, "--save", at("here")}));
        good(runLathe({"run", model_, "--save", at("there"), "--device", "board"}));
        QVERIFY(!contentOf(at("here/y.npy")).empty());
        QCOMPARE(contentOf(at("there/y.npy")), contentOf(at("here/y.npy")));
        good(runLathe({"profile", model_, "--device", "ssh:device"}));
        good(runLathe({"bench", model_, "--rounds", "3", "--device", "board"}));
    }

    void testsRunThere() {
        QDir().mkpath(at("case/test_data_set_0"));
        QFile::copy(model_, at("case/model.onnx"));
        const auto tensor = [](const std::vector<float>& values) {
            ::onnx::TensorProto proto;
            proto.set_data_type(::onnx::TensorProto::FLOAT);
            proto.add_dims(2);
            proto.add_dims(3);
            for (const float value : values)
                proto.add_float_data(value);
            return proto.SerializeAsString();
        };
        // x * tanh(x)
        std::ofstream(at("case/test_data_set_0/input_0.pb").toStdString(), std::ios::binary)
            << tensor({0, 1, -1, 2, 20, -20});
        std::ofstream(at("case/test_data_set_0/output_0.pb").toStdString(), std::ios::binary)
            << tensor({0, 0.7615942F, 0.7615942F, 1.9280552F, 20, 20});
        const Outcome outcome = runLathe({"test", at("case"), "--device", "board", "--jobs", "1"});
        good(outcome);
        QVERIFY2(outcome.out.find("1 passed, 0 wrong") != std::string::npos, outcome.out.c_str());
    }

    void bundlesAreTriedAndCheckedThere() {
        good(runLathe({"bundle", model_, "-o", at("bundle"), "--device", "board", "--without", "python,sbom"}));
        Outcome outcome = runLathe({"bundle", "check", at("bundle"), "--device", "board", "--repeat", "5"});
        good(outcome);
        QVERIFY(outcome.out.find("time       good   first run ") != std::string::npos);
        outcome = runLathe({"bundle", "check", at("bundle"), "--device", "board", "--limit", "p50=1ns"});
        QVERIFY(outcome.code == 2);
        outcome =
            runLathe({"bundle", "check", at("bundle"), "--device", "board", "--repeat", "5", "--limit", "size=1B"});
        QCOMPARE(outcome.code, 1);
        QCOMPARE(told(runLathe({"bundle", "check", at("bundle"), "--device", "ssh:stranger"}), 1, "host key"),
                 QByteArray());
        // Code of another machine, and a bundle that has nothing else.
        QCOMPARE(told(runLathe({"run", model_, "--target", other(), "--device", "board"}), 1, "the code is for"),
                 QByteArray());
        good(runLathe({"bundle", model_, "-o", at("foreign"), "--target", other(), "--without", "python,sbom"}));
        QCOMPARE(told(runLathe({"bundle", "check", at("foreign"), "--device", "board"}), 1, "the code is for"),
                 QByteArray());
    }

    /// A CPU of 2013, which qemu emulates: the code of another level is refused by name, and of two variants the right one runs.
    void aCpuThatLacksAFeatureIsTold() {
        if (hostIsArm)
            QSKIP("the CPU that lacks what others have is one of x86-64");
        const QString script = at("as-haswell");
        std::ofstream(script.toStdString())
            << "#!/bin/sh\nexec /bin/sh -c \"$(printf %s \"$SSH_ORIGINAL_COMMAND\" | sed "
               "'s|\"$d/lathe-runner\" --remote|qemu-x86_64 -cpu Haswell \"$d/lathe-runner\" --remote|')\"\n";
        QFile::setPermissions(script, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        const SshServer haswell({.command = script});
        QCOMPARE(
            told(runLathe({"run", model_, "--target", "x86-64-v4", "--device", "ssh:device"}), 1, "it needs avx512"),
            QByteArray());
        good(runLathe({"run", model_, "--target", "x86-64-v3", "--device", "ssh:device"}));
        Outcome outcome = runLathe({"devices", "test", "ssh:device"});
        good(outcome);
        QVERIFY2(outcome.out.find("x86-64-v4    does not: it lacks avx512") != std::string::npos, outcome.out.c_str());
        QVERIFY2(outcome.out.find("x86-64-v3    runs here") != std::string::npos, outcome.out.c_str());
        const QString two = at("levels");
        outcome = runLathe({"bundle", model_, "-o", two, "--target", "x86-64-v4", "--target", "x86-64-v3", "--device",
                            "ssh:device", "--without", "python,sbom"});
        good(outcome);
        QVERIFY2(outcome.err.find("cannot run on ssh:device: the artifact: it needs avx512") != std::string::npos,
                 outcome.err.c_str());
        outcome = runLathe({"bundle", "check", two, "--device", "ssh:device", "--repeat", "2"});
        good(outcome);
        QVERIFY2(outcome.out.find("x86-64-v3") != std::string::npos, outcome.out.c_str());
        QCOMPARE(told(runLathe({"bundle", model_, "-o", at("new"), "--target", "x86-64-v4", "--device", "ssh:device"}),
                      1, "it needs avx512"),
                 QByteArray());
        QVERIFY(!QFile::exists(at("new")));
    }

private:
    static QString other() { return hostIsArm ? "x86-64-v2" : "cortex-a72"; }
};

Test test() {
    return {makes<TestDevices>};
}

} // namespace lathe::testing::test_devices

#include "test_devices.moc"
