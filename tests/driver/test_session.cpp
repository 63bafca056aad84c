// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
// Links: onnx
//
// A Session imports once: which compilations start from what was imported, and which import anew. Two compilations from
// one import give what two imports give.
#include "driver/session.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

namespace lathe::testing::test_session {

namespace fs = std::filesystem;

namespace {

const char* plusOne = "g (float[n] x) => (float[n] y) <float one = {1}> { a = Add (x, one) y = Mul (a, one) }";
const char* plusTwo = "g (float[n] x) => (float[n] y) <float two = {2}> { y = Add (x, two) }";

std::string bytesOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

class TestSession : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    fs::path folder_, model_, out_;

    model::ModelGraphPtr compile(driver::Session& session, const driver::Decisions& decisions = {},
                                 const driver::Options& options = {}) {
        driver::Trace trace;
        const auto artifact = session.compile(out_, decisions, options, trace);
        if (!artifact)
            qWarning("%s", toString(artifact.error()).c_str());
        return artifact ? trace.graph : nullptr;
    }

private slots:
    void initTestCase() { qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit()); }
    void init() {
        folder_ = fs::path(temporary_.path().toStdString()) / QTest::currentTestFunction();
        fs::create_directories(folder_);
        model_ = folder_ / "model.onnx";
        out_ = folder_ / "model.so";
        writeFile(model_, graphBytes(plusOne));
    }

    void otherDecisionsStartFromTheSameImport() {
        driver::Session session(model_);
        driver::Trace opened;
        QVERIFY(session.open({}, opened));
        QVERIFY(opened.graph);
        QCOMPARE(compile(session), opened.graph);
        driver::Decisions unfused;
        unfused.skipPasses = {"fuse"};
        QCOMPARE(compile(session, unfused), opened.graph);
        driver::Options strict;
        strict.numerics = driver::NumericsLevel::Strict;
        QCOMPARE(compile(session, {}, strict), opened.graph);
        // The passes of one compilation have left nothing behind for the next.
        QCOMPARE(compile(session), opened.graph);
        const std::string again = bytesOf(out_);
        driver::Session fresh(model_);
        QVERIFY(compile(fresh));
        QVERIFY(bytesOf(out_) == again);
    }

    void otherSizesImportAnew() {
        driver::Session session(model_);
        const auto free = compile(session);
        driver::Options fixed;
        fixed.shapes = {{"x", {4}}};
        const auto sized = compile(session, {}, fixed);
        QVERIFY(free && sized && free != sized);
        QCOMPARE(compile(session, {}, fixed), sized);
        QVERIFY(compile(session) != sized);
    }

    void aFileThatChangedIsImportedAnew() {
        driver::Session session(model_);
        const auto one = compile(session);
        const std::string before = bytesOf(out_);
        writeFile(model_, graphBytes(plusTwo));
        const auto two = compile(session);
        QVERIFY(one && two && one != two);
        QVERIFY(bytesOf(out_) != before);
        fs::remove(model_);
        QVERIFY(!compile(session));
        writeFile(model_, graphBytes(plusOne));
        QVERIFY(compile(session));
        QVERIFY(bytesOf(out_) == before);
    }

    void externalDataThatChangedIsReadAnew() {
        ::onnx::ModelProto proto;
        QVERIFY(proto.ParseFromString(graphBytes(plusTwo)));
        ::onnx::TensorProto& two = *proto.mutable_graph()->mutable_initializer(0);
        two.clear_float_data();
        two.clear_raw_data();
        two.set_data_location(::onnx::TensorProto::EXTERNAL);
        auto& location = *two.add_external_data();
        location.set_key("location");
        location.set_value("weights");
        writeFile(model_, proto.SerializeAsString());
        writeFile(folder_ / "weights", std::string("\0\0\0\x40", 4)); // 2
        driver::Session session(model_);
        const auto first = compile(session);
        const std::string before = bytesOf(out_);
        QVERIFY(first);
        QCOMPARE(compile(session), first);
        writeFile(folder_ / "weights.new", std::string("\0\0\x40\x40", 4)); // 3
        fs::rename(folder_ / "weights.new", folder_ / "weights");
        const auto second = compile(session);
        QVERIFY(second && second != first);
        QVERIFY(bytesOf(out_) != before);
    }

    void whatIsRefusedStaysRefusedUntilTheFileChanges() {
        writeFile(model_, graphBytes("g (float[n] x) => (float[n] y) { y = Frobnicate (x) }"));
        driver::Session session(model_);
        for (int round = 0; round < 2; ++round) {
            driver::Trace trace;
            QVERIFY(!session.open({}, trace));
            QVERIFY(trace.graph);
            QVERIFY(!trace.diagnostics.empty());
        }
        writeFile(model_, graphBytes(plusOne));
        QVERIFY(compile(session));
    }

    void aCancelledOpeningIsNoImport() {
        driver::Session session(model_);
        driver::Trace trace;
        const auto cancelled = session.open({}, trace, {.report = {}, .cancelled = [] { return true; }});
        QVERIFY(!cancelled);
        QVERIFY(cancelled.error().kind == ErrorKind::Cancelled);
        QVERIFY(compile(session));
    }
};

Test test() {
    return {makes<TestSession>};
}

} // namespace lathe::testing::test_session

#include "test_session.moc"
