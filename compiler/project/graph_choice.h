// SPDX-License-Identifier: Apache-2.0
//
// Which graph of the model's file the work is about: what the import is asked for, in the words of the command line. A value, which
// projects keep within their settings.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace lathe::driver {
struct Options;
} // namespace lathe::driver

namespace lathe::project {

struct GraphChoice {
    std::string signature;                    // empty: the usual one
    std::vector<std::string> inputs, outputs; // values that a part of the graph begins and ends at
    /// What the model does not declare: "x=1,3,224,224", "x=int64", "rate=16000" (driver/option_words.h).
    std::vector<std::string> shapes, types, arguments;

    bool operator==(const GraphChoice&) const = default;
    bool isPart() const { return !inputs.empty() || !outputs.empty(); }
    /// What it says nothing of stays. Fails for a word that is none; what stands before that is added.
    Result<void> addTo(driver::Options& options) const;
    /// An object; what is as usual is not in it.
    std::string toJson() const;
    /// Fails for what toJson does not write, and for words that are none.
    static Result<GraphChoice> fromJson(std::string_view text);
};

} // namespace lathe::project
