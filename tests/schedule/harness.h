// SPDX-License-Identifier: Apache-2.0
//
// Holds scheduled functions against unscheduled ones: both are interpreted on the same inputs, which are small integers
// in float32, so that every order of summation gives the same bits.
#pragma once

#include "schedule/schedule.h"
#include "te/te.h"
#include "tir/interpret.h"
#include "tir/text.h"

#include <string>
#include <vector>

namespace lathe::testing {

/// The outputs one after the other; scalars follow the function's scalar parameters. Throws std::runtime_error if it fails.
std::vector<float> run(const tir::PrimFunc& function, const std::vector<int64_t>& scalars = {});

/// Empty if both are well-formed and compute the same for each set of scalars; else what went wrong, with the text of `after`.
std::string difference(const tir::PrimFunc& before, const tir::PrimFunc& after,
                       const std::vector<std::vector<int64_t>>& scalars = {{}});

/// Why fn cannot be applied; empty if it can.
std::string refusal(schedule::Schedule& schedule, const std::function<void(schedule::Schedule&)>& fn);

/// C[i, j] = sum over k of A[i, k] * B[k, j], named "C"; `post` adds D = max(C + bias[j], 0).
tir::PrimFuncPtr matmul(const arith::Expr& m, const arith::Expr& n, const arith::Expr& k, bool post,
                        const std::vector<arith::Var>& scalars = {});
/// y[m, n] = sum over k of x[m, k] * w[n / 16, k, n % 16] + 1: weights in panels. The sum is named "sum".
tir::PrimFuncPtr dense(const arith::Expr& m, int64_t n, int64_t k, const std::vector<arith::Var>& scalars = {});
/// B = A + 1, C = B * 2 (rows, columns).
tir::PrimFuncPtr chain(const arith::Expr& rows, const arith::Expr& columns,
                       const std::vector<arith::Var>& scalars = {});

bool holds(const std::string& text, const std::string& part);

} // namespace lathe::testing

#define SAME(...)                                                                                                      \
    do {                                                                                                               \
        const std::string sameDifference = lathe::testing::difference(__VA_ARGS__);                                    \
        QVERIFY2(sameDifference.empty(), sameDifference.c_str());                                                      \
    } while (false)

#define REFUSED(subject, part, statement)                                                                              \
    do {                                                                                                               \
        const std::string why = lathe::testing::refusal(subject, [&](lathe::schedule::Schedule&) { statement; });      \
        QVERIFY2(lathe::testing::holds(why, part), why.c_str());                                                       \
    } while (false)
