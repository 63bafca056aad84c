// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
//
// Functions that call themselves, and the data types that they walk: text of the graph IR, compiled and run. Expected values
// are counted by hand.
#include "driver/compile.h"
#include "support/host_tensor.h"
#include "support/model_in_runner.h"
#include "support/program_of_tests.h"
#include "support/relay_source.h"

#include <QTemporaryDir>
#include <QTest>
#include <fmt/format.h>

namespace lathe::testing::test_recursion {

using model::HostTensor;

namespace {

/// `build` puts x, x with a one behind it, x with two, … into a list; `sum` adds up all that is in one.
const std::string onLists = R"(module next %100

fn build(%1: int64[], %2: float32[n{0..500}], %3: List(float32[?])) -> List(float32[?]) {
  %4 = const int64[] [1] @{0}
  %5 = less(%1, %4) : bool[] @{0}
  %6 = if %5 {
    -> %3
  } else {
    %7 = const float32[1] [1] @{0}
    %8 = concat(%2, %7) {axis=0} : float32[n + 1] @{0}
    %9 = make List Cons(%2, %3) : List(float32[?]) @{0}
    %10 = subtract(%1, %4) : int64[] @{0}
    %11 = call build(%10, %8, %9) : List(float32[?]) @{1}
    -> %11
  } : List(float32[?]) @{0}
  -> %6
}

fn sum(%20: List(float32[?])) -> float32[] {
  %21 = match %20 {
    Nil() {
      %22 = const float32[] [0] @{1}
      -> %22
    }
    Cons(%23: float32[e{0..500}], %24: List(float32[?])) {
      %25 = reduce(%23) {kind="sum", axes=[0], keepDims=false} : float32[] @{1}
      %26 = call sum(%24) : float32[] @{1}
      %27 = add(%25, %26) : float32[] @{1}
      -> %27
    }
  } : float32[] @{1}
  -> %21
}
)";

const std::string once = onLists + R"(
fn main(%40 "count": int64[], %41 "x": float32[m{1..64}]) -> (float32[], int64[]) outputs ["sum", "length"] {
  %42 = make List Nil() : List(float32[?]) @{2}
  %43 = call build(%40, %41, %42) : List(float32[?]) @{2}
  %44 = call sum(%43) : float32[] @{3}
  %45 = list_length(%43) : int64[] @{3}
  %46 = tuple(%44, %45) : (float32[], int64[]) @{3}
  -> %46
}
)";

const std::string often = onLists + R"(
fn main(%40 "times": int64[], %41 "x": float32[m{1..64}]) -> (float32[]) outputs ["sums"] {
  %42 = const float32[] [0] @{2}
  %43 = loop %40 while _ (%44: int64[], %45: float32[] = %42) scans 0 {
    %46 = const int64[] [3] @{2}
    %47 = make List Nil() : List(float32[?]) @{2}
    %48 = call build(%46, %41, %47) : List(float32[?]) @{2}
    %49 = call sum(%48) : float32[] @{3}
    %50 = add(%45, %49) : float32[] @{3}
    %51 = tuple(%50) : (float32[]) @{3}
    -> %51
  } : (float32[]) @{3}
  -> %43
}
)";

/// A tree that is one deeper on its left; how deep it is, and what stands along its left side.
const std::string onTrees = R"(module next %100
data Tree(T) { Leaf(), Node(T, Tree(T), Tree(T)) }

fn grow(%1: int64[], %2: float32[n{0..500}]) -> Tree(float32[?]) {
  %3 = const int64[] [1] @{0}
  %4 = less(%1, %3) : bool[] @{0}
  %5 = if %4 {
    %6 = make Tree Leaf() : Tree(float32[?]) @{0}
    -> %6
  } else {
    %7 = const float32[1] [1] @{0}
    %8 = concat(%2, %7) {axis=0} : float32[n + 1] @{0}
    %9 = subtract(%1, %3) : int64[] @{0}
    %10 = subtract(%9, %3) : int64[] @{0}
    %11 = call grow(%9, %8) : Tree(float32[?]) @{0}
    %12 = call grow(%10, %2) : Tree(float32[?]) @{0}
    %13 = make Tree Node(%2, %11, %12) : Tree(float32[?]) @{0}
    -> %13
  } : Tree(float32[?]) @{0}
  -> %5
}

