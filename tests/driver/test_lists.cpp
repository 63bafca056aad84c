// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
// Links: onnx
//
// Sequences and optionals that only a run knows: what a loop puts into one is what its scan stacks, a list is changed in place
// only where nobody sees it, its memory is that of what it holds, and models take and give them.
#include "driver/compile.h"
#include "support/host_tensor.h"
#include "support/model_in_runner.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <numeric>

namespace lathe::testing::test_lists {

using model::HostTensor;

namespace {

HostTensor floats(std::vector<int64_t> shape, const std::vector<float>& values) {
    return tensorOf<float>(types::Float32, std::move(shape), values);
}
HostTensor integer(int64_t value) {
    return tensorOf<int64_t>(types::Int64, {}, {value});
}

ModelInRunner compiled(const char* graph) {
    return ModelInRunner([&](const std::filesystem::path& out, driver::Trace& trace) {
        const std::string bytes = graphBytes(graph);
        driver::Options options;
        options.verify = true;
        options.cache = false;
        return driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", out, {}, options, trace);
    });
}

const char* appending = R"(g (int64 n, float[1,3] x) => (float[r,3] joined, float[s,1,3] stacked, float[p,1,3] all)
<bool go = {1}> {
  none = SequenceEmpty <dtype = 1> ()
  list, all = Loop (n, go, none) <
    body = step (int64 i, bool c, seq(float[1,3]) s) => (bool d, seq(float[1,3]) t, float[1,3] row) {
      d = Identity (c)
      f = Cast <to = 1> (i)
      row = Add (x, f)
      t = SequenceInsert (s, row)
    }
  >
  [join] joined = ConcatFromSequence <axis = 0> (list)
  stacked = ConcatFromSequence <axis = 0, new_axis = 1> (list)
})";

/// Rows 0 … i of x for each i; then what stands at `place`.
const char* growing = R"(g (int64 n, int64 place, float[8,2] x) => (float[a,2] taken, int64 length, float[b,2] rest)
<bool go = {1}, int64[1] first = {0}, int64 one = {1}, int64[1] axis = {0}> {
  none = SequenceEmpty <dtype = 1> ()
  list = Loop (n, go, none) <
    body = step (int64 i, bool c, seq(float[?,2]) s) => (bool d, seq(float[?,2]) t) {
      d = Identity (c)
      end = Add (i, one)
      ends = Unsqueeze (end, axis)
      rows = Slice (x, first, ends, axis)
      t = SequenceInsert (s, rows)
    }
  >
  [take] taken = SequenceAt (list, place)
  shorter = SequenceErase (list, place)
  length = SequenceLength (shorter)
  rest = ConcatFromSequence <axis = 0> (list)
})";

/// Each step puts a number behind the others, which depends on a branch, and takes away the first one.
const char* queue = R"(g (int64 n, int64[1] x) => (int64[r] left)
<bool go = {1}, int64 two = {2}, int64 zero = {0}> {
  begin = SequenceConstruct (x, x)
  list = Loop (n, go, begin) <
    body = step (int64 i, bool c, seq(int64[1]) s) => (bool d, seq(int64[1]) t) {
      d = Identity (c)
      rest = Mod (i, two)
      odd = Cast <to = 9> (rest)
      longer = If (odd) <
        then_branch = yes () => (seq(int64[1]) a) { at = Add (i, x) a = SequenceInsert (s, at) },
        else_branch = no () => (seq(int64[1]) b) {
          at = Mul (i, two)
          at1 = Add (at, x)
          b = SequenceInsert (s, at1)
        }
      >
      t = SequenceErase (longer, zero)
    }
  >
  left = ConcatFromSequence <axis = 0> (list)
})";

const char* border = R"(g (seq(float[?,2]) s, optional(float[2]) o, bool both) =>
                          (seq(float[?,2]) longer, optional(float[2]) same, bool has, seq(float[?,2]) chosen)
