// SPDX-License-Identifier: Apache-2.0
//
// Candidates that several threads schedule, rate and lower at once are those that come one after the other: functions and
// expressions are shared by the threads, and nothing behind them may be written.
// Runs: sanitized threads
#include "base/parallel.h"
#include "support/program_of_tests.h"
#include "te/te.h"
#include "tir/text.h"
#include "tir/transform/bind_indices.h"
#include "tir/transform/branch_on_selects.h"
#include "tir/transform/flatten_buffers.h"
#include "tir/transform/hoist_conditions.h"
#include "tir/transform/legalize_data_types.h"
#include "tir/transform/lower_blocks.h"
#include "tir/transform/parallel_regions.h"
#include "tir/transform/partition_loops.h"
#include "tir/transform/simplify.h"
#include "tir/transform/unroll_loops.h"
#include "tir/transform/vectorize_loops.h"
#include "tune/explorer.h"
#include "tune/spaces.h"

#include <QTest>

namespace lathe::testing::test_candidates_in_parallel {

using namespace lathe::tune;
using arith::Expr;

namespace {

constexpr size_t requested = 12;

/// max(A B, 0), whose last tiles are cut off.
tir::PrimFuncPtr product() {
    constexpr int64_t m = 10, n = 24, k = 9;
    const auto a = te::placeholder("A", types::Float32, {m, k}), b = te::placeholder("B", types::Float32, {k, n});
    const auto sums = te::reduce(
        "sums", {Expr(m), Expr(n)}, te::ReduceKind::Sum, {Expr(k)},
        [&](const auto& i, const auto& r) { return (*a)({i[0], r[0]}) * (*b)({r[0], i[1]}); }, 0);
    const auto result = te::compute(
        "result", {Expr(m), Expr(n)},
        [&](const auto& i) { return max((*sums)({i[0], i[1]}), arith::zero(types::Float32)); }, 1);
    return te::toTir("product", {a, b}, {result}, {});
}

std::string lowered(const tir::PrimFuncPtr& scheduled, const Target& target) {
    tir::PrimFuncPtr function = tir::flattenBuffers(tir::lowerBlocks(scheduled)).function;
    function = tir::partitionLoops(tir::branchOnSelects(tir::bindIndices(tir::simplify(function))));
    function = tir::hoistConditions(tir::unrollLoops(tir::vectorizeLoops(function)));
    return tir::print(*tir::legalizeDataTypes(tir::parallelRegions(tir::simplify(function)), target));
}

} // namespace

class TestCandidatesInParallel : public QObject {
    Q_OBJECT

private slots:
    void areThoseOfOneThread() {
        const Target target;
        const auto space = makeSpace("sketch", {}, target, 1);
        QVERIFY(space);
        const tir::PrimFuncPtr computation = product();
        const Judge judge(machineModel(target), nullptr);
        Explorer together(*space, computation, &judge), alone(*space, computation, &judge);

        std::vector<Request> requests;
        for (uint64_t seed = 0; seed < requested; ++seed)
            requests.push_back({.held = {}, .seed = seed, .made = Made::Random, .parent = std::nullopt});
        std::vector<Candidate> made, expected;
        for (std::optional<Candidate>& candidate : together.makeAll(requests))
            if (candidate)
                made.push_back(std::move(*candidate));
        for (uint64_t seed = 0; seed < requested; ++seed)
            if (auto candidate = alone.make({}, seed, Made::Random))
                expected.push_back(std::move(*candidate));
        QVERIFY(made.size() >= requested / 3);
        QCOMPARE(made.size(), expected.size());
        QVERIFY(together.refusals() == alone.refusals());

        std::vector<tir::PrimFuncPtr> scheduled;
        for (size_t i = 0; i < made.size(); ++i) {
            QVERIFY(made[i].program == expected[i].program);
            QVERIFY(made[i].answers == expected[i].answers);
            scheduled.push_back(made[i].scheduled);
        }
        std::vector<std::string> texts(scheduled.size());
        parallelFor(scheduled.size(), 4, [&](size_t i) { texts[i] = lowered(scheduled[i], target); });
        for (size_t i = 0; i < scheduled.size(); ++i)
            QCOMPARE(texts[i], lowered(scheduled[i], target));

        together.rate(made);
        for (size_t i = 0; i < made.size(); ++i) {
            alone.rate(std::span(&expected[i], 1));
            QVERIFY(!made[i].features.empty());
            QVERIFY(made[i].features == expected[i].features);
        }
    }
};

Test test() {
    return {makes<TestCandidatesInParallel>};
}

} // namespace lathe::testing::test_candidates_in_parallel

#include "test_candidates_in_parallel.moc"
