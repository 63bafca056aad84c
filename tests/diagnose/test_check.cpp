// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
// Links: onnx
//
// Checking of intermediate values on models whose values are known: each product with 2 I doubles what it is given, one with 3 I triples it. Which
// values are compared, which are not and why, which diverges first, and what is refused.
#include "diagnose/check.h"
#include "driver/tensor_files.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

namespace lathe::testing::test_check {

using diagnose::CheckRow;
using diagnose::CheckState;
namespace fs = std::filesystem;

namespace {

constexpr const char* chain = R"(g (float[2,3] x) => (float[2,3] y, float[2,3] z)
<float[3,3] w = {2,0,0, 0,2,0, 0,0,2}, float[3,3] v = {3,0,0, 0,3,0, 0,0,3}> {
  [A] a = MatMul (x, w)
  [B] b = MatMul (a, w)
  [C] c = MatMul (b, w)
  [Y] y = MatMul (c, w)
  [S] s = MatMul (x, v)
  [Z] z = MatMul (s, w)
})";

const std::vector<float> ones{1, -2, 3, 4, 5, -6};

} // namespace

class TestCheck : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    int folders_ = 0;

    fs::path folder() {
        const fs::path path = fs::path(temporary_.path().toStdString()) / std::to_string(folders_++);
        fs::create_directories(path);
        return path;
    }

    fs::path written(const std::string& graph) {
        const fs::path model = folder() / "model.onnx";
        writeFile(model, graphBytes(graph));
        return model;
    }

    static diagnose::CheckQuestion question() {
        diagnose::CheckQuestion question;
        question.runner.program = LATHE_BINARY_DIR "/lathe-runner";
        question.runner.threads = 1;
        return question;
    }

    static Result<diagnose::Check> ask(const fs::path& model, const diagnose::CheckQuestion& question) {
        driver::Session session(model);
        return diagnose::check(session, question);
    }

    static const CheckRow* find(const Result<diagnose::Check>& check, const std::string& value) {
        const auto row = std::ranges::find(check->rows, value, &CheckRow::value);
        return row == check->rows.end() ? nullptr : &*row;
    }

    static std::vector<std::string> named(const Result<diagnose::Check>& check,
                                          const std::function<bool(const CheckRow&)>& which) {
        std::vector<std::string> names;
        for (const CheckRow& row : check->rows)
            if (which(row))
                names.push_back(row.value);
        return names;
    }
    static std::vector<std::string> first(const Result<diagnose::Check>& check) {
        return named(check, [](const CheckRow& row) { return row.first; });
    }
    static std::vector<std::string> in(const Result<diagnose::Check>& check, CheckState state) {
        return named(check, [&](const CheckRow& row) { return row.state == state; });
    }

    /// x times the factor of each name, as files; what is `wrong` has one element that is 0.5 off.
    fs::path values(const std::map<std::string, float>& factors, const std::set<std::string>& wrong) {
        const fs::path files = folder();
        for (const auto& [name, factor] : factors) {
            std::vector<float> elements;
            for (const float one : ones)
                elements.push_back(factor * one);
            if (wrong.contains(name))
                elements[4] += 0.5F;
            if (!driver::writeNpy(files / (name + ".npy"), tensorOf(types::Float32, {2, 3}, elements)))
                qFatal("cannot write");
        }
        return files;
    }

