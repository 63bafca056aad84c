// SPDX-License-Identifier: Apache-2.0
//
// The rules of advice, each a function: what is advised by these facts, or nothing. Thresholds stand at each; below them it is
// not worth a user's time. A new one is a function here and a row in advice.cpp.
#pragma once

#include "advise/facts.h"

#include <optional>

namespace lathe::advise {

// Whether values are right (rules_of_values.cpp).
std::optional<Advice> valuesDiverge(const Facts& facts);
std::optional<Advice> valuesUnchecked(const Facts& facts);

// Whether what was measured is what users will have (rules_of_measuring.cpp).
std::optional<Advice> sizesTakenAsOne(const Facts& facts);
std::optional<Advice> valuesDecideTime(const Facts& facts);
std::optional<Advice> runsDiffer(const Facts& facts);
std::optional<Advice> codeForLess(const Facts& facts);
std::optional<Advice> passesOff(const Facts& facts);
std::optional<Advice> schedulesStale(const Facts& facts);

// Where time goes that need not (rules_of_time.cpp).
std::optional<Advice> oneThread(const Facts& facts);
std::optional<Advice> kernelsUntuned(const Facts& facts);
std::optional<Advice> dataMoved(const Facts& facts);
std::optional<Advice> scheduleRefused(const Facts& facts);
std::optional<Advice> threadsWait(const Facts& facts);
std::optional<Advice> betweenCalls(const Facts& facts);
std::optional<Advice> strictNumerics(const Facts& facts);

// Memory (rules_of_memory.cpp).
std::optional<Advice> oneBufferMakesThePeak(const Facts& facts);

} // namespace lathe::advise
