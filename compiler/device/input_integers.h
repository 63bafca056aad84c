// SPDX-License-Identifier: Apache-2.0
//
// The way of what is known of a model's integer inputs (relay/taken_integers.h) to whoever draws them: an artifact's metadata say
// it (driver/model_tables.h), so that one that is run without its model is fed as well as one that was compiled just now.
#pragma once

#include "device/runner_client.h"

namespace lathe::device {

inline constexpr const char* integersKey = "integers"; // of the metadata, which are JSON

/// Reads them into the inputs of the model. What an older Lathe wrote says nothing, and neither does what is malformed.
void readIntegers(RunnerModel& model);

/// least … end - 1
struct IntegerRange {
    int64_t least = 0, end = 2;
    bool operator==(const IntegerRange&) const = default;
};

/// What to draw for each input, at these dims of them by name, in their order. Where no integer is taken, as of a table without
/// elements, 0 and 1: the run says what is wrong.
std::vector<IntegerRange> rangesOf(const std::vector<RunnerValue>& inputs,
                                   const std::vector<std::pair<std::string, std::vector<int64_t>>>& shapes);

/// What of it the type can hold; if nothing, 0 and 1.
IntegerRange within(DataType dtype, IntegerRange range);

} // namespace lathe::device