<int64 zero = {0}, float[1,2] row = {7, 8}> {
  longer = SequenceInsert (s, row, zero)
  same = Identity (o)
  has = OptionalHasElement (o)
  chosen = If (both) <
    then_branch = yes () => (seq(float[?,2]) a) { a = Identity (longer) },
    else_branch = no () => (seq(float[?,2]) b) { b = Identity (s) }
  >
})";

/// What it stacks has a size that only a run knows.
const char* stacking = R"(g (int64 n, float[5] x) => (int64 last, float[t,s] rows)
<bool go = {1}, int64[1] first = {0}, int64 one = {1}, int64[1] axis = {0}, int64 begin = {0}> {
  last, rows = Loop (n, go, begin) <
    body = step (int64 i, bool c, int64 had) => (bool d, int64 has, float[k] part) {
      d = Identity (c)
      end = Add (n, one)
      ends = Unsqueeze (end, axis)
      has = Add (had, end)
      part = Slice (x, first, ends, axis)
    }
  >
})";

const char* texts = R"(g (string[n] x, int64 count) => (string[m] all, string[k] last)
<bool go = {1}, int64 end = {-1}> {
  none = SequenceEmpty <dtype = 8> ()
  list = Loop (count, go, none) <
    body = step (int64 i, bool c, seq(string[?]) s) => (bool d, seq(string[?]) t) {
      d = Identity (c)
      twice = StringConcat (x, x)
      longer = SequenceInsert (s, x)
      t = SequenceInsert (longer, twice)
    }
  >
  all = ConcatFromSequence <axis = 0> (list)
  last = SequenceAt (list, end)
})";

} // namespace

class TestLists : public QObject {
    Q_OBJECT

private slots:
    void whatALoopPutsInIsWhatItStacks() {
        ModelInRunner model = compiled(appending);
        for (const int64_t n : {1, 2, 7, 300}) {
            const auto outputs = model.run({{"n", integer(n)}, {"x", floats({1, 3}, {0, 10, 20})}});
            QVERIFY2(outputs.size() == 3, model.problem.c_str());
            QCOMPARE(outputs[0].shape, (std::vector<int64_t>{n, 3}));
            QCOMPARE(outputs[1].shape, (std::vector<int64_t>{n, 1, 3}));
            QVERIFY(outputs[1] == outputs[2]);
            QVERIFY(outputs[0].bytes == outputs[2].bytes);
        }
        QVERIFY(model.run({{"n", integer(0)}}).empty());
        QVERIFY2(model.problem.find("join") != std::string::npos, model.problem.c_str());
        QVERIFY2(model.problem.find("empty") != std::string::npos, model.problem.c_str());
    }

    void elementsMayDifferInSize() {
        ModelInRunner model = compiled(growing);
        std::vector<float> x(16);
        std::iota(x.begin(), x.end(), 0.F);
        for (const auto& [n, place] : {std::pair<int64_t, int64_t>{1, 0}, {5, 3}, {8, -1}, {8, -8}}) {
            const auto outputs = model.run({{"n", integer(n)}, {"place", integer(place)}, {"x", floats({8, 2}, x)}});
            QVERIFY2(outputs.size() == 3, model.problem.c_str());
            const int64_t rows = (place < 0 ? place + n : place) + 1;
            QCOMPARE(outputs[0].shape, (std::vector<int64_t>{rows, 2}));
            QVERIFY(valuesOf<float>(outputs[0]) == std::vector<float>(x.begin(), x.begin() + 2 * rows));
            QCOMPARE(valuesOf<int64_t>(outputs[1]), std::vector<int64_t>{n - 1});
            QCOMPARE(outputs[2].shape, (std::vector<int64_t>{n * (n + 1) / 2, 2})); // the list is still whole
        }
        QVERIFY(model.run({{"n", integer(5)}, {"place", integer(5)}}).empty());
        QVERIFY2(model.problem.find("take") != std::string::npos, model.problem.c_str());
        QVERIFY2(model.problem.find("place") != std::string::npos, model.problem.c_str());
        model.problem.clear();
        QCOMPARE(model.run({{"place", integer(4)}}).size(), size_t{3}); // a run that failed leaves nothing behind
    }

