// SPDX-License-Identifier: Apache-2.0
//
// What an operator says of layouts: columns of the operator table, and all that relay/choose knows of operators. A layout here
// splits one dim: an activation's into blocks, constant weights' into panels.
//
// An operator *wants* constant operands in panels or operands in blocks, *makes* blocks of its own accord, or *carries* those
// of its operands over to its result. Operators compute the same in any layout; this is what is fast.
#pragma once

#include <cstdint>

namespace lathe::relay {

struct TypedCall; // relay/op.h

/// A constant operand that is better stored in panels.
struct PanelRequest {
    int operand = -1;          // -1: none
    int dim = -1;              // of the operand: what the panels go along
    int inner = -1;            // of the operand: lies in blocks as those of operand 0, where that has any; -1: none
    bool inBlocksOnly = false; // not for a result in the model's order
    bool scatters = false;     // a result in the model's order is then written an element a store
};

/// An operand that is better stored in blocks, whoever made it.
struct BlockRequest {
    int operand = -1; // -1: none
    int dim = -1;     // of the operand
};

/// A result that a call writes in blocks of its own accord.
struct MadeBlocks {
    int dim = -1;        // of the result; -1: none
    bool always = false; // it is slow in the model's order, whoever reads it; else a choice
    int constant = -1;   // the operand that has to be constant for it; -1: none
};

/// How a result's blocks go with those of operands.
enum class Carriage : uint8_t {
    None,
    Elements, // element by element: operands broadcast
    Slices,   // of one operand, each index along the dim for itself
    Parts,    // operands stand one behind the other along the dim
};
struct CarriedBlocks {
    Carriage way = Carriage::None;
    int dim = -1;       // of the result, that the operand's dim is
    bool gains = false; // blocks make the call itself faster: windows run along them
    int constant = -1;  // the operand that has to be constant for it; -1: none
};

struct LayoutColumns {
    PanelRequest (*panels)(const TypedCall& call) = nullptr; // null: it wants none
    BlockRequest blocks = {};
    MadeBlocks (*makes)(const TypedCall& call) = nullptr; // null: it makes none
    /// What becomes of blocks along a dim of an operand. Null: nothing.
    CarriedBlocks (*carries)(const TypedCall& call, int operand, int dim) = nullptr;
    bool converts = false; // its result is stored as its attributes say, which nobody decides
};

} // namespace lathe::relay
