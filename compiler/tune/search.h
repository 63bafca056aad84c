// SPDX-License-Identifier: Apache-2.0
//
// Who decides what is tried next. A search sees the trials so far of one kernel and proposes candidates that were not there
// before; it keeps nothing that the trials do not say but its place in a walk, so a study can go on from what was recorded.
#pragma once

#include "base/result.h"
#include "tune/explorer.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace lathe::tune {

class Search {
public:
    virtual ~Search() = default;
    /// At most `count` new candidates; none: there is nothing left to try, or explorer.isOver(). `trials` are all so far, the
    /// default's first.
    virtual std::vector<Candidate> propose(size_t count, Explorer& explorer, std::span<const Trial> trials) = 0;
};

/// The names that makeSearch takes, the default first.
std::span<const std::string_view> searchNames();

/// Fails for a name that is none of searchNames().
Result<std::unique_ptr<Search>> makeSearch(std::string_view name, uint64_t seed);

} // namespace lathe::tune