fn ends(%20: Tree(float32[?])) -> (int64[], float32[p{0..500}]) {
  %21 = match %20 {
    Leaf() {
      %22 = const int64[] [0] @{1}
      %23 = const float32[1] [-1] @{1}
      %24 = tuple(%22, %23) : (int64[], float32[1]) @{1}
      -> %24
    }
    Node(%25: float32[e{0..500}], %26: Tree(float32[?]), %27: Tree(float32[?])) {
      %28 = call ends(%26) : (int64[], float32[q{0..500}]) @{2}
      %29 = call ends(%27) : (int64[], float32[r{0..500}]) @{2}
      %30 = %28.0 : int64[] @{2}
      %31 = %29.0 : int64[] @{2}
      %32 = maximum(%30, %31) : int64[] @{2}
      %33 = const int64[] [1] @{2}
      %34 = add(%32, %33) : int64[] @{2}
      %35 = %28.1 : float32[q] @{2}
      %36 = concat(%25, %35) {axis=0} : float32[e + q] @{2}
      %37 = tuple(%34, %36) : (int64[], float32[e + q]) @{2}
      -> %37
    }
  } : (int64[], float32[s{0..500}]) @{2}
  -> %21
}

fn main(%40 "deep": int64[], %41 "x": float32[m{1..64}]) -> (int64[], float32[z{0..500}]) outputs ["depth", "side"] {
  %42 = call grow(%40, %41) : Tree(float32[?]) @{0}
  %43 = call ends(%42) : (int64[], float32[w{0..500}]) @{1}
  %44 = %43.0 : int64[] @{1}
  %45 = %43.1 : float32[w] @{1}
  %46 = tuple(%44, %45) : (int64[], float32[w]) @{1}
  -> %46
}
)";

/// Two functions that call each other: of a tree with any number of branches, and of a list of such trees.
const std::string onRoses = R"(module next %100
data Rose(T) { Rose(T, List(Rose(T))) }

fn plant(%1: int64[], %2: float32[n{0..500}]) -> Rose(float32[?]) {
  %3 = const int64[] [1] @{0}
  %4 = less(%1, %3) : bool[] @{0}
  %5 = make List Nil() : List(Rose(float32[?])) @{0}
  %6 = if %4 {
    -> %5
  } else {
    %7 = subtract(%1, %3) : int64[] @{0}
    %8 = const float32[1] [1] @{0}
    %9 = concat(%2, %8) {axis=0} : float32[n + 1] @{0}
    %10 = call plant(%7, %9) : Rose(float32[?]) @{0}
    %11 = call plant(%7, %2) : Rose(float32[?]) @{0}
    %12 = make List Cons(%11, %5) : List(Rose(float32[?])) @{0}
    %13 = make List Cons(%10, %12) : List(Rose(float32[?])) @{0}
    -> %13
  } : List(Rose(float32[?])) @{0}
  %14 = make Rose Rose(%2, %6) : Rose(float32[?]) @{0}
  -> %14
}

fn total(%20: Rose(float32[?])) -> float32[] {
  %21 = match %20 {
    Rose(%22: float32[e{0..500}], %23: List(Rose(float32[?]))) {
      %24 = reduce(%22) {kind="sum", axes=[0], keepDims=false} : float32[] @{1}
      %25 = call totals(%23) : float32[] @{1}
      %26 = add(%24, %25) : float32[] @{1}
      -> %26
    }
  } : float32[] @{1}
  -> %21
}

