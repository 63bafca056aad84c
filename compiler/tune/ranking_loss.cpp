// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking_loss.h"

#include <cmath>

namespace lathe::tune {

void addRankingGradients(std::span<const float> scores, std::span<const float> speeds, std::span<float> first,
                         std::span<float> second) {
    for (size_t i = 0; i < scores.size(); ++i)
        for (size_t j = 0; j < i; ++j) {
            if (speeds[i] == speeds[j])
                continue;
            const size_t fast = speeds[i] > speeds[j] ? i : j, slow = i + j - fast;
            const float weight = speeds[fast] - speeds[slow];
            const float wrong =
                1 / (1 + std::exp(scores[fast] - scores[slow])); // how likely they are in the wrong order
            first[fast] -= weight * wrong;
            first[slow] += weight * wrong;
            second[fast] += weight * wrong * (1 - wrong);
            second[slow] += weight * wrong * (1 - wrong);
        }
}

} // namespace lathe::tune
