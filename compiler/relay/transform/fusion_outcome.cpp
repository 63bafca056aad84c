// SPDX-License-Identifier: Apache-2.0
#include "relay/transform/fusion_outcome.h"

#include <cstddef>

namespace lathe::relay::transform {
namespace {

struct Words {
    std::string_view name, sentence;
};

constexpr Words words[fusionOutcomes] = {
    {"joined", "One function computes both, so the value is no tensor in memory."},
    {"kept apart", "A decision keeps the two apart."},
    {"others apart", "A decision keeps two other operators apart, and they would be in the function as well."},
    {"opaque producer", "The producer always stands alone: it is a view, or a kernel of its own."},
    {"opaque consumer", "What uses the value always stands alone: it is a view, or a kernel of its own."},
    {"escapes", "The value is needed outside of functions too: by an output, a tuple, a branch, a loop or a check."},
    {"ways part", "Several operators use the value, and no later one takes up all that they make of it."},
    {"second anchor",
     "Both have a product or reduction in their functions already, and a function holds only one: but for attention, "
     "if its rows are many and of known length."},
    {"epilogue kind", "Behind a product or reduction, only elementwise operators join its function."},
    {"epilogue shape", "Behind a product or reduction, only what has its result's shape joins its function."},
    {"takes no producer",
     "A product, a window and the like read their operands from memory: nothing is computed inside."},
    {"anchor between",
     "An operator on the way stands in the function of a product or reduction, which must be complete before."},
    {"read again", "Elements of the value may be read more than once, and would be computed again each time."},
    {"fewer elements", "The value has fewer elements than what is made of it: each would be computed several times."},
    {"too large", "The function would hold too many operators, all up to where the ways from the value meet."},
};

} // namespace

std::string_view toString(FusionOutcome outcome) {
    return words[static_cast<size_t>(outcome)].name;
}

std::string_view sentenceOf(FusionOutcome outcome) {
    return words[static_cast<size_t>(outcome)].sentence;
}

} // namespace lathe::relay::transform