private slots:
    void initTestCase() { qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit()); }

    void givenValuesThatAreRight() {
        diagnose::CheckQuestion right = question();
        right.against = diagnose::AgainstFiles{
            {values({{"x", 1}, {"a", 2}, {"b", 4}, {"c", 8}, {"y", 16}, {"s", 3}, {"z", 6}}, {})}};
        const auto check = ask(written(chain), right);
        QVERIFY2(check, check ? "" : toString(check.error()).c_str());
        QCOMPARE(in(check, CheckState::Within), (std::vector<std::string>{"a", "b", "c", "y", "s", "z"}));
        QCOMPARE(find(check, "c")->comparison.largest, 0.0);
        QCOMPARE(find(check, "c")->shape, (std::vector<int64_t>{2, 3}));
        QVERIFY(find(check, "c")->dtype == types::Float32);
        QCOMPARE(check->inputs.shapes, (driver::Shapes{{"x", {2, 3}}}));
    }

    void firstDivergence_data() {
        QTest::addColumn<QStringList>("files");
        QTest::addColumn<QStringList>("wrong");
        QTest::addColumn<QStringList>("first");
        const QStringList all{"a", "b", "c", "y", "s", "z"};
        QTest::newRow("one") << all << QStringList{"b"} << QStringList{"b"};
        QTest::newRow("what follows is none") << all << QStringList{"b", "c", "y"} << QStringList{"b"};
        QTest::newRow("right ones lie between") << all << QStringList{"a", "c"} << QStringList{"a", "c"};
        QTest::newRow("others are not compared") << QStringList{"a", "y"} << QStringList{"a", "y"} << QStringList{"a"};
        QTest::newRow("two ways") << all << QStringList{"b", "y", "c", "s", "z"} << QStringList{"b", "s"};
        QTest::newRow("an output") << all << QStringList{"y"} << QStringList{"y"};
    }
    void firstDivergence() {
        QFETCH(QStringList, files);
        QFETCH(QStringList, wrong);
        QFETCH(QStringList, first);
        const std::map<std::string, float> factors{{"a", 2}, {"b", 4}, {"c", 8}, {"y", 16}, {"s", 3}, {"z", 6}};
        std::map<std::string, float> given{{"x", 1}};
        for (const QString& name : files)
            given[name.toStdString()] = factors.at(name.toStdString());
        std::set<std::string> altered;
        for (const QString& name : wrong)
            altered.insert(name.toStdString());
        diagnose::CheckQuestion asked = question();
        asked.against = diagnose::AgainstFiles{{values(given, altered)}};
        const auto check = ask(written(chain), asked);
        QVERIFY2(check, check ? "" : toString(check.error()).c_str());
        QStringList found;
        for (const std::string& name : TestCheck::first(check))
            found << QString::fromStdString(name);
        QCOMPARE(found, first);
        QCOMPARE(check->count(CheckState::Diverges), size_t(wrong.size()));
        QCOMPARE(check->count(CheckState::NotCompared), size_t(6 - files.size()));
        const CheckRow& row = *find(check, wrong.front().toStdString());
        const auto factor = double(factors.at(row.value));
        QCOMPARE(row.comparison.largest, 0.5);
        QCOMPARE(row.comparison.beyond, int64_t(1));
        QCOMPARE(row.comparison.worst, int64_t(4));
        QCOMPARE(row.comparison.got, 5 * factor);
        QCOMPARE(row.comparison.expected, 5 * factor + 0.5);
        // The rule for networks: 1e-6 and a thousandth of the largest expected magnitude, which is at the element of 6 or of 5.
        const double range = std::max(6 * factor, 5 * factor + 0.5);
        QVERIFY(std::abs(row.comparison.ofLimit - 0.5 / (1e-6 + 1e-3 * range)) < 1e-9);
        QVERIFY(std::ranges::find(row.nodes, row.node) != row.nodes.end());
        for (const CheckRow& other : check->rows)
            if (other.state == CheckState::NotCompared)
                QCOMPARE(other.why, "no file holds it");
    }

    /// Values whose names are no names of files; inputs and outputs by their places.
    void namesOfFiles() {
        ::onnx::ModelProto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]> g (float[2,3] x) => "
                                              "(float[2,3] y) <float[3,3] w = {2,0,0, 0,2,0, 0,0,2}> "
                                              "{ a = MatMul (x, w) y = MatMul (a, w) }");
        model.mutable_graph()->mutable_node(0)->set_output(0, "/block.0/a");
        model.mutable_graph()->mutable_node(1)->set_input(0, "/block.0/a");
        const fs::path path = folder() / "model.onnx", files = folder();
        writeFile(path, model.SerializeAsString());
        const auto put = [&](const char* name, float factor) {
            std::vector<float> elements;
            for (const float one : ones)
                elements.push_back(factor * one);
            QVERIFY(driver::writeNpy(files / name, tensorOf(types::Float32, {2, 3}, elements)));
        };
        put("input_0.npy", 1);
        put("%2Fblock.0%2Fa.npy", 2);
        put("output_0.npy", 4);
        diagnose::CheckQuestion asked = question();
        asked.against = diagnose::AgainstFiles{{files}};
        const auto check = ask(path, asked);
        QVERIFY2(check, check ? "" : toString(check.error()).c_str());
        QCOMPARE(in(check, CheckState::Within), (std::vector<std::string>{"/block.0/a", "y"}));
    }

    void againstTheUnoptimized() {
        const auto model = written(R"(g (float[2,3] x) => (float[2,3] y, float[2,3] t)
<float[3,3] w = {2,1,0, 0,2,0, 0,3,2}> {
  [one] k = Constant <value_float = 1.0> ()
  [two] two = Add (k, k)
  [four] four = Add (two, two)
  [product] p = MatMul (x, w)
  [bias] q = Add (p, four)
  [relu] r = Relu (q)
  [same] i = Identity (r)
  [drawn] u = RandomNormalLike (r)
  [soft] t = Softmax (i)
  [noise] v = Add (t, u)
  [sum] y = Sub (v, t)
})");
        const auto check = ask(model, question());
        QVERIFY2(check, check ? "" : toString(check.error()).c_str());
        // In the model's order, without the constant; what is fused away or folded says so.
        const std::vector<std::string> inOrder{"two", "four", "p", "q", "r", "i", "u", "t", "v", "y"};
        QCOMPARE(named(check, [](const CheckRow&) { return true; }), inOrder);
        QCOMPARE(find(check, "r")->state, CheckState::Within);
        QCOMPARE(find(check, "t")->state, CheckState::Within);
        const CheckRow& product = *find(check, "p");
        QCOMPARE(product.state, CheckState::NotCompared);
        QVERIFY2(product.why.starts_with("fused into 'fused_matmul_add_relu"), product.why.c_str());
        QCOMPARE(find(check, "two")->why, "removed by 'dead code'");
        QCOMPARE(find(check, "four")->state, CheckState::Within); // the constant that is left
        QCOMPARE(find(check, "i")->why, "removed by 'simplify inference'");
        for (const char* random : {"u", "v", "y"})
            QCOMPARE(find(check, random)->why, "drawn at random");
        // What is computed with the relu: product and sum, which have no value of their own.
        for (const char* with : {"p", "q"})
            QVERIFY(std::ranges::find(find(check, "r")->nodes, find(check, with)->node) !=
                    find(check, "r")->nodes.end());
        QVERIFY(std::ranges::find(find(check, "t")->nodes, find(check, "r")->node) == find(check, "t")->nodes.end());
        QCOMPARE(check->nested, size_t(0));
        QVERIFY(check->trace->graph);
    }

    /// Values stored in blocks of channels, the last one part padding, and a shape that only data says.
    void storedAndSizedOtherwise() {
        ::onnx::ModelProto model = parseModel(R"(<ir_version: 10, opset_import: ["" : 21]>
g (float[1,3,9,9] x) => (float[1,20,9,9] y, int64[4,n] where) {
  [one] a = Conv <pads = [1, 1, 1, 1]> (x, w1)
  [two] b = Conv <pads = [1, 1, 1, 1]> (a, w2)
  [three] c = Conv <pads = [1, 1, 1, 1]> (b, w2)
  [four] y = Conv <pads = [1, 1, 1, 1]> (c, w2)
  [where] where = NonZero (a)
})");
        const auto wave = [](int64_t i) { return std::sin(static_cast<float>(i)); };
        addWeights(model, "w1", {20, 3, 3, 3}, wave);
        addWeights(model, "w2", {20, 20, 3, 3}, wave);
        const fs::path path = folder() / "model.onnx";
        writeFile(path, model.SerializeAsString());
        driver::Options plain;
        plain.emitCode = false;
        driver::Trace trace;
        QVERIFY(driver::compileFile(path, {}, {}, plain, trace));
        diagnose::CheckQuestion inBlocks = question();
        for (const driver::LayoutRecord& record : trace.layouts)
            if (record.chosen.part == relay::choose::StoredPart::Blocks) {
                inBlocks.decisions.layouts.push_back(record.chosen);
                inBlocks.decisions.layouts.back().width = record.offered.back();
            }
        QVERIFY(inBlocks.decisions.layouts.size() >= 3);
        const auto check = ask(path, inBlocks);
        QVERIFY2(check, check ? "" : toString(check.error()).c_str());
        QCOMPARE(in(check, CheckState::Within), (std::vector<std::string>{"a", "b", "c", "y", "where"}));
        QCOMPARE(find(check, "b")->shape, (std::vector<int64_t>{1, 20, 9, 9}));
        QVERIFY(find(check, "where")->shape.at(1) > 1000);
        // One value at a time, it is the same.
        diagnose::CheckQuestion piecemeal = inBlocks;
        piecemeal.bytesAtOnce = 1;
        int compiled = 0;
        driver::Session session(path);
        const auto again = diagnose::check(session, piecemeal,
                                           {.report =
                                                [&](std::string_view stage, double fraction) {
                                                    compiled += stage == "compiling again: inline functions";
                                                    if (fraction < 0 || fraction > 1)
                                                        qFatal("progress of %f", fraction);
                                                },
                                            .cancelled = {}});
        QVERIFY2(again, again ? "" : toString(again.error()).c_str());
        QVERIFY(compiled >= 3);
        for (size_t i = 0; i < check->rows.size(); ++i) {
            QCOMPARE(again->rows[i].state, check->rows[i].state);
            QCOMPARE(again->rows[i].comparison.largest, check->rows[i].comparison.largest);
        }
    }

    void againstNumerics() {
        diagnose::CheckQuestion strict = question();
        strict.against = diagnose::AgainstNumerics{};
        const auto check = ask(written(chain), strict);
        QVERIFY(check);
        QCOMPARE(check->count(CheckState::Within), size_t(6));
    }

    void branchesAreLeftOut() {
        const auto model = written(R"(g (bool c, float[2] x) => (float[2] y) {
  [if] t = If (c) <then_branch = a () => (float[2] p) { [n] n = Neg (x) [q] p = Exp (n) },
                   else_branch = b () => (float[2] q) { [e] q = Exp (x) }>
  [soft] y = Softmax (t)
})");
        const auto check = ask(model, question());
        QVERIFY2(check, check ? "" : toString(check.error()).c_str());
        QCOMPARE(in(check, CheckState::Within), (std::vector<std::string>{"t", "y"}));
        QCOMPARE(check->nested, size_t(3));
    }

    void refused_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("said");
        QTest::newRow("no value of the model") << "nothing.npy" << "no value 'nothing'";
        QTest::newRow("no tensor") << "a.npy" << "no NumPy array";
        QTest::newRow("missing") << "b.npy" << "cannot be read";
        QTest::newRow("another shape") << "c.npy" << "'c' is float32[2] in its file, but float32[2,3] in the model";
        QTest::newRow("another type") << "s.npy" << "'s' is int32[2,3] in its file";
        QTest::newRow("an input alone") << "x.npy" << "no file holds a value";
        QTest::newRow("an empty folder") << "empty" << "no .npy, .npz or .pb file";
    }
    void refused() {
        QFETCH(QString, file);
        QFETCH(QString, said);
        const fs::path files = folder();
        fs::create_directories(files / "empty");
        writeFile(files / "a.npy", "no array");
        const auto put = [&](const char* name, const model::HostTensor& tensor) {
            QVERIFY(driver::writeNpy(files / name, tensor));
        };
        put("nothing.npy", tensorOf<float>(types::Float32, {2}, {1, 2}));
        put("c.npy", tensorOf<float>(types::Float32, {2}, {1, 2}));
        put("x.npy", tensorOf<float>(types::Float32, {2, 3}, ones));
        put("s.npy", tensorOf<int32_t>(types::Int32, {2, 3}, {1, 2, 3, 4, 5, 6}));
        diagnose::CheckQuestion asked = question();
        asked.against = diagnose::AgainstFiles{{files / file.toStdString()}};
        const auto check = ask(written(chain), asked);
        QVERIFY(!check);
        QVERIFY2(QString::fromStdString(toString(check.error())).contains(said), toString(check.error()).c_str());
        QVERIFY(check.error().kind == ErrorKind::Invalid);
    }

    void twoFilesOfOneValue() {
        diagnose::CheckQuestion asked = question();
        asked.against = diagnose::AgainstFiles{{values({{"a", 2}}, {}), values({{"a", 2}}, {})}};
        const auto check = ask(written(chain), asked);
        QVERIFY(!check);
        QVERIFY2(check.error().what.find("two files") != std::string::npos, check.error().what.c_str());
    }

    void whatCannotBeAskedFails() {
        const auto odd = ask(written("g (float[2] x) => (float[2] y) { y = Frobnicate (x) }"), question());
        QVERIFY(!odd && odd.error().kind == ErrorKind::Invalid);
        // Nobody knows whether a model takes random inputs.
        const auto outside = ask(written("g (float[2] x, int64[1] i) => (float[1] y) <int64[1] far = {7}> "
                                         "{ k = Mul (i, i) j = Add (k, far) y = Gather (x, j) }"),
                                 question());
        QVERIFY(!outside);
        QVERIFY2(outside.error().hint.find("inputs") != std::string::npos, toString(outside.error()).c_str());
        diagnose::CheckQuestion noInput = question();
        const fs::path nothing = folder() / "nothing.npy";
        QVERIFY(driver::writeNpy(nothing, tensorOf<float>(types::Float32, {2}, {1, 2})));
        noInput.chosen.files.byName["nothing"] = nothing.string();
        QVERIFY(!ask(written(chain), noInput));
        int asked = 0;
        driver::Session session(written(chain));
        const auto cancelled =
            diagnose::check(session, question(), {.report = {}, .cancelled = [&] { return ++asked > 3; }});
        QVERIFY(!cancelled && cancelled.error().kind == ErrorKind::Cancelled);
        driver::Options options;
        options.observe = {"nothing"};
        driver::Trace trace;
        const auto unknown = driver::compileFile(written(chain), {}, {}, options, trace);
        QVERIFY(!unknown && unknown.error().what.find("'nothing'") != std::string::npos);
    }

    /// Inputs that were chosen are what it runs on, unless the files that it is held against have others.
    void chosenInputs() {
        const fs::path files = folder();
        const auto put = [&](const char* name, const std::vector<float>& elements) {
            const fs::path file = files / name;
            return driver::writeNpy(file, tensorOf(types::Float32, {2, 3}, elements)) ? file.string() : std::string();
        };
        diagnose::CheckQuestion asked = question();
        asked.against = diagnose::AgainstFiles{{values({{"a", 2}, {"z", 6}}, {})}};
        const auto byChance = ask(written(chain), asked);
        QVERIFY(byChance);
        QCOMPARE(in(byChance, CheckState::Diverges), (std::vector<std::string>{"a", "z"}));
        asked.chosen.files.byName["x"] = put("chosen.npy", ones);
        const auto chosen = ask(written(chain), asked);
        QVERIFY2(chosen, chosen ? "" : toString(chosen.error()).c_str());
        QCOMPARE(in(chosen, CheckState::Within), (std::vector<std::string>{"a", "z"}));
        asked.chosen.files.byName["x"] = put("other.npy", {0, 0, 0, 0, 0, 0});
        asked.against = diagnose::AgainstFiles{{values({{"x", 1}, {"a", 2}, {"z", 6}}, {})}};
        const auto own = ask(written(chain), asked);
        QVERIFY(own);
        QCOMPARE(in(own, CheckState::Within), (std::vector<std::string>{"a", "z"}));

        asked.chosen.files.byName["x"] = (files / "nowhere.npy").string();
        const auto missing = ask(written(chain), asked);
        QVERIFY(!missing);
        QCOMPARE(missing.error().file, (files / "nowhere.npy").string());
    }

    /// The seed draws what no file gives, and a file says its sizes whatever is asked for.
    void seedAndSizes() {
        const fs::path model = written("g (float[n,3] x, float[n,3] w) => (float[n,3] y) { y = Sub (x, w) }");
        diagnose::CheckQuestion asked = question();
        const auto drawn = [&](uint64_t seed) {
            asked.against = diagnose::AgainstFiles{{values({{"y", 100}}, {})}};
            asked.shapes = {{"x", {2, 3}}};
            asked.chosen = {.seed = seed, .files = {}};
            const auto check = ask(model, asked);
            return check ? check->rows.front().comparison.got : 0;
        };
        QCOMPARE(drawn(1), drawn(1));
        QVERIFY(drawn(1) != drawn(2));
        const fs::path file = folder() / "x.npy";
        QVERIFY(driver::writeNpy(file, tensorOf<float>(types::Float32, {1, 3}, {1, 2, 3})));
        asked.against = diagnose::AgainstUnoptimized{};
        asked.shapes = {{"x", {7, 3}}, {"w", {7, 3}}};
        asked.chosen.files.byName["x"] = file.string();
        const auto check = ask(model, asked);
        QVERIFY2(check, check ? "" : toString(check.error()).c_str());
        QCOMPARE(check->inputs.shapes, (driver::Shapes{{"x", {1, 3}}, {"w", {1, 3}}}));
    }

    /// A value is computed again as the check did, alone.
    void elementsOfAValue() {
        diagnose::CheckQuestion asked = question();
        asked.against = diagnose::AgainstFiles{{values({{"x", 1}, {"b", 4}}, {"b"})}};
        driver::Session session(written(chain));
        const auto found = diagnose::checkedValue(session, asked, "b");
        QVERIFY2(found, found ? "" : toString(found.error()).c_str());
        QCOMPARE(valuesOf<float>(found->got.value()), (std::vector<float>{4, -8, 12, 16, 20, -24}));
        QCOMPARE(valuesOf<float>(found->expected.value()), (std::vector<float>{4, -8, 12, 16, 20.5, -24}));
        QCOMPARE(valuesOf<float>(found->difference.value()), (std::vector<float>{0, 0, 0, 0, -0.5, 0}));
        QVERIFY(found->why.empty());
        const auto alone = diagnose::checkedValue(session, asked, "c");
        QVERIFY(alone && !alone->expected && !alone->difference);
        QCOMPARE(alone->why, "no file holds it");
        QCOMPARE(valuesOf<float>(alone->got.value()), (std::vector<float>{8, -16, 24, 32, 40, -48}));
        const auto unknown = diagnose::checkedValue(session, asked, "nothing");
        QVERIFY(!unknown && unknown.error().what.find("'nothing'") != std::string::npos);
        int times = 0;
        const auto cancelled =
            diagnose::checkedValue(session, question(), "b", {.report = {}, .cancelled = [&] { return ++times > 3; }});
        QVERIFY(!cancelled && cancelled.error().kind == ErrorKind::Cancelled);
    }

    /// What the compiled model computes within a kernel is known by the reference alone.
    void elementsOfAFusedValue() {
        diagnose::CheckQuestion asked = question();
        const fs::path x = folder() / "x.npy";
        QVERIFY(driver::writeNpy(x, tensorOf(types::Float32, {2, 3}, ones)));
        asked.chosen.files.byName["x"] = x.string();
        driver::Session session(written(R"(g (float[2,3] x) => (float[2,3] y) <float[3,3] w = {2,0,0, 0,2,0, 0,0,2}> {
  p = MatMul (x, w)
  q = Relu (p)
  y = MatMul (q, w)
})"));
        const auto fused = diagnose::checkedValue(session, asked, "p");
        QVERIFY2(fused, fused ? "" : toString(fused.error()).c_str());
        QVERIFY(!fused->got && !fused->difference);
        QVERIFY2(fused->why.starts_with("fused into 'fused_matmul_relu"), fused->why.c_str());
        QCOMPARE(valuesOf<float>(fused->expected.value()), (std::vector<float>{2, -4, 6, 8, 10, -12}));
        const auto whole = diagnose::checkedValue(session, asked, "q");
        QVERIFY(whole);
        QCOMPARE(valuesOf<float>(whole->got.value()), (std::vector<float>{2, 0, 6, 8, 10, 0}));
        QCOMPARE(valuesOf<float>(whole->difference.value()), std::vector<float>(6, 0));
    }

    void differences() {
        const float infinity = std::numeric_limits<float>::infinity(), none = std::numeric_limits<float>::quiet_NaN();
        const auto floats =
            diagnose::differenceOf(tensorOf<float>(types::Float32, {5}, {1, infinity, infinity, none, 3}),
                                   tensorOf<float>(types::Float32, {5}, {0.5F, infinity, 1, 2, none}));
        QVERIFY(floats && floats->dtype == types::Float32);
        const auto values = valuesOf<float>(*floats);
        QCOMPARE(values[0], 0.5F);
        QCOMPARE(values[1], 0.0F);
        QCOMPARE(values[2], infinity);
        QVERIFY(std::isnan(values[3]) && std::isnan(values[4]));
        const auto bytes = diagnose::differenceOf(tensorOf<uint8_t>(types::UInt8, {2}, {3, 255}),
                                                  tensorOf<uint8_t>(types::UInt8, {2}, {5, 0}));
        QVERIFY(bytes && bytes->dtype == types::Float64);
        QCOMPARE(valuesOf<double>(*bytes), (std::vector<double>{-2, 255}));
        QVERIFY(!diagnose::differenceOf(tensorOf<float>(types::Float32, {2}, {1, 2}),
                                        tensorOf<float>(types::Float32, {1, 2}, {1, 2})));
    }

    /// Observing changes nothing else: the same kernels by name and structure, but for those that give the model's order.
    void observingChangesNothing() {
        driver::Options plain, observing;
        plain.emitCode = observing.emitCode = false;
        observing.observe = {"a", "b", "c", "s"};
        driver::Trace before, after;
        const fs::path model = written(chain);
        QVERIFY(driver::compileFile(model, {}, {}, plain, before));
        QVERIFY(driver::compileFile(model, {}, {}, observing, after));
        QCOMPARE(after.kernels.size(), before.kernels.size());
        for (size_t i = 0; i < before.kernels.size(); ++i) {
            QCOMPARE(after.kernels[i].name, before.kernels[i].name);
            QCOMPARE(after.kernels[i].workload, before.kernels[i].workload);
        }
        QCOMPARE(after.calls.size(), before.calls.size());
    }
};

Test test() {
    return {makes<TestCheck>};
}

} // namespace lathe::testing::test_check

#include "test_check.moc"