fn totals(%30: List(Rose(float32[?]))) -> float32[] {
  %31 = match %30 {
    Nil() {
      %32 = const float32[] [0] @{2}
      -> %32
    }
    Cons(%33: Rose(float32[?]), %34: List(Rose(float32[?]))) {
      %35 = call total(%33) : float32[] @{2}
      %36 = call totals(%34) : float32[] @{2}
      %37 = add(%35, %36) : float32[] @{2}
      -> %37
    }
  } : float32[] @{2}
  -> %31
}

fn main(%40 "deep": int64[], %41 "x": float32[m{1..64}]) -> float32[] outputs ["total"] {
  %42 = call plant(%40, %41) : Rose(float32[?]) @{0}
  %43 = call total(%42) : float32[] @{1}
  -> %43
}
)";

/// What each call's loops give is still read after it has called itself.
const std::string onLoops = R"(module next %100

fn rows(%1: int64[], %2: float32[n{0..500}]) -> float32[p{0..500}] {
  %3 = const int64[] [1] @{0}
  %4 = less(%1, %3) : bool[] @{0}
  %5 = if %4 {
    -> %2
  } else {
    %6 = loop %1 while _ (%7: int64[], %8: float32[g{0..500}] = %2) scans 1 {
      %9 = const float32[1] [1] @{1}
      %10 = concat(%8, %9) {axis=0} : float32[g + 1] @{1}
      %11 = reduce(%8) {kind="sum", axes=[0], keepDims=false} : float32[] @{1}
      %12 = tuple(%10, %11) : (float32[g + 1], float32[]) @{1}
      -> %12
    } : (float32[h{0..500}], float32[t{0..500}]) @{1}
    %13 = %6.0 : float32[h] @{1}
    %14 = %6.1 : float32[t] @{1}
    %15 = subtract(%1, %3) : int64[] @{2}
    %16 = call rows(%15, %13) : float32[q{0..500}] @{2}
    %17 = concat(%16, %14, %13) {axis=0} : float32[q + t + h] @{2}
    -> %17
  } : float32[u{0..500}] @{2}
  -> %5
}

fn main(%40 "n": int64[], %41 "x": float32[m{1..64}]) -> float32[z{0..500}] outputs ["rows"] {
  %42 = call rows(%40, %41) : float32[w{0..500}] @{3}
  -> %42
}
)";

/// What one carried value was becomes the other, whose size the loop decides.
const std::string onTurns = R"(module next %100

fn turns(%1: int64[], %2: float32[2]) -> float32[p{0..500}] {
  %3 = const int64[] [1] @{0}
  %4 = less(%1, %3) : bool[] @{0}
  %5 = if %4 {
    -> %2
  } else {
    %6 = loop %1 while _ (%7: int64[], %8: float32[2] = %2, %9: float32[g{0..500}] = %2) scans 0 {
      %10 = add(%8, %8) : float32[2] @{1}
      %11 = tuple(%10, %8) : (float32[2], float32[2]) @{1}
      -> %11
    } : (float32[2], float32[h{0..500}]) @{1}
    %12 = %6.1 : float32[h] @{1}
    %13 = subtract(%1, %3) : int64[] @{2}
    %14 = call turns(%13, %2) : float32[q{0..500}] @{2}
    %15 = concat(%14, %12) {axis=0} : float32[q + h] @{2}
    -> %15
  } : float32[u{0..500}] @{2}
  -> %5
}

fn main(%40 "n": int64[], %41 "x": float32[2]) -> float32[z{0..500}] outputs ["turns"] {
  %42 = call turns(%40, %41) : float32[w{0..500}] @{3}
  -> %42
}
)";

const std::string counting = R"(module next %100

fn down(%1: int64[]) -> int64[] {
  %2 = const int64[] [0] @{0}
  %3 = less(%2, %1) : bool[] @{0}
  %4 = if %3 {
    %5 = const int64[] [1] @{0}
    %6 = subtract(%1, %5) : int64[] @{0}
    %7 = call down(%6) : int64[] @{1}
    %8 = add(%7, %5) : int64[] @{2}
    -> %8
  } else {
    -> %2
  } : int64[] @{0}
  -> %4
}

