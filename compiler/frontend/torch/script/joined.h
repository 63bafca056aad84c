// SPDX-License-Identifier: Apache-2.0
//
// What two ways through a program give, or two rounds of a loop: what they agree on is known afterwards too; what differs,
// tensors and numbers, is a result of the branch, or carried through the loop.
#pragma once

#include "frontend/torch/script/script_value.h"

#include <expected>
#include <set>

namespace lathe::frontend::torch::script {

struct Joined {
    enum class Kind : uint8_t {
        Same, // keep
        Tensor,
        Int,
        Float,
        Bool,
        Quantized, // its integers; the rest as in keep
        Tuple,     // parts; names as in keep
        List,      // parts: of one that was made on the way
        Dict,      // the same: parts by keys
    } kind = Kind::Same;
    ScriptValue keep{};
    std::vector<Joined> parts{};
    ScriptValues keys{}; // Dict
    DataType dtype{};    // Tensor, Quantized
    Dims dims{};
    std::set<Memory::Place> sharesWith{}; // Tensor: those that were there before, of which it may be a view
};

/// Something that changed in the course of an evaluation.
struct Change {
    enum class Kind : uint8_t {
        Variable,
        Content, // of a cell: parts are a list's items, or the values of a dict or an object, whose keys stay as they are
        Grown,   // a list that gets an element in each round of a loop: parts[0]
        Storage,
    } kind = Kind::Variable;
    std::string name{};      // Variable
    Cell cell = 0;           // Content, Grown
    Memory::Place place = 0; // Storage
    std::vector<Joined> parts{};
    std::vector<Joined> all{}; // Grown: all items of the list

    bool isOfSame(const Change& other) const {
        return kind == other.kind && name == other.name && cell == other.cell && place == other.place;
    }
};

/// Whether both are the same thing, or known to be equal.
bool isSame(const ScriptValue& a, const ScriptValue& b);
/// Whether both stand for the same kind of result, for the same thing if it is kept.
bool isSame(const Joined& a, const Joined& b);

/// How many tensors the results are.
size_t slotsOf(const Joined& joined);

/// Fails with a sentence why they cannot be joined.
std::expected<Joined, std::string> join(const Joined& a, const Joined& b);

} // namespace lathe::frontend::torch::script
