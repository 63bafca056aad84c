// SPDX-License-Identifier: Apache-2.0
//
// The searches, each in a file of its own, and what several of them do with answers.
#pragma once

#include "tune/search.h"

#include <functional>

namespace lathe::tune {

std::unique_ptr<Search> makeRandom(uint64_t seed);
std::unique_ptr<Search> makeGrid(uint64_t seed);
std::unique_ptr<Search> makeGenetic(uint64_t seed);
std::unique_ptr<Search> makeAnnealing(uint64_t seed);
std::unique_ptr<Search> makeEvolution(uint64_t seed);
std::unique_ptr<Search> makeDescent(uint64_t seed);
std::unique_ptr<Search> makeReplay(uint64_t seed);

/// So often a search that finds nothing new tries again before it says that nothing is left.
inline constexpr size_t mostMisses = 200;

/// The answers with one of them changed, seldom that to a Rule: 7 times of 10 to a neighbour in the question's list, else to any
/// other. Nothing if no question has two candidates.
std::optional<schedule::Answers> changed(const Candidate& parent, std::mt19937_64& random);

/// Each answer from one parent or the other. Both were asked for it, or the first alone.
schedule::Answers crossed(const Candidate& one, const Candidate& other, std::mt19937_64& random);

/// Its time to the default's: 0.5 is twice as fast. Of what was too slow to be measured on, what was seen of it; nothing for what
/// did not run.
std::optional<double> ratioOf(const Trial& trial);

/// Trials that ran, the fastest first.
std::vector<const Trial*> fastest(std::span<const Trial> trials);

/// Appends to `made` until it has `count` candidates, or `enough` requests led to nothing new. `draw` may have nothing to ask
/// for.
void addMade(std::vector<Candidate>& made, size_t count, size_t enough, Explorer& explorer,
             const std::function<std::optional<Request>()>& draw);

/// Candidates that are drawn whole, appended to `made` until it has `count`.
void addRandom(std::vector<Candidate>& made, size_t count, Explorer& explorer, std::mt19937_64& random);

} // namespace lathe::tune
