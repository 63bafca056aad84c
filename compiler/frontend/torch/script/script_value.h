// SPDX-License-Identifier: Apache-2.0
//
// What a TorchScript program computes with while it is evaluated: tensors, which are values being built; numbers and all else,
// which are known or depend on sizes and elements; and cells, whose contents change: lists, dicts and objects.
#pragma once

#include "frontend/common/quantize.h"
#include "frontend/torch/memory.h"
#include "frontend/torch/script/syntax.h"
#include "frontend/torch/value.h"

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace lathe::frontend::torch::script {

struct ScriptValue;
using ScriptValues = std::vector<ScriptValue>;

struct TensorRef {
    Memory::Place place = 0;
};

/// A bool or a float that is found out while the model runs, as a tensor of rank 0. An int is always an Expr.
struct Number {
    Var element;
    bool isBool = false;
};

/// Integers that stand for real numbers, by one scale and zero point or one each of a slice of an axis.
struct Quantized {
    Memory::Place integers = 0;
    Quantization by;
    bool isPerChannel = false;
};

struct TupleValue {
    std::shared_ptr<const ScriptValues> items;
    std::shared_ptr<const std::vector<std::string>> names; // of a NamedTuple; else null
    int nesting = 1;                                       // of tuples in tuples
    size_t elements = 0;                                   // of all of them
};

using Cell = uint32_t;
struct CellRef {
    Cell cell = 0;
};

/// A tensor whose rows are elements of a list, as many as it has.
struct Rows {
    Var stacked;
};

struct Device {
    std::string name;
};

using Variables = std::map<std::string, ScriptValue>;

struct Callable {
    FunctionPtr function;
    std::shared_ptr<const Variables> around; // of one that is defined within another
};

/// A member of an Enum.
struct EnumMember {
    std::string name; // "__torch__.Color.RED"
    std::shared_ptr<const ScriptValue> value;
};

/// What the program says that it never reads.
struct Uninitialized {};

struct ScriptValue {
    using Variant = std::variant<std::monostate, TensorRef, Complex, bool, Expr, double, Number, std::string,
                                 TupleValue, CellRef, Quantized, Rows, Device, Callable, EnumMember, Uninitialized>;
    /// An Expr is an int (type index) or a bool (type bool), which may depend on sizes; a bool that is known is a bool.
    Variant value;

    ScriptValue() = default; // None
    template <class T>
        requires(!std::is_same_v<std::remove_cvref_t<T>, ScriptValue> && std::is_constructible_v<Variant, T>)
    ScriptValue(T&& from) : value(std::forward<T>(from)) {}

    bool isNone() const { return std::holds_alternative<std::monostate>(value); }
    template <class T>
    const T* as() const {
        return std::get_if<T>(&value);
    }
};

ScriptValue tupleOf(ScriptValues items, std::shared_ptr<const std::vector<std::string>> names = nullptr);
/// An int that is known.
std::optional<int64_t> asInt(const ScriptValue& value);

// ---- cells

struct ListCell {
    ScriptValues items;
    bool hasUnseen = false; // in a loop that it grows in: what lies before these items is not known
};
struct DictCell {
    std::vector<std::pair<ScriptValue, ScriptValue>> entries;
};
struct ObjectCell {
    std::string type;                      // "__torch__.torch.nn.modules.linear.Linear"
    std::shared_ptr<const ClassText> text; // null: of a class that is no code, as packed weights are
    Variables attributes;
    std::string path; // of a module, in the model: "encoder.layers.0"
};
using CellContent = std::variant<ListCell, DictCell, ObjectCell>;

/// All cells. A copy is what they hold at some time: contents are shared until they change.
class Heap {
public:
    Cell make(CellContent content) {
        cells_.push_back(std::make_shared<const CellContent>(std::move(content)));
        return static_cast<Cell>(cells_.size() - 1);
    }
    size_t size() const { return cells_.size(); }
    const CellContent& at(Cell cell) const { return *cells_[cell]; }
    void set(Cell cell, CellContent content) { cells_[cell] = std::make_shared<const CellContent>(std::move(content)); }
    bool isSame(Cell cell, const Heap& other) const { return cells_[cell] == other.cells_[cell]; }

    /// Null if the value refers to no such cell.
    template <class T>
    const T* find(const ScriptValue& value) const {
        const CellRef* ref = value.as<CellRef>();
        return ref ? std::get_if<T>(cells_[ref->cell].get()) : nullptr;
    }

private:
    std::vector<std::shared_ptr<const CellContent>> cells_;
};

/// A kind of value, for a sentence: "a tensor", "a list".
std::string kindOf(const ScriptValue& value, const Heap& heap);

} // namespace lathe::frontend::torch::script