    void memoryIsThatOfWhatIsInIt() {
        ModelInRunner model = compiled(queue);
        for (const int64_t n : {0, 1, 2, 5, 100'000}) {
            std::vector<int64_t> expected = {3, 3};
            for (int64_t i = 0; i < n; ++i)
                expected = {expected[1], 3 + (i % 2 ? i : 2 * i)};
            const auto outputs = model.run({{"n", integer(n)}, {"x", tensorOf<int64_t>(types::Int64, {1}, {3})}});
            QVERIFY2(outputs.size() == 1, model.problem.c_str());
            QCOMPARE(valuesOf<int64_t>(outputs[0]), expected);
            QVERIFY2(model.peak < 65536, std::to_string(model.peak).c_str());
        }
    }

    /// Within a run; what a model takes and gives are tensors of them.
    void stringsAreListed() {
        ModelInRunner model = compiled(texts);
        HostTensor x;
        x.dtype = types::String;
        x.shape = {2};
        x.strings = {"é", std::string("\0a", 2)};
        const std::vector<std::string> twice = {"éé", std::string("\0a\0a", 4)};
        const auto outputs = model.run({{"x", x}, {"count", integer(2)}});
        QVERIFY2(outputs.size() == 2, model.problem.c_str());
        QCOMPARE(outputs[0].strings, (std::vector<std::string>{x.strings[0], x.strings[1], twice[0], twice[1],
                                                               x.strings[0], x.strings[1], twice[0], twice[1]}));
        QCOMPARE(outputs[1].strings, twice);
    }

    void modelsTakeAndGiveThem() {
        ModelInRunner model = compiled(border);
        const HostTensor list = model::composed('l', {floats({1, 2}, {1, 2}), floats({2, 2}, {3, 4, 5, 6})});
        const HostTensor first = floats({1, 2}, {7, 8}), value = floats({2}, {9, 10});
        for (const bool both : {true, false})
            for (const bool has : {true, false}) {
                const HostTensor optional = has ? model::composed('o', {value}) : model::composed('o');
                const auto outputs = model.run(
                    {{"s", list}, {"o", optional}, {"both", tensorOf<uint8_t>(types::Bool, {}, {uint8_t{both}})}});
                QVERIFY2(outputs.size() == 4, model.problem.c_str());
                const HostTensor longer = model::composed('l', {first, list.parts[0], list.parts[1]});
                QVERIFY(outputs[0] == longer);
                QVERIFY(outputs[1] == optional);
                QCOMPARE(valuesOf<uint8_t>(outputs[2]), std::vector<uint8_t>{uint8_t{has}});
                QVERIFY(outputs[3] == (both ? longer : list));
            }
        const auto outputs = model.run({{"s", model::composed('l')}});
        QVERIFY(outputs.size() == 4 && outputs[0] == model::composed('l', {first}));
        QVERIFY(model.run({{"s", model::composed('l', {floats({2}, {1, 2})})}}).empty()); // of another rank
        QVERIFY2(model.problem.find("'s'") != std::string::npos, model.problem.c_str());
    }

    void cSourceRefusesThem() {
        const QTemporaryDir folder;
        driver::Options options;
        options.form = driver::Form::CSource;
        for (const char* graph : {queue, border, stacking}) {
            const std::string bytes = graphBytes(graph);
            driver::Trace trace;
            const auto made = driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx",
                                                   folder.filePath("c").toStdString(), {}, options, trace);
            QVERIFY(!made);
            QVERIFY2(made.error().kind == ErrorKind::Unsupported, toString(made.error()).c_str());
            QVERIFY2(made.error().what.find("sequences, optionals or stacks") != std::string::npos,
                     toString(made.error()).c_str());
        }
    }
};

Test test() {
    return {makes<TestLists>};
}

} // namespace lathe::testing::test_lists

#include "test_lists.moc"
