// SPDX-License-Identifier: Apache-2.0
//
// All candidates, one after the other: an odometer over the answers. Which questions are asked depends on the answers
// before, so the wheels behind the one that turned are found anew by looking.
#include "tune/search/searches.h"

#include <algorithm>

namespace lathe::tune {
namespace {

class Grid final : public Search {
public:
    std::vector<Candidate> propose(size_t count, Explorer& explorer, std::span<const Trial>) override {
        std::vector<Candidate> made;
        if (!begun_) {
            find(explorer);
            begun_ = true;
        }
        while (made.size() < count && !done_ && !explorer.isOver()) { // many settings may lead to what is known
            if (auto candidate = explorer.make(held_, std::nullopt, Made::Enumerated))
                made.push_back(std::move(*candidate));
            advance(explorer);
        }
        return made;
    }

private:
    struct Wheel {
        schedule::Question question;
        size_t at = 0;
    };

    /// The next setting of the wheels; those that are new begin with their first candidate.
    void advance(Explorer& explorer) {
        while (!wheels_.empty() && wheels_.back().at + 1 == wheels_.back().question.candidates.size()) {
            held_.erase(wheels_.back().question.name);
            wheels_.pop_back();
        }
        if (wheels_.empty()) {
            done_ = true;
            return;
        }
        ++wheels_.back().at;
        hold(wheels_.back());
        find(explorer);
    }

    /// Looks what is asked under the answers that are held, until no question is new. An illegal setting asks nothing more.
    void find(Explorer& explorer) {
        for (bool found = true; found;) {
            found = false;
            const auto candidate = explorer.look(held_);
            if (!candidate)
                return;
            for (const schedule::Question& question : candidate->questions)
                if (question.candidates.size() > 1 && !held_.contains(question.name)) {
                    wheels_.push_back({question, 0});
                    hold(wheels_.back());
                    found = true;
                    break;
                }
        }
    }
    void hold(const Wheel& wheel) { held_[wheel.question.name] = {wheel.question.candidates[wheel.at]}; }

    schedule::Answers held_;
    std::vector<Wheel> wheels_;
    bool begun_ = false, done_ = false;
};

} // namespace

std::unique_ptr<Search> makeGrid(uint64_t) {
    return std::make_unique<Grid>();
}

} // namespace lathe::tune