fn main(%10 "n": int64[]) -> int64[] outputs ["depth"] {
  %11 = call down(%10) : int64[] @{3}
  -> %11
}
)";

const std::string mainItself = R"(module next %100

fn main(%1 "n": int64[]) -> int64[] outputs ["y"] {
  %2 = call main(%1) : int64[] @{1}
  -> %2
}
)";

HostTensor integer(int64_t value) {
    return tensorOf<int64_t>(types::Int64, {}, {value});
}
HostTensor floats(const std::vector<float>& values) {
    return tensorOf<float>(types::Float32, {std::ssize(values)}, values);
}

ModelInRunner compiled(const std::string& text) {
    return ModelInRunner([&](const std::filesystem::path& out, driver::Trace& trace) {
        driver::Options options;
        options.verify = true;
        options.cache = false;
        return driver::compile(relaySource("text", text), out, {}, options, trace);
    });
}

bool says(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

} // namespace

class TestRecursion : public QObject {
    Q_OBJECT

private slots:
    void listsAreBuiltAndSummed() {
        ModelInRunner model = compiled(once);
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        QCOMPARE(model.trace.entryFunctions.size(), size_t{2});
        for (const int64_t count : {0, 1, 3, 400}) { // elements of 3, 4, … ones altogether
            const auto outputs = model.run({{"count", integer(count)}, {"x", floats({1, 2})}});
            QVERIFY2(outputs.size() == 2, model.problem.c_str());
            QCOMPARE(valuesOf<float>(outputs[0]),
                     std::vector<float>{static_cast<float>(3 * count + count * (count - 1) / 2)});
            QCOMPARE(valuesOf<int64_t>(outputs[1]), std::vector<int64_t>{count});
        }
    }

    /// What a parameter's symbol may be is what its kernels were made for.
    void sizesStayWithinTheirRanges() {
        std::string narrow = once;
        narrow.replace(narrow.find("n{0..500}"), 9, "n{0..20}");
        ModelInRunner model = compiled(narrow);
        QCOMPARE(model.run({{"count", integer(18)}, {"x", floats({1, 2})}}).size(), size_t{2});
        QVERIFY(model.run({{"count", integer(30)}}).empty());
        QVERIFY2(says(model.problem, "n of function 'build'") && says(model.problem, "node1"), model.problem.c_str());
        model.problem.clear();
        const auto outputs = model.run({{"count", integer(3)}});
        QVERIFY2(outputs.size() == 2, model.problem.c_str());
        QCOMPARE(valuesOf<float>(outputs[0]), std::vector<float>{12});
    }

    /// So is what the symbol of something that is taken out may be.
    void whatIsTakenOutStaysWithinItsRange() {
        std::string narrow = once;
        narrow.replace(narrow.find("e{0..500}"), 9, "e{0..10}");
        ModelInRunner model = compiled(narrow);
        QCOMPARE(model.run({{"count", integer(9)}, {"x", floats({1, 2})}}).size(), size_t{2});
        QVERIFY(model.run({{"count", integer(10)}}).empty());
        QVERIFY2(says(model.problem, "e is outside 0 … 10"), model.problem.c_str());
    }

    void treesAreMeasured() {
        ModelInRunner model = compiled(onTrees);
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        const auto leaf = model.run({{"deep", integer(0)}, {"x", floats({1})}});
        QVERIFY2(leaf.size() == 2, model.problem.c_str());
        QCOMPARE(valuesOf<int64_t>(leaf[0]), std::vector<int64_t>{0});
        QCOMPARE(valuesOf<float>(leaf[1]), std::vector<float>{-1});
        const auto outputs = model.run({{"deep", integer(3)}});
        QVERIFY2(outputs.size() == 2, model.problem.c_str());
        QCOMPARE(valuesOf<int64_t>(outputs[0]), std::vector<int64_t>{3});
        QCOMPARE(valuesOf<float>(outputs[1]), (std::vector<float>{1, 1, 1, 1, 1, 1, -1}));
    }

