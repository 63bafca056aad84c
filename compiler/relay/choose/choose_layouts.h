// SPDX-License-Identifier: Apache-2.0
//
// Choose layouts: constant weights of products and convolutions are stored in panels of as many output columns (channels)
// as a register tile is wide, the reduction inside: [N/b, K, b], [O/b, I, k…, b]. Then the innermost step of the kernel
// reads the weights as one vector after the other, whatever the layout of the activations.
//
// Why here: after the last pass that rewrites weights, before the last folding of constants (the packing is a recipe).
// Panels are as wide as the result's blocks. Where it has none (all products, convolutions whose result is stored as the model
// has it), a weight stays as it is if no vector divides its columns and they do not make two whole panels, the last one cut
// short: the plain variant always exists. So do those of a convolution into the model's order with few products an element,
// which runs along rows of the image.
//
// Activations are stored as channel_blocks.h decides; an operator that wants an operand in blocks gets it so.
//
// What operators want, make and carry is said by the operator table (relay/layout_columns.h); no operator is named here.
//
// What was chosen among what is recorded, and can be decided otherwise.
#pragma once

#include "base/target.h"
#include "relay/ir.h"

#include <map>

namespace lathe::relay::choose {

/// What a choice is about: blocks of the result's channels, panels of the constant weights' columns.
enum class StoredPart : uint8_t { Blocks, Panels };

/// How something is stored: in how wide parts, in elements; 0: as the model has it.
struct LayoutChoice {
    uint32_t var = 0; // of the call, in the module before
    model::Span span;
    relay::Op op{};
    StoredPart part{};
    int64_t width = 0;
    std::vector<int64_t> offered; // several
};

/// Decided widths by the call's Var, each one that is offered.
struct LayoutPins {
    std::map<uint32_t, int64_t> blocks, panels;
};

struct LaidOut {
    relay::Module module;
    std::vector<LayoutChoice> choices; // in the module's order
};

LaidOut chooseLayouts(const relay::Module& module, const Target& target, const LayoutPins& pins = {});

} // namespace lathe::relay::choose
