// SPDX-License-Identifier: Apache-2.0
//
// What records hold for the task, and nothing else. A study offers that by itself, before what its search proposes; so this
// one has nothing to add.
#include "tune/search/searches.h"

namespace lathe::tune {
namespace {

class Replay final : public Search {
public:
    std::vector<Candidate> propose(size_t, Explorer&, std::span<const Trial>) override { return {}; }
};

} // namespace

std::unique_ptr<Search> makeReplay(uint64_t) {
    return std::make_unique<Replay>();
}

} // namespace lathe::tune
