// SPDX-License-Identifier: Apache-2.0
//
// The loss of a ranking: log(1 + exp(slower's score - faster's score)) for each pair of one task (RankNet; Burges et al.,
// ICML 2005), weighted by how far their speeds are apart, so that what is about as fast need not be ordered.
#pragma once

#include <span>

namespace lathe::tune {

/// Adds the first and second derivatives of the loss by each score. All four are of one task and of one length.
void addRankingGradients(std::span<const float> scores, std::span<const float> speeds, std::span<float> first,
                         std::span<float> second);

} // namespace lathe::tune
