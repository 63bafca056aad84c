// SPDX-License-Identifier: Apache-2.0
//
// Every answer drawn. What the others have to beat.
#include "tune/search/searches.h"

namespace lathe::tune {
namespace {

class Random final : public Search {
public:
    explicit Random(uint64_t seed) : random_(seed) {}
    std::vector<Candidate> propose(size_t count, Explorer& explorer, std::span<const Trial>) override {
        std::vector<Candidate> made;
        addRandom(made, count, explorer, random_);
        return made;
    }

private:
    std::mt19937_64 random_;
};

} // namespace

std::unique_ptr<Search> makeRandom(uint64_t seed) {
    return std::make_unique<Random>(seed);
}

} // namespace lathe::tune
