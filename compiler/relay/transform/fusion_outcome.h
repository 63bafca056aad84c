// SPDX-License-Identifier: Apache-2.0
//
// What became of an operator and one that uses its value: in one function, or the reason why not. "fuse" says it where it
// decides; nobody has to guess it from the result.
#pragma once

#include <cstdint>
#include <string_view>

namespace lathe::relay::transform {

/// An anchor is a group's product or reduction. Ways lead from a producer along uses to its immediate post-dominator, with
/// which it joins together with all that stands between.
enum class FusionOutcome : uint8_t {
    Joined,
    KeptApart,       // it was decided, of these two
    OthersApart,     // of two others, which would be in the function as well
    OpaqueProducer,  // stands alone
    OpaqueConsumer,  // likewise, on a way
    Escapes,         // needed by what is no operator of the Block
    WaysPart,        // there is no post-dominator
    SecondAnchor,    // the two groups have one each
    EpilogueKind,    // behind an anchor stands what is not elementwise
    EpilogueShape,   // or not of the anchor's shape
    TakesNoProducer, // an anchor that reads from memory
    AnchorBetween,   // on a way
    ReadAgain,       // the consumer reads an element more than once
    FewerElements,   // than the consumer has
    TooLarge,        // the group
};
inline constexpr int fusionOutcomes = static_cast<int>(FusionOutcome::TooLarge) + 1;

/// For programs: "second anchor".
std::string_view toString(FusionOutcome outcome);
/// For people: a sentence on producer and consumer.
std::string_view sentenceOf(FusionOutcome outcome);

} // namespace lathe::relay::transform
