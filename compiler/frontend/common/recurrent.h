// SPDX-License-Identifier: Apache-2.0
//
// LSTM, GRU, RNN: a loop over time around one cell. The product of all inputs with the weights is taken once, outside of the
// loop; inside remains the product with the state. Directions are separate loops, joined afterwards. The order of gates and
// which functions they have is said by the format.
#pragma once

#include "frontend/common/emit.h"

#include <functional>
#include <vector>

namespace lathe::frontend {

using GateFunction = std::function<Var(Var)>;

/// What the three have in common.
struct Recurrence {
    Var x;                  // [time, batch, features]
    Var weights, recurrent; // [directions, gates * hidden, features or hidden]
    Var bias;    // [directions, 2 * gates * hidden]: of the product with x, then of that with the state; may be absent
    Var lengths; // [batch], int64; absent: all of time
    /// [time, batch], bool: steps that count; absent: all. The others leave the states as they are and show again what
    /// was shown before, zeros at first.
    Var mask;
    bool isZeroWhereMasked = false; // they show zeros
    std::vector<Var> initial;       // of each state, [directions, batch, hidden]; absent: zeros
    Expr time, batch, hidden;
    Expr shown; // width of the first state where it is not hidden's; may be null
    int gates = 1;
    size_t directions = 1;
    bool reversed = false;               // the one direction is backward; of two the second is
    double clip = 0;                     // bound of what functions of gates are taken of; 0: none
    std::vector<GateFunction> functions; // as many for each direction, a direction after the other
};

/// What ran in one direction.
struct RanDirection {
    Var all;                 // [time, batch, hidden]
    std::vector<Var> states; // last ones, [batch, hidden]
    Var last;                // what the last step shows, [batch, hidden]
};
using RanDirections = std::vector<RanDirection>; // empty after a fault

/// [time, directions, batch, hidden].
Var allOf(Builder& b, const RanDirections& ran);
/// [directions, batch, hidden].
Var lastOf(Builder& b, const RanDirections& ran, size_t state);

/// Functions: of gates, of the cell's candidate, of the cell on its way out. States: hidden, cell.
struct LstmCell {
    int input = 0, output = 0, forget = 0, candidate = 0; // their places among the gates
    bool coupled = false;                                 // what is forgotten is what is not taken in
    bool withoutInput = false; // there is no input gate: what is taken in is what is not forgotten
    Var peepholes = {};        // [directions, 3 * hidden] of input, output, forget; may be absent
    // Each gate's sum is normalized, scaled and moved by what [directions, gates * hidden] say; absent: it is not.
    Var normScale = {}, normBias = {};
    // What the cell gives is [directions, shown, hidden] times it, and [directions, shown] added; may be absent.
    Var projection = {}, projectionBias = {};
    double cellClip = 0, shownClip = 0; // bounds of the cell's state, and of what is projected; 0: none
};
RanDirections lstm(Builder& b, const Recurrence& recurrence, const LstmCell& cell);

/// The candidate is the last of three gates. Functions: of gates, of the candidate. State: hidden.
struct GruCell {
    int update = 0, reset = 0;
    bool linearBeforeReset = false; // the reset scales the product with the state and its bias, not the state
};
RanDirections gru(Builder& b, const Recurrence& recurrence, const GruCell& cell);

/// Function: of the one gate. State: hidden.
RanDirections rnn(Builder& b, const Recurrence& recurrence);

} // namespace lathe::frontend
