// SPDX-License-Identifier: Apache-2.0
//
// A Block as seen by who moves axes: values, the calls that could read and write them in another order, and what must
// have them in one. A Transpose is no call here: its result is its operand, read in another order. So what a Block
// moves is told by its values alone: each is moved once for each order in which it is read and not written.
#pragma once

#include "relay/axis_order.h"
#include "relay/transform/make.h"

#include <unordered_map>

namespace lathe::relay::transform {

class OrderGraph {
public:
    /// A Var as a value in some order.
    struct Reading {
        int value = -1; // -1: of an absent operand
        Axes axes = {};
    };
    struct Value {
        Var var;
        Type type;
        int producer = -1;                          // a call of the graph; -1: it is written in the model's order
        double bytes = 0;                           // none of a constant: it is moved when the artifact is written
        std::vector<std::pair<int, int>> uses = {}; // calls of the graph that read it, and as which operand
        std::vector<AxisOrder> orders = {};         // that were met; 0: the model's
        std::vector<int> sequences = {};            // of each: the first order with that sequence of elements
        std::vector<int> fixed = {};                // orders in which all others read it
        bool isProduct = false;                     // of a convolution or a product of matrices
    };
    /// One way to write a call, by orders of the values read and written.
    struct Way {
        OrderedCall call;
        std::vector<int> reads;
        int writes = 0;
    };
    struct Call {
        BindingPtr binding;
        std::vector<Type> args;
        std::vector<Reading> readings;
        int result = -1;
        Way now; // at first as the model has it
        bool changed = false;
    };

    /// `exact`: sums keep their sequence.
    OrderGraph(const Block& block, const Index& index, bool exact);

    std::vector<Value>& values() { return values_; }
    std::vector<Call>& calls() { return calls_; }
    /// The way with operand `at` (or the result) of the call in that order; nothing if there is none that is sure to
    /// be right.
    std::optional<Way> way(int call, int at, const AxisOrder& order);
    /// The order of an operand that makes its value stand in this one.
    static std::optional<AxisOrder> ofOperand(const Reading& reading, const AxisOrder& order);
    /// The order of the value that an operand's order is.
    static std::optional<AxisOrder> ofValue(const Reading& reading, const AxisOrder& order);
    int numberOf(Value& value, const AxisOrder& order);

    /// Whether a value written in one order is moved to be read in the other, and how often.
    static double moves(const Value& value, int written, int read);
    /// Bytes that are moved of a value, where wayOf(call) is how each call is written.
    double moved(const Value& value, const auto& wayOf) const {
        const int written = value.producer < 0 ? 0 : wayOf(value.producer).writes;
        std::vector<int> read;
        for (int order : value.fixed)
            note(value, order, read);
        for (auto [call, operand] : value.uses)
            note(value, wayOf(call).reads[static_cast<size_t>(operand)], read);
        double times = 0;
        for (int order : read)
            times += moves(value, written, order);
        return value.bytes * times;
    }

    /// Whether no value was met in more orders than are looked at; else the graph is not whole.
    bool isSimple() const { return isSimple_; }
    /// Whether a Transpose moves nothing, or reads another.
    bool hasNeedless() const { return hasNeedless_; }
    /// Vars that Blocks nested in a binding use; their own are among them.
    static std::vector<Var> usedWithin(const Binding& binding);
    /// Null unless the Var is a value of the Block, or read as one.
    const Reading* find(Var var) const;

private:
    const Index& index_;
    bool exact_;
    std::vector<Value> values_;
    std::vector<Call> calls_;
    std::unordered_map<uint32_t, Reading> readings_;
    bool isSimple_ = true, hasNeedless_ = false;

    static void note(const Value& value, int order, std::vector<int>& orders);
    const Reading& reading(Var var);
    void fix(Var var);
    void addCall(const BindingPtr& binding, const OpCall& call);
    bool mayChange(const Binding& binding) const;
    bool isPlainTensor(Var var) const;
};

} // namespace lathe::relay::transform