    void functionsCallEachOther() {
        ModelInRunner model = compiled(onRoses);
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        QCOMPARE(model.trace.entryFunctions.size(), size_t{3});
        // Of 2^l values at level l those with k ones behind x are l over k: 1 + 3 + 8 + 20 over four levels.
        for (const auto& [deep, total] : {std::pair<int64_t, float>{0, 1}, {1, 4}, {2, 12}, {3, 32}}) {
            const auto outputs = model.run({{"deep", integer(deep)}, {"x", floats({1})}});
            QVERIFY2(outputs.size() == 1, model.problem.c_str());
            QCOMPARE(valuesOf<float>(outputs[0]), std::vector<float>{total});
        }
    }

    void loopsOfCallsAreApart() {
        ModelInRunner model = compiled(onLoops);
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        for (const auto& [n, rows] : {std::pair<int64_t, std::vector<float>>{0, {1}},
                                      {1, {1, 1, 1, 1, 1}},
                                      {2, {1, 1, 1, 1, 3, 1, 1, 1, 1, 1, 2, 1, 1, 1}}}) {
            const auto outputs = model.run({{"n", integer(n)}, {"x", floats({1})}});
            QVERIFY2(outputs.size() == 1, model.problem.c_str());
            QCOMPARE(valuesOf<float>(outputs[0]), rows);
        }
    }

    void carriedValuesMoveBeforeTheyAreOverwritten() {
        ModelInRunner model = compiled(onTurns);
        QVERIFY2(model.problem.empty(), model.problem.c_str());
        for (const auto& [n, turns] :
             {std::pair<int64_t, std::vector<float>>{0, {1, 3}}, {1, {1, 3, 1, 3}}, {3, {1, 3, 1, 3, 2, 6, 4, 12}}}) {
            const auto outputs = model.run({{"n", integer(n)}, {"x", floats({1, 3})}});
            QVERIFY2(outputs.size() == 1, model.problem.c_str());
            QCOMPARE(valuesOf<float>(outputs[0]), turns);
        }
    }

    void memoryGoesWithTheCalls() {
        ModelInRunner model = compiled(often);
        for (const int64_t times : {1, 20'000}) {
            const auto outputs = model.run({{"times", integer(times)}, {"x", floats({1, 2})}});
            QVERIFY2(outputs.size() == 1, model.problem.c_str());
            QCOMPARE(valuesOf<float>(outputs[0]), std::vector<float>{static_cast<float>(12 * times)});
            QVERIFY2(model.peak < 65536, std::to_string(model.peak).c_str());
        }
    }

    void depthIsBounded() {
        ModelInRunner model = compiled(counting);
        for (int round = 0; round < 2; ++round) { // a run that failed leaves nothing behind
            const auto outputs = model.run({{"n", integer(500)}});
            QVERIFY2(outputs.size() == 1, model.problem.c_str());
            QCOMPARE(valuesOf<int64_t>(outputs[0]), std::vector<int64_t>{500});
            QVERIFY(model.run({{"n", integer(10'000'000)}}).empty());
            QVERIFY2(says(model.problem, "too deeply") && says(model.problem, "node1"), model.problem.c_str());
            model.problem.clear();
        }
    }

    void whatIsNotLoweredIsRefused() {
        const ModelInRunner model = compiled(mainItself);
        QVERIFY2(says(model.problem, "the main function calls itself") && says(model.problem, "node1"),
                 model.problem.c_str());
        const QTemporaryDir folder;
        driver::Options options;
        options.form = driver::Form::CSource;
        for (const std::string& text : {once, onTrees, counting}) {
            driver::Trace trace;
            const auto made =
                driver::compile(relaySource("text", text), folder.filePath("c").toStdString(), {}, options, trace);
            QVERIFY(!made);
            QVERIFY2(made.error().kind == ErrorKind::Unsupported && says(made.error().what, "call themselves"),
                     toString(made.error()).c_str());
        }
    }
};

Test test() {
    return {makes<TestRecursion>};
}

} // namespace lathe::testing::test_recursion

#include "test_recursion.moc"
