// SPDX-License-Identifier: Apache-2.0
//
// Python's pickles, as PyTorch saves tensors and modules in them. A pickle is a program that makes objects; here it makes a
// description of them, and nothing that it names is called. Of its instructions those are known that PyTorch writes.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe::frontend::torch {

struct PickleValue {
    enum class Kind : uint8_t {
        None,
        Bool,
        Int,
        Float,
        Text,
        Global,     // text: "torch FloatStorage"
        Tuple,      // items
        List,       // items
        Dict,       // entries
        Object,     // what items[0] would make of items[1], with entries set, and `state` given to it
        Persistent, // what items[0] stands for outside of the pickle
    } kind = Kind::None;
    int64_t whole = 0; // Bool, Int
    double real = 0;
    std::string text{};
    std::vector<const PickleValue*> items{};
    std::vector<std::pair<const PickleValue*, const PickleValue*>> entries{};
    const PickleValue* state = nullptr;

    bool isGlobal(std::string_view name) const { return kind == Kind::Global && text == name; }
    /// Whether it is an object that a function or class of that name would make of so many arguments or more.
    bool isMadeBy(std::string_view name, size_t arguments) const {
        return kind == Kind::Object && items[0]->isGlobal(name) && items[1]->kind == Kind::Tuple &&
               items[1]->items.size() >= arguments;
    }
    const PickleValue& argument(size_t i) const { return *items[1]->items[i]; }
};

/// Values may be in several others, and in themselves.
struct Pickle {
    std::deque<PickleValue> values;
    const PickleValue* root = nullptr;
};

Result<Pickle> readPickle(std::span<const std::byte> bytes);

} // namespace lathe::frontend::torch
