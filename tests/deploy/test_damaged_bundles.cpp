// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner runtimes
// Links: onnx
// Timeout: 600
//
// Bundles that somebody damaged, or made to do harm, more than a thousand: each is refused, by the name of the file; nothing
// crashes, and nothing is written anywhere. Where a change is one that does no harm (a blank of the manifest, what an archive
// has between its files) all files are those of before.
#include "base/sha256.h"
#include "deploy/check_bundle.h"
#include "deploy/made_bundle.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

namespace lathe::testing::test_damaged_bundles {

using namespace lathe::deploy;
namespace fs = std::filesystem;
using lathe::testing::readAll;
using lathe::testing::writeFile;

class TestDamagedBundles : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    fs::path root_, bundle_;
    std::map<std::string, std::string> files_; // as they were written
    int mutants_ = 0, harmless_ = 0;           // of all tests; the latter are no refusals

    /// What is said of the bundle; empty: it is good.
    std::vector<Diagnostic> problems() const {
        const auto opened = OpenBundle::open(bundle_);
        auto found = opened ? verifyFiles(*opened, lathe::data::Beside::Used) : std::vector{opened.error()};
        for (const Diagnostic& problem : found) // whatever it is, it is about a file of this bundle
            if (!problem.file.starts_with(bundle_.string() + "/"))
                throw std::runtime_error("of no file of the bundle: " + toString(problem));
        return found;
    }
    bool names(const std::string& file) const {
        for (const Diagnostic& problem : problems())
            if (problem.file.ends_with(file) || problem.what.find(file) != std::string::npos)
                return true;
        return false;
    }
    /// Counts a mutant; whether it is refused, by this name.
    bool refused(const std::string& file) {
        ++mutants_;
        return names(file);
    }
    /// Counts a mutant of what may be changed without harm: whether it is refused, or its files are those of before.
    bool refusedOrHarmless(const fs::path& bundle) {
        ++mutants_;
        const auto opened = OpenBundle::open(bundle);
        if (!opened)
            return opened.error().file.starts_with(root_.string());
        if (!verifyFiles(*opened, lathe::data::Beside::Used).empty())
            return true;
        ++harmless_;
        for (const ManifestFile& file : opened->manifest().files)
            if (!files_.contains(file.path) || readAll(opened->folder() / file.path) != files_.at(file.path))
                return false;
        return opened->manifest().files.size() == files_.size() - 2; // but manifest and sums
    }
    /// One of the things that happen to files, at a place that `random` says. Never the content of before.
    std::string damaged(const std::string& content, std::mt19937& random) const {
        std::string now = content;
        const auto place = [&](size_t end) { return end == 0 ? size_t{0} : random() % end; };
        const size_t at = place(now.size()), count = 1 + place(64);
        switch (now.empty() ? 2 : random() % 7) {
        case 0: // a bit
            now[at] = static_cast<char>(now[at] ^ (1 << random() % 8));
            break;
        case 1: // cut
            now.resize(at);
            break;
        case 2: // more
            now.insert(at, std::string(count, static_cast<char>(random())));
            break;
        case 3: // less
            now.erase(at, count);
            break;
        case 4: // a piece of another file
            now.replace(at, count,
                        std::next(files_.begin(), static_cast<long>(place(files_.size())))->second.substr(0, count));
            break;
        case 5: // zeros, as after a disk was full
            std::fill(now.begin() + static_cast<long>(at), now.end(), '\0');
            break;
        default: // two bytes changed places
            std::swap(now[at], now[place(now.size())]);
        }
        return now == content ? content + "x" : now;
    }
    void restore() const {
        fs::remove_all(bundle_);
        for (const auto& [name, content] : files_) {
            fs::create_directories((bundle_ / name).parent_path());
            writeFile(bundle_ / name, content);
        }
    }
    /// A bundle whose manifest is this, with hashes that fit it: only what the manifest says is wrong.
    void writeManifest(const std::string& text) const {
        writeFile(bundle_ / "manifest.json", text);
        std::string sums = files_.at("SHA256SUMS");
        const size_t end = sums.find("  manifest.json\n");
        writeFile(bundle_ / "SHA256SUMS", sums.replace(end - 64, 64, sha256(text)));
    }
    /// All that lies beside the bundle.
    std::map<std::string, std::string> outside() const {
        std::map<std::string, std::string> all = lathe::testing::filesBelow(root_);
        std::erase_if(all, [](const auto& file) { return file.first.starts_with("bundle/"); });
        return all;
    }

private slots:
    void initTestCase() {
        root_ = folder_.path().toStdString();
        bundle_ = root_ / "bundle";
        qputenv("LATHE_CACHE", folder_.filePath("cache").toLocal8Bit());
        writeFile(root_ / "model.onnx", lathe::testing::oddModel());
        const auto outcome = lathe::testing::runLathe(
            {"bundle", folder_.filePath("model.onnx"), "-o", folder_.filePath("bundle"), "--symbol", "n=1..9:3"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        files_ = lathe::testing::filesBelow(bundle_);
        // So that hundreds of hashes take seconds: what is large is as good as what is not.
        QVERIFY(files_.size() > 30);
        QVERIFY(problems().empty());
        writeFile(root_ / "stranger", "not of the bundle");
    }

    /// Cut, emptied, longer, a bit flipped, removed, renamed, a link, a folder, another file's content: 9 of each file.
    void everyFile() {
        const auto before = outside();
        std::mt19937 random(1);
        int mutants = 0;
        for (const auto& [name, content] : files_) {
            const fs::path file = bundle_ / name;
            const auto refused = [&](const char* how) {
                ++mutants;
                if (this->refused(name))
                    return true;
                qWarning("%s: %s", name.c_str(), how);
                return false;
            };
            const size_t last = content.empty() ? 0 : content.size() - 1;
            writeFile(file, content + "\n");
            QVERIFY(refused("longer"));
            if (!content.empty()) {
                writeFile(file, content.substr(0, last));
                QVERIFY(refused("cut"));
                writeFile(file, "");
                QVERIFY(refused("emptied"));
                std::string flipped = content;
                flipped[random() % content.size()] ^= static_cast<char>(1 << random() % 8);
                writeFile(file, flipped);
                QVERIFY(refused("flipped"));
            }
            const std::string& other = files_.at(name == "check" ? "README.md" : "check");
            writeFile(file, other);
            QVERIFY(refused("another's"));
            fs::remove(file);
            QVERIFY(refused("removed"));
            fs::create_symlink(root_ / "stranger", file);
            QVERIFY(refused("a link"));
            fs::remove(file);
            fs::create_directory(file);
            QVERIFY(refused("a folder"));
            fs::remove(file);
            writeFile(fs::path(file) += ".renamed", content);
            QVERIFY(refused("renamed"));
            fs::remove(fs::path(file) += ".renamed");
            writeFile(file, content);
        }
        QVERIFY(mutants > 250);
        QVERIFY(problems().empty());
        QCOMPARE(outside(), before);
    }

    void strangersAndLinkedFolders() {
        writeFile(bundle_ / "model" / "more.so", "x");
        QVERIFY(names("more.so"));
        fs::remove(bundle_ / "model" / "more.so");
        fs::rename(bundle_ / "model", root_ / "moved");
        fs::create_directory_symlink(root_ / "moved", bundle_ / "model");
        QVERIFY(names("model/model.so"));
        fs::remove(bundle_ / "model");
        fs::rename(root_ / "moved", bundle_ / "model");
        writeFile(bundle_ / "examples" / "main_c", "built"); // is nobody's concern
        QVERIFY(problems().empty());
        fs::remove(bundle_ / "examples" / "main_c");
    }

    /// The manifest with one thing wrong, and hashes that fit.
    void everyFieldOfTheManifest() {
        const auto before = outside();
        const auto good = nlohmann::json::parse(files_.at("manifest.json"));
        int mutants = 0;
        const auto refused = [&](const nlohmann::json& mutant) {
            ++mutants;
            ++mutants_;
            writeManifest(mutant.dump());
            return !problems().empty();
        };
        const nlohmann::json wrong[] = {
            nullptr, -1, 1e300, "../../stranger", "/etc/passwd", nlohmann::json::array({1}), {{"a", 1}}};
        const std::set<std::string> free = {"$.created", "$.form",
                                            "$.peak_bytes_at_default"}; // made of others, or may be missing
        std::vector<std::pair<std::string, nlohmann::json::json_pointer>> fields;
        const auto walk = [&](auto&& self, const nlohmann::json& at,
                              const nlohmann::json::json_pointer& pointer) -> void {
            fields.emplace_back(pointer.to_string(), pointer);
            if (at.is_object())
                for (const auto& [key, value] : at.items())
                    self(self, value, pointer / key);
            else if (at.is_array())
                for (size_t i = 0; i < std::min<size_t>(at.size(), 3); ++i)
                    self(self, at[i], pointer / i);
        };
        walk(walk, good, nlohmann::json::json_pointer());
        for (const auto& [name, pointer] : fields)
            for (const nlohmann::json& value : wrong) {
                const nlohmann::json& now = good.at(pointer);
                if (value.type() == now.type() || (value.is_number() && now.is_number()) || now.is_null())
                    continue; // of the right type: below
                nlohmann::json mutant = good;
                mutant[pointer] = value;
                ++mutants;
                writeManifest(mutant.dump());
                QVERIFY2(refusedOrHarmless(bundle_), (name + " = " + value.dump()).c_str());
            }
        const std::vector<std::pair<std::string, nlohmann::json>> hostile = {
            {"/schema", "lathe-bundle/2"},
            {"/schema", 1},
            {"/form", "tower"},
            {"/bundle_id", std::string(64, 'g')},
            {"/bundle_id", std::string(64, 'a')},
            {"/name", "../x"},
            {"/name", ""},
            {"/name", std::string(1000, 'a')},
            {"/files/0/path", "../../stranger"},
            {"/files/0/path", "/etc/passwd"},
            {"/files/0/path", ""},
            {"/files/0/path", "a\nb"},
            {"/files/1/path", good["files"][0]["path"]},
            {"/files/0/bytes", -1},
            {"/files/0/bytes", 1e18},
            {"/files/0/bytes", 7},
            {"/files/0/bytes", good["files"][0]["bytes"].get<int64_t>() + 1},
            {"/files/0/bytes", good["files"][0]["bytes"].get<int64_t>() - 1},
            {"/files/0/sha256", "x"},
            {"/files/0/sha256", std::string(64, 'a')},
            {"/files", nullptr},
            {"/files", nlohmann::json::array()},
            {"/variants/0/path", "../../stranger"},
            {"/variants/0/path", "/bin/sh"},
            {"/variants/0/requires", 1},
            {"/golden/cases/0/name", "../.."},
            {"/golden/cases/0/name", "a/b"},
            {"/golden/cases", 1},
            {"/golden/tolerance/of_range", -1},
            {"/golden/tolerance/of_range", "much"},
            {"/symbols/n/min", 10},
            {"/symbols/n/default", -1},
            {"/inputs/0/dims", 3},
            {"/inputs/0/dims", {-1, 4}},
            {"/inputs/0/dtype", "float33"},
            {"/limits/p50_ms", "fast"},
            {"/limits", nullptr},
            {"/numerics", "loose"},
            {"/abi_version", -1},
            {"/model/sha256", 1},
            {"/model/opset_imports", 1},
            {"/made_by/lathe", nullptr},
            {"/plugins", 1},
            {"/plugins", nlohmann::json::parse(R"(["acme"])")},
            {"/plugins", nlohmann::json::parse(R"([{"id": "acme", "version": 1}])")},
            {"/plugins", nlohmann::json::parse(R"([{"id": "../acme", "version": "1"}])")},
            {"/created_seconds", -1}};
        for (const auto& [pointer, value] : hostile) {
            nlohmann::json mutant = good;
            mutant[nlohmann::json::json_pointer(pointer)] = value;
            QVERIFY2(refused(mutant), (pointer + " = " + value.dump()).c_str());
        }
        for (const auto& [key, value] : good.items()) {
            if (free.contains("$." + key))
                continue;
            nlohmann::json mutant = good;
            mutant.erase(key);
            QVERIFY2(refused(mutant), key.c_str());
        }
        QVERIFY2(mutants > 300, fmt::format("{}", mutants).c_str());
        for (const std::string& text : {std::string(), std::string("[]"), std::string("{"), std::string(1000, '['),
                                        std::string("{\"a\":") + std::string(100'000, '['),
                                        std::string(20'000'000, ' '), std::string(100, '\0')}) {
            writeManifest(text);
            ++mutants_;
            QVERIFY(names("manifest.json"));
        }
        restore();
        QVERIFY(problems().empty());
        QCOMPARE(outside(), before);
    }

    void everyLineOfTheSums() {
        const std::string good = files_.at("SHA256SUMS");
        const std::string line = std::string(64, 'a') + "  ";
        for (const std::string& text :
             {std::string(), good.substr(0, good.size() - 1), good + good, good + line + "../../stranger\n",
              good + line + "/etc/passwd\n", good + line + "absent\n", good + "\n", good + line + "\n",
              good.substr(good.find('\n') + 1), "#" + good, good + "\\" + line + "a\\nb\n", std::string(1 << 20, '\n'),
              std::string(1 << 20, 'a')}) {
            writeFile(bundle_ / "SHA256SUMS", text);
            ++mutants_;
            QVERIFY2(!problems().empty(), text.substr(0, 100).c_str());
        }
        restore();
    }

    /// 500 files, each changed somewhere.
    void filesAtRandom() {
        const auto before = outside();
        std::mt19937 random(2);
        for (int i = 0; i < 500; ++i) {
            const auto& [name, content] = *std::next(files_.begin(), static_cast<long>(random() % files_.size()));
            const std::string now = damaged(content, random);
            writeFile(bundle_ / name, now);
            // Only its own lines can say which file of the bundle a line of the sums is wrong for.
            const bool said = name == "SHA256SUMS" ? (++mutants_, !problems().empty()) : refused(name);
            QVERIFY2(said, fmt::format("mutant {}: {}", i, name).c_str());
            writeFile(bundle_ / name, content);
        }
        QVERIFY(problems().empty());
        QCOMPARE(outside(), before);
    }

    /// 60 pairs of files that took each other's place, and folders that did.
    void filesThatChangedPlaces() {
        std::mt19937 random(3);
        std::vector<std::string> paths;
        for (const auto& [name, content] : files_)
            paths.push_back(name);
        for (int i = 0; i < 60;) {
            const std::string &one = paths[random() % paths.size()], &other = paths[random() % paths.size()];
            if (files_.at(one) == files_.at(other))
                continue;
            ++i;
            writeFile(bundle_ / one, files_.at(other));
            writeFile(bundle_ / other, files_.at(one));
            // Of what says which file is which there is no other witness.
            const bool witness = std::ranges::any_of(std::array{one, other}, [](const std::string& name) {
                return name == "SHA256SUMS" || name == "manifest.json";
            });
            ++mutants_;
            QVERIFY2(witness ? !problems().empty() : names(one) && names(other), (one + " and " + other).c_str());
            writeFile(bundle_ / one, files_.at(one));
            writeFile(bundle_ / other, files_.at(other));
        }
        QVERIFY(problems().empty());
    }

    /// 300 texts of the manifest, each changed somewhere, with hashes that fit.
    void manifestsAtRandom() {
        const auto before = outside();
        std::mt19937 random(4);
        const std::string& good = files_.at("manifest.json");
        for (int i = 0; i < 300; ++i) {
            const std::string now = damaged(good, random);
            writeManifest(now);
            QVERIFY2(refusedOrHarmless(bundle_), fmt::format("mutant {}: {}", i, now).c_str());
        }
        restore();
        QCOMPARE(outside(), before);
    }

    /// Each place where a manifest names a file, with what leads elsewhere on some system, and hashes that fit.
    void pathsThatLeadElsewhere() {
        const auto before = outside();
        const auto good = nlohmann::json::parse(files_.at("manifest.json"));
        std::string deep = "a";
        for (int i = 0; i < 20; ++i)
            deep += "/a";
        const std::string paths[] = {"..",
                                     ".",
                                     "/",
                                     "./model",
                                     "model/..",
                                     "model/../../stranger",
                                     "../bundle/check",
                                     "/etc/passwd",
                                     "//etc/passwd",
                                     "model//model.so",
                                     "model/",
                                     "/model",
                                     "a\\..\\b",
                                     "C:\\x",
                                     "C:/x",
                                     "\\\\host\\x",
                                     "~/x",
                                     "$HOME/x",
                                     "$(touch x)",
                                     "`touch x`",
                                     "a;b",
                                     "a|b",
                                     "a b",
                                     "a\tb",
                                     "a\nb",
                                     "a\rb",
                                     "*",
                                     "?",
                                     "'",
                                     "\"",
                                     "a%00/../b\u202e",
                                     "\xc3\xa4",
                                     "\xe2\x80\xae",
                                     std::string(201, 'a'),
                                     deep,
                                     std::string(1 << 20, '/'),
                                     "file:///etc/passwd",
                                     "http://x/y",
                                     "con:"};
        const char* const places[] = {"/files/0/path", "/files/7/path", "/variants/0/path", "/golden/cases/0/name"};
        for (const char* place : places)
            for (const std::string& path : paths) {
                nlohmann::json mutant = good;
                mutant[nlohmann::json::json_pointer(place)] = path;
                writeManifest(mutant.dump());
                ++mutants_;
                QVERIFY2(!problems().empty(), (place + (" " + path)).c_str());
            }
        restore();
        QCOMPARE(outside(), before);
    }

    /// 200 archives, changed somewhere as they are and as they were before they were packed.
    void archivesAtRandom() {
        fs::create_directory(root_ / "temporary");
        qputenv("TMPDIR", folder_.filePath("temporary").toLocal8Bit());
        std::mt19937 random(5);
        for (const char* name : {"packed.tar", "packed.tar.zst"}) {
            const QString out = folder_.filePath(name);
            const auto outcome =
                lathe::testing::runLathe({"bundle", folder_.filePath("model.onnx"), "-o", out, "--symbol", "n=1..9:3"});
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            const fs::path archive = root_ / name;
            const std::string good = readAll(archive);
            const auto before = outside();
            for (int i = 0; i < 100; ++i) {
                std::string now = damaged(good, random);
                if (i % 3 == 0 && archive.extension() == ".tar") { // a header, where there is much to be had
                    now = good;
                    now[random() % 512] = static_cast<char>(random());
                }
                writeFile(archive, now);
                QVERIFY2(refusedOrHarmless(archive), fmt::format("mutant {} of {}", i, name).c_str());
            }
            writeFile(archive, good);
            QCOMPARE(outside(), before);
        }
        QVERIFY(fs::is_empty(root_ / "temporary")); // what was unpacked is gone
        qunsetenv("TMPDIR");
    }

    /// Golden cases that do not fit the model, with hashes that do: the check names the file.
    void goldenCases() {
        const auto opened = OpenBundle::open(bundle_);
        QVERIFY(opened);
        const auto check = [&](const std::string& name, const std::string& content,
                               const std::function<void(nlohmann::json&)>& change = {}) {
            writeFile(bundle_ / name, content);
            // All hashes anew, as whoever wants to harm would make them.
            auto manifest = nlohmann::json::parse(files_.at("manifest.json"));
            if (change)
                change(manifest);
            std::string sums, lines;
            for (auto& file : manifest["files"])
                if (file["path"] == name) {
                    file["bytes"] = content.size();
                    file["sha256"] = sha256(content);
                }
            for (const auto& file : manifest["files"])
                lines += file["sha256"].get<std::string>() + "  " + file["path"].get<std::string>() + "\n";
            manifest["bundle_id"] = sha256(lines);
            const std::string text = manifest.dump();
            writeFile(bundle_ / "manifest.json", text);
            writeFile(bundle_ / "SHA256SUMS", lines + sha256(text) + "  manifest.json\n");
            std::string said;
            ++mutants_;
            const auto bundle = OpenBundle::open(bundle_);
            const auto checked =
                bundle
                    ? checkBundle(*bundle,
                                  {.repeat = 0, .threads = 1, .limits = {}, .keys = {}, .device = {}, .noted = {}}, {})
                    : Result<BundleCheck>(Failure(bundle.error()));
            if (!checked)
                said = toString(checked.error());
            else if (!checked->good)
                for (const Diagnostic& problem : checked->problems)
                    said += toString(problem) + "\n";
            writeFile(bundle_ / name, files_.at(name));
            return said;
        };
        const std::string array = "golden/random-0/input_0.npy", facts = "golden/random-0/case.json";
        QCOMPARE(check(array, files_.at(array)), "");
        QVERIFY(check(array, "").find("input_0.npy") != std::string::npos);
        std::string other = files_.at(array);
        other[other.find("<f4") + 1] = 'i';
        QVERIFY(check(array, other).find("int32") != std::string::npos);
        other = files_.at(array);
        other.replace(other.find("(3, 4)"), 6, "(4, 3)");
        QVERIFY(!check(array, other).empty());
        other = files_.at("golden/random-0/output_0.npy");
        other[other.size() - 1] ^= 0x40;
        QVERIFY(check("golden/random-0/output_0.npy", other).find("elements differ") != std::string::npos);
        QVERIFY(check(facts, "{}").find("case.json") != std::string::npos);
        for (const char* field : {"outputs", "tolerance"}) {
            auto hostile = nlohmann::json::parse(files_.at(facts));
            hostile[field] = 1;
            QVERIFY(check(facts, hostile.dump()).find("case.json") != std::string::npos);
        }
        // A manifest of another artifact.
        const auto more = [](nlohmann::json& manifest) {
            manifest["outputs"].push_back(manifest["outputs"][0]);
            manifest["outputs"].back()["name"] = "more";
        };
        const auto renamed = [](nlohmann::json& manifest) { manifest["outputs"][0]["name"] = "other"; };
        const auto retyped = [](nlohmann::json& manifest) { manifest["inputs"][0]["dtype"] = "int32"; };
        for (const std::function<void(nlohmann::json&)>& change :
             {std::function<void(nlohmann::json&)>(more), std::function<void(nlohmann::json&)>(renamed),
              std::function<void(nlohmann::json&)>(retyped)}) {
            const std::string said = check(facts, files_.at(facts), change);
            QVERIFY2(said.find("the manifest says") != std::string::npos, said.c_str());
        }
        // Files are known by their ordinals, whatever a case says.
        std::string hostile = files_.at(facts);
        hostile.replace(hostile.find("input_0.npy"), 11, "../../a.npy");
        QCOMPARE(check(facts, hostile), "");
        restore();
    }

    void cleanupTestCase() {
        qInfo("%d mutants: %d refused, %d without harm", mutants_, mutants_ - harmless_, harmless_);
        if (QCoreApplication::arguments().size() == 1) // all tests ran
            QVERIFY(mutants_ - harmless_ >= 1000);
    }
};

Test test() {
    return {makes<TestDamagedBundles>};
}

} // namespace lathe::testing::test_damaged_bundles

#include "test_damaged_bundles.moc"
