// SPDX-License-Identifier: Apache-2.0
//
// The steps of a self-check, whoever runs the artifacts: here nobody does, and what is loaded, computed and measured is as a
// test says. So each way to fail is there, without a model that fails.
#include "base/sha256.h"
#include "data/npy.h"
#include "data/self_check.h"
#include "support/host_tensor.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

namespace lathe::testing::test_self_check {

namespace fs = std::filesystem;
using data::ArtifactCheck;
using model::HostTensor;

namespace {

constexpr float noNumber = std::numeric_limits<float>::quiet_NaN();

HostTensor floats(const std::vector<float>& values) {
    return tensorOf<float>(types::Float32, {static_cast<int64_t>(values.size())}, values);
}

std::string npy(const HostTensor& tensor) {
    return data::npyPrefix(data::npyCode(tensor.dtype), tensor.shape) +
           std::string(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
}

/// "good load", "failed random-0" …
class Steps final : public data::StepReport {
public:
    std::vector<std::string> all;
    std::string text; // of all, a line each

    void begin(const std::string& step) override { step_ = step; }
    void good(const std::string& what, const nlohmann::json& facts) override {
        QVERIFY(facts.is_object());
        add("good", what);
    }
    void bad(const Diagnostic& problem) override { add("failed", data::sentenceOf(problem)); }
    void note(const std::string& what) override { add("skipped", what); }

private:
    void add(const char* verdict, const std::string& what) {
        all.push_back(verdict + (" " + step_));
        text += what + "\n";
    }
    std::string step_;
};

/// Twice its input, if nothing is said otherwise.
class Fake final : public data::ArtifactRunner {
public:
    std::map<std::string, Diagnostic> refused; // by path
    std::optional<float> first = {};           // its first output is that
    bool differs = false;                      // from run to run
    std::optional<Diagnostic> fails = {};      // each run
    bool dies = false;                         // of a run that fails
    double p50 = 1;
    std::vector<int> threads; // that were asked for
    int timed = 0;
    bool dead = false;

    Result<data::LoadedArtifact> load(const std::string& path) override {
        dead = false;
        if (const auto found = refused.find(path); found != refused.end())
            return Failure(found->second);
        return data::LoadedArtifact{{{types::Float32}, {types::Float32}}, {"y"}, 0.5};
    }
    Result<data::ArtifactRun> run(const std::vector<HostTensor>& inputs, int wished) override {
        threads.push_back(wished);
        dead = fails && dies;
        if (fails)
            return Failure(*fails);
        std::vector<float> values = valuesOf<float>(inputs.at(0));
        for (float& value : values)
            value *= 2;
        if (first)
            values[0] = *first;
        if (differs) // by less than the tolerance
            values[1] += 1e-6F * static_cast<float>(threads.size());
        return data::ArtifactRun{{floats(values)}, wished == 0 ? 4 : wished, 64};
    }
    Result<data::ArtifactTimes> time(const std::vector<HostTensor>&, int, int runs) override {
        ++timed;
        return data::ArtifactTimes{{.first = 9, .p50 = p50, .p90 = 2, .p99 = 3, .runs = runs}, 4, 1000};
    }
    bool isAlive() const override { return !dead; }
};

} // namespace

class TestSelfCheck : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    fs::path bundle_;
    std::map<std::string, std::string> files_;

