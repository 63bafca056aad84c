// SPDX-License-Identifier: Apache-2.0
//
// Which integers a model takes for its inputs. Whoever draws inputs at random has to know: an index beyond its table, a divisor
// of zero or a length of nothing is refused by the run, and zeros and ones alone read two rows of a table.
#pragma once

#include "relay/ir.h"

#include <map>
#include <string>
#include <vector>

namespace lathe::relay {

/// An integer is taken if it is at least `least` and less than each of `below`.
struct TakenIntegers {
    struct Limit {
        Expr size; // a dim; perhaps of a symbol that no input says
        int64_t more = 0;
    };
    int64_t least = 0;
    std::vector<Limit> below; // value < size + more
};

/// By the names of those inputs of integers whose use says which. Found from where values are used back to the inputs, through
/// operators that hand them on as they are, or plus a constant: indices, divisors, steps, lengths, depths, sizes. What the others
/// are used for either takes any integer, or is computed of them in a way that is not followed; masks, which are compared or cast
/// to bool, are among these. The module's functions must have been inlined.
std::map<std::string, TakenIntegers> takenIntegers(const Module& module);

} // namespace lathe::relay