    void write() const {
        fs::remove_all(bundle_);
        std::string sums;
        for (const auto& [name, content] : files_) {
            fs::create_directories((bundle_ / name).parent_path());
            std::ofstream(bundle_ / name, std::ios::binary) << content;
            sums += sha256(content) + "  " + name + "\n";
        }
        std::ofstream(bundle_ / "SHA256SUMS", std::ios::binary) << sums;
    }
    void addCase(const std::string& name, const std::vector<float>& inputs, const std::vector<float>& outputs) {
        const std::string folder = "golden/" + name + "/";
        files_[folder + "case.json"] = R"({"outputs": [{}], "tolerance": {"absolute": 1e-3, "of_range": 0}})";
        files_[folder + "input_0.npy"] = npy(floats(inputs));
        files_[folder + "output_0.npy"] = npy(floats(outputs));
    }
    Steps check(Fake& fake, data::SelfChecked* seen = nullptr) const {
        write();
        Steps steps;
        const data::SelfCheckWish wish{.bundle = bundle_, .repeat = 5};
        if (const auto files = data::checkFiles(wish, steps)) {
            const data::SelfChecked found = data::checkArtifacts(*files, wish, fake, steps);
            if (seen)
                *seen = found;
        }
        return steps;
    }
    using List = std::vector<std::string>;

private slots:
    void init() {
        bundle_ = fs::path(folder_.path().toStdString()) / "bundle";
        files_.clear();
        files_["model/a.so"] = "code";
        files_["model/b.so"] = "more code";
        addCase("zeros", {0, 0}, {0, 0});
        addCase("random-0", {1, 3}, {2, 6});
        files_["manifest.json"] = R"({"schema": "lathe-bundle/1",
            "variants": [{"path": "model/b.so"}, {"path": "model/a.so"}],
            "golden": {"cases": [{"name": "random-0"}]}, "limits": {"p50_ms": 2, "size_bytes": 100000}})";
    }

    void aGoodOne() {
        Fake fake;
        data::SelfChecked seen;
        const Steps steps = check(fake, &seen);
        // In the manifest's order, then what else lies there; times and limits of the first.
        QCOMPARE(steps.all, (List{"good files", "good load", "good random-0", "good zeros", "good time", "good limits",
                                  "good load", "good random-0", "good zeros"}));
        QCOMPARE(fake.threads, (std::vector{0, 1, 0, 1, 0, 1, 0, 1}));
        QVERIFY(steps.text.find("model/b.so (0.0 kB) in 0.50 ms\n") != std::string::npos);
        QVERIFY(steps.text.find("the same bits on 4 threads and on one\n") != std::string::npos);
        QVERIFY(steps.text.find(" of 5 runs; 4 threads, 1.0 kB resident at most\n") != std::string::npos);
        QCOMPARE(seen.first, "model/b.so");
        QCOMPARE(seen.cases, 2);
        QCOMPARE(seen.unknown, 0);
        QCOMPARE(seen.artifacts.size(), size_t(2));
        for (const ArtifactCheck& each : seen.artifacts)
            QVERIFY(each.outcome == ArtifactCheck::Outcome::Right);
    }

    void filesComeFirst() {
        Fake fake;
        files_["manifest.json"] = "{}";
        QCOMPARE(check(fake).all, (List{"good files", "failed manifest"}));
        files_["manifest.json"] = R"({"schema": "lathe-bundle/1", "variants": [{"path": "model/c.so"}]})";
        QCOMPARE(check(fake).all, (List{"good files", "failed manifest"}));
        write();
        std::ofstream(bundle_ / "model/a.so") << "patched";
        Steps steps;
        QVERIFY(!data::checkFiles({.bundle = bundle_}, steps));
        QCOMPARE(steps.all, List{"failed files"});
        QVERIFY(steps.text.starts_with("model/a.so: "));
    }

    void limitsThatAreNone() {
        Fake fake;
        for (const char* limits : {R"({"p50_ms": -1})", R"({"p50_ms": "1"})", "[]", "1"}) {
            files_["manifest.json"] =
                R"({"schema": "lathe-bundle/1", "variants": [{"path": "model/a.so"}], "limits": )" +
                std::string(limits) + "}";
            QCOMPARE(check(fake).all, (List{"good files", "failed manifest"}));
        }
    }

    /// Another artifact may be for this machine; a broken one is a fault, whichever follows.
    void loadRefuses() {
        Fake fake;
        fake.refused["model/b.so"] = error(ErrorKind::Unsupported, "it needs avx512f");
        data::SelfChecked seen;
        Steps steps = check(fake, &seen);
        QCOMPARE(steps.all, (List{"good files", "skipped load", "good load", "good random-0", "good zeros", "good time",
                                  "good limits"}));
        QVERIFY(steps.text.find("skipped: model/b.so: it needs avx512f\n") != std::string::npos);
        QCOMPARE(seen.first, "model/a.so");
        QVERIFY(seen.artifacts[0].outcome == ArtifactCheck::Outcome::NotRun);
        QCOMPARE(seen.artifacts[0].why, "it needs avx512f");

        fake.refused["model/a.so"] = error(ErrorKind::Unsupported, "it needs avx2", "export for x86-64-v2");
        steps = check(fake, &seen);
        QCOMPARE(steps.all, (List{"good files", "skipped load", "skipped load", "failed machine"}));
        QVERIFY(steps.text.ends_with("it needs avx2 (export for x86-64-v2)\n"));
        QVERIFY(seen.first.empty());

        fake.refused["model/b.so"] = error("its bytes are not those of its hash");
        fake.refused.erase("model/a.so");
        steps = check(fake, &seen);
        QCOMPARE(steps.all, (List{"good files", "failed load", "good load", "good random-0", "good zeros", "good time",
                                  "good limits"}));
        QVERIFY(steps.text.find("model/b.so: its bytes are not") != std::string::npos);
        QVERIFY(seen.artifacts[0].outcome == ArtifactCheck::Outcome::Wrong);
    }

    void aWrongValue() {
        Fake fake;
        fake.first = 2; // right of random-0 alone
        data::SelfChecked seen;
        const Steps steps = check(fake, &seen);
        QCOMPARE(steps.all, (List{"good files", "good load", "good random-0", "failed zeros", "good time",
                                  "good limits", "good load", "good random-0", "failed zeros"}));
        QVERIFY(steps.text.find("output 'y': 1 of 2 elements differ; worst at [0]: got 2, expected 0") !=
                std::string::npos);
        QVERIFY(seen.artifacts[0].outcome == ArtifactCheck::Outcome::Wrong);
        QCOMPARE(seen.cases, 1);
    }

    void twoRunsThatDiffer() {
        Fake fake;
        fake.differs = true;
        const Steps steps = check(fake);
        // Nothing is right, so nothing is timed, and what was not measured keeps no limit.
        QCOMPARE(steps.all, (List{"good files", "good load", "failed random-0", "failed zeros", "failed limits",
                                  "good load", "failed random-0", "failed zeros"}));
        QVERIFY(steps.text.find("output 'y' of two runs is not the same bit for bit") != std::string::npos);
        QVERIFY(steps.text.find("p50 in ms was not measured, the limit is 2") != std::string::npos);
        QCOMPARE(fake.timed, 0);
    }

    /// It is run and timed, and nothing is called right.
    void anOutputThatIsAllNaN() {
        files_["manifest.json"] = R"({"schema": "lathe-bundle/1", "variants": [{"path": "model/a.so"}]})";
        std::erase_if(files_, [](const auto& file) { return file.first.starts_with("golden/"); });
        addCase("random-0", {noNumber, noNumber}, {noNumber, noNumber});
        Fake fake;
        data::SelfChecked seen;
        const Steps steps = check(fake, &seen);
        QCOMPARE(steps.all, (List{"good files", "good load", "skipped random-0", "good time"}));
        QVERIFY(steps.text.find("it ran: 2 of 2 values are not a number on both sides") != std::string::npos);
        QVERIFY(steps.text.find("right") == std::string::npos);
        QVERIFY(seen.artifacts[0].outcome == ArtifactCheck::Outcome::Loads);
        QCOMPARE(seen.cases, 0);
        QCOMPARE(seen.unknown, 1);
    }

    void tooSlow() {
        Fake fake;
        fake.p50 = 2.5;
        const Steps steps = check(fake);
        QCOMPARE(steps.all, (List{"good files", "good load", "good random-0", "good zeros", "good time",
                                  "failed limits", "good load", "good random-0", "good zeros"}));
        QVERIFY(steps.text.find("p50 in ms is 2.5, the limit 2 (") != std::string::npos);
    }

    /// What the model refuses is one case's matter; what ended the process that ran it is that of all.
    void runsThatFail() {
        Fake fake;
        fake.fails = error("division by zero");
        QCOMPARE(check(fake).all, (List{"good files", "good load", "failed random-0", "failed zeros", "failed limits",
                                        "good load", "failed random-0", "failed zeros"}));
        fake.dies = true;
        QCOMPARE(check(fake).all,
                 (List{"good files", "good load", "failed random-0", "failed limits", "good load", "failed random-0"}));
    }

    void noCases() {
        std::erase_if(files_, [](const auto& file) { return file.first.starts_with("golden/"); });
        files_["manifest.json"] = R"({"schema": "lathe-bundle/1", "variants": [{"path": "model/a.so"}]})";
        Fake fake;
        QCOMPARE(check(fake).all, (List{"good files", "good load", "skipped golden"}));
    }
};

Test test() {
    return {makes<TestSelfCheck>};
}

} // namespace lathe::testing::test_self_check

#include "test_self_check.moc"
